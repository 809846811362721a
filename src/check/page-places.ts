import { dirname, relative, resolve, sep } from 'node:path';
import type { FileAliases } from '../url/aliases.js';
import { parseBaseUrl } from './base-url.js';
import { isHtmlFile } from './input-kind.js';
import type { LocalFolder } from './local-folder.js';

/** Pages of this machine, and the URLs under which they are known. */
export interface PlacedPages {
  /** The deeper ones first: the first that a URL lies below answers for it. */
  folders: LocalFolder[];
  urls: string[];
  /** All that lies below it is read; null: only these pages. */
  scopeUrl: string | null;
  /** The URL of each index by its own name, and the one of its folder. */
  same: Record<string, string>;
  /** Where `/` leads, where that is a folder among those that are known by another path. */
  moved: FileAliases['moved'];
}

/** Files have no place on the web: this name stands for no host. */
const FILES = 'http://files.localhost/';
/** Below this path lie files that are not below the folder which links with a leading slash start from. No folder of a site is called so. */
const BESIDE = '.beside-root/';

/** @param pages from the folder, with `/` */
export function placeFolder(
  path: string,
  pages: readonly string[],
  { baseUrl, isPublished, rootDir }: { baseUrl: string; isPublished: boolean; rootDir: string | null },
): PlacedPages {
  const isSource = !pages.every(isHtmlFile);
  const kind = { isPublished, isSource, isSite: true };
  if (rootDir === null) {
    return placed([{ root: path, baseUrl, ...kind }], baseUrl, pages, baseUrl);
  }
  const { origin } = parseBaseUrl(baseUrl);
  const root: LocalFolder = { root: rootDir, baseUrl: `${origin}/`, ...kind };
  if (isPublished && baseUrl !== root.baseUrl) {
    return placed([{ root: path, baseUrl, ...kind }, root], baseUrl, pages, baseUrl);
  }
  const inside = placeBelow(path, rootDir);
  const own = `${root.baseUrl}${inside === null ? BESIDE : encoded(inside)}`;
  return placed(inside === null ? [{ root: path, baseUrl: own, ...kind }, root] : [root], own, pages, own);
}

/** Single files are known by their place below the current folder, or below the one that they have in common. */
export function placeFiles(files: readonly string[], cwd: string, rootDir: string | null): PlacedPages {
  const paths = [...new Set(files.map((file) => resolve(cwd, file)))];
  const isBelowHere = paths.every((path) => path.startsWith(cwd + sep));
  const root = isBelowHere ? cwd : commonFolder(paths);
  const html = paths.filter(isHtmlFile);
  const kind = { isPublished: false, isSource: html.length < paths.length, isSite: html.length > 0 };
  // Of a page that will be published somewhere, its own folder is the best guess at what `/` will be.
  const start = rootDir ?? (html.length === paths.length ? commonFolder(paths) : root);
  const isAll = rootDir !== null && paths.every((path) => placeBelow(path, rootDir) !== null);
  if (start === root || isAll) {
    const pages = paths.map((path) => relative(start, path).split(sep).join('/'));
    return placed([{ root: start, baseUrl: FILES, ...kind }], FILES, pages, null);
  }
  const baseUrl = FILES + BESIDE;
  const pages = paths.map((path) => relative(root, path).split(sep).join('/'));
  // The second answers for what is asked of the name itself: without it that would go out to the net.
  const folders: LocalFolder[] = [
    { root, baseUrl, ...kind },
    { root: start, baseUrl: FILES, ...kind },
  ];
  const inside = placeBelow(start, root);
  const moved = inside === null ? null : { from: FILES, except: baseUrl, to: baseUrl + encoded(inside) };
  return placed(folders, baseUrl, pages, null, moved);
}

function placed(
  folders: LocalFolder[],
  base: string,
  pages: readonly string[],
  scopeUrl: string | null,
  moved: FileAliases['moved'] = null,
): PlacedPages {
  const same: Record<string, string> = {};
  const all = new Set(pages);
  const urls = pages.map((page) => {
    const own = base + encoded(page);
    const [, folder, name] = /^(.*?)(index\.html?)$/s.exec(page) ?? [];
    const isIndex = folder !== undefined && (folder === '' || folder.endsWith('/'));
    // Where there are both, a host shows index.html.
    if (!isIndex || (name === 'index.htm' && all.has(`${folder}index.html`))) return own;
    same[own] = base + encoded(folder);
    return same[own];
  });
  return { folders, urls: urls.sort(byLength), scopeUrl, same, moved };
}

/** The place of a folder below another, with a slash at its end; `` for the same one, null where it is not below it. */
function placeBelow(path: string, folder: string): string | null {
  const place = relative(folder, path).split(sep).join('/');
  if (place === '') return '';
  return place === '..' || place.startsWith('../') || resolve(folder, place) !== path ? null : `${place}/`;
}

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
const byLength = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);

function commonFolder(paths: readonly string[]): string {
  let folder = dirname(paths[0]!);
  while (!paths.every((path) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep))) {
    folder = dirname(folder);
  }
  return folder;
}
