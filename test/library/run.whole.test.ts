import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  crawl,
  crawlStatus,
  type LibraryOptions,
  readCrawl,
  resumeCheck,
  resumeCrawl,
  resumeDocs,
  StateError,
  UsageError,
} from 'gossamer';
import { afterAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/store/sqlite.js';
import { temporaryFolder } from '../crawl/support.js';
import { asKey, collect, crawlWorld, worldFetch } from './support.js';

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** An endless chain of pages. */
const chain: NonNullable<LibraryOptions['fetch']> = (key) => ({ links: [String(Number(key) + 1)] });

describe('onEdge', () => {
  it('is called once its page is committed, and before the page is given out', async () => {
    const directory = join(folder.path, 'committed');
    const { fetch } = worldFetch({ root: ['a', 'b'], a: ['root'], b: [] });
    const order: string[] = [];
    const run = crawl({
      seeds: ['root'],
      fetch,
      resolve: asKey,
      dataDir: directory,
      onEdge: async (from, to) => {
        const kept = readCrawl(directory);
        const committed = [...kept.pages()].some(({ url, state }) => url === from && state === 'done');
        kept.close();
        order.push(`${from}>${to} ${committed}`);
      },
    });
    for await (const { url } of run) {
      order.push(url);
    }
    expect(order.slice(0, 3)).toEqual(['root>a true', 'root>b true', 'root']);
    expect(order.indexOf('a>root true')).toBe(order.indexOf('a') - 1);
  });

  it('is awaited: the next page is not asked for before its promise is settled', async () => {
    const events: string[] = [];
    const run = crawl({
      seeds: ['0'],
      depth: 3,
      downloaders: 1,
      resolve: asKey,
      fetch: (key) => {
        events.push(`fetch ${key}`);
        return { links: [`${Number(key) + 1}`, key] };
      },
      onEdge: async (from) => {
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        events.push(`edge of ${from}`);
      },
    });
    await run.finished;
    // A page may be under way while the one before it is handed on, but never two pages ahead.
    for (const key of [0, 1]) {
      expect(events.indexOf(`fetch ${key + 2}`)).toBeGreaterThan(events.lastIndexOf(`edge of ${key}`));
    }
  });

  it.each([
    ['iterated', (run: ReturnType<typeof crawl>) => collect(run)],
    ['awaited', (run: ReturnType<typeof crawl>) => run.finished],
  ])('ends a crawl that is %s with what it throws, and what was committed is kept', async (_how, wait) => {
    const directory = join(folder.path, `throws-${_how}`);
    const error = new RangeError('too much');
    let edges = 0;
    const run = crawl({
      seeds: ['0'],
      fetch: chain,
      resolve: asKey,
      dataDir: directory,
      onEdge: () => {
        if (++edges === 5) {
          throw error;
        }
      },
    });
    await expect(wait(run)).rejects.toBe(error);
    expect(edges).toBe(5);
    const kept = readCrawl(directory);
    expect([...kept.pages()].filter(({ state }) => state === 'done').length).toBeGreaterThanOrEqual(5);
    expect(kept.status()).toMatchObject({ state: 'unfinished', reason: 'error' });
    kept.close();
  });

  it('ends it also with a rejection that is no error at all', async () => {
    const run = crawl({ seeds: ['0'], fetch: chain, resolve: asKey, onEdge: () => Promise.reject(null) });
    await expect(run.finished).rejects.toBeNull();
  });
});

describe('stop()', () => {
  it('ends an endless crawl and keeps every finished page, those on their way to the reader included', async () => {
    const directory = join(folder.path, 'stopped');
    const run = crawl({ seeds: ['0'], fetch: chain, resolve: asKey, dataDir: directory });
    const read: string[] = [];
    for await (const { url } of run) {
      if (read.push(url) === 20) {
        void run.stop();
      }
    }
    const result = await run.finished;
    expect(result).toMatchObject({ reason: 'stopped', directory });
    expect(read).toHaveLength(result.summary.done);
    const kept = readCrawl(directory);
    expect([...kept.pages()].map(({ url }) => url)).toEqual(read);
    kept.close();
  });

  it('waits for a page that is under way, and no longer than graceMs', async () => {
    for (const [graceMs, state] of [
      [60_000, 'done'],
      [0, undefined],
    ] as const) {
      let answer: (page: { links: [] }) => void = () => {};
      const fetch = (key: string) =>
        key === 'root'
          ? { links: ['late'] }
          : new Promise<{ links: [] }>((resolve) => {
              answer = resolve;
              ended = run.stop();
              setImmediate(() => graceMs > 0 && answer({ links: [] }));
            });
      let ended: Promise<unknown> = Promise.resolve();
      const run = crawl({ seeds: ['root'], fetch, resolve: asKey, graceMs });
      const pages = await collect(run);
      await ended;
      expect(pages.find(({ url }) => url === 'late')?.state).toBe(state);
      expect((await run.finished).reason).toBe('stopped');
    }
  });

  it('before the crawl has begun, it ends with nothing asked for', async () => {
    const { fetch, asked } = worldFetch({ root: [] });
    const result = await crawl({ seeds: ['root'], fetch, resolve: asKey }).stop();
    expect(result.reason).toBe('stopped');
    expect(asked).toEqual([]);
  });

  it('does not wait for a reader who has stopped reading', async () => {
    const run = crawl({ seeds: ['0'], fetch: chain, resolve: asKey, queueSize: 2 });
    const iterator = run[Symbol.asyncIterator]();
    await iterator.next();
    const { reason, summary } = await run.stop();
    expect(reason).toBe('stopped');
    let read = 1;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      read++;
    }
    // What was done is still there for him.
    expect(read).toBe(summary.done);
  });

  it('does not wait for him at the end either, when there is still much to tell', async () => {
    const links = Array.from({ length: 100 }, (_, i) => `leaf ${i}`);
    const run = crawl({ seeds: ['root'], depth: 0, queueSize: 1, resolve: asKey, fetch: () => ({ links }) });
    const iterator = run[Symbol.asyncIterator]();
    await iterator.next();
    expect((await iterator.next()).value).toMatchObject({ state: 'skipped' });
    expect((await run.stop()).summary.skipped).toBe(100);
  });
});

describe('a preset', () => {
  const limits = async (run: ReturnType<typeof crawl>) => {
    const { layers } = (await run.finished).summary;
    return [layers.workers!.limit, layers.inflightPerHost!.limit, layers.robots!.limit];
  };

  it('sets what is not given, and what it has set is kept for resumeCrawl, where another may be given', async () => {
    const directory = join(folder.path, 'preset');
    const { fetch } = worldFetch({ root: ['a'], a: [] });
    const functions = { fetch, resolve: asKey };
    const started = crawl({
      seeds: ['root'],
      ...functions,
      preset: 'many-hosts',
      robotsWorkers: 5,
      dataDir: directory,
    });
    expect(await limits(started)).toEqual([512, 2, 5]);
    expect(await limits(resumeCrawl(directory, functions))).toEqual([512, 2, 5]);
    expect(await limits(resumeCrawl(directory, { ...functions, preset: 'big-site' }))).toEqual([1024, 150, 5]);
    expect(await limits(resumeCrawl(directory, { ...functions, preset: 'big-site', workers: 3 }))).toEqual([3, 3, 5]);
  });
});

describe('iteration', () => {
  it('left early, ends the crawl; going on later asks for the rest and for nothing twice', async () => {
    const directory = join(folder.path, 'left');
    const world = Object.fromEntries([
      ['root', Array.from({ length: 30 }, (_, i) => `p${i}`)],
      ...Array.from({ length: 30 }, (_, i) => [`p${i}`, ['root']]),
    ]);
    const first = worldFetch(world);
    const run = crawl({ seeds: ['root'], fetch: first.fetch, resolve: asKey, dataDir: directory, queueSize: 2 });
    for await (const { url } of run) {
      if (url === 'p3') {
        break;
      }
    }
    expect((await run.finished).reason).toBe('stopped');
    const settled = readCrawl(directory);
    const before = [...settled.pages()].map(({ url }) => url);
    settled.close();
    expect(before.length).toBeLessThan(31);

    const second = worldFetch(world);
    const pages = await collect(resumeCrawl(directory, { fetch: second.fetch, resolve: asKey }));
    expect(second.asked.filter((key) => before.includes(key))).toEqual([]);
    expect(new Set([...before, ...pages.map(({ url }) => url)]).size).toBe(31);
    expect(before.length + pages.length).toBe(31);
  });

  it('happens once, and not after the crawl has begun without it', async () => {
    const { fetch } = worldFetch({ root: [] });
    const run = crawl({ seeds: ['root'], fetch, resolve: asKey });
    await collect(run);
    expect(() => run[Symbol.asyncIterator]()).toThrow(UsageError);
    const other = crawl({ seeds: ['root'], fetch, resolve: asKey });
    await other.finished;
    expect(() => other[Symbol.asyncIterator]()).toThrow(/has begun and nobody iterates it/);
  });

  it('throws what breaks the crawl off, after the pages that came before it', async () => {
    const occupied = join(folder.path, 'occupied');
    mkdirSync(occupied);
    const holder = crawl({ seeds: ['0'], fetch: chain, resolve: asKey, dataDir: occupied });
    const iterator = holder[Symbol.asyncIterator]();
    await iterator.next();
    await expect(collect(resumeCrawl(occupied, { fetch: chain, resolve: asKey }))).rejects.toMatchObject({
      code: 'in_use',
    });
    await iterator.return?.();
  });
});

describe('a crawl that is kept nowhere', () => {
  it('leaves nothing behind, neither here nor among the temporary files', async () => {
    const here = join(folder.path, 'here');
    const temporary = join(folder.path, 'tmp');
    mkdirSync(here);
    mkdirSync(temporary);
    const home = process.cwd();
    process.chdir(here);
    process.env.SQLITE_TMPDIR = temporary;
    try {
      await crawlWorld({ root: Array.from({ length: 300 }, (_, i) => `p${i}`) });
    } finally {
      delete process.env.SQLITE_TMPDIR;
      process.chdir(home);
    }
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(here)).toEqual([]);
  });
});

describe('a crawl that is kept', () => {
  it('goes on only with the functions it was made with', async () => {
    const directory = join(folder.path, 'functions');
    const run = crawl({ seeds: ['0'], fetch: chain, resolve: asKey, dataDir: directory });
    for await (const _page of run) {
      break;
    }
    await expect(resumeCrawl(directory).finished).rejects.toThrow(/was made by a program with a `fetch` of its own/);
    await expect(resumeCrawl(directory, { fetch: chain }).finished).rejects.toThrow(/`resolve` of its own/);
    expect(readCrawlState(directory)).toBe('unfinished');
  });

  it('is refused where another one stands, and safe to repeat with resume', async () => {
    const directory = join(folder.path, 'repeat');
    const { fetch, asked } = worldFetch({ root: ['a'], a: [] });
    const options: LibraryOptions = { seeds: ['root'], fetch, resolve: asKey, dataDir: directory };
    await collect(crawl(options));
    expect(() => crawl(options)).toThrow(StateError);
    const again = crawl({ ...options, resume: true });
    expect(await collect(again)).toEqual([]);
    expect(await again.finished).toMatchObject({ reason: 'complete', directory, summary: { done: 2 } });
    expect(asked).toEqual(['root', 'a']);
    await collect(crawl({ ...options, fresh: true }));
    expect(asked).toEqual(['root', 'a', 'root', 'a']);
    expect(existsSync(`${directory}.old-1`)).toBe(true);
  });

  it('has work again with resume once a limit is raised, and is refused with other seeds', async () => {
    const directory = join(folder.path, 'raised');
    const { fetch, asked } = worldFetch({ root: ['a'], a: ['b'], b: ['c'], c: [] });
    const options: LibraryOptions = { seeds: ['root'], fetch, resolve: asKey, dataDir: directory, resume: true };
    await collect(crawl({ ...options, depth: 1 }));
    for (const limits of [{ depth: 1 }, { depth: 0 }, {}]) {
      await collect(crawl({ ...options, ...limits }));
    }
    expect(asked).toEqual(['root', 'a']);
    await collect(crawl({ ...options, depth: 2 }));
    expect(asked).toEqual(['root', 'a', 'b']);
    await collect(crawl({ ...options, depth: null, maxUrls: 3 }));
    const cut = crawl({ ...options, depth: null, maxUrls: 3 });
    expect(await collect(cut)).toEqual([]);
    expect(await cut.finished).toMatchObject({ reason: 'max_urls', summary: { done: 3 } });
    await collect(crawl({ ...options, depth: null, maxUrls: 4 }));
    expect(asked).toEqual(['root', 'a', 'b', 'c']);
    expect(() => crawl({ ...options, seeds: ['a'] })).toThrow(
      /has other seeds \(root\), and seeds cannot be changed on/,
    );
    expect(() => crawl({ ...options, seeds: ['a'] })).toThrow(UsageError);
  });

  it('has its outputs written where it was killed before they were', async () => {
    const directory = join(folder.path, 'unwritten');
    const { fetch, asked } = worldFetch({ root: [] });
    const options: LibraryOptions = { seeds: ['root'], fetch, resolve: asKey, dataDir: directory, resume: true };
    await collect(crawl(options));
    change(
      directory,
      `UPDATE meta SET value = '{"reason":"complete","truncated":null,"isWritten":false}' WHERE key = 'ended'`,
    );
    for (const name of ['pages.jsonl', 'summary.json']) {
      rmSync(join(directory, name));
    }
    expect(await crawl(options).finished).toMatchObject({ reason: 'complete', summary: { done: 1 } });
    expect(readFileSync(join(directory, 'pages.jsonl'), 'utf8')).toContain('"root"');
    expect(readCrawlState(directory)).toBe('finished');
    expect(asked).toEqual(['root']);
  });

  it.each([
    ['docs', 'a corpus', 'resumeDocs'],
    ['check', 'a check', 'resumeCheck'],
  ])('and is one of %s is not gone on with as a crawl', async (command, what, by) => {
    const directory = join(folder.path, `of-${command}`);
    const { fetch, asked } = worldFetch({ root: ['a'], a: [] });
    const options: LibraryOptions = { seeds: ['root'], fetch, resolve: asKey, dataDir: directory };
    await collect(crawl(options));
    change(directory, `UPDATE meta SET value = '${command}' WHERE key = 'command'`);
    const refusal = {
      code: 'other_command',
      message: `${directory} holds ${what}, not a crawl: \`gossamer resume ${directory}\` goes on with it, in a program ${by}()`,
    };
    for (const goOn of [
      () => resumeCrawl(directory, { fetch, resolve: asKey }),
      () => crawl({ ...options, resume: true }),
    ]) {
      expect(goOn).toThrow(expect.objectContaining(refusal));
    }
    expect(asked).toEqual(['root', 'a']);
  });

  it('but was killed before it had begun is begun with resume, and says so to who would only go on', async () => {
    const directory = join(folder.path, 'half-made');
    mkdirSync(directory);
    writeFileSync(join(directory, 'crawl.sqlite'), '');
    const refusal = expect.objectContaining({ code: 'not_begun', exitCode: 3 });
    for (const look of [resumeCrawl, readCrawl, crawlStatus]) {
      expect(() => look(directory)).toThrow(refusal);
    }
    for (const goOn of [resumeCheck, resumeDocs]) {
      await expect(goOn(directory)).rejects.toEqual(refusal);
    }
    const { fetch, asked } = worldFetch({ root: [] });
    await collect(crawl({ seeds: ['root'], fetch, resolve: asKey, dataDir: directory, resume: true }));
    expect(asked).toEqual(['root']);
  });
});

/** Somebody else, or an earlier process, left the store like this. */
function change(directory: string, sql: string): void {
  const database = openDatabase(join(directory, 'crawl.sqlite'));
  database.exec(sql);
  database.close();
}

describe('events', () => {
  it('tell what happens; what a listener throws ends the crawl', async () => {
    const error = new Error('enough');
    const run = crawl({ seeds: ['0'], fetch: chain, resolve: asKey }).on('page', ({ url }) => {
      if (url === '7') {
        throw error;
      }
    });
    await expect(run.finished).rejects.toBe(error);
  });

  it('stats() counts what was done', async () => {
    const { fetch } = worldFetch({ root: ['a', 'b'], a: [], b: 'null' });
    const run = crawl({ seeds: ['root'], fetch, resolve: asKey });
    expect(run.stats()).toMatchObject({ done: 0, queued: 0 });
    await collect(run);
    expect(run.stats()).toMatchObject({
      done: 2,
      failed: 1,
      queued: 0,
      inFlight: 0,
      requests: 3,
      waitingResults: 0,
      next: null,
    });
  });
});

function readCrawlState(directory: string): string {
  const kept = readCrawl(directory);
  try {
    return kept.status().state;
  } finally {
    kept.close();
  }
}
