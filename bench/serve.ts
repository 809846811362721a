import { once } from 'node:events';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts, startNginx } from '../test/real/nginx.js';
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
