import { describe, expect, it } from 'vitest';
import { keyOf } from '../../src/frontier/outcome.js';
import { GrowingFilter, SeenIndex } from '../../src/store/seen-index.js';
import { openStore } from './support.js';

const keys = (count: number, name: string) => Array.from({ length: count }, (_, n) => keyOf(`${name}${n}`));

describe('the filter in front of the seen set on disk', () => {
  it('never says "certainly not" of a key that it was given, however far it has outgrown its size', () => {
    const filter = new GrowingFilter(100, 0.01);
    const given = keys(20_000, 'k');
    for (const key of given) {
      filter.add(key);
    }
    expect(given.every((key) => filter.mayHave(key))).toBe(true);
  });

  it('keeps about the rate it was asked for, at its size and far beyond it', () => {
    for (const count of [1_000, 20_000]) {
      const filter = new GrowingFilter(1_000, 0.01);
      for (const key of keys(count, 'k')) {
        filter.add(key);
      }
      const wrong = keys(20_000, 'other').filter((key) => filter.mayHave(key)).length;
      expect(wrong / 20_000).toBeLessThan(0.02);
    }
  });

  it('is empty at first and costs nothing then', () => {
    const filter = new GrowingFilter(10_000_000, 0.01);
    expect([filter.bytes, filter.mayHave(keyOf('a'))]).toEqual([0, false]);
  });
});

describe('the seen set on disk', () => {
  const open = (database = openStore().database, batchLimit = 10) =>
    new SeenIndex(database, { expectedUrls: 50, falsePositiveRate: 0.5, batchLimit });

  it('finds exactly what was added, whatever the filter lets through', () => {
    const seen = open();
    const added = keys(500, 'k');
    added.forEach((key, n) => {
      seen.add(key, n + 1);
    });
    const asked = [...keys(500, 'other'), ...added];
    const found = seen.find(asked);
    expect(found.size).toBe(500);
    expect([...found].every(([place, id]) => place === id + 499)).toBe(true);
    expect(seen.use).toMatchObject({ asked: 1_000, hits: 500 });
    expect(seen.use.saved).toBeGreaterThan(0);
  });

  it('looks up in batches, and says how many waited', () => {
    const seen = open();
    const added = keys(25, 'k');
    for (const [n, key] of added.entries()) {
      seen.add(key, n + 1);
    }
    seen.find(added);
    expect(seen.use).toMatchObject({ peakBatch: 10, peakWaiting: 15 });
  });

  it('keeps the first id of a key, and knows all of them when it is opened again', () => {
    const { database } = openStore();
    const first = open(database);
    first.add(keyOf('a'), 7);
    first.add(keyOf('a'), 8);
    expect([...open(database).find([keyOf('b'), keyOf('a')])]).toEqual([[1, 7]]);
  });
});
