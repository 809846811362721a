import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CorpusInput, KnownDocument, PreparedDocument } from '../../src/corpus/document.js';
import { ESTIMATE } from '../../src/corpus/tokens.js';
import { Documents } from '../../src/docs/documents.js';
import { DocsReader } from '../../src/store/docs-reader.js';
import { PageMemory } from '../../src/store/page-memory.js';
import type { Database } from '../../src/store/sqlite.js';
import { openStoreFile, storePath } from '../../src/store/store-file.js';
import { UrlKind, UrlState } from '../../src/store/url-state.js';
import { temporaryFolder } from '../crawl/support.js';

/** A crawl that kept its pages, which can be changed between two runs. */
class Site {
  readonly folder = temporaryFolder();
  readonly database: Database = openStoreFile(storePath(this.folder.path), { create: true });
  readonly ids: number[] = [];
  /** What the corpus has, by URL. */
  readonly hashes = new Map<string, string>();

  put(id: number, body: string, etag: string | null = null): void {
    const url = `https://docs.test/${id}.html`;
    const hash = createHash('sha256').update(body).digest();
    const content = 1_000 + this.database.prepare('SELECT count(*) AS n FROM contents').get()!.n;
    this.database
      .prepare(
        `INSERT OR REPLACE INTO urls (id, url, kind, origin, depth, seed, class, state) VALUES (?, ?, ${UrlKind.page}, 1, 0, 0, 0, ${UrlState.done})`,
      )
      .run(id, url);
    this.database
      .prepare('INSERT OR REPLACE INTO pages (id, seq, status, bytes, fetched_at, etag) VALUES (?, ?, 200, ?, 0, ?)')
      .run(id, id, body.length, etag);
    this.database
      .prepare('INSERT OR IGNORE INTO contents (id, hash, packed) VALUES (?, ?, ?)')
      .run(content, hash, deflateRawSync(body));
    const kept = this.database.prepare('SELECT id FROM contents WHERE hash = ?').get(hash)!.id;
    this.database
      .prepare('INSERT OR REPLACE INTO bodies (page, type, content) VALUES (?, ?, ?)')
      .run(id, 'text/html; charset=utf-8', kept);
    if (!this.ids.includes(id)) {
      this.ids.push(id);
    }
  }

  /** A run: with the memory of the one before, or as if it were the first. */
  async run(how: 'with its memory' | 'afresh', settings = ''): Promise<CorpusInput[]> {
    const memory = how === 'afresh' ? null : PageMemory.open(this.folder.path);
    const documents = new Documents(new DocsReader(this.database), {
      ...{ directory: this.folder.path, threads: 1, pages: this.ids.length, chunkTokens: 128, tokens: ESTIMATE },
      ...{ linkEnd: (url: string) => url, redirects: { endOf: (id: number) => ({ id, problem: null }) }, settings },
      ...(memory === null ? {} : { memory }),
    });
    const known = { has: () => true, hashOf: (url: string) => this.hashes.get(url) ?? null };
    const all: CorpusInput[] = [];
    for await (const input of documents.inOrder(this.ids, known)) {
      all.push(input);
    }
    await documents.close();
    this.database.exec('DROP TABLE temp.linked_ids');
    memory?.close();
    for (const input of all) {
      if ('prepared' in input) {
        this.hashes.set(input.url, input.prepared.hash);
      }
    }
    return all;
  }

  close(): void {
    this.database.close();
    this.folder.remove();
  }
}

let site: Site;
beforeEach(() => {
  site = new Site();
});
afterEach(() => site.close());

const BANNER = '<p>This wonderful site is brought to you by its friends.</p>';
const page = (id: number, { banner = '', link = '' } = {}): string =>
  `<title>Page ${id}</title><body>${banner}<h1>Page ${id}</h1><h2 id="more">More of ${id}</h2>
   <p>${`What page ${id} has to say number ${id * 7}. `.repeat(5)}${link}</p></body>`;

const converted = (inputs: readonly CorpusInput[]): string[] =>
  inputs.filter((input) => 'prepared' in input).map(({ url }) => /(\d+)\.html/.exec(url)![1]!);

describe('a page is not converted again', () => {
  beforeEach(async () => {
    for (let id = 1; id <= 4; id++) {
      site.put(id, page(id, { banner: BANNER }), `"${id}"`);
    }
    expect(converted(await site.run('with its memory'))).toEqual(['1', '2', '3', '4']);
  });

  it('that is as it was, and says which content is meant', async () => {
    const inputs = (await site.run('with its memory')) as KnownDocument[];
    expect(converted(inputs)).toEqual([]);
    expect(inputs[0]).toEqual({
      ...{ url: 'https://docs.test/1.html', isKnown: true, etag: '"1"', lastModified: null },
      hash: site.hashes.get('https://docs.test/1.html'),
    });
  });

  it('unless its own bytes have changed', async () => {
    site.put(2, page(2, { banner: BANNER }).replace('has to say', 'says'));
    expect(converted(await site.run('with its memory'))).toEqual(['2']);
  });

  it('because its validators have: they are handed on', async () => {
    site.put(3, page(3, { banner: BANNER }), null);
    const inputs = (await site.run('with its memory')) as KnownDocument[];
    expect(converted(inputs)).toEqual([]);
    expect(inputs[2]!.etag).toBeNull();
  });

  it('unless what is known of the site says another thing of it', async () => {
    // With the fifth page the banner is no page's own.
    site.put(5, page(5, { banner: BANNER }));
    const inputs = (await site.run('with its memory')) as PreparedDocument[];
    expect(converted(inputs)).toEqual(['1', '2', '3', '4', '5']);
    expect(inputs.every(({ markdown }) => !markdown.includes('wonderful'))).toBe(true);
  });

  it('unless another page links to a place on it now', async () => {
    site.put(3, page(3, { banner: BANNER, link: '<a href="4.html#more">more</a>' }));
    const inputs = await site.run('with its memory');
    expect(converted(inputs)).toEqual(['3', '4']);
    expect(inputs.filter((each) => 'prepared' in each)).toEqual(
      (await site.run('afresh')).filter(({ url }) => /[34]\.html/.test(url)).map(asBefore),
    );
  });

  it('unless it is wanted otherwise, or the corpus has something else in its place', async () => {
    expect(converted(await site.run('with its memory', 'other'))).toEqual(['1', '2', '3', '4']);
    site.hashes.set('https://docs.test/2.html', 'changed by hand');
    expect(converted(await site.run('with its memory', 'other'))).toEqual(['2']);
  });

  it('unless the memory is damaged, which is then begun anew', async () => {
    const file = join(site.folder.path, 'converted.sqlite');
    rmSync(`${file}-wal`, { force: true });
    rmSync(`${file}-shm`, { force: true });
    writeFileSync(file, 'no database');
    expect(converted(await site.run('with its memory'))).toEqual(['1', '2', '3', '4']);
    expect(converted(await site.run('with its memory'))).toEqual([]);
  });
});

/** What is known already is not measured again. */
const asBefore = (input: CorpusInput): CorpusInput =>
  'prepared' in input ? { ...input, prepared: { ...input.prepared, measured: expect.anything() } } : input;
