import { originOf, pathOf } from './host.js';

/** Whether the path, with or without a query, is the base or below it, by whole segments. */
export function isBelow(path: string, basePath: string): boolean {
  if (path.startsWith(basePath)) return true;
  const folder = basePath.slice(0, -1);
  return path.startsWith(folder) && (path.length === folder.length || path[folder.length] === '?');
}

/**
 * Swaps the origin of URLs below `from.path`; the path is the same on both sides, so a relative link or Location means the
 * same there and here. Null for a URL that is not below it.
 */
export function swapOrigin(url: string, from: { origin: string; path: string }, to: string): string | null {
  return originOf(url) === from.origin && isBelow(pathOf(url), from.path) ? to + pathOf(url) : null;
}
