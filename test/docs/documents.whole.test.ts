import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import type { CorpusInput, KnownPages, PreparedDocument } from '../../src/corpus/document.js';
import { ESTIMATE } from '../../src/corpus/tokens.js';
import { DocsReader } from '../../src/store/docs-reader.js';
import type { Database } from '../../src/store/sqlite.js';
import { openStoreFile, storePath } from '../../src/store/store-file.js';
import { UrlKind, UrlState } from '../../src/store/url-state.js';

/** Threads need files that Node can run. */
const { Documents } = (await import(
  new URL('../../dist/src/docs/documents.js', import.meta.url).href
)) as typeof import('../../src/docs/documents.js');

const NOTHING: KnownPages = { has: () => false, hashOf: () => null };

function crawled(count: number, html = pageOf): { directory: string; database: Database; ids: number[] } {
  const directory = mkdtempSync(join(tmpdir(), 'gossamer-documents-'));
  const database = openStoreFile(storePath(directory), { create: true });
  afterAll(() => {
    database.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const url = database.prepare(
    `INSERT INTO urls (id, url, kind, origin, depth, seed, class, state) VALUES (?, ?, ${UrlKind.page}, 1, 0, 0, 0, ${UrlState.done})`,
  );
  const page = database.prepare('INSERT INTO pages (id, seq, status, bytes, fetched_at) VALUES (?, ?, 200, ?, 0)');
  const content = database.prepare('INSERT INTO contents (id, packed) VALUES (?, ?)');
  const body = database.prepare('INSERT INTO bodies (page, type, content) VALUES (?, ?, ?)');
  const ids = Array.from({ length: count }, (_, i) => i + 1);
  for (const id of ids) {
    const bytes = Buffer.from(html(id));
    url.run(id, `https://docs.test/${id}.html`);
    page.run(id, id, bytes.length);
    content.run(id, deflateRawSync(bytes));
    body.run(id, 'text/html; charset=utf-8', id);
  }
  // In another order than that of the ids.
  return { directory, database, ids: ids.toReversed() };
}

const pageOf = (id: number): string =>
  `<title>Page ${id}</title><body><p>This wonderful site is brought to you by its friends.</p><h1>Page ${id}</h1>
   <p>${`What page ${id} has to say about <a href="${id + 1}.html">the next</a>. `.repeat((id % 7) * 20 + 1)}</p>`;

async function converted(
  { directory, database, ids }: ReturnType<typeof crawled>,
  threads: number,
  known = NOTHING,
  problems: string[] = [],
): Promise<CorpusInput[]> {
  const documents = new Documents(new DocsReader(database), {
    ...{ directory, threads, pages: ids.length, chunkTokens: 128, tokens: ESTIMATE },
    linkEnd: (url) => url,
    redirects: { endOf: (id) => ({ id, problem: null }) },
    onProblem: (url, sentence) => problems.push(`${url} ${sentence}`),
  });
  const all: CorpusInput[] = [];
  try {
    for await (const input of documents.inOrder(ids, known)) {
      all.push(input);
    }
    return all;
  } finally {
    await documents.close();
    // Each call is a run of its own; a run has one connection.
    database.exec('DROP TABLE temp.linked_ids');
  }
}

/** Tokens are counted by what is installed there, in threads; what stands for them here is not what is looked at. */
const withoutTokens = (inputs: readonly CorpusInput[]) =>
  inputs.map((input) => {
    const { prepared, ...document } = input as PreparedDocument;
    return { ...document, links: prepared.links, hash: prepared.hash };
  });

describe('documents of a crawl', () => {
  it('are the same in this thread, in one and in three, in the order in which they are named', async () => {
    const site = crawled(120);
    const one = await converted(site, 1);
    expect(one.map(({ url }) => url)).toEqual(site.ids.map((id) => `https://docs.test/${id}.html`));
    expect(await converted(site, 3)).toEqual(one);
    const few = crawled(40);
    const inline = await converted(few, 3);
    const same = crawled(120, (id) => (id > 80 ? pageOf(id - 80) : pageOf(id)));
    expect(inline.length).toBe(40);
    expect(withoutTokens(inline)).toEqual(withoutTokens((await converted(same, 2)).slice(80)));
  });

  it('have lost what all pages of the site say', async () => {
    for (const count of [20, 80]) {
      const all = (await converted(crawled(count), 1)) as PreparedDocument[];
      expect(all.length).toBe(count);
      expect(all.some(({ markdown }) => markdown.includes('wonderful site'))).toBe(false);
      expect(all.every(({ markdown }) => markdown.includes('has to say'))).toBe(true);
    }
  });

  it('that are as they were are not measured again', async () => {
    const site = crawled(60);
    const first = (await converted(site, 2)) as PreparedDocument[];
    expect(first.every(({ prepared }) => prepared.measured !== null)).toBe(true);
    const hashes = new Map(first.map(({ url, prepared }) => [url, prepared.hash]));
    hashes.set(first[7]!.url, 'another');
    const known = { has: () => true, hashOf: (url: string) => hashes.get(url) ?? null };
    const again = (await converted(site, 2, known)) as PreparedDocument[];
    expect(again.map(({ prepared }) => prepared.measured === null)).toEqual(again.map((_, i) => i !== 7));
  });

  it('leave out a page that cannot be read, and say so; where it is known, it stays', async () => {
    const site = crawled(60);
    site.database.prepare('UPDATE contents SET packed = ? WHERE id = 30').run(Buffer.from('no deflate'));
    const problems: string[] = [];
    expect((await converted(site, 2, NOTHING, problems)).length).toBe(59);
    expect(problems).toEqual([expect.stringMatching(/^https:\/\/docs\.test\/30\.html it cannot be converted: /)]);
    const kept = await converted(site, 2, { has: () => true, hashOf: () => null });
    expect(kept.filter((input) => 'isKnown' in input).map(({ url }) => url)).toEqual(['https://docs.test/30.html']);
  });
});
