import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inspect } from '../kill/killing.js';
import { hitsPerUrl, smallestGap } from '../web/judge.js';
import { pagePath } from '../web/plain.js';
import { html, linkPage, notFound, type Site } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { gossamer, readPages, readSummary, start, temporaryFolder } from './support.js';

const PAGES = 60;
/** The home page leads to all; those from here on are answered when the gate is open. */
const GATED_FROM = 30;

/** A site that answers some of its pages only when the test says so: nothing depends on who is faster. */
class GatedSite implements Site {
  #open!: () => void;
  #gate!: Promise<void>;

  constructor() {
    this.shut();
  }

  shut(): void {
    this.#gate = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open();
  }

  handle({ path }: { path: string }) {
    const number = path === '/' ? 0 : Number(/^\/p(\d+)$/.exec(path)?.[1] ?? Number.NaN);
    if (!(number < PAGES)) {
      return notFound;
    }
    const targets = Array.from({ length: PAGES }, (_, n) => n).filter((n) => n !== number);
    const answer = html(linkPage(`Page ${number}`, number === 0 ? targets.map(pagePath) : ['/']));
    return number < GATED_FROM ? answer : this.#gate.then(() => answer);
  }
}

const ALL = Array.from({ length: PAGES }, (_, n) => `http://a.test${pagePath(n)}`).sort();
const folder = temporaryFolder();
let web: WebInABox;
let site: GatedSite;
let directory: string;
let crawls = 0;

beforeAll(async () => {
  web = await openWeb();
});

beforeEach(() => {
  directory = `${folder.path}/crawl-${crawls++}`;
  site = new GatedSite();
  web.site('a.test', site);
  web.clearLog();
});

afterAll(async () => {
  await web.close();
  folder.remove();
});

const options = (...more: string[]) => [
  ...['--data-dir', directory, '--delay', '0', '--seeding-strategy', 'none', '--max-inflight-per-host', '8'],
  ...web.connectTo.flatMap((mapping) => ['--connect-to', mapping]),
  ...more,
];
const crawl = (...more: string[]) => start(['crawl', 'http://a.test/', ...options(...more)]);
const done = () =>
  readPages(directory)
    .filter(({ state }) => state === 'done')
    .map(({ url }) => url)
    .sort();
const gated = () => web.log.filter(({ path }) => Number(path.slice(2)) >= GATED_FROM);
const gatedInFlight = () => gated().filter(({ endedAt }) => endedAt === null).length;

const pagesAsked = () => hitsPerUrl(web.log).size;

/** Resolves when it holds; nothing but the event loop turns meanwhile. */
async function until(holds: () => boolean, what: () => string): Promise<void> {
  for (const endsAt = Date.now() + 40_000; !holds(); ) {
    if (Date.now() > endsAt) {
      throw new Error(`it never came to that: ${what()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** A crawl that has fetched all pages without a gate and waits at it. */
async function atTheGate(...more: string[]) {
  const run = crawl(...more);
  const answered = () => web.log.filter(({ endedAt }) => endedAt !== null).length;
  await until(() => answered() > GATED_FROM && gatedInFlight() > 0 && gatedInFlight() === web.inFlight(), run.stderr);
  return run;
}

async function resumeToTheEnd(...more: string[]) {
  const run = await gossamer(['resume', directory, ...more]);
  expect(run.code, run.stderr).toBe(0);
  expect(done()).toEqual(ALL);
  expect(readSummary(directory)).toMatchObject({ reason: 'complete', truncated: null, total: PAGES, unfinished: 0 });
  return run;
}

describe('a first Ctrl+C', () => {
  it.each([
    ['SIGINT' as const, 130, 'interrupted'],
    ['SIGTERM' as const, 143, 'terminated'],
    ['SIGHUP' as const, 143, 'terminated'],
  ])(
    '(%s) lets what is under way finish, keeps it, writes the outputs and ends with %i',
    async (signal, code, reason) => {
      const run = await atTheGate('--grace', '10m');
      run.child.kill(signal);
      // timeout(1) sends it to the process and to its group.
      run.child.kill(signal);
      await until(() => run.stderr().includes('stopping'), run.stderr);
      site.open();
      expect((await run.ended).code, run.stderr()).toBe(code);
      const answered = web.log.filter(({ path }) => path !== '/robots.txt').map(({ path }) => `http://a.test${path}`);
      expect(answered.length).toBeLessThan(PAGES);
      expect(done()).toEqual(answered.sort());
      expect(readSummary(directory)).toMatchObject({ reason, truncated: null, done: answered.length, refetched: 0 });
      expect(readFileSync(join(directory, 'sitemap.xml'), 'utf8').match(/<loc>/g)).toHaveLength(answered.length);
      expect(run.stderr().trimEnd().split('\n').at(-1)).toBe(`\`gossamer resume ${directory}\` goes on`);
      await resumeToTheEnd();
      expect(
        [...hitsPerUrl(web.log).values()].every((hits) => hits === 1),
        'nothing is asked for twice',
      ).toBe(true);
    },
  );

  it('waits no longer than --grace, and what it cut off is fetched again', async () => {
    const run = await atTheGate('--grace', '100ms');
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
    const waiting = gated().length;
    expect(readSummary(directory).unfinished).toBe(PAGES - done().length);
    site.open();
    await resumeToTheEnd();
    expect(readSummary(directory).refetched).toBe(waiting);
    expect([...hitsPerUrl(web.log).values()].filter((hits) => hits === 2)).toHaveLength(waiting);
  });

  it('keeps the delay to a request that it cut off', async () => {
    const delayMs = 4_000;
    web.site('a.test', { handle: ({ path }) => (path === '/robots.txt' ? notFound : new Promise(() => {})) });
    const run = crawl('--grace', '0', '--delay', `${delayMs}ms`);
    await until(() => web.log.some(({ path }) => path === '/'), run.stderr);
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
    const second = start(['resume', directory]);
    await until(() => web.log.filter(({ path }) => path === '/').length === 2, second.stderr);
    second.child.kill('SIGKILL');
    await second.ended;
    expect(smallestGap(web.log, 'a.test')).toBeGreaterThanOrEqual(delayMs);
  });
});

describe('a crawl that waits for a delay', () => {
  it('says what is done and queued, how fast and what it waits for; and after a stop what to type', async () => {
    directory = `${folder.path}/a crawl's folder`;
    const run = crawl('--delay', '10m');
    await until(() => run.stderr().includes('delayed'), run.stderr);
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
    expect(run.stderr()).toMatch(
      /^0 done, 0 failed, 1 queued, 0\/512 in flight, 0\.0 pages\/s, \d+ B; 1 host delayed, next a\.test in (9|10) min \d+ s$/m,
    );
    expect(run.stderr().trimEnd().split('\n').at(-1)).toBe(
      `\`gossamer resume '${directory.replace("'", "'\\''")}'\` goes on`,
    );
  });
});

describe('a second Ctrl+C', () => {
  it('stops at once, and resume still completes the crawl', async () => {
    const run = await atTheGate('--grace', '10m');
    run.child.kill('SIGINT');
    await until(() => run.stderr().includes('stopping'), run.stderr);
    // Within a tenth of a second it would be the same one.
    await new Promise((resolve) => setTimeout(resolve, 150));
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
    expect(run.stderr().trimEnd().split('\n').at(-1)).toBe(`stopped at once; \`gossamer resume ${directory}\` goes on`);
    site.open();
    await resumeToTheEnd();
  });
});

describe('a kill at any point of the start', () => {
  it('of resume, again and again, loses nothing and fetches nothing twice', async () => {
    const run = await atTheGate('--grace', '10m');
    run.child.kill('SIGKILL');
    await run.ended;
    const waiting = inspect(directory).leased.length;
    site.open();
    const requests = web.log.length;
    for (const sign of ['', 'going on with', 'going on with', 'going on with', 'fetched before']) {
      const resumed = start(['resume', directory]);
      await until(() => resumed.stderr().includes(sign), resumed.stderr);
      resumed.child.kill('SIGKILL');
      await resumed.ended;
    }
    const again = web.log.length - requests;
    await resumeToTheEnd();
    const twice = [...hitsPerUrl(web.log).values()].reduce((sum, hits) => sum + hits - 1, 0);
    expect(twice).toBeLessThanOrEqual(waiting + again);
  });
});

describe('`crawl --resume` under a supervisor', () => {
  it('starts, goes on after a kill, and exits 0 without a request once it is finished', async () => {
    const killed = await atTheGate('--resume');
    killed.child.kill('SIGKILL');
    await killed.ended;
    site.open();
    const second = await crawl('--resume').ended;
    expect(second.code, second.stderr).toBe(0);
    expect(done()).toEqual(ALL);
    const requests = web.log.length;
    const third = await crawl('--resume').ended;
    expect([third.code, web.log.length]).toEqual([0, requests]);
    expect(third.stderr).toBe(`${directory} is finished; nothing to do\n`);
    const other = await gossamer(['crawl', 'http://b.test/', '--resume', ...options()]);
    expect(other).toMatchObject({ code: 2, stdout: '' });
    expect(other.stderr).toBe(
      `error: the crawl in ${directory} has other seeds (http://a.test/), and seeds cannot be changed on resume: ` +
        `\`gossamer resume ${directory}\` goes on with that one, --fresh moves it aside, another --data-dir keeps both\n`,
    );
    expect(web.log.length).toBe(requests);
  });

  it('goes on with one that a limit had ended, once the limit is raised, and says so where it is not', async () => {
    site.open();
    expect((await crawl('--resume', '--max-urls', '17').ended).code).toBe(0);
    const again = await crawl('--resume', '--max-urls', '17').ended;
    expect([again.code, again.stderr, pagesAsked()]).toEqual([
      0,
      `${directory} is finished; nothing to do within --max-urls 17: \`gossamer resume ${directory} --max-urls 34\` goes on\n`,
      17,
    ]);
    const raised = await crawl('--resume', '--max-urls', '60').ended;
    expect(raised.code, raised.stderr).toBe(0);
    expect(done()).toEqual(ALL);
    expect([...hitsPerUrl(web.log).values()].every((hits) => hits === 1)).toBe(true);
  });
});

describe('a limit', () => {
  const truncatedEverywhere = (reason: string) => {
    expect(readSummary(directory)).toMatchObject({ reason, truncated: reason });
    expect(readFileSync(join(directory, 'sitemap.xml'), 'utf8')).toContain(`truncated: ${reason}`);
  };

  it('of --max-urls is never exceeded, ends the run with exit code 0, and every output says so', async () => {
    site.open();
    const run = await crawl('--max-urls', '17').ended;
    expect(run.code, run.stderr).toBe(0);
    expect(pagesAsked()).toBe(17);
    truncatedEverywhere('max_urls');
    const pages = readPages(directory);
    expect(pages.filter(({ state, reason }) => state === 'skipped' && reason === 'limit')).toHaveLength(PAGES - 17);
  });

  it('of --max-urls or --max-urls-per-host holds across kills', async () => {
    for (const flag of ['--max-urls', '--max-urls-per-host']) {
      directory = `${folder.path}/crawl-${crawls++}`;
      web.clearLog();
      site.shut();
      const run = crawl(flag, '40');
      await until(() => gatedInFlight() > 0, run.stderr);
      run.child.kill('SIGKILL');
      await run.ended;
      site.open();
      const resumed = await gossamer(['resume', directory]);
      expect(resumed.code, resumed.stderr).toBe(0);
      expect(pagesAsked(), flag).toBe(40);
    }
  });

  it('of --max-urls-per-host holds across kills that come right after a lease', async () => {
    site.open();
    for (let pages = 1; pages <= 3; pages++) {
      const run = pages === 1 ? crawl('--max-urls-per-host', '5', '--delay', '300ms') : start(['resume', directory]);
      await until(() => pagesAsked() > pages, run.stderr);
      run.child.kill('SIGKILL');
      await run.ended;
    }
    expect((await gossamer(['resume', directory])).code).toBe(0);
    expect(pagesAsked()).toBe(5);
  });

  it('of --duration ends the run though pages are still under way', async () => {
    const run = await crawl('--duration', '2s', '--grace', '0').ended;
    expect(run.code, run.stderr).toBe(0);
    truncatedEverywhere('duration');
  });

  it('of --max-bytes ends the run with exit code 0 once so much has come', async () => {
    site.open();
    const run = await crawl('--max-bytes', '5KiB', '--max-inflight-per-host', '1').ended;
    expect(run.code, run.stderr).toBe(0);
    truncatedEverywhere('max_bytes');
    expect(readSummary(directory).bytes).toBeGreaterThanOrEqual(5 * 1024);
    expect(pagesAsked()).toBeLessThan(PAGES);
  });
  it('of --max-bytes counts over all runs: a resume within it asks for nothing, and one with a higher one goes on', async () => {
    site.open();
    const run = await crawl('--max-bytes', '5KiB', '--max-inflight-per-host', '1').ended;
    expect(run.stderr).toContain('--max-bytes SIZE` goes on');
    const { bytes, done } = readSummary(directory);
    web.clearLog();
    const again = await gossamer(['resume', directory]);
    expect([again.code, web.log.length], again.stderr).toEqual([0, 0]);
    expect(readSummary(directory)).toMatchObject({ bytes, done, truncated: 'max_bytes' });
    await gossamer(['resume', directory, '--max-bytes', '8KiB']);
    expect(readSummary(directory).done).toBeGreaterThan(done);
  });
});
