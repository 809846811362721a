import { once } from 'node:events';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { installRealSites } from '../test/real/install.js';
import { freePorts, startNginx } from '../test/real/nginx.js';
import { say } from './compete.js';
import { median, spreadOf, table, whole } from './figures.js';
import { DISK_FOLDER, RAM_FOLDER, removeFolder, temporaryFolder } from './folders.js';
import { gapsOf, readTurns, type Turn } from './host-log.js';
import { wantedBuilds } from './line-up.js';
import type { Build } from './ours.js';
import { type Cost, runCommands } from './run.js';
import type { Scenario } from './scenario.js';
import { threadCells, threadHeadings } from './thread-cells.js';

const HOSTS = 10_000;
const DELAY_MS = 1_000;
const RUN_MS = 75_000;
/** Robots, sitemaps and the first connections are over by then. */
const MEASURED_FROM_MS = 25_000;
const MEASURED_TO_MS = 70_000;
const PAGES = 100;

/** Longer than the server keeps lines of its log to itself. */
const FLUSHED_MS = 1_500;

/** What one crawl did. */
interface Crawl extends Cost {
  readonly requests: number;
  readonly perSecond: number;
  readonly machineIdle: number;
  readonly smallestGapMs: number;
  readonly gapsBelow: number;
}

/** Ten thousand hosts behind one nginx, each with its delay: how much of what the delays allow is used, and whether they are kept. */
export const manyHosts: Scenario = {
  word: 'hosts',
  sentence: `${whole(HOSTS)} hosts at ${DELAY_MS} ms delay: requests a second, and the smallest gap at any host by the server's log`,
  run: async (wishes) => {
    const { nginx } = await installRealSites(say);
    const builds = await wantedBuilds(wishes);
    const folder = temporaryFolder(RAM_FOLDER);
    try {
      const [port] = (await freePorts(1)) as [number];
      writeSite(folder, port);
      const server = await startNginx(nginx, folder);
      try {
        publish(await crawlInTurn(builds, wishes.rounds ?? 1, port, folder));
      } finally {
        const closed = once(server, 'close');
        server.kill('SIGTERM');
        await closed;
      }
    } finally {
      removeFolder(folder);
    }
  },
};

async function crawlInTurn(
  builds: readonly Build[],
  rounds: number,
  port: number,
  folder: string,
): Promise<Map<Build, Crawl[]>> {
  const crawls = new Map<Build, Crawl[]>(builds.map((build) => [build, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [build, done] of crawls) {
      const crawl = await crawlHosts(build, port, folder);
      done.push(crawl);
      say(`round ${round + 1}  ${build.name.padEnd(20)} ${whole(crawl.perSecond)} requests/s`);
    }
  }
  return crawls;
}

async function crawlHosts({ node, bin }: Build, port: number, folder: string): Promise<Crawl> {
  const logFile = join(folder, 'turns.log');
  const diskFolder = temporaryFolder(DISK_FOLDER);
  try {
    truncateSync(logFile);
    const args = ['crawl', '--seeds-file', join(folder, 'seeds.txt'), '--data-dir', join(diskFolder, 'crawl')];
    const reach = ['--connect-to', `:80:127.0.0.1:${port}`, '--allow-private', '--duration', `${RUN_MS}ms`, '--quiet'];
    const idle = machineIdle();
    const cost = await runCommands([{ file: node, args: [bin, ...args, ...reach] }], diskFolder, {
      watchesThreads: true,
    });
    const idleShare = await idle;
    await pause(FLUSHED_MS);
    return { ...cost, machineIdle: idleShare, ...tallyOf(readTurns(readFileSync(logFile, 'utf8'))) };
  } finally {
    removeFolder(diskFolder);
  }
}

function tallyOf(turns: readonly Turn[]): Pick<Crawl, 'requests' | 'perSecond' | 'smallestGapMs' | 'gapsBelow'> {
  const start = Math.min(...turns.slice(0, 1000).map(({ startedAt }) => startedAt));
  const inWindow = turns.filter(
    ({ startedAt }) => startedAt >= start + MEASURED_FROM_MS && startedAt < start + MEASURED_TO_MS,
  );
  const gaps = gapsOf(turns);
  return {
    requests: turns.length,
    perSecond: (inWindow.length * 1000) / (MEASURED_TO_MS - MEASURED_FROM_MS),
    smallestGapMs: gaps.smallestMs,
    gapsBelow: gaps.below(DELAY_MS),
  };
}

function publish(crawls: ReadonlyMap<Build, readonly Crawl[]>): void {
  const allowed = (HOSTS * 1000) / DELAY_MS;
  process.stdout.write(
    table(
      [
        ...[`${whole(HOSTS)} hosts at ${DELAY_MS} ms`, 'rounds', 'requests', 'requests/s', 'spread', 'of allowed'],
        ...['machine idle', 'CPU µs/request', 'peak MiB', 'smallest gap ms', `gaps below ${DELAY_MS} ms`, 'exit'],
      ],
      [...crawls].map(([{ name }, runs]) => rowOf(name, runs, allowed)),
    ),
  );
  const threads = [...crawls].map(([{ name }, runs]) => [
    name,
    ...threadCells(runs.map((run) => ({ threads: run.threads, count: run.requests }))),
  ]);
  process.stdout.write(`\n${table(threadHeadings('request'), threads)}`);
}

/** Medians, but for what must not happen even once. */
function rowOf(name: string, runs: readonly Crawl[], allowed: number): string[] {
  const { low, median: perSecond, high } = spreadOf(runs.map((run) => run.perSecond));
  const cpu = runs.flatMap(({ cpuMs, requests }) => (cpuMs === null ? [] : [(cpuMs * 1000) / requests]));
  const peaks = runs.flatMap(({ peakBytes }) => peakBytes ?? []);
  return [
    name,
    String(runs.length),
    whole(median(runs.map(({ requests }) => requests))),
    whole(perSecond),
    `${whole(low)}–${whole(high)}`,
    `${((100 * perSecond) / allowed).toFixed(1)} %`,
    `${(100 * median(runs.map((run) => run.machineIdle))).toFixed(0)} %`,
    cpu.length === 0 ? '–' : whole(median(cpu)),
    peaks.length === 0 ? '–' : whole(Math.max(...peaks) / 2 ** 20),
    Math.min(...runs.map(({ smallestGapMs }) => smallestGapMs)).toFixed(0),
    whole(runs.reduce((sum, { gapsBelow }) => sum + gapsBelow, 0)),
    [...new Set(runs.map(({ exitCode }) => exitCode))].join(' '),
  ];
}

/** The share of all cores that had nothing to do while requests were counted. */
async function machineIdle(): Promise<number> {
  await pause(MEASURED_FROM_MS);
  const before = processorTimes();
  await pause(MEASURED_TO_MS - MEASURED_FROM_MS);
  const after = processorTimes();
  return (after.idle - before.idle) / (after.all - before.all);
}

function processorTimes(): { idle: number; all: number } {
  const times = readFileSync('/proc/stat', 'utf8').split('\n')[0]!.trim().split(/\s+/).slice(1, 9).map(Number);
  return { idle: times[3]! + times[4]!, all: times.reduce((sum, time) => sum + time, 0) };
}

/** One folder for all hosts, with a start page that links to all others; and the list of hosts. */
function writeSite(folder: string, port: number): void {
  const seeds = Array.from({ length: HOSTS }, (_, host) => `http://host-${host}.test/\n`);
  writeFileSync(join(folder, 'seeds.txt'), seeds.join(''));
  const links = Array.from({ length: PAGES }, (_, page) => `<a href="/page-${page}">page ${page}</a>`).join('\n');
  writeFileSync(join(folder, 'index.html'), `<!DOCTYPE html><html><title>start</title>${links}</html>`);
  writeFileSync(join(folder, 'page.html'), '<!DOCTYPE html><html><title>page</title><a href="/">start</a></html>');
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${user}
worker_processes 1;
worker_rlimit_nofile 40000;
pid ${folder}/nginx.pid;
error_log stderr notice;
events { worker_connections 20000; }
http {
  log_format turns '$msec $request_time $host';
  access_log ${folder}/turns.log turns buffer=64k flush=1s;
  keepalive_requests 1000000;
  keepalive_timeout 300s;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  types { text/html html; text/plain txt; }
  default_type text/html;
  server {
    listen 127.0.0.1:${port} backlog=16384;
    root ${folder};
    location = / { try_files /index.html =404; }
    location /page- { try_files /page.html =404; }
    location / { return 404; }
  }
}
`,
  );
}
