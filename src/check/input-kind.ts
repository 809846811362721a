import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { didYouMean, nearest } from '../config/suggest.js';

/** Files of a folder that are read for links, by the ends of their names. */
export const HTML_EXTENSIONS = ['html', 'htm', 'xhtml'] as const;
export const TEXT_EXTENSIONS = ['md', 'markdown', 'mdx', 'rst', 'txt'] as const;
export const PAGE_EXTENSIONS: readonly string[] = [...HTML_EXTENSIONS, ...TEXT_EXTENSIONS];

/** `pages`: files that are read for links, by name or by pattern. `site`: a URL, a domain, a list of them or a sitemap. */
export type InputKind = 'site' | 'folder' | 'pages';

const MAGIC = /[*?[{]/;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const PAGE_FILE = /\.(?:html?|xhtml|md|markdown|mdx|rst)$/i;
const TEXT_FILE = /\.txt$/i;
/** A line of a list: a URL or a domain, and its settings. */
const LIST_LINE = /^(?:[a-z][a-z0-9+.-]*:\/\/|[^\s/:.,<>()]+\.)\S*[^\s.,;:](?:\s+[\w-]+=\S*)*$/i;
const FIRST_BYTES = 65_536;
/** What ends so is a file that is not there, though some of these are top-level domains too. */
const FILE_NAME = /\.(?:html?|xhtml|md|markdown|mdx|rst|txt|xml|gz|json|csv)$/i;
const PATH = /^(?:[./\\~]|[a-z]:[/\\])/i;

export const isHtmlFile = (path: string): boolean => /\.(?:html?|xhtml)$/i.test(path);

/** What an argument of a check means. One that can only be a path, and leads nowhere, is refused. */
export function kindOfInput(text: string, cwd: string): InputKind {
  if (text === '-' || SCHEME.test(text)) {
    return 'site';
  }
  const stats = statSync(resolve(cwd, text), { throwIfNoEntry: false });
  if (stats === undefined) {
    if (MAGIC.test(text)) return 'pages';
    if (looksLikePath(text)) throw noSuchFile(text, cwd);
    return 'site';
  }
  if (stats.isDirectory()) {
    return 'folder';
  }
  return PAGE_FILE.test(text) || (TEXT_FILE.test(text) && !isList(resolve(cwd, text))) ? 'pages' : 'site';
}

/** Whether a `.txt` is a list of URLs, by the first line that says something; else it is a text in which URLs stand. */
function isList(path: string): boolean {
  const bytes = Buffer.alloc(FIRST_BYTES);
  const file = openSync(path, 'r');
  try {
    const lines = bytes.toString('utf8', 0, readSync(file, bytes, 0, FIRST_BYTES, 0)).split(/\r?\n/);
    const first = lines
      .map((line) => line.replace(/^\ufeff/, '').trim())
      .find((line) => line !== '' && line[0] !== '#');
    return first === undefined || LIST_LINE.test(first);
  } finally {
    closeSync(file);
  }
}

/** Where it is no path, it begins with the name of a host: one with a dot or a port, or this machine's. */
function looksLikePath(text: string): boolean {
  const [first = ''] = text.split(/[/?#]/, 1);
  const isHost = /^localhost$/i.test(first) || /:\d+$/.test(first) || /[^.]\.[^.]/.test(first);
  return PATH.test(text) || !isHost || (first === text && FILE_NAME.test(text));
}

export function noSuchFile(text: string, cwd: string): UsageError {
  const near = nearName(text, cwd);
  const host = PATH.test(text) || near !== null ? '' : `; a host is written as https://${printable(text, 100)}`;
  return new UsageError(`${printable(text, 200)}: no such file or folder${didYouMean(near)}${host}`);
}

/** The path with its first wrong name replaced by one that is there, or null. */
function nearName(text: string, cwd: string): string | null {
  const wanted = text.replace(/[/\\]+$/, '');
  const folder = dirname(wanted);
  try {
    const found = nearest(basename(wanted), readdirSync(resolve(cwd, folder)));
    return found === null ? null : printable(wanted.slice(0, wanted.length - basename(wanted).length) + found, 200);
  } catch {
    const parent = folder === '.' || folder === wanted ? null : nearName(folder, cwd);
    const whole = parent === null ? null : `${parent}/${basename(wanted)}`;
    return whole !== null && statSync(resolve(cwd, whole), { throwIfNoEntry: false }) !== undefined ? whole : parent;
  }
}
