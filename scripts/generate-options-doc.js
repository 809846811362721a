import { readFileSync, writeFileSync } from 'node:fs';
import { renderLibraryKeys } from '../dist/src/config/config-types.js';
import { renderOptionsDoc } from '../dist/src/config/describe.js';

// After `npm run build`: writes the reference page of all options from their table, and the keys of the library.
writeFileSync(new URL('../docs/OPTIONS.md', import.meta.url), renderOptionsDoc());

const library = new URL('../docs/LIBRARY.md', import.meta.url);
const page = readFileSync(library, 'utf8');
writeFileSync(
  library,
  page.replace(/\| key \| flag \| taken by \|\n(?:\|.*\n)*/, () => renderLibraryKeys()),
);
