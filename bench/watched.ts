import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '../test/real/nginx.js';
import { say } from './compete.js';
import { median, spreadOf, table } from './figures.js';
import { DISK_FOLDER, removeFolder, temporaryFolder } from './folders.js';
import { durable } from './ours.js';
import { realSites } from './real-sites.js';
import { runCommands } from './run.js';
import type { Scenario } from './scenario.js';
import { serve } from './serve.js';

const ROUNDS = 6;
/** As often as an open page of the dashboard asks, and far more often than a Prometheus does. */
const ASK_MS = 1000;
const ASKED = ['/api/live', '/api/series', '/metrics'];
/** Copies of the big site, each a host of its own: one is over before a page was asked for ten times. */
const COPIES = 3;

/** What a dashboard, metrics and one open page of it cost: the same crawl without and with them, each going first in every other round. */
export const watched: Scenario = {
  word: 'watched',
  sentence: 'one big site without and with a dashboard, metrics and one open page: CPU of our process',
  run: async ({ rounds }) => {
    const { nginx, sites } = await realSites(say);
    const jdk = sites.find(({ name }) => name === 'jdk')!;
    const field = await serve(
      nginx,
      Array.from({ length: COPIES }, (_, copy) => ({ ...jdk, host: `copy-${copy}.test` })),
    );
    const plain: number[] = [];
    const seen: number[] = [];
    try {
      // The first crawl pays for a cold disk cache.
      await crawl(field.starts, false);
      for (let round = 0; round < (rounds ?? ROUNDS); round++) {
        for (const isWatched of round % 2 === 0 ? [false, true] : [true, false]) {
          (isWatched ? seen : plain).push(await crawl(field.starts, isWatched));
        }
        say(`round ${round + 1}: plain ${plain.at(-1)!.toFixed(0)} ms of CPU, watched ${seen.at(-1)!.toFixed(0)} ms`);
      }
    } finally {
      await field.close();
    }
    const row = (name: string, values: number[]): string[] => {
      const { low, median: middle, high } = spreadOf(values);
      return [name, ...[middle, low, high].map((ms) => (ms / 1000).toFixed(2))];
    };
    const pairs = plain.map((ms, round) => 100 * (seen[round]! / ms - 1));
    say(table(['CPU seconds', 'median', 'least', 'most'], [row('plain', plain), row('watched', seen)]));
    say(
      `Watched costs ${(100 * (median(seen) / median(plain) - 1)).toFixed(1)} % more by the medians, ${median(pairs).toFixed(1)} % by the median of pairs.`,
    );
  },
};

async function crawl(starts: string[], isWatched: boolean): Promise<number> {
  const folder = temporaryFolder(DISK_FOLDER);
  const [port] = (await freePorts(1)) as [number];
  const [command] = durable.commands({
    starts,
    diskFolder: folder,
    ramFolder: folder,
    pagesFile: join(folder, 'pages'),
  });
  const args = isWatched
    ? [`--dashboard=${port}`, '--metrics-file', join(folder, 'metrics.json'), '--metrics-interval', '5s']
    : [];
  const page = isWatched ? openPage(port) : null;
  try {
    const { cpuMs, exitCode } = await runCommands(
      [{ ...command!, args: [...command!.args, ...args] }],
      join(folder, 'notes'),
    );
    if (exitCode !== 0 || cpuMs === null) {
      throw new Error(`the crawl ended with ${exitCode}, or nothing tells its CPU time`);
    }
    const asked = (await page?.close()) ?? 0;
    if (isWatched && asked === 0) {
      throw new Error('the dashboard was never asked');
    }
    return cpuMs;
  } finally {
    await page?.close();
    removeFolder(folder);
  }
}

/** Asks as an open page does, until it is closed. Says how often it was answered. */
function openPage(port: number): { close(): Promise<number> } {
  const closing = new AbortController();
  let answered = 0;
  const asking = (async () => {
    while (!closing.signal.aborted) {
      await Promise.all(
        ASKED.map(async (path) => {
          const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: closing.signal }).catch(() => null);
          await answer?.arrayBuffer().catch(() => null);
          answered += answer?.ok === true ? 1 : 0;
        }),
      );
      await pause(ASK_MS, undefined, { signal: closing.signal }).catch(() => {});
    }
    return answered;
  })();
  return {
    close: () => {
      closing.abort();
      return asking;
    },
  };
}
