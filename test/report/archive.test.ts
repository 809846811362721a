import { appendFileSync, existsSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { pack } from '../../src/base/parcel.js';
import { ArchiveWriter, segmentsIn } from '../../src/report/archive.js';
import { ArchiveTable, archiveMark, NO_ARCHIVE_YET } from '../../src/store/archive-table.js';
import { emptyPage, sealPage } from '../../src/store/page-row.js';
import type { SettledUrl, Transaction } from '../../src/store/transaction.js';
import { UrlState } from '../../src/store/url-state.js';
import { ARCHIVED, archive } from '../../src/warc/exchange.js';
import { nothingReadYet, partsOf, recordsIn } from '../../src/warc/reader.js';
import { StoreFixture, temporaryFolder } from './store-fixture.js';

const settledUrl = (id: number, more: Partial<SettledUrl>): SettledUrl => ({
  ...{ id, state: UrlState.done, reason: null, retry: null, page: null, redirectTo: null, newIds: null, depth: 0 },
  ...more,
});

const exchange = (url: string, body: string) =>
  pack(
    ARCHIVED,
    archive(
      {
        ...{
          url,
          method: 'GET',
          path: '/',
          status: 200,
          truncated: null,
          ip: null,
          isHttp2: false,
          requestHeaders: [],
        },
        ...{ head: 'HTTP/1.1 200 OK\r\n\r\n', responseHeaders: [], body: Buffer.from(body) },
      },
      { at: 1_700_000_000_000, depth: 0, ttfbMs: 1, totalMs: 2 },
    ),
  );

/** A crawl whose store counts only what was committed. */
class ArchivedCrawl {
  readonly folder = temporaryFolder();
  readonly store = new StoreFixture();
  readonly table = new ArchiveTable(this.store.database, true);
  meta: Record<string, string> = {};
  writer = this.#open();

  #open(segmentBytes = 4_000): ArchiveWriter {
    const notes = { userAgent: 'test', robots: 'obey' as const, seeds: [] };
    const writer = new ArchiveWriter(this.folder, this.table, notes, segmentBytes);
    writer.open(archiveMark(this.meta) ?? NO_ARCHIVE_YET);
    return writer;
  }

  /** As the store's thread does it: the archive first, then all at once. */
  commit(...settled: SettledUrl[]): void {
    const records = this.writer.add({ settled, at: 1_700_000_000_000 } as unknown as Transaction);
    this.table.add(records);
    Object.assign(this.meta, this.writer.mark());
  }

  /** The process is killed after the archive was written, and before the store was. */
  killedBeforeCommit(...settled: SettledUrl[]): void {
    this.writer.add({ settled, at: 1_700_000_000_000 } as unknown as Transaction);
  }

  resume(): void {
    this.writer.close();
    this.writer = this.#open();
  }

  path(segment: number): string {
    return join(this.folder, 'archive', `gossamer-0000${segment}.warc.gz`);
  }

  /** Type and URL of each record, in the order of the files. */
  records(): string[] {
    return segmentsIn(join(this.folder, 'archive')).flatMap((segment) =>
      partsOf([this.path(segment)]).flatMap((part) =>
        [...recordsIn(part, 1e6, nothingReadYet())].map(({ fields }) =>
          `${fields.get('warc-type')} ${fields.get('warc-target-uri') ?? ''}`.trim(),
        ),
      ),
    );
  }
}

const page = (n: number): SettledUrl =>
  settledUrl(n, { archived: exchange(`http://a.test/${n}`, `${n} `.repeat(400)) });
const three = (n: number): string[] => ['response', 'request', 'metadata'].map((type) => `${type} http://a.test/${n}`);

describe('the archive of a crawl', () => {
  it('has nothing twice and lacks nothing when the process was killed between it and the store', () => {
    const crawl = new ArchivedCrawl();
    crawl.commit(page(1));
    crawl.killedBeforeCommit(page(2), page(3), page(4), page(5));
    crawl.resume();
    crawl.commit(page(3));
    crawl.commit(page(2));
    expect(crawl.records().filter((record) => record !== 'warcinfo')).toEqual([...three(1), ...three(3), ...three(2)]);
  });

  it('cuts off what a power cut left in the middle of a record', () => {
    const crawl = new ArchivedCrawl();
    crawl.commit(page(1));
    appendFileSync(crawl.path(1), Buffer.from([0x1f, 0x8b, 8, 0, 0]));
    crawl.resume();
    crawl.commit(page(2));
    expect(crawl.records()).toEqual(['warcinfo', ...three(1), ...three(2)]);
  });

  it('begins another file when one is full, each with a record that says what made it', () => {
    const crawl = new ArchivedCrawl();
    for (let n = 1; n <= 8; n++) {
      crawl.commit(page(n));
    }
    const folder = join(crawl.folder, 'archive');
    expect(segmentsIn(folder).length).toBeGreaterThan(1);
    expect(crawl.records().filter((record) => record === 'warcinfo')).toHaveLength(segmentsIn(folder).length);
    expect(crawl.records().filter((record) => record !== 'warcinfo')).toEqual([1, 2, 3, 4, 5, 6, 7, 8].flatMap(three));
  });

  it('removes a file that only a commit that never was has begun', () => {
    const crawl = new ArchivedCrawl();
    crawl.commit(page(1));
    crawl.killedBeforeCommit(...[2, 3, 4, 5, 6, 7, 8].map(page));
    expect(existsSync(crawl.path(2))).toBe(true);
    crawl.resume();
    expect(existsSync(crawl.path(2))).toBe(false);
    expect(crawl.records()).toEqual(['warcinfo', ...three(1)]);
  });

  it('refuses to go on where a file is gone, or shorter than it was', () => {
    const crawl = new ArchivedCrawl();
    crawl.commit(page(1));
    truncateSync(crawl.path(1), 10);
    expect(() => crawl.resume()).toThrow(/gossamer-00001.warc.gz is shorter than the crawl left it/);
    rmSync(crawl.path(1));
    expect(() => crawl.resume()).toThrow(/gossamer-00001.warc.gz is gone/);
  });

  it('has the payload of pages that are the same once, whichever commit they come with', () => {
    const crawl = new ArchivedCrawl();
    const same = (n: number) => settledUrl(n, { archived: exchange(`http://a.test/${n}`, 'same '.repeat(400)) });
    crawl.commit(same(1), same(2));
    crawl.commit(same(3));
    const types = crawl.records().flatMap((record) => /^(?:response|revisit) .*/.exec(record)?.[0] ?? []);
    expect(types).toEqual(['response http://a.test/1', 'revisit http://a.test/2', 'revisit http://a.test/3']);
    const text = gunzipSync(readFileSync(crawl.path(1))).toString();
    expect(text.match(/WARC-Refers-To-Target-URI: http:\/\/a\.test\/1\r\n/g)).toHaveLength(2);
  });

  it('says of what did not answer why, and nothing of what was not asked', () => {
    const crawl = new ArchivedCrawl();
    const [gone, refused] = ['http://gone.test/', 'http://refused.test/'].map((url) =>
      crawl.store.add({ url, page: null }),
    );
    const failed = sealPage({ ...emptyPage(null), message: 'no such name\r\nerror: none' });
    crawl.commit(
      settledUrl(gone!, { state: UrlState.failed, reason: 'dns', page: failed }),
      settledUrl(refused!, { state: UrlState.skipped, reason: 'robots', page: failed }),
    );
    expect(crawl.records()).toEqual(['warcinfo', 'metadata http://gone.test/']);
    const text = gunzipSync(readFileSync(crawl.path(1))).toString();
    expect(text).toContain('error: dns\r\nerror-message: no such name error: none\r\n');
  });
});
