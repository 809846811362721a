import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { say } from './compete.js';
import { table, whole } from './figures.js';
import { DISK_FOLDER, GOSSAMER_BIN, removeFolder, temporaryFolder } from './folders.js';
import { residentBytes } from './memory.js';
import type { Scenario } from './scenario.js';

const PAGES = 100_000;
/** A site a quarter as big: memory that grows with pages would show between the two. */
const FEWER_PAGES = PAGES / 4;
/** Targets of dead links, and names of places that are not there, where there are any. */
const DEAD = 1_000;
const SERVE = fileURLToPath(new URL('./check-site.js', import.meta.url));
const SAMPLE_MS = 250;

interface Measured {
  ms: number;
  /** In bytes, at equal distances of time. */
  resident: number[];
  code: number | null;
}

/** A check beside a crawl of the same site, and a check that finds a great deal: what a page costs, and whether memory grows with them. */
export const check: Scenario = {
  word: 'check',
  sentence: `${whole(FEWER_PAGES)} and ${whole(PAGES)} generated pages: crawl, check, and check with ${whole(PAGES)} places of dead links`,
  run: async ({ rounds }) => {
    const rows: string[][] = [];
    for (let round = 0; round < (rounds ?? 1); round++) {
      for (const pages of [FEWER_PAGES, PAGES]) {
        await withSite([pages], async (url) => {
          rows.push(rowOf('crawl', pages, await measure(['crawl', url])));
          rows.push(rowOf('check', pages, await measure(['check', url, '--report', 'json=report.json'])));
        });
      }
      await withSite([PAGES, DEAD], async (url) => {
        rows.push(rowOf('check, dead links', PAGES, await measure(['check', url, '--report', 'json=report.json'])));
      });
    }
    const headings = ['', 'pages', 's', 'pages/s', 'peak MiB', 'at 1/4', 'at 1/2', 'at 3/4', 'last', 'exit'];
    process.stdout.write(table(headings, rows));
  },
};

async function withSite(args: number[], use: (url: string) => Promise<void>): Promise<void> {
  const server = spawn(process.execPath, [SERVE, ...args.map(String)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = (): void => void server.kill('SIGKILL');
  process.once('exit', stop);
  try {
    const [port] = (await once(server.stdout, 'data')) as [Buffer];
    await use(`http://127.0.0.1:${String(port).trim()}/`);
  } finally {
    stop();
    process.off('exit', stop);
  }
}

async function measure(args: string[]): Promise<Measured> {
  const folder = temporaryFolder(DISK_FOLDER);
  say(args.join(' '));
  const startedAt = performance.now();
  const child = spawn(process.execPath, [GOSSAMER_BIN, ...args, '--data-dir', join(folder, 'data'), '--quiet'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd: folder,
  });
  const resident = watch(child);
  const [code] = (await once(child, 'close')) as [number | null];
  const ms = performance.now() - startedAt;
  clearInterval(resident.timer);
  removeFolder(folder);
  return { ms, resident: resident.samples, code };
}

function watch({ pid }: ChildProcess): { samples: number[]; timer: NodeJS.Timeout } {
  const samples: number[] = [];
  return { samples, timer: setInterval(() => samples.push(residentBytes(pid!)), SAMPLE_MS) };
}

function rowOf(name: string, pages: number, { ms, resident, code }: Measured): string[] {
  const samples = resident.filter((bytes) => bytes > 0);
  const at = (share: number): string => mebibytes(samples[Math.floor((samples.length - 1) * share)] ?? 0);
  const peak = mebibytes(Math.max(0, ...samples));
  const seconds = (ms / 1000).toFixed(1);
  return [
    name,
    whole(pages),
    seconds,
    whole(pages / (ms / 1000)),
    peak,
    at(0.25),
    at(0.5),
    at(0.75),
    at(1),
    String(code),
  ];
}

const mebibytes = (bytes: number): string => whole(bytes / 2 ** 20);
