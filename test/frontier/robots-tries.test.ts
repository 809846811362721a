import { describe, expect, it } from 'vitest';
import type { SchedulerOptions } from '../../src/frontier/options.js';
import type { RobotsAnswer } from '../../src/frontier/outcome.js';
import { SeedBook } from '../../src/frontier/seed-book.js';
import type { Store } from '../../src/store/store.js';
import type { SeedRow } from '../../src/store/transaction.js';
import { STATE_NAMES, UrlKind, UrlState } from '../../src/store/url-state.js';
import { openStore, TestScope } from '../store/support.js';
import { FrontierOnStore, offer } from './on-store.js';

const UNREACHABLE = { status: 503, robots: { standing: 'unreachable' } as RobotsAnswer };
const REFUSED = {
  ...{ status: null, headersAt: null, errorClass: 'connection_refused' as const },
  robots: { standing: 'failed', errorClass: 'connection_refused' } as RobotsAnswer,
};
const ALLOWED = {
  status: 200,
  robots: { standing: 'rules', rules: null, crawlDelayMs: null, sitemaps: [], maxAgeMs: null } as RobotsAnswer,
};

const URL = 'http://a.test/';
const SEED: SeedRow = {
  ...{ seed: 0, url: URL, label: URL, scope: 'host', scopeUrls: [URL], depth: null, maxUrls: null, fallbacks: [] },
};

/** The runs of one crawl, one after the other on the same store; what is asked for robots.txt is answered as given. */
class Runs {
  readonly store: Store = openStore(new TestScope());
  /** When each request for robots.txt went out. */
  readonly asked: number[] = [];
  options: Partial<SchedulerOptions> = { obeyRobots: true };
  seeds = () => new SeedBook([]);
  #now = 1_000;
  #run = this.#begin();

  #begin(): FrontierOnStore {
    return new FrontierOnStore(this.options, new TestScope(), this.store, this.#now, undefined, this.seeds());
  }

  async admit(url: string): Promise<void> {
    await this.#run.frontier.admit([offer(url)]);
  }

  /** Asks for robots.txt until it is not asked for within a minute any more, so often at most. Returns how often. */
  async ask(answer: Parameters<FrontierOnStore['outcome']>[1], most = 10): Promise<number> {
    for (let times = 0; times < most; times++) {
      const wakeAt = this.#run.frontier.wakeAt();
      this.#now = this.#run.now = Math.max(this.#now, Math.min(wakeAt, this.#now + 60_000));
      const [lease] = await this.#run.frontier.settle([], 1);
      if (lease?.kind !== UrlKind.robots) {
        return times;
      }
      this.asked.push(this.#now);
      await this.#run.frontier.settle([this.#run.outcome(lease, answer)], 0);
    }
    return most;
  }

  /** Nothing more is heard of the run; another one goes on with the store. */
  kill(): void {
    this.#run.isKilled = true;
    // The host's own backoff is kept too, and must not be what keeps the pauses.
    this.store.database.exec('UPDATE hosts SET blocked_until = 0');
    this.#run = this.#begin();
  }

  sitemaps(): string[] {
    const rows = this.store.database.prepare(`SELECT url FROM urls WHERE kind = ${UrlKind.sitemap}`).all();
    return rows.map(({ url }) => url);
  }

  states(): string[] {
    return this.store.database
      .prepare('SELECT url, state, reason FROM urls WHERE kind = 0')
      .all()
      .map(({ state, reason }) => (state === UrlState.deferred ? reason : STATE_NAMES[state as UrlState]));
  }
}

describe('tries of a robots.txt that cannot be had', () => {
  it('are three in all, whatever kills come between them', async () => {
    const runs = new Runs();
    await runs.admit('http://a.test/');
    expect(await runs.ask(UNREACHABLE, 1)).toBe(1);
    runs.kill();
    expect(await runs.ask(UNREACHABLE, 1)).toBe(1);
    runs.kill();
    expect(await runs.ask(UNREACHABLE)).toBe(1);
    expect(runs.states()).toEqual(['robots_unreachable']);
    const pauses = runs.asked.slice(1).map((at, i) => at - runs.asked[i]!);
    expect(pauses[0]).toBeGreaterThanOrEqual(2_000);
    expect(pauses[1]).toBeGreaterThanOrEqual(4_000);
  });

  it('end with one on each resume once the host was put off', async () => {
    const runs = new Runs();
    await runs.admit('http://a.test/');
    expect(await runs.ask(UNREACHABLE)).toBe(3);
    for (let resume = 0; resume < 3; resume++) {
      runs.kill();
      expect(await runs.ask(UNREACHABLE)).toBe(1);
      expect(runs.states()).toEqual(['robots_unreachable']);
    }
    runs.kill();
    expect(await runs.ask(ALLOWED)).toBe(1);
    expect(runs.states()).toEqual(['queued']);
  });

  it('begin anew once it has answered', async () => {
    const runs = new Runs();
    await runs.admit('http://a.test/');
    expect(await runs.ask(UNREACHABLE, 2)).toBe(2);
    expect(await runs.ask(ALLOWED, 1)).toBe(1);
    runs.store.database.exec('UPDATE origins SET robots_expires_at = 0');
    runs.kill();
    expect(await runs.ask(UNREACHABLE)).toBe(3);
  });

  it('are as many where connections are refused, and one should another URL be found after that', async () => {
    const runs = new Runs();
    await runs.admit('http://a.test/');
    expect(await runs.ask(REFUSED, 2)).toBe(2);
    runs.kill();
    expect(await runs.ask(REFUSED)).toBe(1);
    expect(runs.states()).toEqual(['failed']);
    runs.kill();
    await runs.admit('http://a.test/other');
    expect(await runs.ask(REFUSED)).toBe(1);
    expect(runs.states()).toEqual(['failed', 'failed']);
  });
});

describe('--robots-unreachable allow', () => {
  const standing = (runs: Runs): string =>
    runs.store.database.prepare('SELECT robots_state AS s FROM origins').get()!.s;
  const letting = { obeyRobots: true, robotsUnreachable: 'allow' } as const;

  it('lets the pages go after three tries, and the store says that they went without rules', async () => {
    const runs = new Runs();
    runs.options = letting;
    runs.kill();
    await runs.admit('http://a.test/');
    expect(await runs.ask(UNREACHABLE)).toBe(3);
    expect(runs.states()).toEqual(['leased']);
    expect(standing(runs)).toBe('unanswered');
    runs.kill();
    expect(await runs.ask(UNREACHABLE)).toBe(1);
    expect(standing(runs)).toBe('unanswered');
  });

  it('asks once more in another run where pages wait, and reads the sitemaps that robots.txt names by then', async () => {
    for (const robotsUnreachable of ['allow', 'defer'] as const) {
      const runs = new Runs();
      runs.options = { ...letting, seekSitemaps: true };
      runs.seeds = () => new SeedBook([SEED]);
      runs.kill();
      await runs.admit('http://a.test/');
      expect(await runs.ask(UNREACHABLE)).toBe(3);
      expect(runs.sitemaps()).not.toContain('http://a.test/named.xml');
      runs.options = { ...runs.options, robotsUnreachable };
      runs.kill();
      const robots = { ...ALLOWED.robots, sitemaps: ['http://a.test/named.xml'] } as RobotsAnswer;
      expect(await runs.ask({ ...ALLOWED, robots })).toBe(1);
      expect(standing(runs)).toBe('ready');
      expect(runs.sitemaps()).toContain('http://a.test/named.xml');
    }
  });

  it('is still known of a host where nothing waits any more', async () => {
    const runs = new Runs();
    runs.options = letting;
    runs.kill();
    await runs.admit('http://a.test/');
    expect(await runs.ask(UNREACHABLE)).toBe(3);
    runs.store.database.exec(`UPDATE urls SET state = ${UrlState.done} WHERE kind = 0`);
    runs.kill();
    expect(await runs.ask(UNREACHABLE)).toBe(0);
    expect(standing(runs)).toBe('unanswered');
  });

  it('counts for the run that says so: the next one asks again', async () => {
    const runs = new Runs();
    runs.options = letting;
    runs.kill();
    await runs.admit('http://a.test/');
    expect(await runs.ask(UNREACHABLE)).toBe(3);
    runs.options = { obeyRobots: true };
    runs.kill();
    expect(await runs.ask(UNREACHABLE)).toBe(1);
    expect(runs.states()).toEqual(['robots_unreachable']);
  });
});
