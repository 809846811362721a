import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer, Caller, ClusterState, Report } from '../../src/cluster/bus.js';
import { RedisBus, type RedisConnection } from '../../src/cluster/redis-bus.js';
import { RedisServer } from './redis-server.js';

const LEASE_MS = 1_000;
/** Scripts are told the time by the test, in their last argument. */
const TOLD_CLOCK = 'local function clock() return tonumber(ARGV[#ARGV]) end local function server() return "" end';

/** Two slots, each held by a process that says what it is told to say. */
describe('what a report of one machine comes to', () => {
  let server: RedisServer;
  let client: ReturnType<RedisServer['client']>;
  let bus: RedisBus;
  let now = 1_000_000;
  const counts = [0, 0];

  beforeAll(async () => {
    server = await RedisServer.start();
    client = server.client();
    const run =
      (name: 'eval' | 'evalsha') =>
      (...args: unknown[]) =>
        (client[name] as (...all: unknown[]) => unknown)(...args, String(now));
    const connection = { eval: run('eval'), evalsha: run('evalsha'), disconnect: () => {} };
    bus = new RedisBus(
      connection as unknown as RedisConnection,
      connection as unknown as RedisConnection,
      'c',
      TOLD_CLOCK,
    );
  });

  afterAll(async () => {
    client.disconnect();
    await server.close();
  });

  async function begin(limits: { durationMs?: number; maxBytes?: number; ranMs?: number } = {}): Promise<void> {
    const founding = {
      id: 'id',
      hash: 'h',
      nodes: 2,
      generation: 1,
      config: '{}',
      durationMs: 0,
      maxBytes: 0,
      ranMs: 0,
      isSure: false,
    };
    await bus.found({ ...founding, ...limits });
    for (const slot of [0, 1]) {
      counts[slot] = 0;
      await bus.claim({ id: 'id', slot, incarnation: `store-${slot}`, token: `token-${slot}`, leaseMs: LEASE_MS });
    }
  }

  beforeEach(() => client.flushall());

  async function report(slot: number, told: Partial<Report> = {}): Promise<ClusterState> {
    const caller: Caller = { slot, token: `token-${slot}`, generation: 1, count: ++counts[slot]!, seen: {} };
    const usual = {
      id: 'id',
      leaseMs: LEASE_MS,
      confirmed: '',
      figures: '{}',
      end: 'end',
      unused: 0,
      wants: 0,
      bytes: 0,
    };
    const answer = (await bus.report(caller, { ...usual, standing: 'active', ...told })) as Answer & { ok: true };
    expect(answer.ok).toBe(true);
    return answer.state;
  }

  const idle = { standing: 'idle' } as const;

  it('no end while one wants a grant and another has one that it does not use; without any, the limit is the reason', async () => {
    await begin();
    await report(0, { ...idle, unused: 3 });
    expect(await report(1, { ...idle, wants: 2 })).toMatchObject({ phase: 'running', reason: '' });
    expect(await report(0, { ...idle, unused: 0 })).toMatchObject({ phase: 'ending', reason: 'max_urls' });
    // Somebody has work again: nothing was decided.
    expect(await report(1)).toMatchObject({ phase: 'running', reason: '' });
    expect(await report(1, idle)).toMatchObject({ phase: 'ending', reason: '' });
  });

  it('is a stop when the time of the crawl is over, and what goes on after it has its whole time again', async () => {
    await begin({ durationMs: 5_000, ranMs: 1_000 });
    now += 3_999;
    expect(await report(0)).toMatchObject({ phase: 'running' });
    now += 1;
    expect(await report(0)).toMatchObject({ phase: 'stopping', reason: 'duration' });
    await bus.order('go', null);
    now += 4_999;
    expect(await report(0)).toMatchObject({ phase: 'running', reason: '' });
  });

  it('leaves nothing that stays for ever, and all of it goes when nobody holds a slot', async () => {
    await begin();
    await report(0);
    await report(1);
    const caller: Caller = { slot: 0, token: 'token-0', generation: 1, count: ++counts[0]!, seen: {} };
    await bus.send(caller, 'id', 1, 'a letter');
    const keys = await client.keys('*');
    const left = await Promise.all(keys.map((key) => client.ttl(key)));
    expect([keys.length, left.every((seconds) => seconds > 6 * 24 * 3600)]).toEqual([3, true]);
    expect(await bus.forget(2)).toBe(false);
    now += LEASE_MS + 1;
    expect(await bus.forget(2)).toBe(true);
    expect(await client.keys('*')).toEqual([]);
  });

  it('is a stop when all together have fetched as many bytes as the crawl may, those of lost stores among them', async () => {
    await begin({ maxBytes: 100 });
    await report(0, { bytes: 60 });
    expect(await report(1, { bytes: 39 })).toMatchObject({ phase: 'running' });
    now += LEASE_MS + 1;
    await bus.order('replace', 0);
    expect(await report(1, { bytes: 40 })).toMatchObject({ phase: 'stopping', reason: 'max_bytes' });
  });
});
