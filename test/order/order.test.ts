import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Dice, Play } from './play.js';
import { truthOf } from './truth.js';
import { cases } from './web.js';

const RUNS = Number(process.env.GOSSAMER_ORDER_RUNS ?? 150);
const SEED = Number(process.env.GOSSAMER_ORDER_SEED ?? 1);

/** Numbers from a seed: the same for the same. */
function diceOf(seed: number): Dice {
  let state = seed | 0;
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

describe('what is found does not depend on the order in which answers arrive', () => {
  it('in small webs with all that decides what becomes of a URL', async () => {
    await fc.assert(
      fc.asyncProperty(cases, fc.array(fc.nat(), { minLength: 2, maxLength: 2 }), async (small, dice) => {
        const truth = truthOf(small);
        for (const [i, seed] of dice.entries()) {
          expect(await new Play(small, diceOf(seed), i * 2).run()).toEqual(truth);
        }
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });
});
