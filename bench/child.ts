import { readFileSync } from 'node:fs';
import { main } from '../src/cli/main.js';
import { completeOptions } from '../src/config/resolve.js';
import { CrawlSession } from '../src/crawl/session.js';

/** What one contestant did, told by itself: CPU of all its threads, peak memory, pages. */
export interface ChildReport {
  pages: number;
  wallMs: number;
  cpuMs: number;
  peakBytes: number;
}

/** Runs one contestant in this process: `durable <url> <dir>` or `temporary <url> …`. */
const [mode, ...targets] = process.argv.slice(2) as [string, ...string[]];
const [target, directory] = targets as [string, string];
const PER_HOST = 64;

const startedAt = performance.now();
const pages = await run();
const { user, system } = process.cpuUsage();
const report: ChildReport = {
  pages,
  wallMs: performance.now() - startedAt,
  cpuMs: (user + system) / 1000,
  peakBytes: process.resourceUsage().maxRSS * 1024,
};
process.stdout.write(`${JSON.stringify(report)}\n`);
process.exit(0);

async function run(): Promise<number> {
  switch (mode) {
    case 'durable':
      return durable();
    case 'temporary':
      return temporary();
    default:
      throw new Error(`no such contestant: ${mode}`);
  }
}

async function durable(): Promise<number> {
  const code = await main([
    'crawl',
    target,
    '--data-dir',
    directory,
    '--max-inflight-per-host',
    String(PER_HOST),
    '--no-auto-tune',
    '--quiet',
  ]);
  if (code !== 0) {
    throw new Error(`the crawl ended with ${code}`);
  }
  return JSON.parse(readFileSync(`${directory}/summary.json`, 'utf8')).total;
}

async function temporary(): Promise<number> {
  const resolved = completeOptions({ maxInflightPerHost: PER_HOST, autoTune: false });
  const seeds = targets.map((url, seed) => ({
    seed,
    url,
    label: url,
    scope: 'subdomains',
    depth: null,
    maxUrls: null,
    fallbacks: [],
    scopeUrls: [url],
  }));
  const session = new CrawlSession({ resolved, directory: null, seeds, events: {} });
  await session.open();
  return (await session.run()).summary.total;
}
