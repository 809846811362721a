import { randomBytes } from 'node:crypto';
import { basename, relative, resolve, sep } from 'node:path';
import type { FolderOrigin, Header } from '../fetch/contract.js';
import { originOf } from '../url/host.js';
import { unescaped } from '../url/identity.js';
import { parseBaseUrl } from './base-url.js';
import { type FolderServer, SECRET_HEADER, serveFolder } from './folder-server.js';

/** How pages and URLs of this machine's own files are called in reports. */
export interface PageNames {
  url(url: string): string;
  page(url: string): Promise<string>;
}

/** A folder of this machine that is checked. It is kept with the check, so that a resumed one finds it again. */
export interface LocalFolder {
  /** Absolute. */
  root: string;
  /** Under which its files are known: where it will be published, or a name that stands for no host. */
  baseUrl: string;
  /** A base URL was given: reports name URLs of it and not files. */
  isPublished: boolean;
  /** Whether the files are a source and not a built site: then a link to a folder works without an index. */
  isSource: boolean;
  /** Whether the folder holds HTML. Then, even in a source, a link to a folder with HTML needs an index. */
  isSite: boolean;
}

/** Folders that are served while a check runs. */
export class ServedFolders implements PageNames {
  readonly #served: { folder: LocalFolder; server: FolderServer; secret: string }[] = [];
  readonly #cwd: string;

  private constructor(cwd: string) {
    this.#cwd = cwd;
  }

  static async open(folders: readonly LocalFolder[], cwd: string): Promise<ServedFolders> {
    const all = new ServedFolders(cwd);
    try {
      for (const folder of folders) {
        const secret = randomBytes(16).toString('hex');
        const server = await serveFolder(folder.root, {
          baseUrl: folder.baseUrl,
          lists: folder.isSource ? (folder.isSite ? 'unless HTML' : 'always') : 'never',
          secret,
        });
        all.#served.push({ folder, server, secret });
      }
      return all;
    } catch (error) {
      await all.close();
      throw error;
    }
  }

  get origins(): FolderOrigin[] {
    return this.#served.map(({ folder, server }) => {
      const { origin, path } = parseBaseUrl(folder.baseUrl);
      return { origin, path, to: server.origin };
    });
  }

  /** What each server wants to see, by its origin. */
  get secrets(): Record<string, Header[]> {
    return Object.fromEntries(this.#served.map(({ server, secret }) => [server.origin, [[SECRET_HEADER, secret]]]));
  }

  url(url: string): string {
    const found = this.#of(url);
    if (found === null || found.isPublished) {
      return url;
    }
    const path = unescaped(url.slice(found.baseUrl.length));
    const place = relative(this.#cwd, found.root).split(sep).join('/');
    return place === '' ? path || '.' : `${place}/${path}`;
  }

  /** The file that a page was made from, from the current folder where it lies below it. */
  async page(url: string): Promise<string> {
    const served = this.#served.find(({ folder }) => isBelow(url, folder));
    const file = (await served?.server.fileOf(url)) ?? null;
    return file === null ? url : relative(this.#cwd, resolve(served!.folder.root, file)).split(sep).join('/');
  }

  async close(): Promise<void> {
    await Promise.all(this.#served.map(({ server }) => server.close()));
  }

  #of(url: string): LocalFolder | null {
    return this.#served.find(({ folder }) => isBelow(url, folder))?.folder ?? null;
  }
}

const isBelow = (url: string, { baseUrl }: LocalFolder): boolean =>
  originOf(url) === originOf(baseUrl) && url.startsWith(baseUrl);

/** A folder that has no place on the web yet gets a name of its own, the same in each run. */
export function unpublishedName(path: string, index: number): string {
  const name = basename(path)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50);
  return `http://${name === '' ? 'folder' : name}${index === 0 ? '' : `-${index + 1}`}.localhost/`;
}
