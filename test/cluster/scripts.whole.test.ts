import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer, Caller, Claimed, ClusterState, Standing } from '../../src/cluster/bus.js';
import { RedisBus } from '../../src/cluster/redis-bus.js';
import { RedisServer } from './redis-server.js';

const LEASE_MS = 60_000;
const ID = 'id';
const FOUNDING = { id: ID, hash: 'h', nodes: 2, generation: 1, config: '{}', durationMs: 0, maxBytes: 0, ranMs: 0 };
const STATE = '{gossamer:scripts}:state';

/** Calls of nodes, one after the other, on a real Redis. */
describe('what nodes do to the state of a crawl', () => {
  let server: RedisServer;
  let redis: Redis;
  let bus: RedisBus;

  beforeAll(async () => {
    server = await RedisServer.start();
    redis = server.client();
    bus = new RedisBus(redis, redis, 'scripts');
  });

  afterAll(async () => {
    redis.disconnect();
    await server.close();
  });

  beforeEach(async () => {
    await redis.flushall();
  });

  const found = (isSure: boolean): Promise<ClusterState> => bus.found({ ...FOUNDING, isSure });
  const claim = (slot: number, token = `process ${slot}`): Promise<Claimed> =>
    bus.claim({ id: ID, slot, incarnation: `store ${slot}`, token, leaseMs: LEASE_MS });

  /** A node that holds a slot; it knows of the others what its last call said. */
  class Node {
    readonly slot: number;
    #count = 0;
    #seen: Caller['seen'] = {};

    constructor(slot: number) {
      this.slot = slot;
    }

    async call(run: (caller: Caller) => Promise<Answer>): Promise<ClusterState> {
      this.#count++;
      const { slot } = this;
      const caller = { slot, token: `process ${slot}`, generation: 1, count: this.#count, seen: this.#seen };
      const answer = await run(caller);
      if (!answer.ok) {
        throw new Error(answer.refused);
      }
      const others = Object.entries(answer.state.slots).filter(([each]) => Number(each) !== slot);
      this.#seen = Object.fromEntries(others.map(([each, { token, count }]) => [each, { token, count }]));
      return answer.state;
    }

    report(standing: Standing, confirmed = ''): Promise<ClusterState> {
      const said = { leaseMs: LEASE_MS, standing, confirmed, figures: '{}', unused: 0, wants: 0, bytes: 0 };
      return this.call((caller) => bus.report(caller, { id: ID, ...said, end: `end by ${this.slot}` }));
    }

    acknowledge(to: number): Promise<ClusterState> {
      return this.call((caller) => bus.acknowledge(caller, ID, to, 'taken', []));
    }
  }

  async function two(): Promise<[Node, Node]> {
    await found(true);
    await claim(0);
    await claim(1);
    return [new Node(0), new Node(1)];
  }

  it('who has said that it is idle is active with its next acknowledgement: no end begins between mail and its work', async () => {
    const [sender, receiver] = await two();
    await receiver.report('idle');
    // Mail is on its way, so the sender is active. Its receiver takes it, and has not yet said that there is work.
    await receiver.acknowledge(0);
    expect((await sender.report('idle')).phase).toBe('running');
    expect((await receiver.report('idle')).phase).toBe('ending');
  });

  it('an acknowledgement takes back what its node has put down of an end', async () => {
    const [a, b] = await two();
    await a.report('idle');
    const { end } = await b.report('idle');
    await b.report('idle', end);
    expect((await b.acknowledge(0)).phase).toBe('running');
    expect((await a.report('idle', end)).phase).not.toBe('ended');
  });

  it('all that are idle come to the end when each has put it down, and who brings it about is told', async () => {
    const [a, b] = await two();
    await a.report('idle');
    const { end } = await b.report('idle');
    expect((await a.report('idle', end)).phase).toBe('ending');
    expect((await b.report('idle', end)).phase).toBe('ended');
  });

  it('the first claim of a slot is known to be the first, also when it is asked for once more', async () => {
    await found(true);
    expect(await claim(1)).toMatchObject({ isFirst: true, isSure: true });
    expect(await claim(1)).toMatchObject({ isFirst: true, isSure: true });
  });

  it('nothing is sure where another server answers than the one in which the crawl was founded', async () => {
    await found(true);
    const state = JSON.parse((await redis.get(STATE))!) as ClusterState;
    await redis.set(STATE, JSON.stringify({ ...state, server: 'another:one' }));
    expect(await claim(1)).toMatchObject({ isFirst: true, isSure: false });
  });

  it('nor where an earlier call may have founded it, or it was founded anew', async () => {
    await found(false);
    expect(await claim(1)).toMatchObject({ isFirst: true, isSure: false });
    await redis.flushall();
    await bus.found({ ...FOUNDING, generation: 2, isSure: true });
    expect(await claim(1)).toMatchObject({ isFirst: false, isSure: false });
  });

  it('nor where another process has had the slot', async () => {
    await found(true);
    await bus.claim({ id: ID, slot: 1, incarnation: 'store 1', token: 'an earlier one', leaseMs: 0 });
    expect(await claim(1)).toMatchObject({ ok: true, isFirst: false, isSure: false });
  });
});
