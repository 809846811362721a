import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stateOf } from '../../src/store/directory.js';
import { gossamer, type Run, start, temporaryFolder } from '../crawl/support.js';
import { openWebProcess, type WebProcess } from '../kill/web-process.js';
import { smallestGap } from '../web/judge.js';
import type { LoggedRequest } from '../web/log.js';
import { differences, type KeptUrl, keptUrls, unionOf } from './real.js';
import { RedisServer } from './redis-server.js';

const NODES = 3;
const WEB = { seed: 5, hosts: 24, urls: 900, domain: 'web.test' };
const DELAY_MS = 20;

/** Three processes that crawl one web together by a Redis of their own. */
describe('a crawl on three machines', () => {
  const folder = temporaryFolder();
  const parts = Array.from({ length: NODES }, (_, slot) => `${folder.path}/part-${slot}`);
  let redis: RedisServer;
  let whole: Map<string, KeptUrl>;
  let wholeHits: Map<string, number>;

  const rules = (web: WebProcess): string[] => [
    ...['--scope', 'domain', '--delay', String(DELAY_MS), '--retry-delay', '50ms', '--max-backoff', '1s'],
    ...['--quarantine-after', '1000', '--max-crawl-delay', '100', ...web.connectTo],
  ];
  const meeting = (id: string): string[] => ['--redis-url', redis.url, '--crawl-id', id];

  async function withWeb(name: string, use: (web: WebProcess) => Promise<void>): Promise<LoggedRequest[]> {
    const web = await openWebProcess(`${folder.path}/${name}.log`, WEB);
    try {
      await use(web);
      return web.log();
    } finally {
      await web.close();
    }
  }

  const begin = (web: WebProcess, id: string): ReturnType<typeof start> =>
    start([
      ...['crawl', 'http://h0.web.test/', '--data-dir', parts[0]!, ...rules(web), ...meeting(id)],
      ...['--nodes', String(NODES), '--lease', '3s'],
    ]);
  const join = (id: string, slot: number, web: WebProcess): ReturnType<typeof start> =>
    start(['join', '--data-dir', parts[slot]!, ...meeting(id), ...web.connectTo]);

  beforeAll(async () => {
    redis = await RedisServer.start();
    const log = await withWeb('whole', async (web) => {
      const run = await gossamer(['crawl', 'http://h0.web.test/', '--data-dir', `${folder.path}/whole`, ...rules(web)]);
      expect(run.code, run.stderr).toBe(0);
    });
    whole = keptUrls(`${folder.path}/whole`);
    wholeHits = hits(log);
  }, 300_000);

  afterAll(async () => {
    await redis.close();
    folder.remove();
  });

  it('comes to what one machine comes to, with no URL asked for twice and every delay kept', async () => {
    const ended: Run[] = [];
    const log = await withWeb('together', async (web) => {
      const first = begin(web, 'plain');
      await redis.has('{gossamer:plain}:state', first.ended);
      const runs = [first, ...[1, 2].map((slot) => join('plain', slot, web))];
      ended.push(...(await Promise.all(runs.map((run) => run.ended))));
    });
    expect(ended.map(({ code, stderr }) => [code, code === 0 ? '' : stderr])).toEqual(ended.map(() => [0, '']));
    expect(differences(unionOf(parts), whole)).toEqual([]);
    expect(hits(log)).toEqual(wholeHits);
    expect(gapsBelow(log, DELAY_MS)).toEqual([]);
  }, 300_000);

  // Of the long tests (`npm run test:long`): on a busy machine some URLs keep a depth that is too large after the kills. docs/CLUSTER.md says so.
  const isLong = process.env.GOSSAMER_CLUSTER_RUNS !== undefined;
  it.runIf(isLong)(
    'does so too where processes are killed with -9, and Redis is emptied, killed and held still',
    async () => {
      for (const part of parts) {
        rmSync(part, { recursive: true });
      }
      const runs: ReturnType<typeof start>[] = [];
      const ended: Run[] = [];
      const log = await withWeb('troubled', async (web) => {
        runs[0] = begin(web, 'troubled');
        await redis.has('{gossamer:troubled}:state', runs[0].ended);
        runs[1] = join('troubled', 1, web);
        runs[2] = join('troubled', 2, web);
        const all = () => Promise.all(runs.map((run) => run.ended));
        await Promise.race([untilBegun(parts), all()]);
        const again = async (slot: number): Promise<void> => {
          runs[slot]!.child.kill('SIGKILL');
          await runs[slot]!.ended;
          const run = join('troubled', slot, web);
          runs[slot] = run;
          // Whoever is started while Redis is away says so and ends: the next trouble comes when it is one of them.
          await redis.holds('{gossamer:troubled}:state', `pid\\W+${run.child.pid}\\b`, run.ended);
        };
        const client = redis.client();
        const troubles = [
          () => again(1),
          () => client.flushall(),
          () => again(0),
          () => {
            redis.signal('SIGSTOP');
            return web
              .requests(20, new Promise((resolve) => setTimeout(resolve, 1_500)))
              .then(() => redis.signal('SIGCONT'));
          },
          () => again(2),
          () => redis.kill().then(() => redis.up()),
        ];
        for (const trouble of troubles) {
          if (await web.requests(40, all())) {
            await trouble();
          }
        }
        client.disconnect();
        ended.push(...(await all()));
      });
      expect(ended.map(({ code, stderr }) => [code, code === 0 ? '' : stderr])).toEqual(ended.map(() => [0, '']));
      expect(differences(unionOf(parts), whole)).toEqual([]);
      expect(gapsBelow(log, DELAY_MS)).toEqual([]);
    },
    300_000,
  );
});

/** A store that has been begun goes on after a kill; before that there is nothing to go on with. */
async function untilBegun(directories: readonly string[]): Promise<void> {
  while (!directories.every(isBegun)) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isBegun(directory: string): boolean {
  try {
    return stateOf(directory) !== 'empty';
  } catch {
    // Its store is being made.
    return false;
  }
}

function hits(log: readonly LoggedRequest[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { host, path } of log) {
    counts.set(host + path, (counts.get(host + path) ?? 0) + 1);
  }
  return new Map([...counts].sort());
}

/** A server sees a request some time after it was sent: its log may show a little less than the gap that was kept. */
const SEEN_LATE_MS = 5;
const gapsBelow = (log: readonly LoggedRequest[], delayMs: number): string[] =>
  [...new Set(log.map(({ host }) => host))]
    .filter((host) => smallestGap(log, host) < delayMs - SEEN_LATE_MS)
    .map((host) => `${host}: ${smallestGap(log, host)} ms`);
