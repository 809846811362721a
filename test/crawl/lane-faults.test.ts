import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { FetchError } from '../../src/base/errors.js';
import type { PendingFetch } from '../../src/fetch/contract.js';
import { KeyTable } from '../../src/frontier/key-table.js';
import type { Lease, Outcome } from '../../src/frontier/outcome.js';
import { ByteBudget } from '../../src/lane/byte-budget.js';
import { Lane, type LaneSetup, type PageSource } from '../../src/lane/lane.js';
import { LanePool } from '../../src/lane/lane-pool.js';
import type { LanePort } from '../../src/lane/lane-port.js';
import { WirePlaces } from '../../src/lane/stock.js';
import { UrlKind } from '../../src/store/url-state.js';

const BUDGET = new ByteBudget(1_000, 1);

const SETUP: LaneSetup = {
  lane: 0,
  reader: {
    assets: false,
    external: false,
    anchorText: false,
    allFacts: false,
    contentTypes: [],
    extract: [],
    searches: [],
    listensToEdges: false,
    nofollow: 'obey',
    agent: 'gossamer',
    maxBodyBytes: 1_000,
  } as unknown as LaneSetup['reader'],
  identity: { stripQuery: false, stripTracking: false, sortQuery: false },
  scope: {
    seeds: [],
    patterns: { include: [], exclude: [] },
    maxDepth: null,
    traps: {
      maxUrlLength: 4_096,
      maxPathSegments: 32,
      maxSegmentRepeats: 4,
      maxQueryVariants: 0,
      maxShapeVariants: 0,
      allow: [],
    },
    ownKeys: true,
    external: false,
    checksBeyond: false,
    ignore: [],
  },
  robotsTimeoutMs: 1_000,
  segments: new KeyTable(Number.POSITIVE_INFINITY).segments,
  budgetSlots: BUDGET.slots,
  wireCells: new WirePlaces(1).cells,
  budgetLimit: 1_000,
};

const lease = (id: number, host = 'a.test'): Lease => ({
  ...{
    id,
    url: `http://${host}/${id}`,
    kind: UrlKind.page,
    depth: 0,
    seed: 0,
    hops: 0,
    flags: 0,
    attempt: 1,
    host,
    paced: false,
    wireLimit: 64,
  },
  ...{ origin: 1, rules: null, rulesVersion: 0, wantsText: false },
});
const job = (id: number) => ({ lease: lease(id), sequence: id, newRules: false, place: null });

const pending = (promise: Promise<never>): PendingFetch =>
  ({ promise, abort() {}, pause() {}, resume() {} }) as unknown as PendingFetch;

/** What a lane gives back when its source does this for each request. */
function outcomesOf(fetch: PageSource['fetch'], ids: number[]): Promise<Outcome[]> {
  return new Promise((resolve) => {
    const all: Outcome[] = [];
    const source: PageSource = { fetch, resolve: async () => '127.0.0.1', close: async () => {} };
    const events = {
      headers() {},
      piece() {},
      outcomes(outcomes: Outcome[]) {
        all.push(...outcomes);
        if (all.length >= ids.length) {
          resolve(all);
        }
      },
    };
    new Lane(SETUP, source, events, systemClock).take(ids.map(job), []);
  });
}

const nothing = Object.create(null);
const answer = (fields: object) => () =>
  pending(
    Promise.resolve({
      status: 200,
      headersAt: 1,
      endedAt: 2,
      ttfbMs: 1,
      remoteAddress: null,
      body: null,
      truncated: false,
      ...fields,
    }) as Promise<never>,
  );

describe('a throw on the way of a page', () => {
  const WAYS: [string, PageSource['fetch']][] = [
    [
      'before the request',
      () => {
        throw new TypeError('boom');
      },
    ],
    ['in the request', () => pending(Promise.reject(new TypeError('boom')))],
    ['in the request, of something that is no error', () => pending(Promise.reject('boom'))],
    ['in the request, of something that has no text', () => pending(Promise.reject(nothing))],
    [
      'in the request, of an error whose message is no text',
      () => pending(Promise.reject(Object.assign(new Error(), { message: 7 }))),
    ],
    [
      'while the answer is read',
      answer({
        headers: {
          get() {
            throw new Error('boom');
          },
        },
      }),
    ],
    [
      'while its body is read',
      answer({
        headers: new Map([['content-type', 'text/html']]),
        body: {
          get length() {
            throw new Error('boom');
          },
        },
      }),
    ],
  ];

  it.each(WAYS)('%s settles it as failed with the class internal, each page once', async (_name, fetch) => {
    const outcomes = await outcomesOf(fetch, [1, 2, 3]);
    expect(outcomes.map(({ id }) => id)).toEqual([1, 2, 3]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ errorClass: 'internal', status: null, unsent: null });
      expect(outcome.message).toEqual(expect.any(String));
    }
    expect(BUDGET.oldestOfAll, 'nothing is thought to be under way').toBe(Number.POSITIVE_INFINITY);
  });

  it('does not keep the pages beside it from being answered', async () => {
    const fetch: PageSource['fetch'] = ({ url }) => {
      if (url.endsWith('/2')) {
        throw new Error('boom');
      }
      return pending(Promise.reject(new FetchError('timeout', 'too late')));
    };
    const outcomes = await outcomesOf(fetch, [1, 2, 3]);
    expect(new Map(outcomes.map(({ id, errorClass }) => [id, errorClass]))).toEqual(
      new Map([
        [1, 'timeout'],
        [2, 'internal'],
        [3, 'timeout'],
      ]),
    );
  });
});

/** Lanes that only remember what they were given, and die when the test says so. */
class Lanes {
  readonly opened: { lane: number; taken: number[]; die: () => void }[] = [];
  readonly dead: { lane: number; held: [id: number, fatal: boolean][] }[] = [];
  readonly pool: LanePool;

  constructor(lanes: number) {
    const openThread = (lane: number, listener: { died(lane: number, error: Error): void }): LanePort => {
      const taken: number[] = [];
      this.opened.push({ lane, taken, die: () => listener.died(lane, new Error('gone')) });
      const unused = () => {};
      return {
        take: (jobs) => taken.push(...jobs.map((each) => each.lease.id)),
        ...{
          widenScope: unused,
          forgetRules: unused,
          flow: unused,
          recall: unused,
          abort: unused,
          dropCaches: unused,
          admitted: unused,
        },
        ...{
          read: () => Promise.reject(new Error('unused')),
          resolve: async () => '',
          close: async () => {},
          peakWaiting: () => 0,
        },
      };
    };
    const keys = new KeyTable(Number.POSITIVE_INFINITY);
    this.pool = new LanePool(
      {
        lanes,
        wire: new WirePlaces(lanes + 1),
        sockets: lanes,
        openInline: openThread,
        openThread,
        isWorthThreads: () => true,
      },
      keys,
      {
        headers() {},
        outcomes() {},
        piece() {},
      },
    );
    this.pool.onDeath = ({ lane, held }) => {
      this.dead.push({ lane, held: held.map((each) => [each.lease.id, each.failure !== null]) });
      for (const {
        lease: { id },
      } of held) {
        this.pool.returned(id);
      }
    };
  }

  /** The lane that has the URL now. */
  with(id: number) {
    return this.opened.findLast(({ taken }) => taken.includes(id))!;
  }
}

describe('a lane that dies', () => {
  it('gives back all that it held and nothing of the others, and is replaced with the next lease', () => {
    const lanes = new Lanes(2);
    const ids = Array.from({ length: 40 }, (_, n) => n + 1);
    lanes.pool.dispatch(ids.map((id) => lease(id, `h${id}.test`)));
    const [first, second] = lanes.opened;
    lanes.pool.returned(first!.taken[0]!);
    first!.die();
    expect(lanes.dead).toEqual([{ lane: first!.lane, held: first!.taken.slice(1).map((id) => [id, false]) }]);
    expect([...lanes.pool.held()].sort((a, b) => a - b)).toEqual([...second!.taken].sort((a, b) => a - b));
    lanes.pool.dispatch([lease(99)]);
    expect(lanes.opened.map(({ lane }) => lane)).toEqual([1, 2, first!.lane]);
  });

  it('is blamed on a URL only when that was alone with it: others that were there each time go on', () => {
    const lanes = new Lanes(1);
    const ids = [1, 2, 3, 4];
    for (let death = 1; death <= 2; death++) {
      lanes.pool.dispatch(ids.map((id) => lease(id)));
      lanes.with(1).die();
    }
    expect(lanes.dead.flatMap(({ held }) => held.map(([, fatal]) => fatal))).toEqual(Array(8).fill(false));
    lanes.pool.dispatch(ids.map((id) => lease(id)));
    expect(lanes.opened.at(-1)!.taken).toEqual([1]);
    lanes.pool.dispatch([lease(5)]);
    expect(lanes.opened.at(-1)!.taken, 'nobody joins a suspect').toEqual([1]);
    lanes.pool.returned(1);
    expect(lanes.opened.at(-1)!.taken).toEqual([1, 2]);
    lanes.opened.at(-1)!.die();
    expect(lanes.dead.at(-1)!.held).toEqual([[2, true]]);
    expect(lanes.opened.at(-1)!.taken, 'the next suspect, in a new lane').toEqual([3]);
    for (const id of [3, 4]) {
      lanes.pool.returned(id);
    }
    expect(lanes.opened.at(-1)!.taken).toEqual([3, 4, 5]);
  });

  it('leaves no bytes behind that nobody will ever settle', () => {
    const budget = new ByteBudget(1_000, 2);
    budget.arrived(0, 700);
    budget.arrived(1, 900);
    budget.oldest(1, 4);
    budget.returned(1, 300);
    budget.laneGone(1);
    expect([budget.held, budget.oldestOfAll]).toEqual([1_000, Number.POSITIVE_INFINITY]);
    budget.settled(300);
    budget.settled(700);
    budget.arrived(1, 50);
    budget.laneGone(1);
    expect(budget.held).toBe(0);
  });
});
