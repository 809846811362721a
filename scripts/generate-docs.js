import { readFileSync, writeFileSync } from 'node:fs';
import { renderLibraryKeys } from '../dist/src/config/config-types.js';
import { renderOptionsDoc } from '../dist/src/config/describe.js';
import { pageSchema, renderPageColumns, renderPageKeys } from '../dist/src/report/describe-pages.js';
import { edgeSchema, hostSchema } from '../dist/src/report/describe-tables.js';

// After `npm run build`: writes what the docs say of options and of the fields of a page, each from its table.
const docs = (name) => new URL(`../docs/${name}`, import.meta.url);
writeFileSync(docs('OPTIONS.md'), renderOptionsDoc());
replace('LIBRARY.md', /\| key \| flag \| taken by \|\n(?:\|.*\n)*/, renderLibraryKeys());
replace('OUTPUTS.md', /\| key \| from \| \|\n(?:\|.*\n)*/, renderPageKeys());
replace('STORE.md', /\| column of `pages` \| \|\n(?:\|.*\n)*/, renderPageColumns());
writeFileSync(docs('schemas/page-1.json'), pageSchema());
writeFileSync(docs('schemas/edge-1.json'), edgeSchema());
writeFileSync(docs('schemas/host-1.json'), hostSchema());

function replace(name, table, written) {
  const page = readFileSync(docs(name), 'utf8');
  if (!table.test(page)) {
    throw new Error(`docs/${name} has no table that looks like ${table}`);
  }
  writeFileSync(
    docs(name),
    page.replace(table, () => written),
  );
}
