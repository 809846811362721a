import { describe, expect, test } from 'vitest';
import { UrlKind } from '../../src/store/url-state.js';
import type { SimulationPlan } from './plan.js';
import { Simulation } from './simulation.js';
import { ALLOWED, crawlDelay, plainHost, troubledHost, type VirtualHost, VirtualWeb } from './virtual-web.js';

const pagesOf = (host: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `http://${host}/p${i}`);
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** A crawl of one host, and of another that keeps the run going where that is wanted. */
async function crawlOf(host: VirtualHost, urls: number, plan: Partial<SimulationPlan> = {}, companionUrls = 0) {
  const web = new VirtualWeb().add('a.test', host).add('companion.test', plainHost({ robots: crawlDelay(60_000) }));
  const simulation = new Simulation({
    web,
    urls: [...pagesOf('a.test', urls), ...pagesOf('companion.test', companionUrls)],
    ...plan,
  });
  const end = await simulation.run(30 * HOUR);
  const log = simulation.log.filter(({ host: name }) => name === 'a.test');
  return { simulation, end, log, pages: log.filter(({ kind }) => kind === UrlKind.page) };
}

/** From the answer to one request to the next one. */
const pauses = (log: { at: number }[], answerMs: number): number[] =>
  log.slice(1).map(({ at }, i) => (at - log[i]!.at - answerMs) / SECOND);

describe('backoff', () => {
  test('a host that fails is left alone for 2^n s, somewhat more or less, and put off when that is beyond --max-wait', async () => {
    const { end, pages, simulation } = await crawlOf(
      troubledHost(() => ({ status: 503 })),
      20,
    );
    const waits = pauses(pages, 50);
    waits.forEach((wait, i) => {
      expect(wait, `pause ${i + 1}`).toBeGreaterThanOrEqual(0.75 * 2 ** (i + 1) - 0.001);
      expect(wait, `pause ${i + 1}`).toBeLessThanOrEqual(1.25 * 2 ** (i + 1) + 0.1);
    });
    expect(waits.length).toBeGreaterThanOrEqual(8);
    expect(end?.reason).toBe('complete_with_deferred');
    expect(simulation.deferrals).toHaveLength(1);
    expect(simulation.deferrals[0]!.at).toBeCloseTo(pages.at(-1)!.at + 50, -2);
    expect(simulation.counts.deferred).toBe(simulation.deferrals[0]!.urls);
  });

  test('ten failures in a row are a quarantine of --max-backoff; then one URL goes to see, and all follow when it comes through', async () => {
    let failures = 0;
    const host = troubledHost(() => (failures++ < 10 ? { headersMs: null, endMs: 50, errorClass: 'timeout' } : {}));
    const plan = { options: { maxWaitMs: 700 * SECOND, delayMs: 0, maxInflightPerHost: 1 } };
    const { end, pages, simulation } = await crawlOf(host, 30, plan, 120);
    expect(simulation.deferrals.map(({ host: name, reason }) => [name, reason])).toEqual([['a.test', 'quarantine']]);
    const probe = pages.findIndex(({ at }) => at > simulation.deferrals[0]!.at);
    expect(pages[probe]!.at - simulation.deferrals[0]!.at).toBeGreaterThanOrEqual(HOUR);
    expect(pages[probe]!.at - simulation.deferrals[0]!.at).toBeLessThan(HOUR + 2 * SECOND);
    expect(pages[probe]!.inFlight).toBe(1);
    expect(pages[probe + 1]!.at).toBeGreaterThanOrEqual(pages[probe]!.at + 50);
    expect(end?.reason).toBe('complete');
    expect(simulation.counts.deferred).toBe(0);
    expect(simulation.counts.done + simulation.counts.failed).toBe(150);
  });

  test('a probe that fails puts the host off again, without another request', async () => {
    const host = troubledHost(() => ({ status: 500 }));
    const { pages, simulation, end } = await crawlOf(host, 30, { options: { delayMs: 0 } }, 180);
    expect(simulation.deferrals.length).toBeGreaterThanOrEqual(2);
    const [first, second] = simulation.deferrals;
    expect(pages.filter(({ at }) => at > first!.at && at <= second!.at)).toHaveLength(1);
    expect(end?.reason).toBe('complete_with_deferred');
  });

  test('4xx other than 429 is no trouble of the host', async () => {
    const { end, pages } = await crawlOf(
      troubledHost(() => ({ status: 404 })),
      30,
    );
    expect(end?.reason).toBe('complete');
    expect(Math.max(...pauses(pages, 50))).toBeLessThan(1.1);
  });
});

describe('Retry-After', () => {
  test.each([429, 503])('of a %i is obeyed, to the millisecond, and then the crawl goes on', async (status) => {
    let asked = 0;
    const host = troubledHost(() => (++asked === 3 ? { status, retryAfterMs: 90 * SECOND } : {}));
    const { end, pages } = await crawlOf(host, 6);
    expect(end?.reason).toBe('complete');
    const waits = pauses(pages, 50);
    expect(waits[2]).toBeGreaterThanOrEqual(90);
    expect(waits[2]).toBeLessThan(90.1);
    expect(waits.filter((wait) => wait > 2)).toHaveLength(1);
  });

  test('beyond --max-wait the URLs are put off at once and the run ends', async () => {
    const { end, pages, simulation } = await crawlOf(
      troubledHost(() => ({ status: 429, retryAfterMs: 700 * SECOND })),
      5,
    );
    expect(pages).toHaveLength(1);
    expect(end?.reason).toBe('complete_with_deferred');
    expect(simulation.deferrals).toEqual([expect.objectContaining({ host: 'a.test', reason: 'retry_after', urls: 5 })]);
    expect(simulation.clock.elapsedMs).toBeLessThan(5 * SECOND);
  });

  test('beyond --max-wait takes along what was still under way and has to be tried again', async () => {
    const host = troubledHost(({ path }) =>
      path === '/p0' ? { status: 429, retryAfterMs: 700 * SECOND } : { headersMs: 5_000, endMs: 5_000, status: 500 },
    );
    const { end, pages, simulation } = await crawlOf(host, 5, { options: { delayMs: 0 } });
    expect(pages).toHaveLength(2);
    expect(end?.reason).toBe('complete_with_deferred');
    expect(simulation.counts.deferred).toBe(5);
    expect(simulation.clock.elapsedMs).toBeLessThan(6 * SECOND);
  });

  test('a day is an hour: --max-retry-after', async () => {
    let asked = 0;
    const host = troubledHost(() => (++asked === 1 ? { status: 503, retryAfterMs: 24 * HOUR } : {}));
    const { end, pages } = await crawlOf(host, 3, { options: { maxWaitMs: 2 * HOUR } });
    expect(end?.reason).toBe('complete');
    expect(pauses(pages, 50)[0]).toBeGreaterThanOrEqual(3_600);
    expect(pauses(pages, 50)[0]).toBeLessThan(3_601);
  });
});

describe('retries', () => {
  test('a page that fails twice for a moment is asked three times, each pause at least the double of the last', async () => {
    const host = troubledHost(({ path, attempt }) =>
      path === '/p0' && attempt < 3 ? { headersMs: null, endMs: 50, errorClass: 'connection_reset' } : {},
    );
    const { end, pages, simulation } = await crawlOf(host, 1);
    expect(end?.reason).toBe('complete');
    expect(pages.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(simulation.counts).toMatchObject({ done: 1, failed: 0, retries: 2 });
  });
});

describe('Crawl-delay', () => {
  test('over --max-crawl-delay: a warning, one page, the rest is put off and the run ends', async () => {
    const { end, pages, simulation } = await crawlOf(plainHost({ robots: crawlDelay(120 * SECOND) }), 10);
    expect(simulation.notices).toEqual(['a.test asks for a Crawl-delay of 120000 ms']);
    expect(pages).toHaveLength(1);
    expect(end?.reason).toBe('complete_with_deferred');
    expect(simulation.counts).toMatchObject({ done: 1, deferred: 9 });
    expect(simulation.deferrals).toEqual([expect.objectContaining({ reason: 'crawl_delay', urls: 9 })]);
  });

  test('over --max-crawl-delay, while others keep the run going: never a second page', async () => {
    const { pages, simulation } = await crawlOf(plainHost({ robots: crawlDelay(120 * SECOND) }), 10, {}, 20);
    expect(pages).toHaveLength(1);
    expect(simulation.counts.deferred).toBe(9);
  });

  test('within it, every pause is the delay and no longer', async () => {
    const { pages } = await crawlOf(plainHost({ robots: crawlDelay(5 * SECOND) }), 10);
    for (const pause of pauses(pages, 50)) {
      expect(pause).toBeGreaterThanOrEqual(5);
      expect(pause).toBeLessThan(5.01);
    }
  });
});

describe('robots.txt', () => {
  test('out of reach it is asked again after 2 s and 4 s, then its URLs are put off', async () => {
    const host: VirtualHost = () => ({ headersMs: 50, endMs: 50, status: 503, robots: { standing: 'unreachable' } });
    const { end, log, simulation } = await crawlOf(host, 7);
    expect(log.map(({ kind }) => kind)).toEqual([UrlKind.robots, UrlKind.robots, UrlKind.robots]);
    const [first, second] = pauses(log, 50);
    // The host's own backoff runs too: the stricter of both.
    expect(first).toBeGreaterThanOrEqual(2);
    expect(first).toBeLessThan(2.6);
    expect(second).toBeGreaterThanOrEqual(4);
    expect(second).toBeLessThan(5.1);
    expect(end?.reason).toBe('complete_with_deferred');
    expect(simulation.deferrals).toEqual([expect.objectContaining({ reason: 'robots_unreachable', urls: 7 })]);
  });

  test('that comes at the third time opens the host', async () => {
    const host: VirtualHost = ({ kind, nth }) => {
      const robots = nth < 2 ? ({ standing: 'unreachable' } as const) : ALLOWED;
      return { headersMs: 50, endMs: 50, status: nth < 2 ? 500 : 200, ...(kind === UrlKind.robots ? { robots } : {}) };
    };
    const { end, pages, simulation } = await crawlOf(host, 7);
    expect(end?.reason).toBe('complete');
    expect(pages).toHaveLength(7);
    expect(simulation.counts.done).toBe(7);
  });

  test('of a host that refuses connections: that is the result of all of its URLs', async () => {
    const host: VirtualHost = () => ({
      headersMs: null,
      endMs: 5,
      errorClass: 'dns',
      robots: { standing: 'failed', errorClass: 'dns' },
    });
    const { end, log, simulation } = await crawlOf(host, 7);
    expect(end?.reason).toBe('complete');
    expect(log).toHaveLength(1);
    expect(simulation.counts).toMatchObject({ failed: 7, deferred: 0 });
  });

  test('that is lost at its refresh takes along the pages that come back to be tried again', async () => {
    const host: VirtualHost = ({ kind, nth }) => {
      if (kind === UrlKind.robots) {
        const robots = nth === 0 ? { ...ALLOWED, maxAgeMs: 5 * SECOND } : ({ standing: 'unreachable' } as const);
        return { headersMs: 20, endMs: 20, status: nth === 0 ? 200 : 500, robots };
      }
      // One is still under way when robots.txt is given up, and then fails for a moment.
      return nth === 10
        ? { headersMs: 60_000, endMs: 60_000, status: 500 }
        : { headersMs: 200, endMs: 200, status: 200 };
    };
    const { end, simulation } = await crawlOf(host, 400, { options: { delayMs: 0, maxInflightPerHost: 5 } });
    expect(end?.reason).toBe('complete_with_deferred');
    expect(simulation.counts.outstanding).toBe(0);
    expect(simulation.clock.elapsedMs).toBeLessThan(62 * SECOND);
  });

  test('is refreshed when it is a day old, once, and in its turn', async () => {
    const { log, end } = await crawlOf(plainHost({ robots: crawlDelay(30 * SECOND) }), 3_000);
    expect(end?.reason).toBe('complete');
    const robots = log.filter(({ kind }) => kind === UrlKind.robots);
    expect(robots).toHaveLength(2);
    const age = robots[1]!.at - robots[0]!.at;
    expect(age).toBeGreaterThanOrEqual(24 * HOUR);
    expect(age).toBeLessThan(24 * HOUR + 31 * SECOND);
    for (const pause of pauses(log, 50)) {
      expect(pause).toBeGreaterThanOrEqual(30);
      expect(pause).toBeLessThan(30.1);
    }
  });
});
