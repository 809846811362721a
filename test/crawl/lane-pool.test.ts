import { expect, test } from 'vitest';
import { type LaneListener, LanePool, type LanePort } from '../../src/crawl/lane-pool.js';
import { KeyTable } from '../../src/frontier/embedded/key-table.js';

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
      dropCaches: () => {},
      admitted: () => {},
      read: () => Promise.reject(new Error('unused')),
      resolve: () => lookUp(listener),
      peakWaiting: () => 0,
      close: async () => {},
    };
  };
  const pool = new LanePool(
    { lanes: 1, openInline: open, openThread: null, isWorthThreads: () => false },
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
