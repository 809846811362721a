import {
  closeSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { renameNow } from '../base/rename.js';
import { outputFailure, writeFully } from '../report/atomic-file.js';
import { fileOf } from './layout.js';

/** Writes one page of a tree. It has its name when all of it is there, and never shares its bytes with a file that was there. */
export function writePageFile(dir: string, path: string, bytes: Uint8Array): void {
  const file = fileOf(dir, path);
  const beside = `${file}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    rmSync(beside, { force: true });
    const descriptor = openSync(beside, 'wx');
    try {
      writeFully(descriptor, bytes, null);
    } finally {
      closeSync(descriptor);
    }
    renameNow(beside, file);
  } catch (error) {
    throw outputFailure(file, error);
  }
}

/** Makes files durable, several at a time: a disk takes many together in hardly more time than one. */
export class Flusher {
  #files: string[] = [];

  async add(file: string): Promise<void> {
    this.#files.push(file);
    if (this.#files.length >= FLUSHED_TOGETHER) {
      await this.flush();
    }
  }

  async flush(): Promise<void> {
    const files = this.#files;
    this.#files = [];
    await Promise.all(files.map(flushFile));
  }
}

const FLUSHED_TOGETHER = 64;

async function flushFile(file: string): Promise<void> {
  try {
    const handle = await open(file, 'r+');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    throw outputFailure(file, error);
  }
}

/** The same file in another tree: its bytes and its time. */
export function linkFile(from: string, to: string, path: string): void {
  const [source, target] = [fileOf(from, path), fileOf(to, path)];
  try {
    mkdirSync(dirname(target), { recursive: true });
    rmSync(target, { force: true });
    try {
      linkSync(source, target);
    } catch {
      // Not every file system has links.
      copyFileSync(source, target);
      const { atime, mtime } = statSync(source);
      utimesSync(target, atime, mtime);
    }
  } catch (error) {
    throw outputFailure(target, error);
  }
}

/** Whether the file is there with just these bytes. */
export function isFileEqual(dir: string, path: string, bytes: Uint8Array): boolean {
  try {
    return readFileSync(fileOf(dir, path)).equals(bytes);
  } catch {
    return false;
  }
}

/** Every file below a folder that is no folder, as a path with `/`; links are not followed. */
export function* filesBelow(dir: string, prefix = ''): Generator<string> {
  for (const entry of readdirSync(join(dir, prefix), { withFileTypes: true })) {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) {
      yield* filesBelow(dir, `${path}/`);
    } else {
      yield path;
    }
  }
}

/** Removes folders that hold nothing. */
export function removeEmptyFolders(dir: string): void {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    if (!entry.isDirectory()) {
      continue;
    }
    const folder = join(dir, entry.name);
    removeEmptyFolders(folder);
    if (readdirSync(folder).length === 0) {
      rmdirSync(folder);
    }
  }
}

/** A path that a file names as one of a page, and that is one: it cannot lead out of the tree. */
export function isTreePath(path: unknown): path is string {
  return (
    typeof path === 'string' &&
    path.endsWith('.md') &&
    path.split('/').every((name) => name !== '' && name !== '.' && name !== '..' && !/[\\:\0]/.test(name))
  );
}
