import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installRealSites } from './install.js';
import { freePorts, startNginx } from './nginx.js';
import { nginxConfig } from './nginx-config.js';
import { WORK_FOLDER } from './sites.js';

export interface ServedSite {
  readonly name: string;
  /** The start page on the site's own port of 127.0.0.1. */
  readonly url: string;
  /** The name by which the shared port knows the site; see connectTo. */
  readonly host: string;
  readonly root: string;
  readonly packageName: string;
  readonly version: string;
}

export interface ServedSites {
  readonly sites: ServedSite[];
  /** Values for --connect-to: with them http://<host>/ reaches the shared port. */
  readonly connectTo: string[];
  close(): Promise<void>;
}

export interface ServeOptions {
  /** Off unless named. */
  accessLogFile?: string;
  gzip?: boolean;
  /** Sent with text types; without it pages have to say their encoding themselves. */
  charset?: string;
  say?: (line: string) => void;
}

/** A free port can be taken by another process before nginx binds it. */
const PORT_ATTEMPTS = 5;

/** Installs what is missing and serves the four documentation sites on loopback, until close() or the end of the process. */
export async function serveRealSites(options: ServeOptions = {}): Promise<ServedSites> {
  const say = options.say ?? ((line) => process.stderr.write(`${line}\n`));
  const { nginx, sites } = await installRealSites(say);
  const folder = join(WORK_FOLDER, `nginx-${process.pid}`);
  await mkdir(folder, { recursive: true });
  let server: ChildProcess | null = null;
  let ports: number[] = [];
  for (let attempt = 1; server === null; attempt++) {
    ports = await freePorts(sites.length + 1);
    const bindings = sites.map((site, i) => ({ ...site, port: ports[i + 1] as number }));
    await writeFile(join(folder, 'nginx.conf'), nginxConfig(folder, ports[0] as number, bindings, options));
    server = await startNginx(nginx, folder).catch((error: Error) => {
      if (attempt < PORT_ATTEMPTS && error.message.includes('Address already in use')) {
        return null;
      }
      throw error;
    });
  }
  const close = stopWithProcess(server, folder);
  return {
    sites: sites.map(({ name, host, root, startPage, packageName, version }, i) => ({
      name,
      host,
      root,
      packageName,
      version,
      url: new URL(startPage.replace(/index\.html$/, ''), `http://127.0.0.1:${ports[i + 1]}/`).href,
    })),
    connectTo: sites.map(({ host }) => `${host}:80:127.0.0.1:${ports[0]}`),
    close,
  };
}

/** Ties the life of nginx and of its folder to that of this process; the returned function ends both earlier. */
function stopWithProcess(child: ChildProcess, folder: string): () => Promise<void> {
  const abandon = () => {
    child.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  };
  const onSignal = (signal: NodeJS.Signals) => {
    abandon();
    forget();
    // With the handlers gone the signal does what it does to any process.
    process.kill(process.pid, signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const forget = () => {
    process.off('exit', abandon);
    for (const signal of signals) {
      process.off(signal, onSignal);
    }
  };
  process.on('exit', abandon);
  for (const signal of signals) {
    process.on(signal, onSignal);
  }
  return async () => {
    forget();
    if (child.exitCode === null && child.signalCode === null) {
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await closed;
    }
    await rm(folder, { recursive: true, force: true });
  };
}
