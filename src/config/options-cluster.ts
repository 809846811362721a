import { redisUrlProblem } from '../url/redis-url.js';
import type { OptionSpec } from './option-spec.js';

const NODES = ['crawl', 'join', 'cluster'] as const;

/** What becomes part of the names of keys, and of what is shown. */
const checkCrawlId = (text: string): string | null =>
  /^[a-z0-9][a-z0-9._-]{0,99}$/i.test(text)
    ? null
    : 'a name of letters, digits, dots, dashes and underscores (100 at most)';

/** A crawl on several machines. */
export const CLUSTER_OPTIONS = {
  redisUrl: {
    flag: 'redis-url',
    type: 'text',
    default: null,
    defaultText: 'none: one machine crawls alone',
    check: redisUrlProblem,
    placeholder: 'URL',
    group: 'Several machines',
    sentence:
      'Crawl on several machines, which exchange URLs through this Redis: redis://[user:password@]host[:port][/db], or rediss:// for TLS (?ca=FILE). ?sentinel=NAME asks Sentinel, ?cluster is for a Redis Cluster; also=HOST:PORT,… names more of them',
    advanced: false,
    resumable: false,
    commands: NODES,
    perRun: true,
    secret: true,
  },
  enableRedis: {
    flag: 'enable-redis',
    type: 'boolean',
    default: false,
    group: 'Several machines',
    sentence: 'The same with the Redis at redis://127.0.0.1:6379, if you do not give --redis-url',
    advanced: false,
    resumable: false,
    commands: NODES,
    perRun: true,
  },
  crawlId: {
    flag: 'crawl-id',
    type: 'text',
    default: null,
    defaultText: 'none',
    check: checkCrawlId,
    placeholder: 'ID',
    group: 'Several machines',
    sentence: 'The name of the crawl in Redis, the same on all machines',
    advanced: false,
    resumable: false,
    commands: NODES,
    perRun: true,
  },
  leaseMs: {
    flag: 'lease',
    type: 'duration',
    default: 15_000,
    min: 1_000,
    max: 600_000,
    group: 'Several machines',
    sentence:
      'How long a machine may go on sending requests when it cannot reach Redis. A machine that joins, or goes on with its part, waits a little longer than this before its first request',
    advanced: true,
    resumable: false,
    commands: ['crawl'],
    perRun: true,
  },
} as const satisfies Record<string, OptionSpec>;

/** For commands that never run on several machines. */
export const ON_ONE_MACHINE = {
  options: {
    redisUrl: null,
    enableRedis: false,
    crawlId: null,
    leaseMs: CLUSTER_OPTIONS.leaseMs.default,
    clusterNodes: null,
  },
  sources: {
    redisUrl: 'default',
    enableRedis: 'default',
    crawlId: 'default',
    leaseMs: 'default',
    clusterNodes: 'default',
  },
} as const;
