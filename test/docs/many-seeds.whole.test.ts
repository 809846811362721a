import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { deflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { completeOptionsOf } from '../../src/config/resolve.js';
import type { WrittenCorpora } from '../../src/docs/progress.js';
import type { CorporaOptions } from '../../src/docs/write-corpora.js';
import { FOLLOWED } from '../../src/store/page-row.js';
import { openStoreFile, storePath } from '../../src/store/store-file.js';
import { UrlFlag, UrlKind, UrlState } from '../../src/store/url-state.js';
import { temporaryFolder } from '../crawl/support.js';
import { words } from './manual.js';

/** Threads need files that Node can run. */
const { writeCorpora } = (await import(
  new URL('../../dist/src/docs/write-corpora.js', import.meta.url).href
)) as typeof import('../../src/docs/write-corpora.js');

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const outputOf = (seed: number): string => join(folder.path, `site-${seed}-docs`);
const indexOf = (seed: number) => JSON.parse(readFileSync(join(outputOf(seed), 'index.json'), 'utf8'));
const inodeOf = (seed: number): number => statSync(join(outputOf(seed), 'index.json')).ino;
/** What stands in the folders of a seed: the corpus, pages on the way there, or nothing. */
const stateOf = (seed: number): 'whole' | 'partial' | 'nothing' =>
  existsSync(join(outputOf(seed), 'index.json'))
    ? 'whole'
    : existsSync(`${outputOf(seed)}.partial`)
      ? 'partial'
      : 'nothing';

/** The store of a crawl that has ended. */
function crawled(seeds: number, pagesEach: number): void {
  const database = openStoreFile(storePath(folder.path), { create: true });
  const seedRow = database.prepare(
    `INSERT INTO seeds (seed, url, label, scope, fallbacks, scope_urls) VALUES (?, ?, ?, 'prefix', '[]', ?)`,
  );
  const url = database.prepare(
    `INSERT INTO urls (id, url, kind, origin, depth, parent, seed, class, state, flags) VALUES (?, ?, ${UrlKind.page}, 1, 0, ?, ?, 0, ${UrlState.done}, ?)`,
  );
  const page = database.prepare('INSERT INTO pages (id, seq, status, bytes, fetched_at) VALUES (?, ?, 200, 1000, 0)');
  const content = database.prepare('INSERT INTO contents (id, packed) VALUES (?, ?)');
  const body = database.prepare('INSERT INTO bodies (page, type, content) VALUES (?, ?, ?)');
  const edges = database.prepare('INSERT INTO edges (page, packed) VALUES (?, ?)');
  database.exec('BEGIN');
  for (let seed = 0; seed < seeds; seed++) {
    const first = seed * pagesEach + 1;
    seedRow.run(seed, `https://${seed}.test/`, `${seed}.test`, JSON.stringify([`https://${seed}.test/`]));
    for (let id = first; id < first + pagesEach; id++) {
      const isSeed = id === first;
      url.run(id, `https://${seed}.test/${isSeed ? '' : id}`, isSeed ? null : first, seed, isSeed ? UrlFlag.seed : 0);
      page.run(id, id);
      const html = `<title>Page ${id}</title><main><h1>Page ${id}</h1><p>${words(id, 40)}</p></main>`;
      content.run(id, deflateRawSync(html));
      body.run(id, 'text/html', id);
    }
    const links = Array.from({ length: pagesEach - 1 }, (_, i) => [first + 1 + i, FOLLOWED]).flat();
    edges.run(first, new Uint8Array(Uint32Array.from(links).buffer));
  }
  database.exec('COMMIT');
  database.close();
}

interface Told {
  notices: string[];
  written: WrittenCorpora[];
}

async function write(seeds: number, orders: Partial<CorporaOptions> = {}, threads = 1) {
  const told: Told = { notices: [], written: [] };
  const corpora = await writeCorpora({
    directory: folder.path,
    options: { ...completeOptionsOf('docs', {}).options, parseWorkers: threads },
    outputs: Array.from({ length: seeds }, (_, seed) => outputOf(seed)),
    ...{ isComplete: true, isPartial: false, written: null, now: '2026-11-16' },
    ...{ isStopped: () => false, isTimeUp: () => false },
    onWritten: async (written) => void told.written.push(written),
    notice: (text) => told.notices.push(text),
    ...orders,
  });
  return { corpora, ...told };
}

describe('the corpora of many seeds', () => {
  it('share the threads that convert their pages, and are announced once', async () => {
    crawled(4, 55);
    let threads = 0;
    const count = (_: Worker) => threads++;
    process.on('worker', count);
    try {
      const { corpora, notices } = await write(4, {}, 2);
      expect(threads).toBe(2);
      expect(corpora.map(({ report }) => report?.pages)).toEqual([55, 55, 55, 55]);
      expect(notices).toEqual(['220 pages become Markdown']);
    } finally {
      process.off('worker', count);
    }
  });

  it('that are stopped between two of them are whole or not there; the next run writes the rest and leaves the others alone', async () => {
    const seeds = 24;
    crawled(seeds, 1);
    const isWhole = (seed: number) => stateOf(seed) === 'whole';
    const all = Array.from({ length: seeds }, (_, seed) => seed);
    const stopped = await write(seeds, { isStopped: () => all.filter(isWhole).length >= 5 });
    const finished = all.filter(isWhole);
    expect(finished.length).toBeGreaterThanOrEqual(5);
    // Those that are under way at the same time may still come to their end.
    expect(finished.length).toBeLessThan(10);
    expect(stopped.corpora.map(({ isFinished }) => isFinished)).toEqual(all.map(isWhole));
    expect(all.filter((seed) => stateOf(seed) === 'nothing').length).toBeGreaterThan(10);
    const written = stopped.written.at(-1)!;
    expect(written.seeds).toBeGreaterThan(0);

    const before = all.slice(0, written.seeds).map(inodeOf);
    const rest = await write(seeds, { written });
    expect(rest.corpora.every(({ isFinished, report }) => isFinished && report?.changes.added === 1)).toBe(true);
    expect(all.slice(0, written.seeds).map(inodeOf)).toEqual(before);
    expect(all.slice(written.seeds).map((seed) => indexOf(seed).documents.length)).toEqual(
      all.slice(written.seeds).map(() => 1),
    );
  });

  it('that were written of other pages are written again', async () => {
    crawled(2, 1);
    await write(2);
    const before = inodeOf(0);
    await write(2, { written: { seeds: 2, asOf: 'another crawl' } });
    expect(inodeOf(0)).not.toBe(before);
    expect(indexOf(0).run).toBe(2);
  });

  it('leave nothing but what was there where a stop comes while pages are learned from', async () => {
    crawled(1, 40);
    let asked = 0;
    const { corpora } = await write(1, { isStopped: () => ++asked > 10 });
    expect(asked).toBeLessThan(20);
    expect(corpora).toMatchObject([{ isFinished: false, report: null }]);
    expect(readdirSync(`${outputOf(0)}.partial`).filter((name) => name.endsWith('.md'))).toEqual([]);
    expect(stateOf(0)).not.toBe('whole');
  });

  it('of a crawl that was stopped are begun until the time is up, and some pages in any case', async () => {
    const seeds = 120;
    crawled(seeds, 1);
    const { corpora } = await write(seeds, { isPartial: true, isStopped: () => true, isTimeUp: () => true });
    const partial = corpora.filter((_, seed) => stateOf(seed) === 'partial').length;
    expect(partial).toBeGreaterThanOrEqual(50);
    expect(partial).toBeLessThan(60);
    expect(corpora.every(({ isFinished }) => !isFinished)).toBe(true);
    expect(readdirSync(folder.path).some((name) => name.endsWith('-docs'))).toBe(false);
  });
});
