import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StateError } from '../base/errors.js';
import { syncFolder } from '../base/folders.js';
import { renameMeanwhile, renameNow } from '../base/rename.js';

/**
 * The folder `added` of a crawl: URLs that another process wants it to take up. The store has one writer, the run, so whoever is not the run
 * leaves a file here instead. A file takes its name when all of it is on the disk, and goes when its URLs are in the store: a kill at any
 * moment loses none of them, and at worst a URL is taken up twice, which is once.
 */
export const MAIL_FOLDER = 'added';

/** One URL of a file. It is in normal form. */
export interface MailedUrl {
  url: string;
  depth: number;
  rank: number | null;
  /** Text of JSON. */
  data: string | null;
}

/** The most URLs in a file: one file is one commit. */
const URLS_A_FILE = 5_000;

const isMail = (name: string): boolean => name.endsWith('.json') && !name.startsWith('.');

const folderOf = (directory: string): string => join(directory, MAIL_FOLDER);

/** On the disk when it returns. */
export function leaveMail(directory: string, urls: readonly MailedUrl[]): void {
  const folder = folderOf(directory);
  const stamp = `${String(Date.now()).padStart(15, '0')}-${randomBytes(6).toString('hex')}`;
  try {
    for (let from = 0, piece = 0; from < urls.length; from += URLS_A_FILE, piece++) {
      const name = `${stamp}-${String(piece).padStart(6, '0')}.json`;
      writeMail(directory, name, JSON.stringify({ urls: urls.slice(from, from + URLS_A_FILE) }));
    }
    syncFolder(folder);
    syncFolder(directory);
  } catch (error) {
    throw new StateError('unwritable', `cannot write to ${folder}: ${(error as Error).message}`, { cause: error });
  }
}

function writeMail(directory: string, name: string, text: string): void {
  const folder = folderOf(directory);
  // A run that ends takes an empty folder with it: it may have gone since the last line.
  for (let tries = 3; ; tries--) {
    mkdirSync(folder, { recursive: true });
    try {
      const path = join(folder, `.${name}.tmp`);
      const file = openSync(path, 'wx', 0o600);
      try {
        writeFileSync(file, text);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameNow(path, join(folder, name));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === 0) {
        throw error;
      }
    }
  }
}

/** Whether URLs wait to be taken up. */
export function hasMail(directory: string): boolean {
  try {
    return readdirSync(folderOf(directory)).some(isMail);
  } catch {
    return false;
  }
}

/** The mail of a running crawl. Nothing here waits for the disk in the thread that calls it. */
export class Mailbox {
  readonly folder: string;

  constructor(directory: string) {
    this.folder = folderOf(directory);
  }

  /** So that it can be watched. */
  async open(): Promise<void> {
    await mkdir(this.folder, { recursive: true });
  }

  /** Names of files that wait, the oldest first. */
  async names(): Promise<string[]> {
    try {
      return (await readdir(this.folder)).filter(isMail).sort();
    } catch {
      return [];
    }
  }

  /** Null if it is not a file of ours: it is then put aside under another name. */
  async read(name: string): Promise<MailedUrl[] | null> {
    const path = join(this.folder, name);
    const urls = urlsIn(await readFile(path, 'utf8'));
    if (urls === null) {
      await renameMeanwhile(path, `${path}.refused`);
    }
    return urls;
  }

  /** All of it is in the store. */
  async taken(name: string): Promise<void> {
    await rm(join(this.folder, name), { force: true });
  }

  /** Stops watching. */
  async close(): Promise<void> {
    // It stays if something is in it.
    await rmdir(this.folder).catch(() => {});
  }
}

function urlsIn(text: string): MailedUrl[] | null {
  try {
    const { urls } = JSON.parse(text) as { urls: unknown };
    return Array.isArray(urls) && urls.every(isMailed) ? urls : null;
  } catch {
    return null;
  }
}

function isMailed(value: unknown): value is MailedUrl {
  const { url, depth, rank, data } = (value ?? {}) as Record<string, unknown>;
  return (
    typeof url === 'string' &&
    Number.isSafeInteger(depth) &&
    (rank === null || Number.isSafeInteger(rank)) &&
    (data === null || typeof data === 'string')
  );
}
