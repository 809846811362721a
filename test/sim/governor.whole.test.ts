import { describe, expect, test } from 'vitest';
import { Governor } from '../../src/crawl/governor.js';
import { diskLatency } from './model-store.js';
import type { SimulationPlan } from './plan.js';
import { Simulation } from './simulation.js';
import { plainHost, VirtualWeb } from './virtual-web.js';

const GIB = 1024 ** 3;
const WORKERS = 64;

/** Forty hosts without a delay that never run out: whatever may be in flight is. */
async function govern(plan: Partial<SimulationPlan>, seconds: number) {
  const web = new VirtualWeb();
  const urls: string[] = [];
  for (let i = 0; i < 40; i++) {
    const name = `h${i}.test`;
    urls.push(`http://${name}/0`);
    web.add(
      name,
      plainHost({
        headersMs: [80, 120],
        links: (path) => {
          const page = Number(path.slice(1));
          return [1, 2, 3, 4].map((next) => `http://${name}/${page * 4 + next}`);
        },
      }),
    );
  }
  const limits: number[] = [];
  const inFlight: number[] = [];
  const simulation = new Simulation({
    web,
    urls,
    options: { workers: WORKERS, delayMs: 0, durationMs: seconds * 1000 },
    keepLog: false,
    ...plan,
    onTick: (running) => {
      limits.push(running.governor.limit);
      inFlight.push(running.crawl.inFlight);
    },
  });
  const end = await simulation.run();
  return { simulation, end, limits, inFlight };
}

const growth = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.floor(Math.min(WORKERS, from * 1.1 ** (i + 1))));

describe('the governor in a crawl', () => {
  test('memory over 75 % halves what is in flight each second, below 70 % it grows back by a tenth', async () => {
    const share = (elapsedMs: number) =>
      elapsedMs < 4_500 ? 0.5 : elapsedMs < 8_500 ? 0.8 : elapsedMs < 10_500 ? 0.72 : 0.6;
    const { limits, inFlight, simulation } = await govern({ rssBytes: (at) => share(at) * GIB }, 30);
    expect(limits.slice(0, 10)).toEqual([64, 64, 64, 64, 32, 16, 8, 4, 4, 4]);
    expect(limits.slice(10, 25)).toEqual(growth(4, 15));
    // What is under way when the limit falls ends within the second: then the limit is what is in flight.
    for (let second = 6; second < 25; second++) {
      expect(inFlight[second], `second ${second}`).toBeLessThanOrEqual(limits[second - 1]!);
      expect(inFlight[second], `second ${second}`).toBeGreaterThanOrEqual(Math.floor(limits[second - 1]! / 2));
    }
    // Once, when it rises: what can be collected is no reason to go on halving.
    expect(simulation.decisions.map(({ collect }) => collect).slice(0, 4)).toEqual([true, false, false, false]);
    expect(simulation.decisions.slice(0, 5).map(({ cause }) => cause)).toEqual([
      'memory',
      'memory',
      'memory',
      'memory',
      'recovery',
    ]);
  });

  test('over 90 % one request is in flight and one collection is forced; it recovers from that too', async () => {
    const share = (elapsedMs: number) => (elapsedMs > 4_500 && elapsedMs < 9_500 ? 0.95 : 0.3);
    const { limits, inFlight, simulation } = await govern({ rssBytes: (at) => share(at) * GIB }, 70);
    expect(limits.slice(3, 10)).toEqual([64, 1, 1, 1, 1, 1, 1]);
    expect(inFlight.slice(6, 9).every((count) => count <= 1)).toBe(true);
    expect(simulation.decisions.filter(({ collect }) => collect)).toHaveLength(1);
    expect(limits.slice(9, 60)).toEqual(growth(1, 51));
    expect(limits.at(-1)).toBe(WORKERS);
  });

  test('a minute over 90 % ends the run, its state kept', async () => {
    const { end, simulation } = await govern({ rssBytes: () => 0.91 * GIB }, 300);
    expect(end?.reason).toBe('memory');
    expect(simulation.clock.elapsedMs).toBeGreaterThanOrEqual(60_000);
    expect(simulation.clock.elapsedMs).toBeLessThan(63_000);
  });

  test('commits slower than 200 ms halve it, faster ones give it back', async () => {
    const slow = (rows: number, at: number) => (at > 5_500 && at < 12_500 ? 300 : diskLatency(rows, at));
    const { limits, simulation } = await govern({ storeLatency: slow }, 50);
    expect(simulation.decisions[0]!.cause).toBe('commit');
    const lowest = Math.min(...limits);
    expect(lowest).toBeLessThanOrEqual(8);
    const turn = limits.lastIndexOf(lowest);
    const causes = simulation.decisions.map(({ cause }) => cause);
    expect(causes.lastIndexOf('commit')).toBeLessThan(causes.indexOf('recovery'));
    expect(limits.slice(turn + 1, turn + 6).every((limit, i) => limit >= limits[turn + i]!)).toBe(true);
    expect(limits.at(-1)).toBe(WORKERS);
  });

  test('an event loop that lags by more than 200 ms halves it', async () => {
    const { limits, simulation } = await govern({ lagMs: (at) => (at > 4_500 && at < 8_000 ? 250 : 0) }, 40);
    expect(simulation.decisions[0]!.cause).toBe('lag');
    expect(Math.min(...limits)).toBeLessThanOrEqual(16);
    expect(limits.at(-1)).toBe(WORKERS);
  });

  test('--no-governor leaves everything as it is', async () => {
    const { limits, end } = await govern(
      { rssBytes: () => GIB, options: { workers: WORKERS, delayMs: 0, durationMs: 10_000, governor: false } },
      10,
    );
    expect(new Set(limits)).toEqual(new Set([WORKERS]));
    expect(end?.reason).toBe('duration');
  });

  test('slows pages that come in pieces before it slows everybody, and lets go of them when memory is back', () => {
    const governor = new Governor({ enabled: true, memoryLimitBytes: GIB, maxInFlight: WORKERS });
    const sample = (share: number, hasPiecemeal: boolean) => {
      governor.sample({ at: 0, rssBytes: share * GIB, commitMs: null, lagMs: 0, hasPiecemeal });
      return [governor.limit, governor.slowsPiecemeal];
    };
    expect([sample(0.5, true), sample(0.8, true)]).toEqual([
      [WORKERS, false],
      [WORKERS, true],
    ]);
    // Still there: it is not, or not only, theirs.
    expect([sample(0.8, true), sample(0.72, true), sample(0.6, true)]).toEqual([
      [WORKERS / 2, true],
      [WORKERS / 2, true],
      [Math.floor((WORKERS / 2) * 1.1), false],
    ]);
    expect(sample(0.8, false)).toEqual([Math.floor((WORKERS / 2) * 1.1) >> 1, false]);
  });
});
