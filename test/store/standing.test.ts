import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNews, joinWays, Standing, type Way } from '../../src/store/standing.js';

const way = fc.record({ standing: fc.constantFrom(...Object.values(Standing)), depth: fc.nat(4) });
/** Of a URL that nothing leads to the depth says nothing. */
const seen = ({ standing, depth }: Way) => (standing === Standing.end ? [standing] : [standing, depth]);

describe('how a URL is led to', () => {
  it('is the same in whatever order its links are found, and however often', () => {
    fc.assert(
      fc.property(way, way, way, (a, b, c) => {
        expect(seen(joinWays(a, b))).toEqual(seen(joinWays(b, a)));
        expect(seen(joinWays(joinWays(a, b), c))).toEqual(seen(joinWays(a, joinWays(b, c))));
        expect(joinWays(a, a)).toEqual(a);
      }),
    );
  });

  it('is news exactly where it changes what is known', () => {
    fc.assert(
      fc.property(way, way, (known, found) => {
        const changed = JSON.stringify(seen(joinWays(known, found))) !== JSON.stringify(seen(known));
        expect(isNews(known, found.standing, found.depth)).toBe(changed);
      }),
    );
  });

  it('is followed where a third party names what pages load', () => {
    const named = { standing: Standing.named, depth: 1 };
    expect(joinWays({ standing: Standing.loaded, depth: 3 }, named)).toEqual({ standing: Standing.followed, depth: 1 });
  });
});
