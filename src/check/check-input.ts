import { resolve } from 'node:path';
import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import type { OptionsOf } from '../config/options.js';
import { seedingSources } from '../config/seeding.js';
import { readSeeds, type SeedInput } from '../crawl/seed-input.js';
import type { SeedRow } from '../store/transaction.js';
import { compileAliases, type FileAliases, NO_FILES } from '../url/aliases.js';
import { parseBaseUrl } from './base-url.js';
import { findFiles } from './glob-files.js';
import { isHtmlFile, kindOfInput, PAGE_EXTENSIONS } from './input-kind.js';
import { type LocalFolder, unpublishedName } from './local-folder.js';
import { type PlacedPages, placeFiles, placeFolder } from './page-places.js';

export interface CheckInput extends SeedInput {
  folders: LocalFolder[];
  files: FileAliases;
}

/** Read by hosts and by crawlers, and no page. */
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
  { baseUrl, rootDir, offline, suggest, remaps, seedingStrategy, startUrls, seedsFiles }: OptionsOf<'check'>,
  htmlFolders: number,
  local: number,
  sites: readonly string[],
): void {
  if (baseUrl !== null && htmlFolders !== 1) {
    throw new UsageError(`--base-url is for one folder of HTML, and ${htmlFolders} are given`);
  }
  compileAliases({ remaps, ...NO_FILES });
  if (offline && suggest) {
    throw new UsageError('--suggest asks an archive on the net, and --offline asks nobody there');
  }
  const parties = [...seedingSources(seedingStrategy)].filter((source) => source !== 'sitemap');
  if (offline && parties.length > 0) {
    throw new UsageError(
      `--seeding-strategy ${parties.join(',')} asks others on the net, and --offline asks nobody there`,
    );
  }
  const [remote] = [...sites, ...startUrls, ...seedsFiles];
  if (offline && remote !== undefined) {
    throw new UsageError(`--offline checks folders and files of pages, and ${printable(remote, 200)} is none`);
  }
  if (rootDir !== null && local === 0) {
    throw new UsageError('--root-dir is for folders and files, and none is given');
  }
}

/** Files of a folder that are read for links, from there. */
async function pagesOf(folder: string, cwd: string): Promise<string[]> {
  try {
    const found = await findFiles(['.'], { cwd: resolve(cwd, folder), extensions: PAGE_EXTENSIONS });
    const pages = found.filter((file) => !NO_PAGE.test(file));
    if (pages.length > 0) return pages;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
  }
  throw new UsageError(`${printable(folder)}: there is neither HTML nor Markdown nor other text in this folder`);
}

/** What is not named by a file is a URL, a domain, a list of them or a sitemap. */
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
