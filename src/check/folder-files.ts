import { readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** What a request for a path of a folder finds there. */
export type Found = { kind: 'file'; file: string; bytes: number } | { kind: 'folder' } | { kind: 'listing' } | null;

/** Whether a folder without an index is there too, as where a source is shown and not a site. */
export type Lists = 'always' | 'unless HTML' | 'never';

const HTML = /\.(?:html?|xhtml)$/i;
const INDEXES = ['index.html', 'index.htm'];

/** A file system that takes `About` for `about` would hide links that are dead on the host. */
const IS_CASE_BLIND = process.platform === 'darwin' || process.platform === 'win32';

/** The files of one folder, looked up as static hosts do. Nothing outside of it is ever found, not by a link either. */
export class FolderFiles {
  readonly #root: string;
  readonly #lists: Lists;

  /** @param root a real path, without links in it */
  constructor(root: string, lists: Lists) {
    this.#root = root;
    this.#lists = lists;
  }

  /** @param path what stands behind the base path: percent-encoded, `/` between segments, none in front */
  async find(path: string): Promise<Found> {
    const names = namesOf(path);
    if (names === null) {
      return null;
    }
    const asked = join(this.#root, ...names);
    if (path === '' || path.endsWith('/')) {
      return (await this.#index(asked)) ?? (await this.#listing(asked));
    }
    return (
      (await this.#file(asked)) ??
      (await this.#file(`${asked}.html`)) ??
      (await this.#file(`${asked}.htm`)) ??
      ((await this.#index(asked)) === null ? await this.#listing(asked) : { kind: 'folder' })
    );
  }

  async #listing(asked: string): Promise<Found> {
    if (this.#lists === 'never') {
      return null;
    }
    try {
      const folder = await realpath(asked);
      const isOurs = folder === this.#root || this.#holds(folder);
      if (!isOurs || !(await stat(folder)).isDirectory()) {
        return null;
      }
      const isOfSite = this.#lists === 'unless HTML' && (await readdir(folder)).some((name) => HTML.test(name));
      return isOfSite ? null : { kind: 'listing' };
    } catch {
      return null;
    }
  }

  async #index(folder: string): Promise<Found> {
    for (const name of INDEXES) {
      const found = await this.#file(join(folder, name));
      if (found !== null) {
        return found;
      }
    }
    return null;
  }

  async #file(asked: string): Promise<Found> {
    try {
      const file = await realpath(asked);
      if (!this.#holds(file) || (IS_CASE_BLIND && differsInCase(file, asked))) {
        return null;
      }
      const stats = await stat(file);
      return stats.isFile() ? { kind: 'file', file, bytes: stats.size } : null;
    } catch {
      // Missing, a loop of links, a name too long, no permission: a host would not serve it either.
      return null;
    }
  }

  #holds(file: string): boolean {
    return file.startsWith(this.#root.endsWith(sep) ? this.#root : this.#root + sep);
  }
}

/** The names that a path is made of, or null if one cannot be that of a file below. */
function namesOf(path: string): string[] | null {
  const segments = path.split('/');
  if (segments.at(-1) === '') {
    segments.pop();
  }
  const names: string[] = [];
  for (const segment of segments) {
    const name = decoded(segment);
    // An escaped slash is part of a name, and no name has one.
    if (name === null || name === '' || /[/\\\0]/.test(name)) {
      return null;
    }
    names.push(name);
  }
  return names;
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

function differsInCase(file: string, asked: string): boolean {
  const [a, b] = [file.normalize(), asked.normalize()];
  return a !== b && a.toLowerCase() === b.toLowerCase();
}
