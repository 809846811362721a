import { describe, expect, test } from 'vitest';
import { UrlKind } from '../../src/store/url-state.js';
import type { SimulationPlan } from './plan.js';
import { Simulation } from './simulation.js';
import { crawlDelay, plainHost, troubledHost, type VirtualHost, VirtualWeb } from './virtual-web.js';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

const pagesOf = (host: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `http://${host}/p${i}`);

/** What happens, by the second at which it does. */
type Script = Readonly<Record<number, (running: Simulation) => void>>;

/** So many pages of each host, and what the user says meanwhile. */
async function crawlOf(
  hosts: Readonly<Record<string, VirtualHost>>,
  pages: number,
  script: Script,
  plan: Partial<SimulationPlan> = {},
) {
  const web = new VirtualWeb();
  for (const [name, host] of Object.entries(hosts)) {
    web.add(name, host);
  }
  const inFlight: number[] = [];
  const simulation = new Simulation({
    web,
    urls: Object.keys(hosts).flatMap((name) => pagesOf(name, pages)),
    ...plan,
    onTick: (running) => {
      inFlight.push(running.crawl.inFlight);
      plan.onTick?.(running);
    },
  });
  for (const [seconds, happens] of Object.entries(script)) {
    simulation.after(Number(seconds) * SECOND, () => happens(simulation));
  }
  const end = await simulation.run(10 * HOUR);
  return { simulation, end, inFlight, log: simulation.log };
}

const fast = (): VirtualHost => plainHost({ headersMs: [80, 120] });
const within = (log: readonly { at: number; host: string }[], from: number, to: number, host?: string) =>
  log.filter(({ at, host: name }) => at >= from * SECOND && at < to * SECOND && (host === undefined || name === host));

describe('a pause', () => {
  test('lets nothing out, settles what comes back, and loses nothing', async () => {
    const { simulation, end, log } = await crawlOf(
      { 'a.test': fast(), 'b.test': fast() },
      2_000,
      { 3: ({ crawl }) => crawl.room.pause(), 60: ({ crawl }) => crawl.room.goOn() },
      { options: { delayMs: 0, workers: 64 } },
    );
    expect(within(log, 1, 3).length).toBeGreaterThan(100);
    expect(within(log, 3.001, 60)).toEqual([]);
    expect(within(log, 60, 61).length).toBeGreaterThan(20);
    expect(end?.reason).toBe('complete');
    expect(simulation.counts.done).toBe(4_000);
    expect(log.filter(({ kind }) => kind === UrlKind.page)).toHaveLength(4_000);
  });

  test('is no end: the run waits, and a stop or a limit still ends it', async () => {
    const paused: Script = { 3: ({ crawl }) => crawl.room.pause() };
    const options = { delayMs: 0, workers: 16 };
    const limited = await crawlOf({ 'a.test': fast() }, 2_000, paused, {
      options: { ...options, durationMs: 900 * SECOND },
    });
    expect(limited.end?.reason).toBe('duration');
    expect(limited.simulation.clock.elapsedMs).toBeGreaterThanOrEqual(900 * SECOND);
    const stopped = await crawlOf(
      { 'a.test': fast() },
      2_000,
      { ...paused, 100: ({ crawl }) => crawl.stop('interrupted', 5_000) },
      { options },
    );
    expect(stopped.end?.reason).toBe('interrupted');
    expect(stopped.simulation.clock.elapsedMs).toBeLessThan(101 * SECOND);
    const forgotten = await crawlOf({ 'a.test': fast() }, 2_000, paused, { options });
    expect(forgotten.end).toBeNull();
  });

  test('of a run with nothing left to do ends it as complete', async () => {
    const { end } = await crawlOf({ 'a.test': fast() }, 1, {
      0: ({ crawl }) => crawl.room.pause(),
      5: ({ crawl }) => crawl.room.goOn(),
    });
    expect(end?.reason).toBe('complete');
  });
});

describe('workers', () => {
  test('change what is in flight, down and up', async () => {
    const hosts = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`h${i}.test`, fast()]));
    const { inFlight, end } = await crawlOf(
      hosts,
      400,
      { 5: ({ crawl }) => crawl.room.setWorkers(4), 10: ({ crawl }) => crawl.room.setWorkers(32) },
      { options: { delayMs: 0, workers: 64 } },
    );
    expect(Math.max(...inFlight.slice(1, 4))).toBeGreaterThan(40);
    expect(Math.max(...inFlight.slice(6, 9))).toBeLessThanOrEqual(4);
    expect(Math.max(...inFlight.slice(6, 9))).toBeGreaterThan(0);
    expect(Math.max(...inFlight.slice(11, 14))).toBeLessThanOrEqual(32);
    expect(Math.max(...inFlight.slice(11, 14))).toBeGreaterThan(16);
    expect(end?.reason).toBe('complete');
  });
});

describe('a delay', () => {
  const gaps = (log: readonly { at: number }[]): number[] => log.slice(1).map(({ at }, i) => at - log[i]!.at);

  test('that is given to one host holds for it alone, and is taken back by another', async () => {
    const { log } = await crawlOf(
      { 'a.test': fast(), 'b.test': fast() },
      3_000,
      {
        5: ({ frontier }) => frontier.setDelay('a.test', 20_000),
        60: ({ frontier }) => frontier.setDelay('a.test', 0),
      },
      { options: { delayMs: 0, workers: 16, maxInflightPerHost: 4, durationMs: 70 * SECOND } },
    );
    const slow = gaps(within(log, 6, 60, 'a.test'));
    expect(slow.length).toBeGreaterThan(0);
    expect(Math.min(...slow)).toBeGreaterThanOrEqual(20_000);
    expect(within(log, 6, 60, 'b.test').length).toBeGreaterThan(1_000);
    // From the next lease on: nobody waits for what is left of the old delay.
    expect(within(log, 60, 62, 'a.test').length).toBeGreaterThan(20);
  });

  test('is never shorter than robots.txt asks', async () => {
    const { log } = await crawlOf(
      { 'a.test': plainHost({ robots: crawlDelay(3_000) }) },
      30,
      { 1: ({ frontier }) => frontier.setDelay(null, 6_000), 40: ({ frontier }) => frontier.setDelay(null, 0) },
      { options: { delayMs: 0 } },
    );
    expect(Math.min(...gaps(within(log, 1, 40)))).toBeGreaterThanOrEqual(6_000);
    const after = gaps(within(log, 41, 200));
    expect(Math.min(...after)).toBeGreaterThanOrEqual(3_000);
    expect(Math.max(...after)).toBeLessThan(3_200);
  });

  test('of all hosts spares those that were given one of their own', async () => {
    const { log } = await crawlOf(
      { 'a.test': fast(), 'b.test': fast() },
      200,
      { 1: ({ frontier }) => frontier.setDelay('a.test', 500), 2: ({ frontier }) => frontier.setDelay(null, 4_000) },
      { options: { delayMs: 0, maxInflightPerHost: 1 } },
    );
    const [slow, slower] = [within(log, 4, 20, 'a.test'), within(log, 4, 60, 'b.test')].map(gaps);
    expect([Math.min(...slow!) >= 500, Math.max(...slow!) < 800]).toEqual([true, true]);
    expect(Math.min(...slower!)).toBeGreaterThanOrEqual(4_000);
  });
});

describe('a quarantine', () => {
  test('keeps a host from being asked until it is released, and all of its pages come after that', async () => {
    const { simulation, log, end } = await crawlOf(
      { 'a.test': fast(), 'b.test': fast() },
      1_500,
      { 3: ({ frontier }) => frontier.quarantine('a.test'), 20: ({ frontier }) => frontier.release('a.test') },
      { options: { delayMs: 0, workers: 16, maxInflightPerHost: 4 } },
    );
    expect(within(log, 1, 3, 'a.test').length).toBeGreaterThan(20);
    expect(within(log, 3.2, 20, 'a.test')).toEqual([]);
    expect(within(log, 3.2, 20, 'b.test').length).toBeGreaterThan(100);
    expect(within(log, 20, 23, 'a.test').length).toBeGreaterThan(20);
    // Once, and once more for what was under way then.
    expect(simulation.deferrals.map(({ host, reason }) => `${host} ${reason}`)).toSatisfy(
      (told: string[]) => told.length >= 1 && told.length <= 6 && told.every((each) => each === 'a.test held'),
    );
    expect(end?.reason).toBe('complete');
    expect(simulation.counts).toMatchObject({ done: 3_000, deferred: 0 });
  });

  test('that is taken back at once changes nothing', async () => {
    const { simulation, end } = await crawlOf(
      { 'a.test': fast() },
      200,
      {
        1: ({ frontier }) => {
          expect(frontier.quarantine('a.test')).toBe(true);
          expect(frontier.release('a.test')).toBe(true);
          expect(frontier.release('a.test')).toBe(false);
          expect(frontier.quarantine('nobody.test')).toBe(false);
        },
      },
      { options: { delayMs: 0 } },
    );
    expect(end?.reason).toBe('complete');
    expect(simulation.counts).toMatchObject({ done: 200, deferred: 0 });
  });

  test('of the only host ends the run, its pages put off', async () => {
    const { simulation, end } = await crawlOf({ 'a.test': fast() }, 500, {
      3: ({ frontier }) => frontier.quarantine('a.test'),
    });
    expect(end?.reason).toBe('complete_with_deferred');
    expect(simulation.counts.deferred + simulation.counts.done).toBe(500);
    expect(simulation.frontier.hostFigures()).toMatchObject({ known: 1, busy: 0, deferred: 1 });
  });
});

test('the figures of hosts are what a look through all of them finds', async () => {
  const hosts = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [
      `h${i}.test`,
      i % 3 === 0 ? troubledHost(({ chance }) => (chance < 0.5 ? { status: 503 } : {})) : fast(),
    ]),
  );
  let busiest = 0;
  let mostBlocked = 0;
  await crawlOf(
    hosts,
    60,
    {},
    {
      options: { delayMs: 200, workers: 64, maxWaitMs: 20 * SECOND },
      onTick: ({ frontier, clock }) => {
        const all = [...frontier.inspect().hosts];
        const { known, busy, backingOff, deferred, most } = frontier.hostFigures();
        expect(known).toBe(all.length);
        expect(busy).toBe(all.filter(({ inFlight }) => inFlight > 0).length);
        expect(most).toBe(Math.max(...all.map(({ inFlight }) => inFlight)));
        expect(deferred).toBe(all.filter(({ deferredReason }) => deferredReason !== null).length);
        // They are counted by whole seconds.
        const blockedFor = (ms: number) => all.filter(({ blockedUntil }) => blockedUntil - clock.now() > ms).length;
        expect(backingOff).toBeGreaterThanOrEqual(blockedFor(SECOND));
        expect(backingOff).toBeLessThanOrEqual(blockedFor(-SECOND));
        busiest = Math.max(busiest, busy);
        mostBlocked = Math.max(mostBlocked, backingOff);
      },
    },
  );
  expect([busiest > 3, mostBlocked > 2]).toEqual([true, true]);
});
