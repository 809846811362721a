import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  addToCrawl,
  type CrawledPage,
  crawl,
  crawlStatus,
  type LibraryOptions,
  readCrawl,
  resumeCrawl,
} from 'gossamer';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readPages, temporaryFolder } from '../crawl/support.js';
import { html, linkPage, pathSite, redirect, type Site, text } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { asKey, collect, worldFetch } from './support.js';

const folder = temporaryFolder();
let web: WebInABox;
beforeAll(async () => {
  web = await openWeb();
});
afterAll(async () => {
  await web.close();
  folder.remove();
});
beforeEach(() => web.clearLog());

const options = (): LibraryOptions => ({ connectTo: web.connectTo, delayMs: 0, retries: 0, seedingStrategy: 'none' });
const asked = (): string[] =>
  web.log.map(({ host, path }) => host + path).filter((url) => !url.endsWith('/robots.txt'));
const page = (...links: string[]) => html(linkPage('A page', links, 'words'));

/** Gives the page at the path only when it is let go. */
function heldSite(
  held: string,
  answers: Parameters<typeof pathSite>[0],
): { site: Site; asked: Promise<void>; letGo(): void } {
  let letGo = (): void => {};
  let tell = (): void => {};
  const gone = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const came = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const plain = pathSite(answers);
  return {
    site: {
      async handle(request) {
        if (request.path === held) {
          tell();
          await gone;
        }
        return plain.handle(request);
      },
    },
    asked: came,
    letGo: () => letGo(),
  };
}

const byUrl = (pages: readonly CrawledPage[]) => new Map(pages.map((each) => [each.url, each]));

describe('run.add', () => {
  it('asks for what is out of scope, follows its redirects, judges its links by the scope, and gives its data back', async () => {
    const home = heldSite('/', { '/': page('/a'), '/a': page(), '/b': page() });
    web.site('home.test', home.site);
    web.site(
      'other.test',
      pathSite({ '/moved': redirect('/page'), '/page': page('/not-this', 'http://home.test/b'), '/not-this': page() }),
    );
    const run = crawl({ ...options(), seeds: ['http://home.test/'] });
    const pages = collect(run);
    await home.asked;
    expect(await run.add(['http://OTHER.test:80/moved#top'], { data: { id: 7 } })).toEqual(['http://other.test/moved']);
    home.letGo();
    const found = byUrl(await pages);
    expect(asked().sort()).toEqual(
      ['home.test/', 'home.test/a', 'home.test/b', 'other.test/moved', 'other.test/page'].sort(),
    );
    expect(found.get('http://other.test/moved')).toMatchObject({ state: 'done', depth: 0, data: { id: 7 } });
    expect(found.get('http://other.test/page')).toMatchObject({ state: 'done', external: false, data: null });
    expect(found.get('http://home.test/b')).toMatchObject({ depth: 1 });
  });

  it('obeys robots.txt, and the record of what it forbids has the data, too', async () => {
    const home = heldSite('/', { '/': page() });
    web.site('home.test', home.site);
    web.site('closed.test', pathSite({ '/robots.txt': text('User-agent: *\nDisallow: /\n'), '/x': page() }));
    const directory = join(folder.path, 'robots');
    const run = crawl({ ...options(), seeds: ['http://home.test/'], dataDir: directory });
    const pages = collect(run);
    await home.asked;
    await run.add('http://closed.test/x', { data: { id: 'x' } });
    home.letGo();
    expect(byUrl(await pages).get('http://closed.test/x')).toMatchObject({
      state: 'skipped',
      reason: 'robots',
      data: { id: 'x' },
    });
    expect(asked()).toEqual(['home.test/']);
    expect(readPages(directory).find(({ url }) => url === 'http://closed.test/x')).toMatchObject({ data: { id: 'x' } });
  });

  it('lets in what the crawl knows and has left out: beyond the depth, out of scope, a trap', async () => {
    const home = heldSite('/a', {
      '/': page('/a', 'http://other.test/p'),
      '/a': page('/deep'),
      '/deep': page('/deeper'),
    });
    web.site('home.test', home.site);
    web.site('other.test', pathSite({ '/p': page() }));
    const run = crawl({ ...options(), seeds: ['http://home.test/'], depth: 1 });
    const pages = collect(run);
    await home.asked;
    await run.add(['http://other.test/p']);
    run.on('page', (each) => {
      if (each.url === 'http://home.test/a') {
        void run.add('http://home.test/deep', { depth: 1 });
      }
    });
    home.letGo();
    const found = byUrl(await pages);
    expect(asked().sort()).toEqual(['home.test/', 'home.test/a', 'home.test/deep', 'other.test/p']);
    expect(found.get('http://home.test/deeper')).toMatchObject({ state: 'skipped', reason: 'depth' });
  });

  it('does not open the guard: a private address that no seed names stays closed', async () => {
    const home = heldSite('/', { '/': page() });
    web.site('home.test', home.site);
    const connectTo = [`home.test:80:127.0.0.1:${web.port}`];
    const run = crawl({ ...options(), connectTo, seeds: ['http://home.test/'] });
    const pages = collect(run);
    await home.asked;
    await run.add(`${web.origin}/x`);
    home.letGo();
    expect(byUrl(await pages).get(`${web.origin}/x`)).toMatchObject({ state: 'failed', reason: 'blocked_address' });
    expect(web.log.every(({ host }) => host === 'home.test')).toBe(true);
  });

  it('goes on with pages that are added as pages come, and ends when nothing is left', async () => {
    web.site('chain.test', { handle: ({ path }) => (/^\/(?:\d+)?$/.test(path) ? page() : html('', 404)) });
    const run = crawl({ ...options(), seeds: ['http://chain.test/'], scope: 'page' });
    let number = 0;
    for await (const { url } of run) {
      expect(url).toContain('chain.test');
      if (number < 20) {
        await run.add(`http://chain.test/${++number}`);
      }
    }
    expect((await run.finished).reason).toBe('complete');
    expect(asked()).toHaveLength(21);
  });

  it('is durable when it resolves in onPage and onEdge, which the commits wait for', async () => {
    const directory = join(folder.path, 'from-on-page');
    web.site('chain.test', { handle: ({ path }) => (/^\/(?:\d+)?$/.test(path) ? page('/1') : html('', 404)) });
    const seen: [string, number | undefined][] = [];
    const run = crawl({
      ...{ ...options(), seeds: ['http://chain.test/'], scope: 'page', dataDir: directory },
      onEdge: async (_from, to) => {
        await run.add(to);
      },
      async onPage({ url }) {
        const number = Number(new URL(url).pathname.slice(1));
        if (number < 20) {
          const added = [1, 2, 3].map((more) => run.add(`http://chain.test/${number + more}`));
          expect(await Promise.all(added)).toHaveLength(3);
        }
        seen.push([url, crawlStatus(directory).counts.queued]);
      },
    });
    expect((await run.finished).reason).toBe('complete');
    expect(asked()).toHaveLength(23);
    // Each was in the store before the page that added it was handed on.
    expect(seen[0]).toEqual(['http://chain.test/', expect.any(Number)]);
    expect(seen[0]![1]).toBe(3);
  });

  it('waits for no place among the results, which whoever adds in the loop may be the one to make', async () => {
    const paths = Array.from({ length: 30 }, (_, i) => `/${i}`);
    web.site('wide.test', { handle: ({ path }) => page(...(path === '/' ? paths : [])) });
    const run = crawl({ ...options(), seeds: ['http://wide.test/'], queueSize: 1 });
    for await (const { url } of run) {
      if (/\/\d+$/.test(url)) {
        // More pages come meanwhile than there are places for.
        await new Promise((resolve) => run.on('tick', resolve));
        await run.add(url.replace(/(\d+)$/, 'added-$1'));
        break;
      }
    }
    expect((await run.finished).reason).toBe('stopped');
  });

  it('is told that the crawl is over where a function that it waits in fails, or a limit ends the crawl', async () => {
    web.site('home.test', pathSite({ '/': page('/a'), '/a': page() }));
    let late: Promise<unknown> = Promise.resolve();
    const run = crawl({
      ...{ ...options(), seeds: ['http://home.test/'] },
      async onPage() {
        late = run.add('http://home.test/late').catch((error: unknown) => error);
        throw new Error('no more');
      },
    });
    await expect(run.finished).rejects.toThrow('no more');
    const answer = await late;
    expect(Array.isArray(answer) || (answer as { code: string }).code === 'run_over').toBe(true);
  });

  it('takes keys beside fetch and resolve', async () => {
    const { fetch, asked: keys } = worldFetch({ root: ['a'], a: [], extra: ['deep'], deep: [] });
    const run = crawl({ seeds: ['root'], fetch, resolve: asKey });
    for await (const { url } of run) {
      if (url === 'root') {
        await run.add('extra', { data: { n: 1 } });
      }
    }
    expect(keys.sort()).toEqual(['a', 'deep', 'extra', 'root']);
  });

  it('refuses what is no URL, before it has begun and after it has ended, each in a sentence', async () => {
    const home = heldSite('/', { '/': page() });
    web.site('home.test', home.site);
    const run = crawl({ ...options(), seeds: ['http://home.test/'] });
    await expect(run.add('http://home.test/x')).rejects.toThrow('the crawl has not begun');
    const pages = collect(run);
    await home.asked;
    for (const [urls, given, words] of [
      ['mailto:a@b.c', {}, 'is not a scheme Gossamer can crawl'],
      ['home.test', {}, 'home.test: give a whole URL, such as https://home.test/'],
      ['http://user:secret@home.test/', {}, 'cannot bring a user name and a password'],
      [[7], {}, 'add takes URLs'],
      ['http://home.test/x', { depth: -1 }, 'depth must be a whole number from 0'],
      ['http://home.test/x', { rank: 3 }, "rank works only in a crawl with order 'priority'"],
      ['http://home.test/x', { data: [1] }, 'data must be an object by name'],
      ['http://home.test/x', { data: { big: 'x'.repeat(70_000) } }, 'data may have at most 65536 bytes'],
      ['http://home.test/x', { date: 1 }, 'date'],
    ] as const) {
      await expect(run.add(urls as string, given as object)).rejects.toThrow(words);
    }
    await expect(run.add('http://user:secret@home.test/')).rejects.not.toThrow('secret');
    home.letGo();
    await pages;
    expect(asked()).toEqual(['home.test/']);
    await expect(run.add('http://home.test/x')).rejects.toMatchObject({ code: 'run_over' });
  });
});

describe('priority', () => {
  const ranked = (priority: LibraryOptions['priority']): LibraryOptions => ({
    ...options(),
    seeds: ['http://rank.test/'],
    order: 'priority',
    maxInflightPerHost: 1,
    workers: 1,
    ...(priority === undefined ? {} : { priority }),
  });

  it('says in which order links are asked for, once for each that is new', async () => {
    const links = Array.from({ length: 8 }, (_, i) => `/r${i}`);
    web.site(
      'rank.test',
      pathSite({ '/': page(...links), ...Object.fromEntries(links.map((link) => [link, page(...links)])) }),
    );
    const seen: unknown[] = [];
    await collect(
      crawl(
        ranked((link) => {
          seen.push(link);
          return 7 - Number(link.url.at(-1));
        }),
      ),
    );
    expect(seen).toHaveLength(8);
    expect(seen[0]).toEqual({ url: 'http://rank.test/r0', depth: 1, from: 'http://rank.test/' });
    // Ranks take turns, and the best of them comes first.
    expect(asked()[1]).toBe('rank.test/r7');
    expect(asked().indexOf('rank.test/r6')).toBeLessThan(asked().indexOf('rank.test/r1'));
  });

  it('ends the crawl with what it throws, or says that is no rank', async () => {
    web.site('rank.test', pathSite({ '/': page('/a'), '/a': page() }));
    await expect(
      crawl(
        ranked(() => {
          throw new Error('no idea');
        }),
      ).finished,
    ).rejects.toThrow('no idea');
    await expect(crawl(ranked(() => 8)).finished).rejects.toThrow(
      'priority must return a whole number from 0 to 7, null or nothing, got 8',
    );
    await expect(async () => crawl({ ...ranked(() => 1), order: 'bfs' })).rejects.toThrow(
      "priority works only with order 'priority'",
    );
  });
});

describe('addToCrawl', () => {
  it('adds to one that has ended, which goes on with it; the data is in all outputs', async () => {
    web.site('kept.test', pathSite({ '/': page('/a'), '/a': page(), '/hidden': page('/more'), '/more': page() }));
    const directory = join(folder.path, 'ended');
    expect((await crawl({ ...options(), seeds: ['http://kept.test/'], dataDir: directory }).finished).reason).toBe(
      'complete',
    );
    expect(existsSync(join(directory, 'added'))).toBe(false);
    expect(crawlStatus(directory).state).toBe('finished');
    web.clearLog();
    expect(addToCrawl(directory, ['http://kept.test/hidden', 'http://kept.test/a'], { data: { from: 'me' } })).toEqual({
      directory,
      urls: ['http://kept.test/hidden', 'http://kept.test/a'],
      running: false,
    });
    expect(crawlStatus(directory).state).toBe('unfinished');
    const { reason } = await resumeCrawl(directory, { connectTo: web.connectTo }).finished;
    expect(reason).toBe('complete');
    // What it had fetched is not asked for again.
    expect(asked().sort()).toEqual(['kept.test/hidden', 'kept.test/more']);
    const kept = readCrawl(directory);
    const data = new Map([...kept.pages()].map((each) => [each.url, each.data]));
    kept.close();
    expect(data.get('http://kept.test/hidden')).toEqual({ from: 'me' });
    expect(data.get('http://kept.test/a')).toEqual({ from: 'me' });
    expect(data.get('http://kept.test/more')).toBe(null);
    expect(crawlStatus(directory).state).toBe('finished');
    expect(readdirSync(directory)).not.toContain('added');
  });

  it('is picked up by the run under way', async () => {
    const home = heldSite('/', { '/': page(), '/late': page() });
    web.site('running.test', home.site);
    const directory = join(folder.path, 'running');
    const run = crawl({ ...options(), seeds: ['http://running.test/'], dataDir: directory });
    const pages = collect(run);
    await home.asked;
    const isThere = new Promise<void>((resolve) => {
      run.on('notice', (notice) => {
        if (notice.startsWith('took up')) {
          resolve();
        }
      });
    });
    expect(addToCrawl(directory, 'http://running.test/late')).toMatchObject({ running: true });
    await isThere;
    home.letGo();
    expect(byUrl(await pages).get('http://running.test/late')).toMatchObject({ state: 'done' });
  });
});
