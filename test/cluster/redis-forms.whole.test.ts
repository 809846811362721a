import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import type { Answer, Bus } from '../../src/cluster/bus.js';
import { connectBus } from '../../src/cluster/connect.js';
import { Membership } from '../../src/cluster/membership.js';
import { SendRight } from '../../src/cluster/send-right.js';
import { freePort, RedisServer } from './redis-server.js';

const LEASE_MS = 1_000;
const PASSWORD = 'secret';
const FOUNDING = { id: 'id', hash: 'h', nodes: 2, config: '{}', durationMs: 0, maxBytes: 0 };
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const from = performance.now();
  while (!(await isSo())) {
    if (performance.now() - from > 30_000) {
      throw new Error(`not within 30 s: ${what}`);
    }
    await pause(20);
  }
}

async function startServer(...args: string[]): Promise<RedisServer> {
  const server = await RedisServer.start(...args);
  onTestFinished(() => server.close());
  return server;
}

function clientOf(server: RedisServer, password: string | null = null): Redis {
  const client = server.client(password);
  onTestFinished(() => client.disconnect());
  return client;
}

/** A process that holds a slot and says that it is at work. */
async function member(url: string, slot: number) {
  const bus = await connectBus(url, 'forms');
  const right = new SendRight(systemClock, () => {});
  let failure: Error | null = null;
  const membership = new Membership({
    ...{ bus, clock: systemClock, right, founding: FOUNDING, incarnation: `store-${slot}`, token: `token-${slot}` },
    ...{ goesOn: true, isFounder: false, leaseMs: LEASE_MS, quietMs: 0, quietUntil: 0 },
    standing: () => 'active',
    figures: () => ({ figures: '{}', unused: 0, wants: 0, bytes: 0 }),
    confirm: async () => false,
    nextEnd: () => 'end',
    changed: () => {},
    away: () => {},
    failed: (error) => {
      failure = error;
    },
  });
  onTestFinished(async () => {
    membership.close();
    await bus.close();
  });
  await membership.join(slot);
  membership.begin();
  return { bus, membership, right, failure: () => failure };
}

describe('machines meet', () => {
  it('in a server that Sentinel replaces by a replica that lags: what it lacks is seen, and all go on', async () => {
    const usual = ['--requirepass', PASSWORD, '--masterauth', PASSWORD];
    const old = await startServer(...usual);
    const next = await startServer(...usual, '--replicaof', '127.0.0.1', String(old.port));
    const folder = mkdtempSync(join(tmpdir(), 'gossamer-sentinel-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const settings = join(folder, 'sentinel.conf');
    writeFileSync(
      settings,
      [
        `sentinel monitor main 127.0.0.1 ${old.port} 1`,
        `sentinel auth-pass main ${PASSWORD}`,
        'sentinel down-after-milliseconds main 700',
        'sentinel failover-timeout main 5000\n',
      ].join('\n'),
    );
    const sentinel = await RedisServer.startSentinel(settings);
    onTestFinished(() => sentinel.close());
    const watching = sentinel.client();
    onTestFinished(() => watching.disconnect());
    const replica = clientOf(next, PASSWORD);
    await until('the replica follows', async () =>
      (await replica.info('replication')).includes('master_link_status:up'),
    );
    await until('Sentinel knows the replica', async () => {
      const [found] = (await watching.call('SENTINEL', 'REPLICAS', 'main')) as string[][];
      return found?.[found.indexOf('flags') + 1] === 'slave';
    });

    const url = `redis://:${PASSWORD}@127.0.0.1:${sentinel.port}?sentinel=main`;
    const members = [await member(url, 0), await member(url, 1)];
    await until('both hold their slots', () => members.every(({ right }) => right.isOpen));
    const before = members[0]!.membership.state!.generation;
    // From here on the replica hears nothing more, and the server goes on with both.
    await replica.config('SET', 'masterauth', 'another');
    await clientOf(old, PASSWORD).call('CLIENT', 'KILL', 'TYPE', 'replica');
    const counts = () => members.map(({ membership }) => membership.state!.slots[membership.slot]!.count);
    const then = counts();
    await until('both were heard once more', () => counts().every((count, slot) => count > then[slot]! + 1));
    await old.kill();

    await until('they have begun anew', () => members.every(({ membership }) => membership.state!.generation > before));
    await until('they hold their slots again', () => members.every(({ right }) => right.isOpen));
    expect(members.map(({ failure }) => failure())).toEqual([null, null]);
    const { slots } = members[0]!.membership.state!;
    expect(Object.values(slots).map(({ token }) => token)).toEqual(['token-0', 'token-1']);
    expect((await replica.info('replication')).includes('role:master')).toBe(true);
  }, 120_000);

  it('in a Redis Cluster of three, while the keys of the crawl move to another of them: no mail is lost', async () => {
    const servers: RedisServer[] = [];
    for (let n = 0; n < 3; n++) {
      const bus = ['--cluster-port', String(await freePort())];
      servers.push(await startServer('--cluster-enabled', 'yes', '--cluster-config-file', `nodes-${n}.conf`, ...bus));
    }
    const places = servers.map(({ port }) => `127.0.0.1:${port}`);
    await promisify(execFile)('redis-cli', ['--cluster', 'create', ...places, '--cluster-yes']);
    const clients = servers.map((server) => clientOf(server));
    await until('the Redis Cluster is whole', async () => {
      const infos = await Promise.all(clients.map((client) => client.cluster('INFO')));
      return infos.every((info) => info.includes('cluster_state:ok'));
    });
    const slot = await clients[0]!.cluster('KEYSLOT', '{gossamer:forms}:state');
    const ids = (await Promise.all(clients.map((client) => client.cluster('MYID')))) as string[];

    const url = `redis://${places[0]}?cluster&also=${places[1]}`;
    const { membership, bus, failure } = await member(url, 0);
    await member(url, 1);
    const { generation } = membership.state!;
    const where = await ownerOf(clients, slot);
    const [from, to] = [clients[where]!, clients[(where + 1) % 3]!];
    const sent: string[] = [];
    let isMoving = true;
    const load = (async () => {
      while (isMoving) {
        const body = `letter ${sent.length}`;
        const answer = (await membership.call((caller) => bus.send(caller, 'id', 1, body))) as Answer & { ok: true };
        if (answer.full !== true) {
          sent.push(body);
        }
        await pause(1);
      }
    })();
    let most = Number.POSITIVE_INFINITY;
    const read = readAll(bus, 1, () => most);
    onTestFinished(() => {
      most = 0;
    });
    await pause(200);
    await to.cluster('SETSLOT', slot, 'IMPORTING', ids[where]!);
    await from.cluster('SETSLOT', slot, 'MIGRATING', ids[(where + 1) % 3]!);
    for (const key of (await from.cluster('GETKEYSINSLOT', slot, 100)) as string[]) {
      // Some of the keys are here, and some there: scripts that need both have to wait.
      await from.migrate('127.0.0.1', servers[(where + 1) % 3]!.port, key, 0, 5_000);
      await pause(100);
    }
    for (const client of [to, from, clients[(where + 2) % 3]!]) {
      await client.cluster('SETSLOT', slot, 'NODE', ids[(where + 1) % 3]!);
    }
    await pause(300);
    isMoving = false;
    await load;
    most = sent.length;
    expect(await ownerOf(clients, slot)).toBe((where + 1) % 3);
    // One whose answer was lost is sent again: each is there, in order, and some may be there twice.
    expect([...new Set(await read)]).toEqual(sent);
    expect([failure(), membership.state!.generation]).toEqual([null, generation]);
  }, 120_000);
});

async function ownerOf(clients: readonly Redis[], slot: number): Promise<number> {
  const ranges = await clients[0]!.cluster('SLOTS');
  const [, , first] = ranges.find(([from, to]) => from <= slot && slot <= to)!;
  const port = Number((first as unknown[])[1]);
  return clients.findIndex(({ options }) => options.port === port);
}

/** What stands in a stream, as it comes; a read that fails is made again. */
async function readAll(bus: Bus, slot: number, most: () => number): Promise<string[]> {
  const bodies: string[] = [];
  for (let after = '0'; new Set(bodies).size < most(); ) {
    const entries = await bus.read(slot, after, 100).catch(() => pause(50).then(() => []));
    bodies.push(...entries.map(({ body }) => body));
    if (entries.length > 0) {
      const ids = entries.map(({ id }) => id);
      // They take room until they are dropped; where that is lost they stay.
      await bus.drop(slot, ids).catch(() => {});
    }
    after = entries.at(-1)?.id ?? after;
  }
  return bodies;
}
