import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { nginxConfig } from '../test/real/nginx-config.js';
import { LOG_FORMAT, readVisits, type Visit } from './access-log.js';
import { RAM_FOLDER, removeFolder, temporaryFolder } from './folders.js';

export interface SiteFolder {
  readonly host: string;
  readonly root: string;
  /** Seen from the root. */
  readonly startPage: string;
}

/** Sites on loopback whose server keeps a log of the requests: it says what a contestant fetched, not the contestant. */
export interface Field {
  readonly starts: string[];
  forgetVisits(): void;
  visits(): Promise<Visit[]>;
  close(): Promise<void>;
}

const FLUSH_MS = 1000;

/** A port of its own for each site, until close() or the end of the process. */
export async function serve(nginx: string, sites: readonly SiteFolder[]): Promise<Field> {
  const folder = temporaryFolder(RAM_FOLDER);
  const logFile = join(folder, 'visits.log');
  const [sharedPort, ...ports] = (await freePorts(sites.length + 1)) as [number, ...number[]];
  const bindings = sites.map((site, i) => ({ ...site, port: ports[i]! }));
  const logging = `${LOG_FORMAT}\n  access_log ${logFile} visits buffer=64k flush=${FLUSH_MS}ms;`;
  const config = nginxConfig(folder, sharedPort, bindings, {}).replace('access_log off;', () => logging);
  writeFileSync(join(folder, 'nginx.conf'), config);
  const server = await startNginx(nginx, folder);
  const stop = () => server.kill('SIGTERM');
  process.on('exit', stop);
  return {
    starts: bindings.map(({ port, startPage }) => `http://127.0.0.1:${port}/${startPage.replace(/index\.html$/, '')}`),
    forgetVisits: () => truncateSync(logFile),
    visits: async () => {
      await pause(FLUSH_MS * 1.5);
      return readVisits(readFileSync(logFile, 'utf8'));
    },
    close: async () => {
      process.off('exit', stop);
      const closed = once(server, 'close');
      stop();
      await closed;
      removeFolder(folder);
    },
  };
}

/** Held all at once, so that no two are the same. */
async function freePorts(count: number): Promise<number[]> {
  const holders = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(holders.map((holder) => once(holder, 'listening')));
  const ports = holders.map((holder) => (holder.address() as { port: number }).port);
  await Promise.all(holders.map((holder) => once(holder.close(), 'close')));
  return ports;
}

function startNginx(nginx: string, folder: string): Promise<ChildProcess> {
  const child = spawn(nginx, ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`nginx ended with code ${code}:\n${said}`)));
    createInterface(child.stderr).on('line', (line) => {
      said = `${said}${line}\n`.slice(-4000);
      if (line.includes('start worker process ')) resolve(child);
    });
  });
}
