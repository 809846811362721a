import { join } from 'node:path';
import { RedisServer } from '../cluster/redis-server.js';
import type { Run } from '../crawl/support.js';
import { DATA, type Row, type Stage, type Trial } from './harness.js';
import { HOME, smallSite } from './small-stages.js';
import { here } from './stages.js';

/** Nobody listens there. */
const NOBODY = ['--redis-url', 'redis://127.0.0.1:1'];
const NAMED = ['--crawl-id', 'trial'];
const TWO = ['--nodes', '2'];

/** What a command says where nobody answers, or something is missing: it ends at once. */
const said = (...args: string[]): Stage => ({
  name: `${args.join(' ')} without Redis`,
  async play(values, trial) {
    const web = await trial.web();
    web.site('small.test', smallSite());
    return trial.run([...args, ...(args[0] === 'crawl' ? here(web) : []), ...values]);
  },
});

/** A crawl has been begun in a Redis of the trial's own, and its process is gone. Then a command is run there, or the Redis is asked. */
const begun = (
  name: string,
  ask: (redis: RedisServer, values: readonly string[], trial: Trial) => Promise<Run>,
): Stage => ({
  name: `${name} of a crawl in a Redis`,
  async play(values, trial) {
    const redis = await RedisServer.start();
    trial.atEnd(() => redis.close());
    return ask(redis, values, trial);
  },
});

async function begin(redis: RedisServer, trial: Trial, ...values: readonly string[]): Promise<void> {
  const meeting = ['--redis-url', redis.url, ...NAMED];
  const run = trial.start(['crawl', HOME, '--data-dir', DATA, ...TWO, ...meeting, ...values]);
  await redis.has('{gossamer:trial}:state', run.ended);
  run.child.kill('SIGKILL');
  await run.ended;
}

const lease = begun('the lease', async (redis, values, trial) => {
  await begin(redis, trial, ...values);
  const client = redis.client();
  const config = await client.get('{gossamer:trial}:config');
  client.disconnect();
  return { code: 0, signal: null, stdout: config!, stderr: '' };
});

const status = begun('the status', async (redis, values, trial) => {
  await begin(redis, trial);
  return trial.run(['cluster', 'status', '--redis-url', redis.url, ...NAMED, ...values]);
});

const crawl = said('crawl', HOME, '--data-dir', DATA);
const part = ['--data-dir', join(DATA, 'part')];
const code = (seen: Run): number | null => seen.code;

/** What a crawl on several machines takes. */
export const CLUSTER_EVIDENCE: Row[] = [
  {
    key: 'redisUrl',
    stage: crawl,
    values: [
      [...NAMED, ...TWO],
      [...NAMED, ...TWO, ...NOBODY],
    ],
    sees: code,
    gives: [0, 3],
  },
  {
    key: 'enableRedis',
    stage: crawl,
    values: [[], ['--enable-redis', ...TWO]],
    sees: (seen) => [seen.code, seen.stderr.includes('--crawl-id')],
    gives: [
      [0, false],
      [2, true],
    ],
  },
  {
    key: 'crawlId',
    stage: crawl,
    values: [
      [...TWO, ...NOBODY],
      [...TWO, ...NOBODY, ...NAMED],
    ],
    sees: code,
    gives: [2, 3],
  },
  {
    key: 'clusterNodes',
    stage: crawl,
    values: [
      [...NOBODY, ...NAMED],
      [...NOBODY, ...NAMED, ...TWO],
    ],
    sees: code,
    gives: [2, 3],
  },
  {
    key: 'leaseMs',
    stage: lease,
    values: [[], ['--lease', '2s']],
    sees: (seen) => /"leaseMs":\d+/.exec(seen.stdout)?.[0],
    gives: ['"leaseMs":15000', '"leaseMs":2000'],
  },
  {
    key: 'dataDir',
    command: 'join',
    stage: said('join', ...NAMED, ...NOBODY),
    values: [[], part],
    sees: code,
    gives: [2, 3],
  },
  {
    key: 'redisUrl',
    command: 'join',
    stage: said('join', ...NAMED, ...part),
    values: [[], NOBODY],
    sees: code,
    gives: [2, 3],
  },
  {
    key: 'enableRedis',
    command: 'join',
    stage: said('join', ...part),
    values: [[], ['--enable-redis']],
    sees: (seen) => [seen.code, seen.stderr.includes('--crawl-id')],
    gives: [
      [2, false],
      [2, true],
    ],
  },
  {
    key: 'crawlId',
    command: 'join',
    stage: said('join', ...NOBODY, ...part),
    values: [[], NAMED],
    sees: code,
    gives: [2, 3],
  },
  {
    key: 'redisUrl',
    command: 'cluster',
    stage: said('cluster', 'status', ...NAMED),
    values: [[], NOBODY],
    sees: code,
    gives: [2, 3],
  },
  {
    key: 'enableRedis',
    command: 'cluster',
    stage: said('cluster', 'status'),
    values: [[], ['--enable-redis']],
    sees: (seen) => [seen.code, seen.stderr.includes('--crawl-id')],
    gives: [
      [2, false],
      [2, true],
    ],
  },
  {
    key: 'crawlId',
    command: 'cluster',
    stage: said('cluster', 'status', ...NOBODY),
    values: [[], NAMED],
    sees: code,
    gives: [2, 3],
  },
  {
    key: 'json',
    command: 'cluster',
    stage: status,
    values: [[], ['--json']],
    sees: (seen) => /"crawlId":\s*"trial"/.test(seen.stdout),
    gives: [false, true],
  },
];
