import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CLASSES } from '../../src/base/errors.js';
import { EXPORT_FORMATS } from '../../src/config/option-spec.js';
import { LINK_KINDS } from '../../src/parse/links.js';
import { pageRecord } from '../../src/report/page-line.js';
import { LEFT_OUT } from '../../src/report/sitemap.js';
import { SCHEMA_VERSION } from '../../src/store/schema.js';
import { STATE_NAMES } from '../../src/store/url-state.js';
import { StoreFixture } from './store-fixture.js';

const page = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

describe('docs/STORE.md', () => {
  const text = page('STORE.md');

  it('names every table and column of the store', () => {
    const { database } = new StoreFixture();
    const columns = database
      .prepare(
        `SELECT tables.name AS "table", columns.name AS "column" FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
         WHERE tables.type IN ('table', 'view')`,
      )
      .all();
    const missing = columns.filter(
      ({ table, column }) => !text.includes(`\`${table}\``) || !new RegExp(`[\`.]${column}\``).test(text),
    );
    expect(columns.length).toBeGreaterThan(50);
    expect(missing.map(({ table, column }) => `${table}.${column}`)).toEqual([]);
  });

  it('has the numbers of states and kinds, and every error class', () => {
    expect(text).toContain(
      LINK_KINDS.map((kind, number) => `${number} ${kind}`)
        .join(' · ')
        .replace('12 srcset · 13', '12 srcset ·\n13'),
    );
    for (const [number, state] of STATE_NAMES.entries()) {
      expect(text).toContain(`| ${number} | ${state} |`);
    }
    for (const errorClass of ERROR_CLASSES) {
      expect(text).toContain(`\`${errorClass}\``);
    }
    expect(text).toContain(`is the version of the tables, ${SCHEMA_VERSION} on this page`);
  });
});

describe('docs/OUTPUTS.md', () => {
  const text = page('OUTPUTS.md');

  it('names every format, every key of a page and every cause to be left out of the sitemap', () => {
    const { reader } = new StoreFixture([{ url: 'https://a.test/' }]);
    const [result] = [...reader.pages()];
    for (const name of [...EXPORT_FORMATS, ...Object.keys(pageRecord(result!)), ...LEFT_OUT]) {
      expect(text).toContain(`\`${name}\``);
    }
  });
});
