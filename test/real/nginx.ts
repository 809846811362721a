import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Held all at once, so that no two are the same. */
export async function freePorts(count: number): Promise<number[]> {
  const holders = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(holders.map((holder) => once(holder, 'listening')));
  const ports = holders.map((holder) => (holder.address() as { port: number }).port);
  await Promise.all(holders.map((holder) => once(holder.close(), 'close')));
  return ports;
}

/** With the nginx.conf of the folder, which has to send notices to stderr. Settles when a worker runs, or fails with what nginx said. */
export function startNginx(nginx: string, folder: string): Promise<ChildProcess> {
  const child = spawn(nginx, ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`nginx ended with code ${code}:\n${said.join('\n')}`)));
    createInterface(child.stderr).on('line', (line) => {
      if (said.push(line) > 20) {
        said.shift();
      }
      if (line.includes('start worker process ')) {
        resolve(child);
      }
    });
  });
}
