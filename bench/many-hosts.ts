import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { installRealSites } from '../test/real/install.js';
import { freePorts, startNginx } from '../test/real/nginx.js';
import { say } from './compete.js';
import { table, whole } from './figures.js';
import { DISK_FOLDER, GOSSAMER_BIN, RAM_FOLDER, removeFolder, temporaryFolder } from './folders.js';
import { gapsOf, readTurns } from './host-log.js';
import { runCommands } from './run.js';
import type { Scenario } from './scenario.js';

const HOSTS = 10_000;
const DELAY_MS = 1_000;
const RUN_MS = 75_000;
/** Robots, sitemaps and the first connections are over by then. */
const MEASURED_FROM_MS = 25_000;
const MEASURED_TO_MS = 70_000;
const PAGES = 100;

/** Ten thousand hosts behind one nginx, each with its delay: how much of what the delays allow is used, and whether they are kept. */
export const manyHosts: Scenario = {
  word: 'hosts',
  sentence: `${whole(HOSTS)} hosts at ${DELAY_MS} ms delay: requests a second, and the smallest gap at any host by the server's log`,
  run: async () => {
    const { nginx } = await installRealSites(say);
    const folder = temporaryFolder(RAM_FOLDER);
    const diskFolder = temporaryFolder(DISK_FOLDER);
    try {
      const [port] = (await freePorts(1)) as [number];
      writeSite(folder, port);
      const server = await startNginx(nginx, folder);
      try {
        await measure(port, folder, diskFolder);
      } finally {
        const closed = once(server, 'close');
        server.kill('SIGTERM');
        await closed;
      }
    } finally {
      removeFolder(folder);
      removeFolder(diskFolder);
    }
  },
};

async function measure(port: number, folder: string, diskFolder: string): Promise<void> {
  const seeds = Array.from({ length: HOSTS }, (_, host) => `http://host-${host}.test/`);
  writeFileSync(join(folder, 'seeds.txt'), `${seeds.join('\n')}\n`);
  const args = ['crawl', '--seeds-file', join(folder, 'seeds.txt'), '--data-dir', join(diskFolder, 'crawl')];
  const reach = ['--connect-to', `:80:127.0.0.1:${port}`, '--allow-private', '--duration', `${RUN_MS}ms`, '--quiet'];
  const idle = machineIdle();
  const cost = await runCommands([{ file: process.execPath, args: [GOSSAMER_BIN, ...args, ...reach] }], diskFolder);
  const idleShare = await idle;
  const turns = readTurns(readFileSync(join(folder, 'turns.log'), 'utf8'));
  const start = Math.min(...turns.slice(0, 1000).map(({ startedAt }) => startedAt));
  const inWindow = turns.filter(
    ({ startedAt }) => startedAt >= start + MEASURED_FROM_MS && startedAt < start + MEASURED_TO_MS,
  );
  const perSecond = (inWindow.length * 1000) / (MEASURED_TO_MS - MEASURED_FROM_MS);
  const allowed = (HOSTS * 1000) / DELAY_MS;
  const gaps = gapsOf(turns);
  process.stdout.write(
    table(
      [
        ...['many hosts', 'requests', 'requests/s', 'of allowed', 'machine idle', 'CPU µs/request', 'peak MiB'],
        ...['smallest gap ms', `gaps below ${DELAY_MS} ms`, 'exit'],
      ],
      [
        [
          `${whole(HOSTS)} at ${DELAY_MS} ms`,
          whole(turns.length),
          whole(perSecond),
          `${((100 * perSecond) / allowed).toFixed(1)} %`,
          `${(100 * idleShare).toFixed(0)} %`,
          cost.cpuMs === null ? '–' : whole((cost.cpuMs * 1000) / turns.length),
          cost.peakBytes === null ? '–' : whole(cost.peakBytes / 2 ** 20),
          gaps.smallestMs.toFixed(0),
          whole(gaps.below(DELAY_MS)),
          String(cost.exitCode),
        ],
      ],
    ),
  );
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

/** One folder for all hosts: a start page that links to all others. */
function writeSite(folder: string, port: number): void {
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
