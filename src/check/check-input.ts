import { statSync } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import type { OptionsOf } from '../config/options.js';
import { readSeeds, type SeedInput } from '../crawl/seed-input.js';
import type { SeedRow } from '../store/transaction.js';
import { parseBaseUrl } from './base-url.js';
import { findFiles } from './glob-files.js';
import type { LocalFolder } from './local-folder.js';

export interface CheckInput extends SeedInput {
  folders: LocalFolder[];
}

const MARKDOWN = /\.(?:md|markdown)$/i;
const MAGIC = /[*?[{]/;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const HTML = ['html', 'htm'];

/** What a check is to look at: sites by their URLs, folders of HTML, and files of Markdown. */
export async function readCheckInput(
  positionals: readonly string[],
  options: OptionsOf<'check'>,
  cwd: string,
): Promise<CheckInput> {
  const sites: string[] = [];
  const files: string[] = [];
  const folders: { path: string; pages: string[] }[] = [];
  for (const text of positionals) {
    const kind = kindOf(text, cwd);
    if (kind === 'site') {
      sites.push(text);
    } else if (kind === 'files') {
      files.push(...(await findFiles([text], { cwd })));
    } else {
      const pages = await htmlOf(text, cwd);
      if (pages.length > 0) {
        folders.push({ path: resolve(cwd, text), pages });
      } else {
        files.push(...(await markdownOf(text, cwd)));
      }
    }
  }
  if (options.baseUrl !== null && folders.length !== 1) {
    throw new UsageError(`--base-url is for one folder of HTML, and ${folders.length} are given`);
  }
  const input = readSites(sites, options, folders.length + files.length > 0);
  for (const [index, { path, pages }] of folders.entries()) {
    const baseUrl = options.baseUrl === null ? unpublished(path, index) : parseBaseUrl(options.baseUrl).url;
    input.folders.push({ root: path, baseUrl, isPublished: options.baseUrl !== null, isSource: false });
    addSeeds(input.seeds, pages.map((page) => baseUrl + encoded(cleanPath(page))).sort(byLength), 'prefix', baseUrl);
  }
  if (files.length > 0) {
    addFiles(input, files, cwd);
  }
  return input;
}

function kindOf(text: string, cwd: string): 'site' | 'folder' | 'files' {
  if (text === '-' || SCHEME.test(text)) {
    return 'site';
  }
  const stats = statSync(resolve(cwd, text), { throwIfNoEntry: false });
  if (stats?.isDirectory()) {
    return 'folder';
  }
  return (stats?.isFile() && MARKDOWN.test(text)) || (stats === undefined && MAGIC.test(text)) ? 'files' : 'site';
}

async function htmlOf(folder: string, cwd: string): Promise<string[]> {
  const root = resolve(cwd, folder);
  const found = await findFiles(['.'], { cwd: root, extensions: HTML }).catch((error: unknown) => {
    if (error instanceof UsageError) return [];
    throw error;
  });
  return found;
}

async function markdownOf(folder: string, cwd: string): Promise<string[]> {
  try {
    return await findFiles([folder], { cwd });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${printable(folder)}: there is neither HTML nor Markdown in this folder`);
  }
}

/** What is not named by a file is a URL, a domain, a list of them or a sitemap. */
function readSites(sites: string[], options: OptionsOf<'check'>, hasFiles: boolean): CheckInput {
  if (sites.length + options.startUrls.length + options.seedsFiles.length === 0 && hasFiles) {
    return { seeds: [], credentials: new Map(), bad: [], folders: [] };
  }
  return { ...readSeeds(sites, options, 'check'), folders: [] };
}

/** Files are known by their place below the folder that they have in common. */
function addFiles(input: CheckInput, files: string[], cwd: string): void {
  const paths = [...new Set(files.map((file) => resolve(cwd, file)))];
  const isBelowHere = paths.every((path) => path.startsWith(cwd + sep));
  const root = isBelowHere ? cwd : commonFolder(paths);
  const baseUrl = 'http://files.localhost/';
  input.folders.push({ root, baseUrl, isPublished: false, isSource: true });
  const urls = paths.map((path) => baseUrl + encoded(relative(root, path).split(sep).join('/')));
  for (const url of urls) {
    addSeeds(input.seeds, [url], 'page', url);
  }
}

function addSeeds(seeds: SeedRow[], urls: string[], scope: 'page' | 'prefix', scopeUrl: string): void {
  for (const url of urls) {
    seeds.push({
      seed: seeds.length,
      url,
      label: url,
      scope,
      depth: null,
      maxUrls: null,
      fallbacks: [],
      scopeUrls: [scopeUrl],
    });
  }
}

/** `a/index.html` is the page of `a/`. */
const cleanPath = (file: string): string => file.replace(/(^|\/)index\.html?$/i, '$1');
const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
const byLength = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);

/** A folder that has no place on the web yet gets a name of its own, the same in each run. */
function unpublished(path: string, index: number): string {
  const name = basename(path)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50);
  return `http://${name === '' ? 'folder' : name}${index === 0 ? '' : `-${index + 1}`}.localhost/`;
}

function commonFolder(paths: readonly string[]): string {
  let folder = dirname(paths[0]!);
  while (!paths.every((path) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep))) {
    folder = dirname(folder);
  }
  return folder;
}
