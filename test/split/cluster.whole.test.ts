import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/store/sqlite.js';
import { RedisServer } from '../cluster/redis-server.js';
import { PERFECT, Simulator, type Troubles } from '../cluster/simulator.js';
import { diceOf } from '../order/dice.js';
import { Play } from '../order/play.js';
import { truthOf } from '../order/truth.js';
import { cases } from '../order/web.js';
import { folder, mergeStores } from './parts.js';

const RUNS = Number(process.env.GOSSAMER_SPLIT_RUNS ?? 12);
const SEED = Number(process.env.GOSSAMER_SPLIT_SEED ?? 1);

let server: RedisServer;
let redis: Redis;

beforeAll(async () => {
  server = await RedisServer.start();
  redis = server.client();
});

afterAll(async () => {
  redis.disconnect();
  await server.close();
});

/** No clock of the simulator comes so far. */
const LATER = 10_000_000_000_000;

/** Machines are stopped after so many steps, their stores merged, and one machine goes on with what came of it. */
async function holds(troubles: Troubles, steps: fc.Arbitrary<number>, sees: (late: number) => void): Promise<void> {
  const work = folder();
  await fc.assert(
    fc.asyncProperty(cases, fc.nat(), fc.constantFrom(2, 3, 7), steps, async ({ web, plan }, dice, nodes, most) => {
      const crawl = { web, plan: { ...plan, check: false, external: plan.external && !plan.check } };
      const merged = { whole: null as Database | null };
      const play = new Play(crawl, diceOf(dice), 0, null, async (own) => {
        const { whole } = merged;
        merged.whole = null;
        return whole ?? own;
      });
      await play.start();
      await new Simulator(crawl, diceOf(dice), nodes, redis, troubles).stoppedAt(most, async (members) => {
        const parts = members.map((member) => ({ slot: member.slot, database: member.play.database }));
        const result = await mergeStores(parts, (whole) => play.storeOn(whole), work);
        merged.whole = result.whole;
        sees(result.merged.late);
      });
      play.time = LATER;
      await play.kill();
      expect(await play.goOn()).toEqual(truthOf(crawl));
    }),
    { numRuns: RUNS, seed: SEED },
  );
}

describe('the stores of machines that crawl together', () => {
  it('are the store of one that crawled alone, when they have ended', async () => {
    let late = 0;
    await holds(PERFECT, fc.constant(Number.POSITIVE_INFINITY), (found) => {
      late += found;
    });
    expect(late).toBe(0);
  });

  it('and go on as one, stopped at any moment, with the mail that was under way', async () => {
    let late = 0;
    await holds({ ...PERFECT, kills: true }, fc.nat({ max: 400 }), (found) => {
      late += found;
    });
    expect(late).toBeGreaterThan(0);
  });
});
