import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/store/sqlite.js';
import { createTables, readMeta, writeMeta } from '../../src/store/store-file.js';
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

  it('deals out what --max-urls leaves, and has all of it again', async () => {
    const whole = openDatabase(':memory:');
    createTables(whole);
    const options = JSON.stringify({ values: { maxUrls: 12 }, withheld: [] });
    writeMeta(whole, { options, dispatched: '4', command: 'crawl' });
    const parts = await splitStore(whole, 3);
    const [grants, asked] = ['grant', 'dispatched'].map((key) => parts.map((part) => Number(readMeta(part)[key])));
    expect(grants!.reduce((sum, grant) => sum + grant, 0)).toBe(12);
    // Each has what it has asked for, and its share of what is left.
    expect(grants!.map((grant, slot) => grant - asked![slot]!).sort()).toEqual([2, 3, 3]);
    const { whole: merged } = await mergeStores(parts.map((database, slot) => ({ database, slot })));
    expect(readMeta(merged)).toMatchObject({ dispatched: '4' });
    expect(readMeta(merged)).not.toHaveProperty('grant');
    for (const database of [whole, merged, ...parts]) {
      database.close();
    }
  });
});
