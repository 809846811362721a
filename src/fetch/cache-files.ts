import { createHash, randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renameMeanwhile } from '../base/rename.js';

/**
 * The files of the cache. Names are hashes, so that no URL and no server can choose one:
 *
 *   entries/ab/<hash of method and URL>   what is known of an answer, as JSON; or which headers of a request choose among several
 *   bodies/ab/<hash of the content>       a body, once for however many answers have it
 *
 * A file is written beside its name and renamed: whoever reads it sees all of it or nothing, in any thread or process. An entry whose body has
 * gone is no entry. So nothing has to be locked, and files may be removed at any time.
 */
export class CacheFiles {
  readonly #directory: string;
  readonly #folders = new Set<string>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Null if there is none, or if it cannot be read. */
  async entry(key: string): Promise<unknown> {
    try {
      return JSON.parse(await readFile(this.#path('entries', key), 'utf8'));
    } catch {
      return null;
    }
  }

  writeEntry(key: string, entry: unknown): Promise<number> {
    return this.#write('entries', key, Buffer.from(JSON.stringify(entry)));
  }

  /** Null if there is none, or if its hash differs: a machine that lost its power may have left such a file. */
  async body(hash: string): Promise<Buffer | null> {
    try {
      const body = await readFile(this.#path('bodies', hash));
      return hashOf(body) === hash ? body : null;
    } catch {
      return null;
    }
  }

  /** Returns how many bytes were written: none if the same body is there already. */
  async writeBody(hash: string, body: Buffer): Promise<number> {
    const path = this.#path('bodies', hash);
    const there = await stat(path).catch(() => null);
    if (there?.size === body.length) {
      await touch(path);
      return 0;
    }
    return this.#write('bodies', hash, body);
  }

  /** They were of use: others go before them. */
  async used(keys: readonly string[], body: string | null): Promise<void> {
    await Promise.all([
      ...keys.map((key) => touch(this.#path('entries', key))),
      ...(body === null ? [] : [touch(this.#path('bodies', body))]),
    ]);
  }

  async #write(kind: Kind, name: string, bytes: Buffer): Promise<number> {
    const folder = join(this.#directory, kind, name.slice(0, 2));
    if (!this.#folders.has(folder)) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      this.#folders.add(folder);
    }
    const written = join(folder, `${TEMPORARY}${randomBytes(8).toString('hex')}`);
    try {
      await writeFile(written, bytes, { mode: 0o600, flag: 'wx' });
      await renameMeanwhile(written, join(folder, name));
    } catch (error) {
      this.#folders.delete(folder);
      await rm(written, { force: true }).catch(() => {});
      throw error;
    }
    return bytes.length;
  }

  #path(kind: Kind, name: string): string {
    return join(this.#directory, kind, name.slice(0, 2), name);
  }
}

type Kind = 'entries' | 'bodies';

export const hashOf = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

const touch = async (path: string): Promise<void> => {
  const now = new Date();
  await utimes(path, now, now).catch(() => {});
};

const TEMPORARY = '.writing-';
const OURS = /^[\da-f]{64}$/;
/** A partial file older than this belongs to no writer that still runs. */
const ABANDONED_MS = 3_600_000;
/** It is made smaller by a tenth more than it has to be, so that this is not done for every page. */
const LEFT_SHARE = 0.9;
const AT_ONCE = 64;

interface KeptFile {
  path: string;
  bytes: number;
  usedAt: number;
}

/** Removes what was not used for longest, until no more than `maxBytes` are left. Files that are not the cache's are never touched. */
export async function sweepCache(directory: string, maxBytes: number): Promise<void> {
  const files: KeptFile[] = [];
  let total = 0;
  for (const kind of ['entries', 'bodies']) {
    for (const folder of await names(join(directory, kind))) {
      if (!/^[\da-f]{2}$/.test(folder)) {
        continue;
      }
      for (const file of await filesIn(join(directory, kind, folder))) {
        total += file.bytes;
        files.push(file);
      }
    }
  }
  if (total <= maxBytes) {
    return;
  }
  files.sort((a, b) => a.usedAt - b.usedAt);
  for (const { path, bytes } of files) {
    if (total <= maxBytes * LEFT_SHARE) {
      return;
    }
    await rm(path, { force: true }).catch(() => {});
    total -= bytes;
  }
}

async function filesIn(folder: string): Promise<KeptFile[]> {
  const found: KeptFile[] = [];
  const all = await names(folder);
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const paths = all.slice(from, from + AT_ONCE).map((name) => ({ name, path: join(folder, name) }));
    const stats = await Promise.all(paths.map(({ path }) => stat(path).catch((): Stats | null => null)));
    for (const [i, { name, path }] of paths.entries()) {
      const facts = stats[i];
      if (!facts?.isFile()) {
        continue;
      }
      if (OURS.test(name)) {
        found.push({ path, bytes: facts.size, usedAt: facts.mtimeMs });
      } else if (name.startsWith(TEMPORARY) && Date.now() - facts.mtimeMs > ABANDONED_MS) {
        await rm(path, { force: true }).catch(() => {});
      }
    }
  }
  return found;
}

const names = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
