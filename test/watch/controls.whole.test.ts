import { join } from 'node:path';
import { type CrawlRun, checkLinks, crawl, type LiveSnapshot, makeDocs, resumeCrawl } from 'gossamer';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../crawl/support.js';
import { hitsPerUrl } from '../web/judge.js';
import { pagePath } from '../web/plain.js';
import { html, linkPage, notFound, type Site, type SiteAnswer } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';

const PAGES = 300;
const PATHS = Array.from({ length: PAGES }, (_, n) => pagePath(n));

/** A site whose pages are answered when the test says so. */
class HeldSite implements Site {
  readonly #held: (() => void)[] = [];
  #isOpen = false;
  #waiters: { count: number; resolve: () => void }[] = [];
  #asked = 0;

  handle({ path }: { path: string }): SiteAnswer | Promise<SiteAnswer> {
    if (!PATHS.includes(path)) {
      return notFound;
    }
    const answer = html(linkPage(path, path === '/' ? PATHS : ['/']));
    if (path === '/') {
      return answer;
    }
    this.#asked++;
    const answered = this.#isOpen
      ? answer
      : new Promise<SiteAnswer>((resolve) => {
          this.#held.push(() => resolve(answer));
        });
    this.#tell();
    return answered;
  }

  get held(): number {
    return this.#held.length;
  }

  /** Resolves when so many requests wait for their answer, or where it is open, when so many have come. */
  async until(count: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#waiters.push({ count, resolve });
      this.#tell();
    });
  }

  #tell(): void {
    const there = this.#isOpen ? this.#asked : this.#held.length;
    for (const { count, resolve } of this.#waiters) {
      if (there >= count) {
        resolve();
      }
    }
    this.#waiters = this.#waiters.filter(({ count }) => there < count);
  }

  /** Answers what waits now. */
  answer(): void {
    for (const release of this.#held.splice(0)) {
      release();
    }
  }

  open(): void {
    this.#isOpen = true;
    this.answer();
  }
}

let web: WebInABox;
let site: HeldSite;

beforeAll(async () => {
  web = await openWeb();
});

beforeEach(() => {
  site = new HeldSite();
  web.site('a.test', site);
  web.clearLog();
});

afterAll(() => web.close());

const begin = (workers: number): CrawlRun =>
  crawl({
    seeds: ['http://a.test/'],
    ...{ delayMs: 0, seedingStrategy: 'none', connectTo: web.connectTo, autoTune: false },
    ...{ workers, maxInflightPerHost: 100 },
  });

/** Moments of the run, once a second, until one is as it should be. */
function moment(run: CrawlRun, isSo: (live: LiveSnapshot) => boolean): Promise<LiveSnapshot> {
  return new Promise((resolve) => {
    const look = (): void => {
      const live = run.live();
      if (live !== null && isSo(live)) {
        run.off('tick', look);
        resolve(live);
      }
    };
    run.on('tick', look);
  });
}

describe('controls of a crawl, as the server sees them', () => {
  it('a pause stops requests, and going on lets the rest out', async () => {
    const run = begin(10);
    const finished = run.finished;
    await site.until(10);
    run.controls!.pause();
    site.open();
    const paused = await moment(run, ({ inFlight, state }) => state === 'paused' && inFlight === 0);
    expect(paused).toMatchObject({ waitingFor: 'paused', leftMs: null });
    expect(paused.urls.queued).toBeGreaterThan(200);
    const before = web.log.length;
    let ticks = 0;
    await moment(run, () => ++ticks === 2);
    expect(web.log.length).toBe(before);
    run.controls!.goOn();
    const { reason, summary } = await finished;
    expect([reason, summary.done]).toEqual(['complete', PAGES]);
    expect(web.log.length).toBeGreaterThan(before + 200);
    expect(Math.max(...hitsPerUrl(web.log).values())).toBe(1);
    expect(run.live()).toMatchObject({ state: 'ended', endReason: 'complete', requests: web.log.length });
  });

  it('workers change what is in flight', async () => {
    const run = begin(12);
    const finished = run.finished;
    await site.until(12);
    await moment(run, ({ inFlight }) => inFlight === 12);
    expect(site.held).toBe(12);
    run.controls!.setWorkers(3);
    site.answer();
    await site.until(3);
    const fewer = await moment(run, ({ inFlight }) => inFlight === 3);
    expect(site.held).toBe(3);
    expect(fewer.layers.find(({ name }) => name === 'workers')).toMatchObject({ use: 3, limit: 3 });
    expect(fewer.tightest).toBe('workers');
    run.controls!.setWorkers(8);
    await site.until(8);
    await moment(run, ({ inFlight }) => inFlight === 8);
    expect(site.held).toBe(8);
    site.open();
    expect((await finished).summary.done).toBe(PAGES);
  });

  it('a stop ends it as Ctrl+C would, and a paused run too', async () => {
    const run = begin(5);
    const finished = run.finished;
    await site.until(5);
    run.controls!.pause();
    run.controls!.stop();
    site.open();
    expect((await finished).reason).toBe('interrupted');
    expect(web.log.length).toBeLessThan(20);
  });

  it('a host in quarantine is asked for nothing more; a resumed crawl asks it again', async () => {
    const folder = temporaryFolder();
    try {
      const dataDir = join(folder.path, 'kept');
      const options = { delayMs: 0, connectTo: web.connectTo };
      const run = crawl({ seeds: ['http://a.test/'], seedingStrategy: 'none', workers: 10, dataDir, ...options });
      const finished = run.finished;
      await site.until(2);
      expect(run.controls!.quarantine('b.test')).toBe(false);
      expect(run.controls!.quarantine('a.test')).toBe(true);
      site.open();
      const { reason, summary } = await finished;
      const asked = web.log.length;
      expect(reason).toBe('complete_with_deferred');
      expect(asked).toBeLessThan(100);
      expect(summary.deferredHosts).toMatchObject([{ host: 'a.test', reason: 'held', urls: PAGES - summary.done }]);
      const again = await resumeCrawl(dataDir, options).finished;
      expect([again.reason, again.summary.done]).toEqual(['complete', PAGES]);
      expect(Math.max(...hitsPerUrl(web.log).values())).toBe(1);
    } finally {
      folder.remove();
    }
  });

  it('a trap that is let in while the crawl runs is fetched to its end', async () => {
    const days = Array.from({ length: 60 }, (_, n) => `/day?n=${n}`);
    const pattern = 'http://d.test/day?*';
    let run: CrawlRun | null = null;
    let letIn: Promise<boolean> | null = null;
    web.site('d.test', {
      async handle({ path }) {
        if (path === '/') {
          return html(linkPage('Home', [...days, '/last']));
        }
        if (path === '/last') {
          // It stays under way until the trap is cut and let in.
          letIn = moment(run!, ({ notices }) => notices.some(({ text }) => text.startsWith('trap:'))).then(() =>
            run!.controls!.allowTrap(pattern),
          );
          await letIn;
        }
        return html('<p>the same text every day');
      },
    });
    run = crawl({
      ...{ seeds: ['http://d.test/'], delayMs: 0, seedingStrategy: 'none', connectTo: web.connectTo },
      ...{ maxQueryVariants: 12, maxShapeVariants: 0, maxInflightPerHost: 2, autoTune: false, order: 'dfs' },
    });
    const { summary } = await run.finished;
    expect(await letIn!).toBe(true);
    expect(summary).toMatchObject({ done: days.length + 2, skipped: 0, traps: [] });
  });

  it('what makes no sense is refused', async () => {
    const run = begin(5);
    const finished = run.finished;
    await site.until(5);
    expect(() => run.controls!.setWorkers(0)).toThrow('workers must be a whole number from 1, got 0');
    expect(() => run.controls!.setDelay(null, -1)).toThrow('a delay must be between 0 and');
    expect(await run.controls!.allowTrap('http://a.test/no-such-trap?*')).toBe(false);
    site.open();
    await finished;
  });
});

it('layers have the names that they have in the summary', async () => {
  const run = begin(5);
  site.open();
  const { summary } = await run.finished;
  expect(run.live()!.layers.map(({ name }) => name)).toEqual(Object.keys(summary.layers));
});

it('stats and events of a run have classes, quantiles and codes', async () => {
  web.site('b.test', {
    handle: ({ path }) =>
      path === '/' ? html(linkPage('home', ['/gone', '/here'])) : path === '/here' ? html('<p>here') : notFound,
  });
  const run = crawl({ seeds: ['http://b.test/'], delayMs: 0, seedingStrategy: 'none', connectTo: web.connectTo });
  const problems: unknown[] = [];
  const codes: string[] = [];
  run.on('problem', (problem) => problems.push(problem));
  run.on('event', ({ code }) => codes.push(code));
  await run.finished;
  const { statusClasses, latency, failures } = run.stats();
  // robots.txt is not there.
  expect(statusClasses).toEqual({ '1xx': 0, '2xx': 2, '3xx': 0, '4xx': 2, '5xx': 0, none: 0 });
  expect(failures).toEqual({ http_4xx: 1 });
  expect(latency.count).toBe(4);
  expect(latency.p50Ms).toBeGreaterThan(0);
  expect(latency.p99Ms).toBeGreaterThanOrEqual(latency.p50Ms!);
  expect(problems).toEqual([
    { at: expect.any(Number), url: 'http://b.test/gone', reason: 'http_4xx', status: 404, message: null },
  ]);
  expect(codes).toEqual(['run_began', 'page_failed', 'run_ended']);
});

describe('progress of runs that are awaited as a whole', () => {
  const options = () => ({ delayMs: 0, connectTo: web.connectTo });

  beforeEach(() => {
    web.site('c.test', {
      handle: ({ path }) =>
        path === '/'
          ? html(linkPage('Home', ['/gone', '/here'], 'Words to read.'))
          : path === '/here'
            ? html(linkPage('Here', ['/'], 'More words to read.'))
            : notFound,
    });
  });

  it('checkLinks tells how far it is and what happens, over all its rounds', async () => {
    const moments: LiveSnapshot[] = [];
    const codes: string[] = [];
    const check = await checkLinks('http://c.test/', {
      ...options(),
      onProgress: (live) => moments.push(live),
      onEvent: ({ code }) => codes.push(code),
    });
    check.close();
    // It looks at what is gone a second time, and rounds follow: all of them count.
    expect(moments.at(-1)).toMatchObject({ command: 'check', state: 'ended', requests: web.log.length });
    expect([codes[0], codes.at(-1)]).toEqual(['run_began', 'run_ended']);
    expect(codes.filter((code) => code === 'run_began')).toHaveLength(1);
  });

  it('makeDocs tells how many pages have become Markdown', async () => {
    const folder = temporaryFolder();
    try {
      const moments: LiveSnapshot[] = [];
      await makeDocs('http://c.test/', {
        ...options(),
        ...{ dataDir: join(folder.path, 'kept'), output: join(folder.path, 'corpus') },
        onProgress: (live) => moments.push(live),
      });
      expect(moments.at(-1)).toMatchObject({ command: 'docs', state: 'ended', requests: web.log.length });
      expect(moments.at(-1)!.work).toEqual({ name: 'pages as Markdown', done: 2, total: 2 });
      expect(moments.some(({ state, work }) => state === 'running' && work !== null)).toBe(true);
    } finally {
      folder.remove();
    }
  });

  it('what a function of the program throws ends the run with it', async () => {
    const thrown = checkLinks('http://c.test/', {
      ...options(),
      onProgress: () => {
        throw new Error('enough');
      },
    });
    await expect(thrown).rejects.toThrow('enough');
    // @ts-expect-error: no function
    await expect(checkLinks('http://c.test/', { onProgress: 5 })).rejects.toThrow('onProgress');
  });
});
