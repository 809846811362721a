import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsync,
  fsyncSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { StateError } from '../base/errors.js';
import { isHeld, renameMeanwhile, renameNow } from '../base/rename.js';
import type { OutputFile, OutputFiles } from './output.js';

/** Each is open until it is on disk; more than Node has threads for this would only wait. */
const MOST_SYNCING = 4;

/**
 * Files that take their names together, once all of them are complete and on disk. Until `commit` the files that had these names
 * stay as they were; after `discard` nothing of the new ones is left.
 */
export class AtomicFiles implements OutputFiles {
  readonly several = true;
  readonly #path: string;
  readonly #files: AtomicFile[] = [];
  /** Files that are closed and on their way to the disk. */
  readonly #syncing = new Set<Promise<void>>();
  #failures: unknown[] = [];

  constructor(path: string) {
    this.#path = throughLinks(path);
    removeAbandoned(this.#path);
  }

  create(): OutputFile {
    const file = new AtomicFile(this.#path, (each) => this.#sync(each));
    this.#files.push(file);
    return file;
  }

  /** The disk is slow for one file after the other, and much faster for several at once. */
  #sync(file: AtomicFile): void | Promise<void> {
    const syncing = file
      .closeMeanwhile()
      .catch((error: unknown) => {
        this.#failures.push(error);
      })
      .finally(() => this.#syncing.delete(syncing));
    this.#syncing.add(syncing);
    return this.#syncing.size < MOST_SYNCING ? undefined : Promise.race(this.#syncing);
  }

  /** Waits until what was closed is on disk, and throws where one file could not be. */
  async synced(): Promise<void> {
    await Promise.all(this.#syncing);
    if (this.#failures.length > 0) {
      throw this.#failures[0];
    }
  }

  commit(): void {
    for (const file of this.#files) {
      file.closeNow();
    }
    this.#rename();
    syncFolder(dirname(this.#path));
  }

  /**
   * Commits outputs of one folder: it waits for the disk once for all of their files, not once for each, and others have their turn on
   * this thread meanwhile. `last` takes its name when the others have theirs.
   */
  static async commitTogether(outputs: readonly AtomicFiles[], last: AtomicFiles): Promise<void> {
    const closing = [...outputs, last].flatMap((each) => each.#files.map((file) => file.closeMeanwhile()));
    // Only when none is under way any more may what is left of them be discarded.
    await Promise.allSettled(closing);
    await Promise.all(closing);
    for (const group of [outputs, [last]]) {
      for (const each of group) {
        await each.#renameMeanwhile();
      }
      await syncFolderMeanwhile(dirname(last.#path));
    }
  }

  #rename(): void {
    this.#refuseSameNames();
    for (const file of this.#files) {
      file.rename();
    }
  }

  async #renameMeanwhile(): Promise<void> {
    this.#refuseSameNames();
    for (const file of this.#files) {
      await file.renameMeanwhile();
    }
  }

  #refuseSameNames(): void {
    const names = new Set(this.#files.map((file) => file.finalPath));
    if (names.size !== this.#files.length) {
      throw new Error(`two files of one output have the same name, beside ${this.#path}`);
    }
  }

  discard(): void {
    for (const file of this.#files) {
      file.discard();
    }
  }
}

export function writeFileAtomically(path: string, text: string): void {
  const files = new AtomicFiles(path);
  try {
    files.create().write(Buffer.from(text));
    files.commit();
  } catch (error) {
    files.discard();
    throw error;
  }
}

class AtomicFile implements OutputFile {
  readonly #path: string;
  readonly #temporaryPath: string;
  #descriptor: number | null;
  #suffix = '';
  #isRenamed = false;
  #closing: Promise<void> | null = null;
  readonly #sync: (file: AtomicFile) => void | Promise<void>;

  constructor(path: string, sync: (file: AtomicFile) => void | Promise<void>) {
    this.#path = path;
    this.#sync = sync;
    this.#temporaryPath = join(
      dirname(path),
      `${temporaryPrefix(path)}${process.pid}-${randomBytes(8).toString('hex')}.tmp`,
    );
    this.#descriptor = this.#try(() => openSync(this.#temporaryPath, 'wx'));
  }

  get finalPath(): string {
    return join(dirname(this.#path), this.#name());
  }

  write(bytes: Uint8Array): void {
    this.#try(() => writeFully(this.#descriptor!, bytes, null));
  }

  close(): void | Promise<void> {
    return this.#sync(this);
  }

  closeNow(): void {
    if (this.#descriptor === null) {
      return;
    }
    const descriptor = this.#descriptor;
    this.#try(() => fsyncSync(descriptor));
    this.#release();
  }

  #release(): void {
    const descriptor = this.#descriptor!;
    this.#descriptor = null;
    this.#try(() => closeSync(descriptor));
  }

  closeMeanwhile(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#descriptor === null) {
      return;
    }
    try {
      await fsyncMeanwhile(this.#descriptor);
    } catch (error) {
      throw outputFailure(this.finalPath, error);
    }
    this.#release();
  }

  place(suffix: string): string {
    // Suffixes are made from names of hosts, which strangers choose.
    if (!/^[\w.-]*$/.test(suffix)) {
      throw new Error(`not fit for a file name: ${JSON.stringify(suffix)}`);
    }
    this.#suffix = suffix;
    return this.#name();
  }

  rename(): void {
    this.#try(() => renameNow(this.#temporaryPath, this.finalPath));
    this.#isRenamed = true;
  }

  async renameMeanwhile(): Promise<void> {
    try {
      await renameMeanwhile(this.#temporaryPath, this.finalPath);
    } catch (error) {
      throw outputFailure(this.finalPath, error);
    }
    this.#isRenamed = true;
  }

  discard(): void {
    if (this.#descriptor !== null) {
      closeSync(this.#descriptor);
      this.#descriptor = null;
    }
    if (!this.#isRenamed) {
      rmSync(this.#temporaryPath, { force: true });
    }
  }

  #name(): string {
    const extension = /\.\w+\.gz$/.exec(this.#path)?.[0] ?? extname(this.#path);
    return `${basename(this.#path, extension)}${this.#suffix}${extension}`;
  }

  #try<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw outputFailure(this.finalPath, error);
    }
  }
}

/** At `position`, or where the file stands when that is null. One call may write less than all of it. */
export function writeFully(descriptor: number, bytes: Uint8Array, position: number | null): void {
  for (let written = 0; written < bytes.length; ) {
    const at = position === null ? null : position + written;
    written += writeSync(descriptor, bytes, written, bytes.length - written, at);
  }
}

export function outputFailure(path: string, error: unknown, platform: NodeJS.Platform = process.platform): StateError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new StateError('disk_full', `cannot write ${path}: the disk is full`, { cause: error });
  }
  if (code === 'ENOTDIR' || (code === 'ENOENT' && !existsSync(dirname(path)))) {
    return new StateError('output', `cannot write ${path}: there is no folder ${dirname(path)}`, { cause: error });
  }
  if (isHeld(error, platform)) {
    return new StateError('output', `cannot write ${path}: another program has it open, or you may not write there`, {
      cause: error,
    });
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new StateError('output', `cannot write ${path}: no permission`, { cause: error });
  }
  return new StateError('output', `cannot write ${path}: ${message}`, { cause: error });
}

/** Renaming onto a link would replace the link, not the file it stands for. */
function throughLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const temporaryPrefix = (path: string): string => `.${basename(path)}.`;

/** What a process that was killed while it wrote the same output has left behind. */
function removeAbandoned(path: string): void {
  const prefix = temporaryPrefix(path);
  for (const name of namesIn(dirname(path))) {
    const owner = name.startsWith(prefix)
      ? /^(\d+)-[0-9a-f]{16}\.tmp$/.exec(name.slice(prefix.length))?.[1]
      : undefined;
    if (owner !== undefined && !isAlive(Number(owner))) {
      rmSync(join(dirname(path), name), { force: true });
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Missing or unreadable: creating the file says so.
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A new name is durable only when its folder is. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') {
    return;
  }
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

async function syncFolderMeanwhile(folder: string): Promise<void> {
  if (process.platform === 'win32') {
    return;
  }
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

const fsyncMeanwhile = promisify(fsync);
