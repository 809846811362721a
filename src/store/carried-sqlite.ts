import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { StateError } from '../base/errors.js';
import { ownUrl } from '../base/own-url.js';

const here = ownUrl(import.meta.url);
const require = createRequire(here);

/**
 * The SQLite that the package carries for this machine, in dist/sqlite/ (scripts/build.js). Every thread takes it from the one file: two
 * copies of SQLite in a process undo each other's locks.
 */
export function loadCarriedSqlite(system: string = thisSystem()): unknown {
  try {
    return require(carriedFile(system));
  } catch (cause) {
    const [why] = (cause as Error).message.split('\n');
    const lacking = `Node ${process.version} has no SQLite of its own, and the package's for ${system} does not load`;
    throw new StateError('no_sqlite', `${lacking}: use Node 22.13 or later (${why})`, { cause });
  }
}

/** In the package, or where somebody who bundled the library put a copy: in the folder `sqlite` beside the bundle. */
function carriedFile(system: string): string {
  const beside = fileURLToPath(new URL(`./sqlite/${system}.node`, here));
  return existsSync(beside) ? beside : `#sqlite/${system}.node`;
}

function thisSystem(): string {
  const isMusl = process.platform === 'linux' && namesMusl(readHead(process.execPath));
  return `${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`;
}

/** Whether a program of Linux is made for musl: the name of its loader stands right behind its headers. */
export const namesMusl = (head: Buffer): boolean => head.includes('/ld-musl-');

function readHead(file: string): Buffer {
  const head = Buffer.alloc(4096);
  const handle = openSync(file, 'r');
  try {
    return head.subarray(0, readSync(handle, head));
  } finally {
    closeSync(handle);
  }
}
