import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diceOf } from '../order/dice.js';
import { truthOf } from '../order/truth.js';
import { type Case, cases } from '../order/web.js';
import { RedisServer } from './redis-server.js';
import { ALL, PERFECT, Simulator, type Troubles } from './simulator.js';

const RUNS = Number(process.env.GOSSAMER_CLUSTER_RUNS ?? 12);
const SEED = Number(process.env.GOSSAMER_CLUSTER_SEED ?? 1);

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

/** What is not supported on several machines is left out: a check. */
const asCrawl = ({ web, plan }: Case): Case => ({
  web,
  plan: { ...plan, check: false, external: plan.external && !plan.check },
});

async function holds(troubles: Troubles, runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(cases, fc.nat(), fc.constantFrom(2, 3, 7), async (webCase, dice, nodes) => {
      const plain = asCrawl(webCase);
      expect(await new Simulator(plain, diceOf(dice), nodes, redis, troubles).run()).toEqual(truthOf(plain));
    }),
    { numRuns: runs, seed: SEED, endOnFailure: process.env.GOSSAMER_CLUSTER_SHRINK === undefined },
  );
}

describe('machines that crawl together find what one would have found, and end when all have', () => {
  it('with mail that arrives late', () => holds(PERFECT, RUNS));
  it('with calls that are lost, doubled and reordered', () => holds({ ...PERFECT, network: true }, RUNS));
  it('with processes that are killed, and some that sleep', () =>
    holds({ ...PERFECT, kills: true, sleeps: true }, RUNS));
  it('with a Redis that forgets', () => holds({ ...PERFECT, amnesia: true }, RUNS));
  it('with a limit on URLs that all share: never more, and no fewer than there are while somebody may still ask', async () => {
    const troubles = { ...ALL, losses: false };
    await fc.assert(
      fc.asyncProperty(
        cases,
        fc.nat(),
        fc.constantFrom(2, 3, 7),
        fc.integer({ min: 1, max: 12 }),
        async (webCase, dice, nodes, maxUrls) => {
          const plain = asCrawl(webCase);
          const simulator = new Simulator(plain, diceOf(dice), nodes, redis, troubles, maxUrls);
          const union = await simulator.run();
          const states = [...Object.values(union.urls).map(({ state }) => state), ...Object.values(union.sitemaps)];
          const isWhole = states.every((state) => state !== 'queued');
          expect(isWhole ? union : simulator.dispatched).toEqual(isWhole ? truthOf(plain) : maxUrls);
        },
      ),
      { numRuns: RUNS, seed: SEED, endOnFailure: process.env.GOSSAMER_CLUSTER_SHRINK === undefined },
    );
  });
  it('with all of that, and a disk that is lost', () => holds(ALL, RUNS));
});
