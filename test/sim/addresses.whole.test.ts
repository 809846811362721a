import { describe, expect, test } from 'vitest';
import { Random } from '../web/random.js';
import { noLatency } from './model-store.js';
import { Simulation } from './simulation.js';
import { crawlDelay, plainHost, troubledHost, type VirtualHost, VirtualWeb } from './virtual-web.js';

/** What the machine at one address sees, whatever names it is asked by. */
class Machine {
  readonly #seen: { at: number; headersAt: number; endAt: number }[] = [];

  /** A site of this machine. */
  hosts(site: VirtualHost): VirtualHost {
    return (request) => {
      const reply = site(request);
      // What robots.txt forbids is not sent.
      if (!reply.forbidden) {
        const headersAt = request.at + (reply.headersMs ?? reply.endMs);
        this.#seen.push({ at: request.at, headersAt, endAt: request.at + reply.endMs });
      }
      return reply;
    };
  }

  get requests(): number {
    return this.#seen.length;
  }

  /** From the headers of one answer to the next request. */
  get smallestGapMs(): number {
    const seen = this.#seen.toSorted((a, b) => a.at - b.at);
    return Math.min(...seen.slice(1).map(({ at }, place) => at - seen[place]!.headersAt));
  }

  get mostAtOnce(): number {
    return Math.max(
      ...this.#seen.map(({ at }) => this.#seen.filter((each) => each.at <= at && each.endAt > at).length),
    );
  }

  get spanMs(): number {
    return Math.max(...this.#seen.map(({ at }) => at)) - Math.min(...this.#seen.map(({ at }) => at));
  }
}

const pagesOf = (host: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `http://${host}/p${i}`);
const names = (count: number, prefix = 'n'): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}.test`);

describe('--delay-per-ip', () => {
  const shared = (web: VirtualWeb, site: VirtualHost, count = 30): Machine => {
    const machine = new Machine();
    for (const name of names(count)) {
      web.add(name, machine.hosts(site), '192.0.2.1');
    }
    return machine;
  };

  test.each([{ delayMs: 0 }, { delayMs: 1000 }])(
    '30 names on one address are asked as slowly as one host with that delay, and no slower (delay $delayMs ms)',
    async ({ delayMs }) => {
      const web = new VirtualWeb();
      const machine = shared(web, plainHost({ headersMs: [20, 80], bodyMs: 400 }));
      const simulation = new Simulation({
        web,
        urls: names(30).flatMap((name) => pagesOf(name, 10)),
        options: { delayMs, delayPerIpMs: 100 },
        storeLatency: noLatency,
      });
      expect((await simulation.run())?.reason).toBe('complete');
      expect(simulation.counts.done).toBe(300);
      expect(machine.requests).toBe(330);
      expect(machine.smallestGapMs).toBeGreaterThanOrEqual(100);
      // On average an answer takes 50 ms; nothing else may stand between two requests.
      expect(machine.spanMs).toBeLessThan(330 * 160);
    },
  );

  test('hosts at other addresses are asked as if these were not there', async () => {
    async function others(beside: boolean): Promise<number[]> {
      const web = new VirtualWeb();
      const machine = shared(web, plainHost());
      for (const name of names(5, 'free')) {
        web.add(name, plainHost());
      }
      const simulation = new Simulation({
        web,
        urls: [
          ...(beside ? names(30).flatMap((name) => pagesOf(name, 20)) : []),
          ...names(5, 'free').flatMap((name) => pagesOf(name, 20)),
        ],
        options: { delayMs: 1000, delayPerIpMs: 500, workers: 8 },
        storeLatency: noLatency,
      });
      expect((await simulation.run())?.reason).toBe('complete');
      expect(machine.requests > 0).toBe(beside);
      return simulation.log.filter(({ host }) => host.startsWith('free')).map(({ at }) => at);
    }
    expect(await others(true)).toEqual(await others(false));
  });

  test('a name of 300 pages and twenty of five take turns: the small ones are done first', async () => {
    const web = new VirtualWeb();
    const machine = new Machine();
    const small = names(20, 'small');
    for (const name of ['big.test', ...small]) {
      web.add(name, machine.hosts(plainHost()), '192.0.2.1');
    }
    const simulation = new Simulation({
      web,
      urls: [...pagesOf('big.test', 300), ...small.flatMap((name) => pagesOf(name, 5))],
      options: { delayMs: 0, delayPerIpMs: 100 },
      storeLatency: noLatency,
    });
    await simulation.run();
    const places = simulation.log.flatMap(({ host }, place) => (host === 'big.test' ? [] : [place]));
    expect(places).toHaveLength(20 * 6);
    // Six turns of 21 names, robots.txt included, and what is between a page and the next one of the same name.
    expect(places.at(-1)).toBeLessThan(21 * 7);
    expect(machine.smallestGapMs).toBeGreaterThanOrEqual(100);
  });
});

describe('--max-inflight-per-ip', () => {
  test('as many as are allowed are asked at once, and not one more', async () => {
    const web = new VirtualWeb();
    const machine = new Machine();
    for (const name of names(12)) {
      web.add(name, machine.hosts(plainHost({ headersMs: [10, 60], bodyMs: 150 })), '192.0.2.1');
    }
    const simulation = new Simulation({
      web,
      urls: names(12).flatMap((name) => pagesOf(name, 20)),
      options: { delayMs: 0, maxInflightPerIp: 3 },
      storeLatency: noLatency,
    });
    expect((await simulation.run())?.reason).toBe('complete');
    expect([machine.mostAtOnce, machine.requests, simulation.counts.done]).toEqual([3, 252, 240]);
  });
});

test('addresses are looked up many at once, but not all: a burst is what name servers drop', async () => {
  const web = new VirtualWeb();
  for (const name of names(2_000)) {
    web.add(name, plainHost());
  }
  const urls = names(2_000).map((name) => `http://${name}/`);
  const simulation = new Simulation({ web, urls, options: { maxInflightPerIp: 2, workers: 4_000 } });
  expect((await simulation.run())?.reason).toBe('complete');
  expect([simulation.counts.done, web.lookUps.peak]).toEqual([2_000, 256]);
});

/** Everything at once that can keep a host from taking its turn. */
describe('it ends, and nothing is lost', () => {
  const kinds: ((name: string) => VirtualHost)[] = [
    () => plainHost({ headersMs: [5, 100], bodyMs: 50 }),
    () => plainHost({ robots: crawlDelay(2_000) }),
    () => troubledHost(({ chance }) => (chance < 0.4 ? { status: 503, retryAfterMs: 3_000 } : {})),
    () => troubledHost(({ chance }) => (chance < 0.5 ? { headersMs: null, endMs: 900, errorClass: 'timeout' } : {})),
    () => troubledHost(() => ({ status: 503, retryAfterMs: 3_000_000 })),
    () => troubledHost(({ chance }) => ({ forbidden: chance < 0.5 })),
    (name) =>
      plainHost({ links: (path) => (path.length < 6 ? [`http://${name}${path}0`, `http://${name}${path}1`] : []) }),
  ];

  test.each(Array.from({ length: 40 }, (_, seed) => ({ seed })))('$seed', async ({ seed }) => {
    const random = new Random(seed + 1);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random.fraction() * values.length)]!;
    const delayPerIpMs = pick([0, 50, 400]);
    const maxInflightPerIp = delayPerIpMs === 0 ? pick([1, 2, 5]) : pick([0, 1, 3]);
    const web = new VirtualWeb(seed + 1);
    const machines = names(3, 'machine').map(() => new Machine());
    const hosts = names(25);
    for (const name of hosts) {
      const at = Math.floor(random.fraction() * 5);
      const site = pick(kinds)(name);
      // Machine 3: no address can be found, though it answers. Machine 4: there is no such name at all.
      if (at < 3) {
        web.add(name, machines[at]!.hosts(site), `192.0.2.${at}`);
      } else if (at === 3) {
        web.add(name, site, null);
      }
    }
    const maxUrls = pick([null, null, 60]);
    const simulation = new Simulation({
      seed: seed + 1,
      web,
      urls: hosts.flatMap((name) => pagesOf(name, 1 + Math.floor(random.fraction() * 12))),
      options: {
        delayMs: pick([0, 200]),
        workers: pick([1, 4, 50]),
        robotsWorkers: pick([1, 64]),
        retryDelayMs: 100,
        maxBackoffMs: 5_000,
        delayPerIpMs,
        maxInflightPerIp,
        maxUrls,
        maxUrlsPerHost: pick([null, 3]),
      },
      scheduler: { readyHeapLimit: pick([3, 1_000]), frontierLimit: pick([4, 1_000]) },
    });
    const end = await simulation.run(6 * 3_600_000);
    expect(end?.reason).toMatch(/^complete|^max_urls$/);
    for (const machine of machines) {
      if (machine.requests < 2) {
        continue;
      }
      if (delayPerIpMs > 0) {
        expect(machine.smallestGapMs).toBeGreaterThanOrEqual(delayPerIpMs);
      }
      if (maxInflightPerIp > 0) {
        expect(machine.mostAtOnce).toBeLessThanOrEqual(maxInflightPerIp);
      }
    }
  });
});
