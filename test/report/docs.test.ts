import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CLASSES } from '../../src/base/errors.js';
import { EXPORT_FORMATS } from '../../src/config/option-spec.js';
import { LINK_KINDS } from '../../src/parse/links.js';
import { pageRecord } from '../../src/report/page-line.js';
import { LEFT_OUT } from '../../src/report/sitemap.js';
import { ArchiveTable } from '../../src/store/archive-table.js';
import { SCHEMA_VERSION } from '../../src/store/schema.js';
import { STATE_NAMES, UrlState } from '../../src/store/url-state.js';
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

  it('has queries that run as they are written, and find what they say', () => {
    const store = new StoreFixture([
      { url: 'https://a.test/', page: { title: 'Same', hash: 'aa', lang: 'en', ttfb_ms: 1, headers: '{}' } },
      { url: 'https://a.test/2', page: { title: 'Same', hash: 'aa' } },
      { url: 'https://a.test/old', page: { status: 301, redirect_to: 1 } },
      { url: 'https://a.test/gone', state: UrlState.failed, reason: 'http_4xx', page: { status: 404 } },
    ]);
    new ArchiveTable(store.database, true);
    store.database.exec(`
      UPDATE hosts SET deferred_reason = 'backoff';
      UPDATE origins SET crawl_delay_ms = 1000;
      INSERT INTO traps (trap, pattern, cause) VALUES (1, '/x', 'loop');
      INSERT INTO trapped (trap, url) VALUES (1, 2);
      INSERT INTO contents (id, packed) VALUES (1, x'00');
      INSERT INTO bodies (page, content) VALUES (1, 1);
      INSERT INTO archived (url, surt, at, method, status, digest, revisit, segment, offset, length)
        VALUES ('a', 'a', 0, 'GET', 200, 'd', 0, 1, 0, 1), ('b', 'b', 0, 'GET', 200, 'd', 1, 1, 1, 1);`);
    const queries = [...text.matchAll(/```sql\n([\s\S]*?)```/g)].flatMap(([, block]) => block!.split(/;\s*\n/));
    const written = queries.filter((query) => query.trim() !== '');
    expect(written.length).toBeGreaterThan(10);
    for (const query of written) {
      expect(store.database.prepare(query).all().length, query).toBeGreaterThan(0);
    }
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
    expect(text).toContain(`is the version of the tables; this page describes version ${SCHEMA_VERSION}`);
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
