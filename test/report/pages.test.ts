import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvText } from '../../src/report/output.js';
import { pageLine } from '../../src/report/page-line.js';
import { pagesJsonl } from '../../src/report/pages.js';
import { csvOutput as pagesCsv } from '../../src/report/tables.js';
import { UrlFlag, UrlState } from '../../src/store/url-state.js';
import { written } from './memory-files.js';
import { StoreFixture } from './store-fixture.js';

const HOSTILE_TITLE = '\u001b[2J\u009b31m "q", <b>&amp; ]]>\r\n\t\u2028\u202e=1+1 \u{1f600}';

describe('pages.jsonl', () => {
  it('has the facts that identify a page first, then the rest', () => {
    const { reader } = new StoreFixture([{ url: 'https://a.test/' }]);
    const [page] = [...reader.pages()];
    expect(Object.keys(JSON.parse(pageLine(page!)))).toEqual(
      (
        'url state reason status finalUrl depth parent title contentType bytes links hash attempts ' +
        'description canonical lang robotsMeta lastModified fetchedAt ttfbMs totalMs malformed message h1 wordCount ' +
        'inlinks indexable h1Count images imagesWithoutAlt textHash duplicateGroup hreflang headers'
      ).split(' '),
    );
  });

  it('lists every URL with what became of it, in the order they were found', async () => {
    const { reader } = new StoreFixture([
      { url: 'https://a.test/', page: { title: 'Home', hash: 'ab', canonical: 'https://a.test/' } },
      { url: 'https://a.test/old', parent: 1, depth: 1, page: { status: 301, redirect_to: 1 } },
      {
        url: 'https://a.test/gone',
        state: UrlState.failed,
        reason: 'http_4xx',
        parent: 1,
        depth: 1,
        page: { status: 404 },
      },
      { url: 'https://a.test/deep', state: UrlState.skipped, reason: 'depth', parent: 1, depth: 9, page: null },
      { url: 'https://b.test/', flags: UrlFlag.external, parent: 1, depth: 1 },
      { url: 'https://c.test/', state: UrlState.unlisted, reason: 'scope', page: null },
    ]);
    const { notes, text } = await written(pagesJsonl, reader);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(notes).toEqual({ records: 5, files: 1 });
    expect(lines.map(({ url, state, reason, finalUrl }) => [url, state, reason, finalUrl])).toEqual([
      ['https://a.test/', 'done', null, 'https://a.test/'],
      ['https://a.test/old', 'done', null, 'https://a.test/'],
      ['https://a.test/gone', 'failed', 'http_4xx', 'https://a.test/gone'],
      ['https://a.test/deep', 'skipped', 'depth', null],
      ['https://b.test/', 'done', null, 'https://b.test/'],
    ]);
    expect(lines[0].fetchedAt).toBe('2024-01-02T03:04:05.678Z');
    expect(lines.map((line) => 'external' in line)).toEqual([false, false, false, false, true]);
  });

  it('says whether a search engine would take a page, and why not', () => {
    const html = { content_type: 'text/html' };
    const pages: [Parameters<StoreFixture['add']>[0], string | null][] = [
      [{ url: 'https://a.test/', page: html }, 'yes'],
      [{ url: 'https://a.test/self', page: { ...html, canonical: 'https://a.test/self' } }, 'yes'],
      [{ url: 'https://a.test/copy', page: { ...html, canonical: 'https://a.test/' } }, 'canonical'],
      [{ url: 'https://a.test/hidden', page: { ...html, robots_meta: 'nofollow,noindex' } }, 'noindex'],
      [{ url: 'https://a.test/none', page: { ...html, robots_meta: 'none' } }, 'noindex'],
      [{ url: 'https://a.test/nearly', page: { ...html, robots_meta: 'noimageindex,max-snippet:5' } }, 'yes'],
      [
        { url: 'https://a.test/gone', state: UrlState.failed, reason: 'http_4xx', page: { ...html, status: 404 } },
        'status',
      ],
      [{ url: 'https://a.test/dead', state: UrlState.failed, reason: 'timeout', page: { status: null } }, 'failed'],
      [{ url: 'https://a.test/old', page: { ...html, status: 301, redirect_to: 1 } }, 'redirect'],
      [{ url: 'https://a.test/private', state: UrlState.skipped, reason: 'robots', page: null }, 'robots'],
      [{ url: 'https://a.test/deep', state: UrlState.skipped, reason: 'depth', page: null }, null],
      [{ url: 'https://a.test/a.pdf', page: { content_type: 'application/pdf' } }, null],
      [{ url: 'https://b.test/', flags: UrlFlag.external, page: html }, null],
    ];
    const { reader } = new StoreFixture(pages.map(([page]) => page));
    expect([...reader.pages()].map(({ indexable }) => indexable)).toEqual(pages.map(([, expected]) => expected));
  });

  it('has headers, languages and extras as objects, and as JSON in a cell of CSV', async () => {
    const { reader } = new StoreFixture([
      {
        url: 'https://a.test/',
        page: { headers: '{"vary":"a"}', hreflang: '{"de":"https://a.test/de"}', extras: '{"jsonLd":["A"]}' },
      },
      { url: 'https://a.test/2' },
    ]);
    const [first, second] = (await written(pagesJsonl, reader)).text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([first.headers, first.hreflang, first.extras]).toEqual([
      { vary: 'a' },
      { de: 'https://a.test/de' },
      { jsonLd: ['A'] },
    ]);
    expect([second.headers, second.hreflang, 'extras' in second]).toEqual([null, null, false]);
    expect((await written(pagesCsv, reader)).text).toContain('"{""vary"":""a""}"');
  });

  it('has data of the user as an object, and leaves the key out where there is none', async () => {
    const { reader } = new StoreFixture([
      { url: 'https://a.test/', page: { data: '{"price":"9.50","tags":["a","b"]}' } },
      { url: 'https://a.test/2' },
    ]);
    const { text } = await written(pagesJsonl, reader);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0].data).toEqual({ price: '9.50', tags: ['a', 'b'] });
    expect('data' in lines[1]).toBe(false);
  });

  it('gives a hostile title back exactly, from one line that is safe for a terminal', async () => {
    const { reader } = new StoreFixture([
      { url: 'https://a.test/', page: { title: HOSTILE_TITLE, description: 'x'.repeat(300_000) } },
    ]);
    const { text } = await written(pagesJsonl, reader);
    expect(text.indexOf('\n')).toBe(text.length - 1);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/);
    expect(JSON.parse(text).title).toBe(HOSTILE_TITLE);
    expect(JSON.parse(text).description).toHaveLength(300_000);
  });

  it('says skipped, limit for what a limit left in the queue', async () => {
    const store = new StoreFixture([{ url: 'https://a.test/', state: UrlState.queued, page: null }]);
    expect((await written(pagesJsonl, store.reader)).text).toBe('');
    store.setMeta('ended', JSON.stringify({ reason: 'max_urls', truncated: 'max_urls' }));
    expect(JSON.parse((await written(pagesJsonl, store.reader)).text)).toMatchObject({
      state: 'skipped',
      reason: 'limit',
    });
  });
});

describe('CSV', () => {
  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1'])(
    'never begins a cell with what a spreadsheet runs: %j',
    (text) => {
      expect(csvText(text).replace(/^"/, '')).toMatch(/^'/);
    },
  );

  it('replaces controls that no spreadsheet can show', () => {
    expect(csvText('a\u001b[2Jb\u0000\u009b\u202e')).toBe('a\ufffd[2Jb\ufffd\ufffd\ufffd');
  });

  it('can be read back cell by cell, whatever the texts hold', () => {
    const printable = fc.string({ unit: fc.constantFrom('a', '"', ',', '\r', '\n', '\t', ';', "'", ' ', '=', 'é') });
    fc.assert(
      fc.property(fc.array(printable, { minLength: 1 }), (cells) => {
        const row = `${cells.map(csvText).join(',')}\r\n`;
        const expected = cells.map((cell) => (/^[=\t\r\n]/.test(cell) ? `'${cell}` : cell));
        expect(parseCsv(row)).toEqual([expected]);
      }),
    );
  });

  it('has a header and a row of as many cells for every URL', async () => {
    const { reader } = new StoreFixture([
      { url: 'https://a.test/?a=1,2', page: { title: HOSTILE_TITLE } },
      { url: 'https://b.test/', flags: UrlFlag.external, page: { title: '=HYPERLINK("http://evil.test")' } },
      { url: 'https://a.test/deep', state: UrlState.skipped, reason: 'depth', page: null },
    ]);
    const { notes, text } = await written(pagesCsv, reader);
    const [header, ...rows] = parseCsv(text);
    expect(notes).toEqual({ records: 3, files: 1 });
    expect(rows.map((row) => row.length)).toEqual(rows.map(() => header!.length));
    const column = (name: string) => rows.map((row) => row[header!.indexOf(name)]);
    expect(column('url')).toEqual(['https://a.test/?a=1,2', 'https://b.test/', 'https://a.test/deep']);
    expect(column('title')[1]).toBe(`'=HYPERLINK("http://evil.test")`);
    expect(column('status')).toEqual(['200', '200', '']);
    expect(column('external')).toEqual(['', 'true', '']);
    expect(text).not.toContain('\u001b');
  });
});

/** RFC 4180 by the letter. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  for (let at = 0; at < text.length; ) {
    const row: string[] = [];
    for (;;) {
      const cell = /"(?:[^"]|"")*"|[^",\r\n]*/y;
      cell.lastIndex = at;
      const raw = cell.exec(text)![0];
      row.push(raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw);
      at = cell.lastIndex;
      if (text[at] !== ',') {
        break;
      }
      at++;
    }
    expect(text.slice(at, at + 2)).toBe('\r\n');
    at += 2;
    rows.push(row);
  }
  return rows;
}

describe('CSV of data of the user', () => {
  it('has a column for each name, in alphabetical order, lists as JSON and formulas defused', async () => {
    const { reader } = new StoreFixture([
      { url: 'https://a.test/', page: { data: '{"tags":["a","b"],"price":9.5}' } },
      { url: 'https://a.test/2', page: { data: '{"name":"=1+1"}' } },
    ]);
    const { text } = await written(pagesCsv, reader);
    const [header, first, second] = text.split('\r\n');
    expect(header).toMatch(/,data\.name,data\.price,data\.tags$/);
    expect(first).toMatch(/,,9\.5,"\[""a"",""b""\]"$/);
    expect(second).toMatch(/,'=1\+1,,$/);
  });
});
