import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diceOf } from '../order/dice.js';
import { Play } from '../order/play.js';
import { truthOf } from '../order/truth.js';
import { cases } from '../order/web.js';
import { contentOf, folder, KNOWN_TABLES, mergeStores, splitStore, tablesOf } from './parts.js';

const GRAPHS = Number(process.env.GOSSAMER_SPLIT_GRAPHS ?? 25);
const SEED = Number(process.env.GOSSAMER_SPLIT_SEED ?? 1);

describe('a store that is split and merged', () => {
  it('is what it was, at any moment of a crawl, and the crawl goes on with it to the same end', async () => {
    const work = folder();
    let moves = 0;
    await fc.assert(
      fc.asyncProperty(cases, fc.nat(), fc.constantFrom(2, 3, 7, 40), async ({ web, plan }, dice, nodes) => {
        const crawl = { web, plan: { ...plan, check: false } };
        const play = new Play(crawl, diceOf(dice), 2, null, async (whole) => {
          moves++;
          expect(tablesOf(whole)).toEqual(KNOWN_TABLES);
          const parts = await splitStore(whole, nodes, work);
          const merged = await mergeStores(
            parts.map((database, slot) => ({ database, slot })),
            undefined,
            work,
          );
          for (const part of parts) {
            part.close();
          }
          expect(contentOf(merged.whole)).toEqual(contentOf(whole));
          expect(merged.merged).toMatchObject({ late: 0, widened: [] });
          return merged.whole;
        });
        expect(await play.run()).toEqual(truthOf(crawl));
      }),
      { numRuns: GRAPHS, seed: SEED },
    );
    expect(moves).toBeGreaterThan(GRAPHS);
  });
});
