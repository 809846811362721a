import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { giftsOf, type Purse } from '../../src/cluster/grants.js';

const purse = (slot: number) => fc.record({ slot: fc.constant(slot), unused: fc.nat(50), wants: fc.nat(50) });
const own = fc.record({ unused: fc.nat(100), waiting: fc.nat(100) });

describe('what a machine gives up of a limit that all share', () => {
  it('is never more than it has, and nobody gets more than it wants', () => {
    fc.assert(
      fc.property(own, fc.tuple(purse(1), purse(2), purse(3)), (mine, others) => {
        const gifts = giftsOf(mine, others);
        expect(gifts.reduce((sum, { urls }) => sum + urls, 0)).toBeLessThanOrEqual(mine.unused);
        for (const { slot, urls } of gifts) {
          expect(urls).toBeGreaterThan(0);
          expect(urls).toBeLessThanOrEqual(others.find((each) => each.slot === slot)!.wants);
        }
      }),
    );
  });

  it('is something wherever it has no use for it and somebody has', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.tuple(purse(1), purse(2), purse(3)), (unused, others) => {
        const isWanted = others.some(({ wants }) => wants > 0);
        expect(giftsOf({ unused, waiting: 0 }, others).length > 0).toBe(isWanted);
      }),
    );
  });

  it('comes to rest where all want more, when nobody has more than its equal share', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(60), { minLength: 2, maxLength: 7 }), (start) => {
        const unused = [...start];
        for (let round = 0; round < 20; round++) {
          const before = String(unused);
          for (let slot = 0; slot < unused.length; slot++) {
            const others = unused.map((each, other): Purse => ({ slot: other, unused: each, wants: 1_000 }));
            others.splice(slot, 1);
            for (const gift of giftsOf({ unused: unused[slot]!, waiting: 1_000 }, others)) {
              unused[slot]! -= gift.urls;
              unused[gift.slot]! += gift.urls;
            }
          }
          if (String(unused) === before) {
            break;
          }
          expect(round).toBeLessThan(19);
        }
        expect(Math.max(...unused)).toBe(Math.ceil(unused.reduce((sum, each) => sum + each, 0) / unused.length));
      }),
    );
  });
});
