import { Redis } from 'ioredis';
import { StateError } from '../base/errors.js';
import { RedisBus } from './redis-bus.js';

/** What is not answered by then counts as lost, and is asked again. */
const ANSWER_MS = 3_000;
const CONNECT_MS = 5_000;

/** A URL as it may be shown. */
export function shownUrl(url: string): string {
  const shown = new URL(url);
  if (shown.password !== '' || shown.username !== '') {
    shown.username = '';
    shown.password = '';
  }
  return shown.href;
}

const USUAL = {
  lazyConnect: true,
  enableOfflineQueue: false,
  connectTimeout: CONNECT_MS,
  maxRetriesPerRequest: 0,
} as const;

/** Opens the way to Redis. Throws where it cannot be reached at the start, or would throw away what has to stay. */
export async function connectBus(url: string, crawlId: string): Promise<RedisBus> {
  const retryStrategy = (times: number): number => Math.min(1_000, times * 50);
  const calls = new Redis(url, { ...USUAL, retryStrategy, commandTimeout: ANSWER_MS });
  const reads = new Redis(url, { ...USUAL, retryStrategy });
  let last: Error | null = null;
  for (const connection of [calls, reads]) {
    // Whoever asks is told: each of its calls fails.
    connection.on('error', (error: Error) => {
      last = error;
    });
  }
  try {
    await Promise.all([calls.connect(), reads.connect()]);
    refuseEvicting(await calls.info('memory'), url);
  } catch (error) {
    calls.disconnect();
    reads.disconnect();
    if (error instanceof StateError) {
      throw error;
    }
    const why = (last as Error | null)?.message || (error as Error).message;
    throw new StateError('redis', `Redis at ${shownUrl(url)} cannot be used: ${why}`, { cause: error });
  }
  return new RedisBus(calls, reads, crawlId);
}

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
