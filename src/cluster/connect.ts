import { readFileSync } from 'node:fs';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { StateError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { type RedisAddress, redisAddress, shownUrl } from '../url/redis-url.js';
import { RedisBus } from './redis-bus.js';
import { PROBE } from './scripts/probe.js';

/** What is not answered by then counts as lost, and is asked again. */
const ANSWER_MS = 3_000;
const CONNECT_MS = 5_000;

type Connection = Redis | Cluster;
/** One way of replies for all of them. */
type Options = Omit<RedisOptions, 'replyMapping'>;

/** Opens the way to Redis. Throws where it cannot be reached at the start, does not allow what is needed, or would throw away what has to stay. */
export async function connectBus(url: string, crawlId: string): Promise<RedisBus> {
  const address = redisAddress(url);
  const calls = connectionTo(address, { commandTimeout: ANSWER_MS });
  const reads = connectionTo(address, {});
  let last: Error | null = null;
  for (const connection of [calls, reads]) {
    // Whoever asks is told: each of its calls fails.
    connection.on('error', (error: Error & { lastNodeError?: Error }) => {
      last = error.lastNodeError ?? error;
    });
    connection.on('node error', (error: Error) => {
      last = error;
    });
  }
  try {
    await within(Promise.all([calls, reads].map(opened)), 2 * CONNECT_MS);
    await refuseMissingRights(calls, reads, `{gossamer:${crawlId}}:probe`);
    refuseEvicting(await calls.info('memory'), url);
  } catch (error) {
    calls.disconnect();
    reads.disconnect();
    if (error instanceof StateError) {
      throw error;
    }
    throw refusal(url, address, [last as Error | null, error as Error]);
  }
  return new RedisBus(calls, reads, crawlId);
}

function connectionTo(address: RedisAddress, more: Options): Connection {
  const { form, places, username, password, sentinelPassword, master, db } = address;
  const tls = address.tls === null ? null : trusting(address.tls.ca);
  const usual: Options = {
    ...{ lazyConnect: true, enableOfflineQueue: false, connectTimeout: CONNECT_MS, maxRetriesPerRequest: 0 },
    ...(username === '' ? {} : { username }),
    ...(password === '' ? {} : { password }),
    ...(tls === null ? {} : { tls }),
    ...more,
  };
  const retryStrategy = (times: number): number => Math.min(1_000, times * 50);
  if (form === 'cluster') {
    const { lazyConnect, enableOfflineQueue, ...redisOptions } = usual;
    return new Cluster(places, {
      ...{ lazyConnect: true, enableOfflineQueue: false, redisOptions, clusterRetryStrategy: retryStrategy },
      // Names in certificates are of hosts, and a Redis Cluster tells addresses.
      ...(tls === null ? {} : { dnsLookup: (name, done) => done(null, name) }),
    });
  }
  if (form === 'sentinel') {
    return new Redis({
      ...{ ...usual, db, sentinels: places, name: master, retryStrategy, sentinelRetryStrategy: retryStrategy },
      ...(sentinelPassword === '' ? {} : { sentinelPassword }),
      ...(tls === null ? {} : { enableTLSForSentinelMode: true, sentinelTLS: tls }),
      // A master that was taken off its place takes no writes: Sentinel is asked for the new one.
      reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    });
  }
  return new Redis({ ...usual, ...places[0]!, db, retryStrategy });
}

function trusting(file: string | null): { ca?: Buffer } {
  try {
    return file === null ? {} : { ca: readFileSync(file) };
  } catch (error) {
    throw new StateError(
      'redis',
      `ca=${printable(file!, 300)} of --redis-url cannot be read: ${(error as Error).message}`,
    );
  }
}

/** One that begins anew by itself, as a Redis Cluster does that is being made, answers the first call for a connection never. */
async function opened(connection: Connection): Promise<void> {
  const ready = new Promise((resolve) => connection.once('ready', resolve));
  await Promise.race([ready, connection.connect().then(() => ready)]);
}

/** Sentinel and Cluster look for somebody for ever; a start does not wait for that. */
async function within(connected: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('nobody answered in time')), ms);
  });
  try {
    await Promise.race([connected, late]);
  } finally {
    clearTimeout(timer);
    connected.catch(() => {});
  }
}

/** Does once what the crawl will do, so that a right that is missing is known before anything is fetched. */
async function refuseMissingRights(calls: Connection, reads: Connection, key: string): Promise<void> {
  await calls.eval(PROBE, 1, key);
  await reads.xread('COUNT', 1, 'STREAMS', key, '0');
}

const NEEDED = '~{gossamer:* +eval +evalsha +get +set +del +expire +xadd +xdel +xlen +xread +time +info +memory|usage';

/** What went wrong, in one sentence, and what to do about it where that is known. */
function refusal(url: string, { tls, form, master }: RedisAddress, errors: readonly (Error | null)[]): StateError {
  const said = errors.flatMap((error) => (error === null || error.message === '' ? [] : [error.message])).join('; ');
  const words = (): string => {
    if (/NOPERM|ACL failure|can't run this command/.test(said)) {
      const user = /User (\S+) has no/i.exec(said)?.[1];
      return `${user === undefined ? 'its user' : `its user ${printable(user, 60)}`} lacks a right (${first(said)}): it needs ${NEEDED}`;
    }
    if (/WRONGPASS|invalid username-password/.test(said)) {
      return 'the user name or the password is wrong';
    }
    if (/NOAUTH/.test(said) && form === 'sentinel') {
      return 'Sentinel or its server wants a password: redis://:PASSWORD@host?sentinel=NAME&sentinel-password=PASSWORD';
    }
    if (/NOAUTH/.test(said)) {
      return 'it wants a password: redis://:PASSWORD@host, or redis://USER:PASSWORD@host';
    }
    if (/without any password configured/.test(said)) {
      return 'it has no password, and --redis-url gives one';
    }
    if (/wrong version number|packet length|SSL routines.*(?:record|version)/i.test(said) && tls !== null) {
      return 'it does not speak TLS at that port: begin --redis-url with redis://, or name the port for TLS';
    }
    if (/self.signed|unable to (?:get|verify)|certificate|altnames/i.test(said) && tls !== null) {
      return `its certificate is not trusted (${first(said)}): add ?ca=FILE with the certificate of whoever has signed it`;
    }
    if (/All sentinels are unreachable/.test(said)) {
      return `no Sentinel knows a server called ${printable(master, 60)} that can be reached`;
    }
    if (/cluster support disabled|CLUSTER/i.test(said) && form === 'cluster' && !/ECONN/.test(said)) {
      return `it is no part of a Redis Cluster that works (${first(said)})`;
    }
    if (/^MOVED/.test(said)) {
      return 'it is one of a Redis Cluster: add ?cluster to --redis-url';
    }
    if (tls !== null && /Connection is closed|ETIMEDOUT|TLS connection/.test(said) && !/ECONNREFUSED/.test(said)) {
      return `no answer came by TLS (${first(said)}): where it does not speak TLS at that port, begin --redis-url with redis://`;
    }
    if (
      tls === null &&
      !/ECONNREFUSED/.test(said) &&
      /Connection is closed|ECONNRESET|EPIPE|Protocol error/.test(said)
    ) {
      return `the connection was closed at once (${first(said)}): where it wants TLS, begin --redis-url with rediss://`;
    }
    return first(said) || 'nobody answered';
  };
  return new StateError('redis', `Redis at ${shownUrl(url)} cannot be used: ${words()}`, {
    cause: errors.find((error) => error !== null),
  });
}

const first = (said: string): string => printable(said.split('; ')[0] ?? '', 300);

/** Under any other policy it drops what it has when memory is short: mail and leases too. */
function refuseEvicting(info: string, url: string): void {
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'noeviction';
  const limit = Number(/^maxmemory:(\d+)/m.exec(info)?.[1] ?? 0);
  if (policy !== 'noeviction' && limit > 0) {
    throw new StateError(
      'redis_evicts',
      `Redis at ${shownUrl(url)} drops keys when its memory is full (maxmemory-policy ${policy}): a crawl needs noeviction`,
    );
  }
}
