import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { pageSchema, renderPageColumns, renderPageKeys } from '../../src/report/describe-pages.js';
import { pageLine } from '../../src/report/page-line.js';
import { csvOutput as pagesCsv } from '../../src/report/tables.js';
import { fieldsOf, PAGE_FIELDS, ROW_FIELDS } from '../../src/store/page-fields.js';
import type { PageRow } from '../../src/store/page-row.js';
import type { CrawledPage, PageResult } from '../../src/store/page-types.js';
import { UrlFlag, UrlState } from '../../src/store/url-state.js';
import { closed, errorsOf, type Schema } from '../check/json-schema.js';
import { written } from './memory-files.js';
import { StoreFixture } from './store-fixture.js';

const REMEDY = 'run npm run build && node scripts/generate-docs.js';
const doc = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

const PAGES = [
  { url: 'https://a.test/', page: { title: 'Home', hash: 'ab', ttfb_ms: 1.5, note: 'wrong_charset', links_cut: 3 } },
  { url: 'https://a.test/old', parent: 1, depth: 1, page: { status: 301, redirect_to: 1 } },
  { url: 'https://a.test/gone', state: UrlState.failed, reason: 'http_4xx', page: { status: 404, message: 'no' } },
  { url: 'https://a.test/deep', state: UrlState.skipped, reason: 'depth', depth: 9, page: null },
  { url: 'https://b.test/', flags: UrlFlag.external, parent: 1, page: { note: 'wrong_charset' } },
];

describe('the table of the fields of a page', () => {
  it('is what the docs say', () => {
    expect(doc('OUTPUTS.md'), REMEDY).toContain(renderPageKeys());
    expect(doc('STORE.md'), REMEDY).toContain(renderPageColumns());
    expect(doc('schemas/page-1.json'), REMEDY).toBe(pageSchema());
  });

  it('has no two fields of one column, and a sentence for each', () => {
    const columns = ROW_FIELDS.map(({ columnName }) => columnName);
    expect(new Set(columns).size).toBe(columns.length);
    for (const { sentence } of Object.values(PAGE_FIELDS)) {
      expect(sentence).toMatch(/^[A-Z].*\.$/);
      expect(sentence).not.toMatch(/\*\/|\|/);
    }
  });

  it('gives each record the types that it had', () => {
    expectTypeOf<PageResult['state']>().toEqualTypeOf<'done' | 'failed' | 'skipped' | 'deferred'>();
    expectTypeOf<PageResult['status']>().toEqualTypeOf<number | null>();
    expectTypeOf<PageResult['bytes']>().toEqualTypeOf<number>();
    expectTypeOf<PageResult['fetchedAt']>().toEqualTypeOf<number | null>();
    expectTypeOf<PageResult['external']>().toEqualTypeOf<boolean>();
    expectTypeOf<PageResult>().not.toHaveProperty('etag');
    expectTypeOf<CrawledPage['redirectsTo']>().toEqualTypeOf<string | null>();
    expectTypeOf<CrawledPage>().not.toHaveProperty('parent');
    expectTypeOf<CrawledPage>().not.toHaveProperty('finalUrl');
    expectTypeOf<PageRow['fetchedAt']>().toEqualTypeOf<number>();
    expectTypeOf<PageRow['etag']>().toEqualTypeOf<string | null>();
    expectTypeOf<PageRow>().not.toHaveProperty('url');
  });

  it('is what the reader gives, and every line keeps to its schema', () => {
    const schema = closed(JSON.parse(pageSchema()) as Schema);
    const names = fieldsOf('kept').map(({ name }) => name);
    expect(fieldsOf('jsonl').map(({ name }) => name)).toEqual(names);
    for (const page of new StoreFixture(PAGES).reader.pages()) {
      // A line is written without a copy field by field: the record has to have the fields of a line, in their order.
      expect(Object.keys(page)).toEqual(names);
      expect(errorsOf(JSON.parse(pageLine(page)), schema)).toEqual([]);
    }
    const [line] = [...new StoreFixture(PAGES).reader.pages()].map((page) => JSON.parse(pageLine(page)));
    expect(errorsOf({ ...line, status: '200' }, schema)).not.toEqual([]);
  });

  it('keeps the order of keys and columns that programs have come to know', async () => {
    const { reader } = new StoreFixture(PAGES);
    const [first, , , , last] = [...reader.pages()].map((page) => Object.keys(JSON.parse(pageLine(page))));
    expect(first!.join(' ')).toMatch(/ malformed message note linksCut\b/);
    expect(last!.join(' ')).toMatch(/ malformed message note external\b/);
    const { text } = await written(pagesCsv, reader);
    expect(text.slice(0, text.indexOf('\r\n'))).toMatch(
      new RegExp(
        `^${
          'url,state,reason,status,finalUrl,depth,parent,title,contentType,bytes,links,hash,attempts,description,canonical,lang,' +
          'robotsMeta,lastModified,fetchedAt,ttfbMs,totalMs,malformed,message,external,note,linksCut'
        }\\b`,
      ),
    );
  });

  it('is read from a store that was made before some of them, with null for what it lacks', () => {
    const store = new StoreFixture(PAGES.slice(0, 1));
    store.database.exec('ALTER TABLE pages DROP COLUMN note; ALTER TABLE pages DROP COLUMN links_cut');
    expect([...store.freshReader().pages()]).toEqual([
      { ...[...new StoreFixture(PAGES.slice(0, 1)).reader.pages()][0], note: null, linksCut: 0 },
    ]);
  });
});
