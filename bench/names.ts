import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../src/base/clock.js';
import { Resolver } from '../src/fetch/resolver.js';
import { table, whole } from './figures.js';
import type { Scenario } from './scenario.js';

const NAMES = 10_000;
const AT_ONCE = 512;
const ANSWER_AFTER_MS = 50;
/** What `dns.lookup` has for the whole process. */
const POOL_THREADS = 4;

/** Names against a slow server: what counts is how many questions are under way at once. */
export const names: Scenario = {
  word: 'names',
  sentence: `${whole(NAMES)} host names from a local name server that answers after ${ANSWER_AFTER_MS} ms`,
  run: async () => {
    const worker = new Worker(new URL('./name-server.js', import.meta.url), {
      workerData: { answerAfterMs: ANSWER_AFTER_MS },
    });
    const [port] = (await once(worker, 'message')) as [number];
    const server = `127.0.0.1:${port}`;
    const resolver = new Resolver([server], systemClock, false);
    const raw = new dns.Resolver();
    raw.setServers([server]);
    const rows = [
      await measure('resolver', (name) => resolver.addresses(name, 4)),
      await measure('resolver, again (from its cache)', (name) => resolver.addresses(name, 4)),
      await measure('c-ares alone', (name) => raw.resolve4(`raw-${name}`)),
    ];
    const poolMs = (NAMES / POOL_THREADS) * ANSWER_AFTER_MS;
    rows.push([`${POOL_THREADS} threads that wait, at best`, whole(poolMs), whole((NAMES / poolMs) * 1000), '–']);
    process.stdout.write(table(['names', 'ms', 'names/s', 'CPU µs/name'], rows));
    resolver.close();
    await worker.terminate();
  },
};

async function measure(what: string, lookUp: (name: string) => Promise<unknown>): Promise<string[]> {
  const before = process.cpuUsage();
  const startedAt = performance.now();
  let next = 0;
  const work = async () => {
    for (let number = next++; number < NAMES; number = next++) {
      await lookUp(`host-${number}.test`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const ms = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(before);
  return [what, whole(ms), whole((NAMES / ms) * 1000), ((user + system) / NAMES).toFixed(1)];
}
