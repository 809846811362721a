import { expect, test } from 'vitest';
import { KeyTable } from '../../src/frontier/key-table.js';
import type { Lease } from '../../src/frontier/outcome.js';
import { type LaneListener, LanePool, type LanePort } from '../../src/lane/lane-pool.js';
import { WirePlaces } from '../../src/lane/stock.js';

/** A pool whose lanes look names up as they are told, the first lane first. */
function poolOf(...lookUps: ((listener: LaneListener) => Promise<string>)[]): LanePool {
  let opened = 0;
  const open = (_lane: number, listener: LaneListener): LanePort => {
    const lookUp = lookUps[opened++]!;
    return {
      take: () => {},
      widenScope: () => {},
      forgetRules: () => {},
      flow: () => {},
      recall: () => {},
      dropCaches: () => {},
      admitted: () => {},
      read: () => Promise.reject(new Error('unused')),
      resolve: () => lookUp(listener),
      peakWaiting: () => 0,
      close: async () => {},
    };
  };
  const pool = new LanePool(
    { lanes: 1, wire: new WirePlaces(2), sockets: 1, openInline: open, openThread: null, isWorthThreads: () => false },
    new KeyTable(1024 ** 2),
    { headers: () => {}, outcomes: () => {}, piece: () => {} },
  );
  pool.onDeath = () => {};
  return pool;
}

test('a look-up whose lane dies is made by the next lane', async () => {
  const dies = (listener: LaneListener) => {
    listener.died(0, new Error('gone'));
    return Promise.reject(new Error('the lane that looked the name up is gone'));
  };
  expect(await poolOf(dies, dies, async () => '192.0.2.1').resolve('a.test')).toBe('192.0.2.1');
});

test('a look-up that fails is not made again', async () => {
  const fails = () => Promise.reject(new Error('there is no such name'));
  await expect(poolOf(fails, async () => '192.0.2.1').resolve('a.test')).rejects.toThrow('there is no such name');
});

/** A pool of two threads whose lanes write down what they are told about sockets. */
class Sockets {
  readonly told: string[] = [];
  readonly listeners = new Map<number, LaneListener>();
  readonly pool: LanePool;
  isWorthThreads = false;

  constructor() {
    const open = (lane: number, listener: LaneListener, sockets: number): LanePort => {
      this.told.push(`open ${lane} with ${sockets}`);
      this.listeners.set(lane, listener);
      return {
        take: (jobs) => void this.told.push(...jobs.map(({ lease }) => `${lease.id} to ${lane}`)),
        widenScope: () => {},
        forgetRules: () => {},
        flow: () => {},
        recall: () => {},
        dropCaches: () => {},
        admitted: () => {},
        read: () => Promise.reject(new Error('unused')),
        resolve: () => Promise.reject(new Error('unused')),
        resizeSockets: (count) => void this.told.push(`resize ${lane} to ${count}`),
        retireSockets: () => 2,
        peakWaiting: () => 0,
        close: async () => void this.told.push(`close ${lane}`),
      };
    };
    this.pool = new LanePool(
      {
        lanes: 2,
        wire: new WirePlaces(3),
        sockets: 5,
        openInline: open,
        openThread: open,
        isWorthThreads: () => this.isWorthThreads,
      },
      new KeyTable(1024 ** 2),
      { headers: () => {}, outcomes: () => {}, piece: () => {} },
    );
    this.pool.onDeath = ({ held }) => {
      for (const { lease, failure } of held) {
        this.told.push(`${lease.id} ${failure !== null ? 'failed' : 'again'}`);
        this.pool.returned(lease.id);
      }
    };
  }

  dispatch(id: number): string[] {
    this.told.length = 0;
    this.pool.dispatch([{ id, host: 'a.test', rules: null } as Lease]);
    return [...this.told];
  }
}

test('the sockets of all lanes together are never more than the limit, while the threads take over and afterwards', async () => {
  const sockets = new Sockets();
  expect(sockets.dispatch(1)).toEqual(['open 0 with 5', '1 to 0']);
  sockets.isWorthThreads = true;
  // Two are in use in the lane that was there before.
  expect(sockets.dispatch(2).slice(0, 2)).toEqual(['open 1 with 2', 'open 2 with 1']);
  sockets.told.length = 0;
  sockets.pool.returned(1);
  await Promise.resolve();
  expect(sockets.told).toEqual(['close 0', 'resize 1 to 3', 'resize 2 to 2']);
});

test('a thread that there is no descriptor for is done without, and no URL is blamed for it', () => {
  const sockets = new Sockets();
  sockets.isWorthThreads = true;
  const dies = (lane: number) =>
    sockets.listeners.get(lane)!.died(lane, Object.assign(new Error('none'), { code: 'ERR_WORKER_INIT_FAILED' }));
  for (let times = 0; times < 5; times++) {
    const told = sockets.dispatch(1);
    const lane = Number(told.at(-1)!.at(-1));
    expect(told.at(-1)).toBe(times < 2 ? `1 to ${lane}` : '1 to 0');
    sockets.told.length = 0;
    if (times < 2) {
      dies(lane);
      expect(sockets.told).toEqual(['1 again']);
    } else {
      sockets.pool.returned(1);
    }
  }
});
