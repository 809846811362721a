import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChildReport } from './child.js';
import { median, table } from './figures.js';

const CONTESTANTS = ['durable', 'temporary', 'floor'] as const;
type Contestant = (typeof CONTESTANTS)[number];

/** One big site: ours with the state on disk, ours with a store that leaves nothing, and the raw dispatch floor, taking turns. */
export async function oneSite(url: string, rounds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gossamer-bench-'));
  const urlList = join(folder, 'urls.txt');
  const reports: Record<Contestant, ChildReport[]> = { durable: [], temporary: [], floor: [] };
  try {
    for (let round = 0; round < rounds; round++) {
      const directory = join(folder, `crawl-${round}`);
      reports.durable.push(await runChild(['durable', url, directory]));
      if (round === 0) {
        writeFileSync(urlList, fetchedUrls(directory).join('\n'));
      }
      rmSync(directory, { recursive: true });
      reports.temporary.push(await runChild(['temporary', url, '']));
      reports.floor.push(await runChild(['floor', urlList, '']));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  print(reports);
}

/** Pages that were answered, by GET as the floor asks for them. */
function fetchedUrls(directory: string): string[] {
  return readFileSync(join(directory, 'pages.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { url: string; state: string })
    .filter(({ state }) => state === 'done')
    .map(({ url }) => url);
}

function runChild(args: string[]): Promise<ChildReport> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [fileURLToPath(new URL('./child.js', import.meta.url)), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.on('close', (code) =>
      code === 0 ? resolve(JSON.parse(out) as ChildReport) : reject(new Error(`${args[0]} ended with ${code}`)),
    );
  });
}

function print(reports: Record<Contestant, ChildReport[]>): void {
  const rate = (report: ChildReport) => (report.pages / report.wallMs) * 1000;
  const rates = Object.fromEntries(CONTESTANTS.map((name) => [name, median(reports[name].map(rate))])) as Record<
    Contestant,
    number
  >;
  const rows = CONTESTANTS.map((name) => {
    const each = reports[name];
    const all = each.map(rate);
    return [
      name,
      String(each[0]!.pages),
      rates[name].toFixed(0),
      `${Math.min(...all).toFixed(0)}–${Math.max(...all).toFixed(0)}`,
      ((median(each.map(({ cpuMs, pages }) => cpuMs / pages)) * 1000) | 0).toString(),
      (Math.max(...each.map(({ peakBytes }) => peakBytes)) / 2 ** 20).toFixed(0),
      (rates[name] / rates.floor).toFixed(2),
    ];
  });
  process.stdout.write(
    table(['one big site', 'pages', 'pages/s', 'spread', 'CPU µs/page', 'peak MiB', 'of floor'], rows),
  );
  process.stdout.write(`durable / temporary: ${(rates.durable / rates.temporary).toFixed(2)}\n`);
}
