import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DRIVERS_FOLDER, PEERS_FOLDER } from './folders.js';
import { NODES } from './nodes.js';
import { PEERS } from './peers/index.js';
import { folderOf, type Installable } from './peers/peer.js';

const INSTALL_LIMIT_MS = 3_600_000;
const reasonFile = (peer: Installable): string => join(PEERS_FOLDER, `${peer.name}.reason`);

/** Installs what it can of the peers, other versions of Node, and GNU time. What could not be had is remembered with the reason. */
export function setup(only: readonly string[] | null, say: (line: string) => void): void {
  if (!existsSync('/usr/bin/time')) {
    runLine('apt-get update -qq && apt-get install -y --no-install-recommends time', '/');
  }
  for (const peer of [...PEERS, ...NODES].filter(({ name }) => only === null || only.includes(name))) {
    const folder = folderOf(peer.name);
    say(`${peer.name}: ${peer.install}`);
    mkdirSync(folder, { recursive: true });
    const driver = join(DRIVERS_FOLDER, peer.name);
    if (existsSync(driver)) {
      cpSync(driver, folder, { recursive: true });
    }
    const failure = runLine(peer.install, folder);
    if (failure === null) {
      rmSync(reasonFile(peer), { force: true });
    } else {
      writeFileSync(reasonFile(peer), failure);
      say(`${peer.name} could not be had: ${failure}`);
    }
  }
}

export function whyAbsent(peer: Installable): string {
  return existsSync(reasonFile(peer))
    ? readFileSync(reasonFile(peer), 'utf8')
    : 'not installed; npm run bench -- --setup';
}

/** Null, or the last that was said, without the addresses of servers: they mean nothing to a reader. */
function runLine(line: string, cwd: string): string | null {
  const { status, error, stdout, stderr } = spawnSync('sh', ['-c', line], {
    cwd,
    encoding: 'utf8',
    timeout: INSTALL_LIMIT_MS,
    maxBuffer: 2 ** 28,
  });
  if (status === 0) {
    return null;
  }
  const said = `${stdout}\n${stderr}`.trim().split('\n').slice(-2).join(' ');
  return (error?.message ?? said)
    .replace(/https?:\/\/\S+/g, '…')
    .replace(/\s+/g, ' ')
    .slice(0, 300);
}
