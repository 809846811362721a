import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import type { ExportTable } from '../../src/config/option-spec.js';
import { LINK_KINDS } from '../../src/parse/links.js';
import { exportFormat } from '../../src/report/index.js';
import type { OutputOptions } from '../../src/report/output.js';
import { UrlState } from '../../src/store/url-state.js';
import { StoreFixture, temporaryFolder } from './store-fixture.js';

function crawl(): StoreFixture {
  const store = new StoreFixture([
    { url: 'http://a.test/', page: { title: '=1+1', ttfb_ms: 12.3456789, total_ms: 20.04, headers: '{"vary":"a"}' } },
    { url: 'http://a.test/b', depth: 1, page: { title: 'B \ud800 ü', fetched_at: Date.UTC(2024, 4, 6, 7, 8, 9, 10) } },
    { url: 'http://b.test/', depth: 1, page: null, state: UrlState.failed, reason: 'dns' },
  ]);
  return store;
}

async function parquetOf(table: ExportTable, store = crawl()) {
  const path = join(temporaryFolder(), 'out.parquet');
  const notes = await exportFormat(store.freshReader(), 'parquet', { path }, { table });
  const bytes = readFileSync(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  return { notes, rows: await parquetReadObjects({ file }) };
}

async function csvOf(options: OutputOptions): Promise<string> {
  const path = join(temporaryFolder(), 'out.csv');
  await exportFormat(crawl().freshReader(), 'csv', { path }, options);
  return readFileSync(path, 'utf8');
}

describe('parquet', () => {
  it('has each page with typed columns, exactly', async () => {
    const { notes, rows } = await parquetOf('pages');
    expect(notes.records).toBe(3);
    expect(rows[0]).toMatchObject({
      ...{ url: 'http://a.test/', status: 200n, title: '=1+1', ttfbMs: 12.3456789, headers: '{"vary":"a"}' },
    });
    expect(rows[1]!.fetchedAt).toEqual(new Date(Date.UTC(2024, 4, 6, 7, 8, 9, 10)));
    expect(rows[2]).toMatchObject({ state: 'failed', reason: 'dns', status: null, title: null });
  });

  it('replaces what is no character, by which readers would refuse the file', async () => {
    expect((await parquetOf('pages')).rows[1]!.title).toBe('B \ufffd ü');
  });

  it('has links and hosts', async () => {
    const store = crawl();
    store.addEdges(1, [{ to: 2, kind: LINK_KINDS.indexOf('a') }], [], null);
    expect((await parquetOf('links', store)).rows).toEqual([
      { from: 'http://a.test/', to: 'http://a.test/b', kind: 'a', rel: '', text: null, outside: null },
    ]);
    const { rows } = await parquetOf('hosts');
    expect(rows.map(({ name, urls, failed }) => [name, urls, failed])).toEqual([
      ['a.test', 2n, 0n],
      ['b.test', 1n, 1n],
    ]);
  });
});

describe('csv', () => {
  it('rounds what nobody measures so exactly, and defuses what would run', async () => {
    const [, first] = (await csvOf({})).split('\r\n');
    expect(first).toContain(",'=1+1,");
    expect(first).toContain(',12.3,20,');
  });

  it('begins with the mark of UTF-8 where that is asked for, and only then', async () => {
    expect(await csvOf({ bom: true })).toMatch(/^\ufeffurl,/);
    expect(await csvOf({})).toMatch(/^url,/);
  });

  it('has other tables than that of pages', async () => {
    expect(await csvOf({ table: 'links' })).toBe('from,to,kind,rel,text,outside\r\n');
    expect((await csvOf({ table: 'hosts' })).split('\r\n')[0]).toMatch(/^name,unicodeName,urls,done,failed/);
  });
});
