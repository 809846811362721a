import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import type { OptionsOf } from '../config/options.js';
import { seedingSources } from '../config/seeding.js';
import { didYouMean, nearestName } from '../config/suggest.js';
import { readSeeds, type SeedInput } from '../crawl/seed-input.js';
import type { SeedRow } from '../store/transaction.js';
import { compileAliases, type FileAliases, NO_FILES } from '../url/aliases.js';
import { parseBaseUrl } from './base-url.js';
import { findFiles } from './glob-files.js';
import { type LocalFolder, unpublishedName } from './local-folder.js';

/** Files of a folder that are read for links, by the ends of their names. */
const HTML_EXTENSIONS = ['html', 'htm', 'xhtml'] as const;
const TEXT_EXTENSIONS = ['md', 'markdown', 'mdx', 'rst', 'txt'] as const;
const PAGE_EXTENSIONS: readonly string[] = [...HTML_EXTENSIONS, ...TEXT_EXTENSIONS];

/** `pages`: files that are read for links, by name or by pattern. `site`: a URL, a domain, a list of them or a sitemap. */
type InputKind = 'site' | 'folder' | 'pages';

const MAGIC = /[*?[{]/;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const PAGE_FILE = /\.(?:html?|xhtml|md|markdown|mdx|rst)$/i;
const TEXT_FILE = /\.txt$/i;
/** A line of a list: a URL or a domain, and its settings. */
const LIST_LINE = /^(?:[a-z][a-z0-9+.-]*:\/\/|[^\s/:.,<>()]+\.)\S*[^\s.,;:](?:\s+[\w-]+=\S*)*$/i;
const FIRST_BYTES = 65_536;
/** An argument with one of these endings means a file, although some of them are top-level domains too. */
const FILE_NAME = /\.(?:html?|xhtml|md|markdown|mdx|rst|txt|xml|gz|json|csv)$/i;
const PATH = /^(?:[./\\~]|[a-z]:[/\\])/i;

const isHtmlFile = (path: string): boolean => /\.(?:html?|xhtml)$/i.test(path);

export interface CheckInput extends SeedInput {
  folders: LocalFolder[];
  files: FileAliases;
}

/** robots.txt is read by crawlers and is not a page. */
const NO_PAGE = /(?:^|\/)robots\.txt$/i;

/** What a check is to look at: sites by their URLs, folders of pages, and single files. */
export async function readCheckInput(
  positionals: readonly string[],
  options: OptionsOf<'check'>,
  cwd: string,
): Promise<CheckInput> {
  const sites: string[] = [];
  const files: string[] = [];
  const folders: { path: string; pages: string[] }[] = [];
  for (const text of positionals) {
    const kind = kindOfInput(text, cwd);
    if (kind === 'site') {
      sites.push(text);
    } else if (kind === 'pages') {
      files.push(...(await findFiles([text], { cwd })));
    } else {
      folders.push({ path: resolve(cwd, text), pages: await pagesOf(text, cwd) });
    }
  }
  const ofHtml = folders.filter(({ pages }) => pages.some(isHtmlFile));
  // A folder without HTML is a source: its files are known by their place in the checkout.
  for (const { path, pages } of folders.filter((folder) => !ofHtml.includes(folder))) {
    files.push(...pages.map((page) => resolve(path, page)));
  }
  refuseNonsense(options, ofHtml.length, folders.length + files.length, sites);
  const input = readSites(sites, options, ofHtml.length + files.length > 0);
  for (const [index, { path, pages }] of ofHtml.entries()) {
    const baseUrl = options.baseUrl === null ? unpublishedName(path, index) : parseBaseUrl(options.baseUrl).url;
    addPages(
      input,
      placeFolder(path, pages, { baseUrl, isPublished: options.baseUrl !== null, rootDir: options.rootDir }),
    );
  }
  if (files.length > 0) {
    addPages(input, placeFiles(files, cwd, options.rootDir));
  }
  return input;
}

function refuseNonsense(
  { baseUrl, rootDir, offline, suggest, remaps, seedingStrategy, startUrls, seedsFiles, from }: OptionsOf<'check'>,
  htmlFolders: number,
  local: number,
  sites: readonly string[],
): void {
  if (baseUrl !== null && htmlFolders !== 1) {
    throw new UsageError(`--base-url is for one folder of HTML, and ${htmlFolders} are given`);
  }
  compileAliases({ remaps, ...NO_FILES });
  if (from.length > 0 && local > 0) {
    throw new UsageError(
      '--from reads an archive in place of the web, and folders and files are not in it: check them by themselves',
    );
  }
  if (from.length > 0 && suggest) {
    throw new UsageError('--suggest asks an archive on the net, and --from asks nobody');
  }
  if (offline && suggest) {
    throw new UsageError('--suggest asks an archive on the net, and --offline makes no requests there');
  }
  const parties = [...seedingSources(seedingStrategy)].filter((source) => source !== 'sitemap');
  if (offline && parties.length > 0) {
    throw new UsageError(
      `--seeding-strategy ${parties.join(',')} asks others on the net, and --offline makes no requests there`,
    );
  }
  const [remote] = [...sites, ...startUrls, ...seedsFiles];
  if (offline && remote !== undefined) {
    throw new UsageError(`--offline checks only folders and files of pages, and ${printable(remote, 200)} is neither`);
  }
  if (rootDir !== null && local === 0) {
    throw new UsageError('--root-dir is for folders and files, and you gave none');
  }
}

/** Files of a folder that are read for links, from there. */
async function pagesOf(folder: string, cwd: string): Promise<string[]> {
  try {
    const found = await findFiles(['.'], { cwd: resolve(cwd, folder), extensions: PAGE_EXTENSIONS });
    const pages = found.filter((file) => !NO_PAGE.test(file));
    if (pages.length > 0) {
      return pages;
    }
  } catch (error) {
    if (!(error instanceof UsageError)) {
      throw error;
    }
  }
  throw new UsageError(`${printable(folder)}: there is neither HTML nor Markdown nor other text in this folder`);
}

/** An argument that names no file or folder is a URL, a domain, a list of them or a sitemap. */
function readSites(sites: string[], options: OptionsOf<'check'>, hasFiles: boolean): CheckInput {
  if (sites.length + options.startUrls.length + options.seedsFiles.length === 0 && hasFiles) {
    return { seeds: [], credentials: new Map(), bad: [], folders: [], files: NO_FILES };
  }
  return { ...readSeeds(sites, options, 'check'), folders: [], files: NO_FILES };
}

function addPages(input: CheckInput, { folders, urls, scopeUrl, same, moved }: PlacedPages): void {
  input.folders.push(...folders);
  input.files = { same: { ...input.files.same, ...same }, moved: moved ?? input.files.moved };
  for (const url of urls) {
    input.seeds.push(seedOf(input.seeds.length, url, scopeUrl));
  }
}

/** @param scopeUrl all that lies below it is read; null: only the page itself */
const seedOf = (seed: number, url: string, scopeUrl: string | null): SeedRow => ({
  seed,
  url,
  label: url,
  scope: scopeUrl === null ? 'page' : 'prefix',
  depth: null,
  maxUrls: null,
  fallbacks: [],
  scopeUrls: [scopeUrl ?? url],
});

/** Pages of this machine, and the URLs under which they are known. */
interface PlacedPages {
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

/** Single files have no URL on the web, so they get one of a name that is no host. */
const FILES = 'http://files.localhost/';
/** Below this path lie files that are not below the folder which links with a leading slash start from. No folder of a site is called so. */
const BESIDE = '.beside-root/';

/** @param pages from the folder, with `/` */
function placeFolder(
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
function placeFiles(files: readonly string[], cwd: string, rootDir: string | null): PlacedPages {
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
    if (!isIndex || (name === 'index.htm' && all.has(`${folder}index.html`))) {
      return own;
    }
    same[own] = base + encoded(folder);
    return same[own];
  });
  return { folders, urls: urls.sort(byLength), scopeUrl, same, moved };
}

/** The place of a folder below another, with a slash at its end; `` for the same one, null if it is not below it. */
function placeBelow(path: string, folder: string): string | null {
  const place = relative(folder, path).split(sep).join('/');
  if (place === '') {
    return '';
  }
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

/** What an argument of a check means. One that can only be a path, and leads nowhere, is refused. */
function kindOfInput(text: string, cwd: string): InputKind {
  if (text === '-' || SCHEME.test(text)) {
    return 'site';
  }
  const stats = statSync(resolve(cwd, text), { throwIfNoEntry: false });
  if (stats === undefined) {
    if (MAGIC.test(text)) {
      return 'pages';
    }
    if (looksLikePath(text)) {
      throw noSuchFile(text, cwd);
    }
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

/** Whether an argument is a path. Otherwise it begins with a host: a name with a dot or a port, or `localhost`. */
function looksLikePath(text: string): boolean {
  const [first = ''] = text.split(/[/?#]/, 1);
  const isHost = /^localhost$/i.test(first) || /:\d+$/.test(first) || /[^.]\.[^.]/.test(first);
  return PATH.test(text) || !isHost || (first === text && FILE_NAME.test(text));
}

function noSuchFile(text: string, cwd: string): UsageError {
  const near = nearName(text, cwd);
  const host = PATH.test(text) || near !== null ? '' : `; a host is written as https://${printable(text, 100)}`;
  return new UsageError(`${printable(text, 200)}: no such file or folder${didYouMean(near)}${host}`);
}

/** The path with its first wrong name replaced by one that is there, or null. */
function nearName(text: string, cwd: string): string | null {
  const wanted = text.replace(/[/\\]+$/, '');
  const folder = dirname(wanted);
  try {
    const found = nearestName(basename(wanted), readdirSync(resolve(cwd, folder)));
    return found === null ? null : printable(wanted.slice(0, wanted.length - basename(wanted).length) + found, 200);
  } catch {
    const parent = folder === '.' || folder === wanted ? null : nearName(folder, cwd);
    const whole = parent === null ? null : `${parent}/${basename(wanted)}`;
    return whole !== null && statSync(resolve(cwd, whole), { throwIfNoEntry: false }) !== undefined ? whole : parent;
  }
}
