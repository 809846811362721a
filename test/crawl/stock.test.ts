import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { FetchError } from '../../src/base/errors.js';
import type { FetchHooks } from '../../src/fetch/contract.js';
import { KeyTable } from '../../src/frontier/key-table.js';
import type { Lease, Outcome } from '../../src/frontier/outcome.js';
import { ByteBudget } from '../../src/lane/byte-budget.js';
import { type Job, Lane, type LaneSetup } from '../../src/lane/lane.js';
import { LanePool } from '../../src/lane/lane-pool.js';
import type { LanePort } from '../../src/lane/lane-port.js';
import { WirePlaces } from '../../src/lane/stock.js';
import { UrlKind } from '../../src/store/url-state.js';

const lease = (id: number, host: string): Lease => ({
  ...{ id, url: `http://${host}/${id}`, kind: UrlKind.page, depth: 0, seed: 0, hops: 0, flags: 0, attempt: 1 },
  ...{ host, paced: false, wireLimit: 2, origin: 1, rules: null, rulesVersion: 0, wantsText: false },
});

/** A lane that is not busy tells of what happened in the next turns of the event loop. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A lane whose requests end when the test says so. */
class Bench {
  readonly budget = new ByteBudget(1_000, 1);
  readonly wire = new WirePlaces(1);
  readonly sent: string[] = [];
  readonly outcomes: Outcome[] = [];
  readonly #open = new Map<string, { hooks: FetchHooks; fail(error: FetchError): void }>();
  readonly lane: Lane;

  constructor() {
    const setup = {
      ...{ lane: 0, robotsTimeoutMs: 1_000, budgetLimit: 1_000, budgetSlots: this.budget.slots },
      ...{ segments: new KeyTable(Number.POSITIVE_INFINITY).segments, wireCells: this.wire.cells },
      reader: { agent: 'gossamer', contentTypes: [], extract: [], searches: [], unfollowed: new Set(), order: 'bfs' },
      identity: { stripQuery: false, stripTracking: false, sortQuery: false },
      scope: { seeds: [], patterns: { include: [], exclude: [] }, traps: { allow: [] }, ignore: [] },
    };
    this.lane = new Lane(
      setup as unknown as LaneSetup,
      {
        fetch: ({ url }, hooks) => {
          this.sent.push(url);
          const promise = new Promise<never>((_, fail) => this.#open.set(url, { hooks, fail }));
          return { promise, pause() {}, resume() {}, abort() {} };
        },
        resolve: async (host) => host,
        close: async () => {
          for (const url of this.#open.keys()) {
            this.end(url, 'internal');
          }
        },
      },
      { headers() {}, piece() {}, outcomes: (outcomes) => void this.outcomes.push(...outcomes) },
      systemClock,
    );
  }

  take(...jobs: [id: number, host: string, place: number][]): void {
    for (const [, , place] of jobs) {
      this.wire.limit(place, 2);
    }
    this.lane.take(
      jobs.map(([id, host, place]): Job => ({ lease: lease(id, host), sequence: id, newRules: false, place })),
      [],
    );
  }

  arrive(url: string, bytes: number): void {
    this.#open.get(url)!.hooks.onBytes!(bytes);
  }

  end(url: string, errorClass: FetchError['errorClass'] = 'too_large'): void {
    this.#open.get(url)!.fail(new FetchError(errorClass, 'over'));
    this.#open.delete(url);
  }

  get unsent(): number[] {
    return this.outcomes.filter(({ unsent }) => unsent === 'returned').map(({ id }) => id);
  }
}

const FIVE = [1, 2, 3, 4, 5].map((id): [number, string, number] => [id, 'a.test', 0]);

describe('a lane with more leases than may be on the wire', () => {
  test('sends the next one when one has ended, and never more at once', async () => {
    const bench = new Bench();
    bench.take(...FIVE);
    expect(bench.sent).toEqual(['http://a.test/1', 'http://a.test/2']);
    bench.end('http://a.test/1');
    await settled();
    expect(bench.sent).toHaveLength(3);
    bench.wire.limit(0, 1);
    bench.end('http://a.test/2');
    await settled();
    expect(bench.sent).toHaveLength(3);
  });

  test('gives back unsent what is recalled, and what waits for a host in trouble', async () => {
    const bench = new Bench();
    bench.take(...FIVE, [6, 'b.test', 1]);
    bench.end('http://a.test/2', 'timeout');
    await settled();
    bench.lane.recall(null);
    await settled();
    expect([bench.sent.length, bench.unsent]).toEqual([3, [3, 4, 5]]);
  });

  test('goes on with every host when memory held something back', async () => {
    const bench = new Bench();
    bench.take([1, 'a.test', 0]);
    bench.arrive('http://a.test/1', 5_000);
    bench.end('http://a.test/1');
    await settled();
    bench.take([2, 'b.test', 1], [3, 'c.test', 2]);
    expect(bench.sent).toEqual(['http://a.test/1', 'http://b.test/2']);
    bench.end('http://b.test/2');
    await settled();
    expect(bench.sent).toContain('http://c.test/3');
  });

  test('sends nothing more when it is closed', async () => {
    const bench = new Bench();
    bench.take(...FIVE);
    await bench.lane.close();
    await settled();
    expect(bench.sent).toHaveLength(2);
  });
});

test('what auto-tune found while leases were committed is not undone by them', () => {
  const wire = new WirePlaces(2);
  const port = { take() {}, recall() {}, flow() {}, peakWaiting: () => 0 } as unknown as LanePort;
  const pool = new LanePool(
    { lanes: 1, wire, sockets: 1, openInline: () => port, openThread: null, isWorthThreads: () => false },
    new KeyTable(1024 ** 2),
    { headers() {}, outcomes() {}, piece() {} },
  );
  pool.dispatch([lease(1, 'a.test')]);
  pool.retune('a.test', 1, true);
  pool.dispatch([lease(2, 'a.test')]);
  expect([wire.take(0, 0), wire.take(0, 0)]).toEqual([true, false]);
});

test('places that a dead lane had on the wire are free again', () => {
  const wire = new WirePlaces(2);
  wire.limit(5, 2);
  expect([wire.take(0, 5), wire.take(1, 5), wire.take(1, 5)]).toEqual([true, true, false]);
  wire.laneGone(1);
  expect([wire.take(0, 5), wire.take(0, 5)]).toEqual([true, false]);
});
