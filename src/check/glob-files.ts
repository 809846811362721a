import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import picomatch from 'picomatch';
import { StateError, UsageError } from '../base/errors.js';
import { formatCount } from '../base/figures.js';
import { printable } from '../base/text.js';

export interface FileSearch {
  /** Where relative patterns start; the current folder where it is left out. */
  cwd?: string;
  /** The extensions of files that are taken from a folder which is named without a pattern: in lower case, without the dot. */
  extensions?: readonly string[];
  mostFiles?: number;
}

const MARKDOWN = ['md', 'markdown'];
const MOST_FILES = 100_000;
const MAGIC = /[*?[{]/;

/**
 * The files that arguments name, sorted, each once: a file, a folder (every file below it with one of the extensions) or a glob.
 * Globs are picomatch's: `*` and `?` stay within a name, `**` is any number of folders, `{a,b}`, `{1..3}` and `[a-z]` are choices, `\` takes
 * the next character as it is. What is below node_modules and folders that begin with a dot is passed over, unless it is named.
 */
export async function findFiles(patterns: readonly string[], search: FileSearch = {}): Promise<string[]> {
  const found = new Set<string>();
  for (const pattern of patterns) {
    const files = await new Walk(search).filesOf(pattern);
    if (files.length === 0) {
      throw new UsageError(`${printable(pattern)}: no file matches`);
    }
    for (const file of files) {
      found.add(file);
    }
  }
  return [...found].sort();
}

/**
 * Walks by itself, since no library of globs walks a folder once that links give several names, says which folder may not be read, and
 * stops at too many files.
 */
class Walk {
  readonly #cwd: string;
  readonly #extensions: readonly string[];
  readonly #mostFiles: number;
  readonly #seenFolders = new Set<string>();
  /** Links to folders are walked last. So a file keeps the name that it has without a link, and a loop of links ends. */
  readonly #links: string[] = [];
  readonly #files: string[] = [];

  constructor({ cwd = process.cwd(), extensions = MARKDOWN, mostFiles = MOST_FILES }: FileSearch) {
    this.#cwd = cwd;
    this.#extensions = extensions;
    this.#mostFiles = mostFiles;
  }

  async filesOf(pattern: string): Promise<string[]> {
    const written = (process.platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern).replace(/^(?:\.\/+)+/, '');
    const stats = await stat(resolve(this.#cwd, written)).catch(() => null);
    if (stats?.isFile()) {
      return [written];
    }
    if (stats?.isDirectory()) {
      const folder = withoutSlash(written);
      const hasExtension = (file: string) => this.#extensions.some((end) => file.toLowerCase().endsWith(`.${end}`));
      await this.#walk(folder === '.' || folder === '' ? (isAbsolute(written) ? '/' : '') : folder, hasExtension);
    } else if (MAGIC.test(written)) {
      await this.#walk(literalFolder(written), matcherOf(written, pattern));
    }
    return this.#files;
  }

  async #walk(folder: string, isWanted: (file: string) => boolean): Promise<void> {
    await this.#walkOne(folder, isWanted);
    for (const link of this.#links) {
      await this.#walkOne(link, isWanted);
    }
  }

  async #walkOne(folder: string, isWanted: (file: string) => boolean): Promise<void> {
    const place = resolve(this.#cwd, folder);
    const real = await realpath(place).catch(() => null);
    if (real === null || this.#seenFolders.has(real)) {
      return;
    }
    this.#seenFolders.add(real);
    for (const entry of await entriesOf(place)) {
      if (entry.name.startsWith('.')) {
        continue;
      }
      const path = folder === '' ? entry.name : `${folder.replace(/\/$/, '')}/${entry.name}`;
      const kind = await kindOf(entry, join(place, entry.name));
      if (kind === 'file' && isWanted(path)) {
        this.#add(path);
      }
      if (kind !== 'folder' || entry.name === 'node_modules') {
        continue;
      }
      if (entry.isSymbolicLink()) {
        this.#links.push(path);
      } else {
        await this.#walkOne(path, isWanted);
      }
    }
  }

  #add(path: string): void {
    if (this.#files.length >= this.#mostFiles) {
      throw new UsageError(`${formatCount(this.#mostFiles)} files are the most that one pattern may match`);
    }
    this.#files.push(path);
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      return [];
    }
    throw new StateError('input', `cannot read the folder ${printable(folder)} (${code})`, { cause });
  }
}

/** Links count as what they lead to. */
async function kindOf(entry: Dirent, path: string): Promise<'file' | 'folder' | null> {
  const stats = entry.isSymbolicLink() ? await stat(path).catch(() => null) : entry;
  return stats?.isFile() ? 'file' : stats?.isDirectory() ? 'folder' : null;
}

/** `C:` alone would be the current folder of that drive, so the root of a drive keeps its slash. */
const withoutSlash = (folder: string): string => folder.replace(/(?<!^[a-z]:)\/+$/i, '');

/** The folders of a pattern before its first wildcard: the walk begins there. */
function literalFolder(pattern: string): string {
  const segments = pattern.split('/');
  const literal = segments.slice(
    0,
    segments.findIndex((segment) => MAGIC.test(segment) || segment.includes('\\')),
  );
  const folder = literal.join('/');
  return (literal.length === 1 && folder === '') || /^[a-z]:$/i.test(folder) ? `${folder}/` : folder;
}

/** Escapes parentheses, bars and an unclosed bracket, which are ordinary characters of names here. */
const PART_OF_NAME = /\\.|\[[^\]]+\]|[()|[\]]/gsu;

function matcherOf(glob: string, pattern: string): (file: string) => boolean {
  const escaped = glob.replace(PART_OF_NAME, (token) => (token.length === 1 ? `\\${token}` : token));
  try {
    return picomatch(escaped, { dot: true, posix: true, nonegate: true, noextglob: true, strictBrackets: true });
  } catch {
    throw new UsageError(`${printable(pattern)}: this is not a pattern; a "{" or "[" may not be closed`);
  }
}
