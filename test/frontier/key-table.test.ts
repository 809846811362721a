import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEEPEST, type Key, KeyTable, KeyTableView } from '../../src/frontier/key-table.js';
import { Standing, type Way } from '../../src/store/standing.js';
import { urlKey } from '../../src/url/identity.js';

const UNLIMITED = Number.POSITIVE_INFINITY;

function keyOf(text: string): Key {
  const words = new Uint32Array(4);
  urlKey(text, words, 0);
  return words;
}

/** Few segments and many equal words: keys that differ in one place only. */
const closeKey = fc.tuple(
  fc.constantFrom(0x0010_0000, 0x0010_0001, 0x0020_0001, 0xfff0_0001),
  fc.constantFrom(0, 1, 0xffff_ffff),
  fc.constantFrom(0, 7),
  fc.nat(40),
);

describe('the seen set in memory', () => {
  it('has exactly the keys that were put in, with their ids and depths, as a map has', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(closeKey, fc.nat(3000), fc.constantFrom(...Object.values(Standing))), { maxLength: 300 }),
        (entries) => {
          const table = new KeyTable(UNLIMITED);
          const map = new Map<string, Way & { id: number }>();
          for (const [place, [key, depth, standing]] of entries.entries()) {
            const isNew = !map.has(String(key));
            if (table.insert(key, place + 1, depth, standing) !== isNew) {
              expect.fail(`${key} is new: ${isNew}`);
            }
            // Depths that are not told apart are without end: whoever compares has to ask the store.
            const told = depth < DEEPEST ? depth : Number.POSITIVE_INFINITY;
            if (isNew) {
              map.set(String(key), { id: place + 1, depth: told, standing });
            }
          }
          const found = entries.map(([key]) => table.find(key));
          expect(found).toEqual(entries.map(([key]) => map.get(String(key))));
          expect(table.size).toBe(map.size);
          expect(table.find([0x0010_0000, 5, 5, 5])).toBeNull();
        },
      ),
    );
  });

  it('is exact for two hundred thousand URLs and as many that only look like them', () => {
    const table = new KeyTable(UNLIMITED);
    for (let n = 1; n <= 200_000; n++) {
      table.insert(keyOf(`http://a.test/${n}`), n, 3, Standing.followed);
    }
    let wrong = 0;
    for (let n = 1; n <= 200_000; n++) {
      wrong += table.find(keyOf(`http://a.test/${n}`))?.id === n ? 0 : 1;
      wrong += table.find(keyOf(`http://a.test/${n}/`)) === null ? 0 : 1;
    }
    expect(wrong).toBe(0);
    expect(table.bytes / table.size).toBeLessThan(40);
  });

  it('keeps a lower depth and how it is led to', () => {
    const table = new KeyTable(UNLIMITED);
    table.insert(keyOf('a'), 9, 7, Standing.heldBack);
    table.lower(keyOf('a'), 2, Standing.loaded);
    table.lower(keyOf('not there'), 2, Standing.loaded);
    expect(table.find(keyOf('a'))).toEqual({ id: 9, depth: 2, standing: Standing.loaded });
    expect(table.find(keyOf('not there'))).toBeNull();
  });

  it('shows a lane with old segments no wrong entry, and everything once it has the new ones', () => {
    const table = new KeyTable(UNLIMITED);
    const lane = new KeyTableView([...table.segments]);
    const missing = () => {
      let count = 0;
      for (let n = 1; n <= 80_000; n++) {
        const seen = lane.find(keyOf(`u${n}`));
        const truth = table.find(keyOf(`u${n}`));
        if (seen === null) {
          count += truth === null ? 0 : 1;
        } else if (!isDeepStrictEqual(seen, truth)) {
          expect(seen).toEqual(truth);
        }
      }
      return count;
    };
    for (let n = 1; n <= 80_000; n++) {
      table.insert(keyOf(`u${n}`), n, n % 9, (n % 5) as Standing);
      if (n === 100) {
        lane.update(table.takeChanged());
      }
    }
    expect(missing()).toBeGreaterThan(0);
    lane.update(table.takeChanged());
    expect(missing()).toBe(0);
    expect(table.takeChanged()).toEqual([]);
  });

  it('gives away whole segments when it is over its share of memory, and then says that they may be on disk', () => {
    const budget = 300_000;
    const table = new KeyTable(budget);
    const disk = new Map<string, number>();
    for (let n = 1; n <= 40_000; n++) {
      const key = keyOf(`u${n}`);
      // As the frontier does: a key whose segment is on disk is the store's to decide.
      if (table.find(key) === null) {
        if (table.mayBeOnDisk(key)) {
          disk.set(String(key), n);
        }
        table.insert(key, n, 1, Standing.followed);
      }
      if (n % 500 === 0) {
        for (const { packed } of table.spill()) {
          for (let i = 0; i < packed.length; i += 5) {
            disk.set(String(packed.subarray(i, i + 4)), packed[i + 4]!);
          }
        }
      }
    }
    expect(disk.size).toBeGreaterThan(30_000);
    for (let n = 1; n <= 40_000; n++) {
      const key = keyOf(`u${n}`);
      const found = table.find(key)?.id ?? (table.mayBeOnDisk(key) ? disk.get(String(key)) : undefined);
      if (found !== n) {
        expect.fail(`u${n} is lost: ${found}`);
      }
    }
  });

  it('goes on in another thread where it was left', () => {
    const table = new KeyTable(UNLIMITED);
    for (let n = 1; n <= 1_000; n++) {
      table.insert(keyOf(`u${n}`), n, 1, Standing.followed);
    }
    const next = new KeyTable(UNLIMITED, [5]).takeOver(structuredClone(table.handOver()));
    expect([next.size, next.bytes]).toEqual([1_000, table.bytes]);
    expect(next.find(keyOf('u77'))?.id).toBe(77);
    expect(next.insert(keyOf('u77'), 5_000, 1, Standing.followed)).toBe(false);
    expect(next.mayBeOnDisk([5 << 20, 0, 0, 0])).toBe(true);
    expect(next.mayBeOnDisk([6 << 20, 0, 0, 0])).toBe(false);
  });
});
