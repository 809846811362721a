import { readFileSync } from 'node:fs';
import { Client } from 'undici';
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

/** Runs one contestant in this process: `durable <url> <dir>`, `temporary <url>` or `floor <url list>`. */
const [mode, target, directory] = process.argv.slice(2) as [string, string, string];
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
    case 'floor':
      return floor();
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
  const seed = {
    seed: 0,
    url: target,
    label: target,
    scope: 'subdomains',
    depth: null,
    maxUrls: null,
    fallbacks: [],
    scopeUrls: [target],
  };
  const session = new CrawlSession({ resolved, directory: null, seeds: [seed], events: {} });
  await session.open();
  return (await session.run()).summary.total;
}

/** The cheapest way to fetch the same URLs: one thread, undici's dispatch, bodies dropped, nothing looked at. */
async function floor(): Promise<number> {
  const urls = readFileSync(target, 'utf8').split('\n').filter(Boolean);
  const { origin } = new URL(urls[0]!);
  const clients = Array.from({ length: PER_HOST }, () => new Client(origin, { pipelining: 1 }));
  let next = 0;
  await Promise.all(
    clients.map(async (client) => {
      for (let url = urls[next++]; url !== undefined; url = urls[next++]) {
        await dispatch(client, url.slice(origin.length));
      }
    }),
  );
  return urls.length;
}

function dispatch(client: Client, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.dispatch(
      { path, method: 'GET' },
      {
        onConnect() {},
        onHeaders: () => true,
        onData: () => true,
        onComplete: () => resolve(),
        onError: reject,
      },
    );
  });
}
