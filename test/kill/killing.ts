import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/store/sqlite.js';
import { type Run, start } from '../crawl/support.js';
import type { WebProcess } from './web-process.js';

/** What the store says after one kill. */
export interface Kill {
  /** URLs leased and not settled: the only ones that may be asked for again. */
  leased: string[];
  /** How many the run that was killed, and those before it, have taken up again. */
  refetched: number;
  integrity: string;
}

export interface KilledCrawl {
  kills: Kill[];
  /** The run that was let go on to its end. */
  last: Run;
}

/**
 * Starts the crawl, kills it with -9 when the server has seen so many requests of that run, resumes it, and so on through `moments`; the
 * run after the last kill ends by itself. A moment that a run does not live to see kills nothing.
 */
export async function crawlAndKill(
  web: WebProcess,
  args: string[],
  directory: string,
  moments: number[],
): Promise<KilledCrawl> {
  const kills: Kill[] = [];
  for (const moment of moments) {
    const run = start(kills.length === 0 ? args : ['resume', directory]);
    if (!(await web.requests(moment, run.ended))) {
      return { kills, last: await run.ended };
    }
    run.child.kill('SIGKILL');
    const ended = await run.ended;
    if (ended.signal !== 'SIGKILL') {
      return { kills, last: ended };
    }
    // The server may log a request of the run before only now, when nothing of this one has begun: there is nothing to see of such a kill.
    if (lastRun(directory) === run.child.pid) {
      kills.push(inspect(directory));
    }
  }
  return { kills, last: await start(kills.length === 0 ? args : ['resume', directory]).ended };
}

export function inspect(directory: string): Kill {
  return inStore(directory, (all) => ({
    leased: all('SELECT url FROM urls WHERE state = 1').map(({ url }) => String(url)),
    refetched: Number(all("SELECT value FROM meta WHERE key = 'refetched'")[0]?.value),
    integrity: String(all('PRAGMA integrity_check')[0]!.integrity_check),
  }));
}

/** The process of the last run that began. */
const lastRun = (directory: string): number =>
  inStore(directory, (all) => Number(all('SELECT pid FROM runs ORDER BY run DESC LIMIT 1')[0]?.pid));

type Select = (sql: string) => Record<string, unknown>[];

export function inStore<T>(directory: string, read: (all: Select) => T): T {
  // A copy without the index of its log: where the kill came between a commit's sync and its entry there, only who reads the log itself,
  // as the next run does, sees that commit.
  const copy = mkdtempSync(join(tmpdir(), 'gossamer-killed-'));
  for (const name of ['crawl.sqlite', 'crawl.sqlite-wal'].filter((each) => existsSync(join(directory, each)))) {
    copyFileSync(join(directory, name), join(copy, name));
  }
  const database = openDatabase(join(copy, 'crawl.sqlite'));
  try {
    return read((sql) => database.prepare(sql).all());
  } finally {
    database.close();
    rmSync(copy, { recursive: true });
  }
}

/** Every sitemap file by name, its entries sorted: their order is that of discovery. */
export function sitemaps(directory: string): Record<string, string[]> {
  const files = readdirSync(directory).filter((name) => name.startsWith('sitemap') && name.endsWith('.xml'));
  return Object.fromEntries(
    files.sort().map((name) => {
      const text = readFileSync(join(directory, name), 'utf8');
      return [name, [...text.matchAll(/<(url|sitemap)>.*?<\/\1>/gs)].map(([entry]) => entry).sort()];
    }),
  );
}
