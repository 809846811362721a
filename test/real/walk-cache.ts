import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LinkKind } from '../../src/parse/links.js';
import { interner } from './interner.js';
import { readJsonLines, writeJsonLines } from './json-lines.js';
import { type Walk, type WalkedEdge, type WalkedPage, walk } from './walker.js';

export interface WalkWish {
  /** The start page as it is served now. */
  url: string;
  /** The name under which the site is kept: ports change from run to run, the truth about a site does not. */
  host: string;
  /** What the pages are made from; another version is another truth. */
  version: string;
  folder: string;
  fresh?: boolean;
}

/** The walk of a site with its origin replaced by `http://<host>`, from the cache where it is there. */
export async function cachedWalk(wish: WalkWish): Promise<Walk> {
  const key = createHash('sha256').update(JSON.stringify([wish.version, new URL(wish.url).pathname]));
  for (const file of WALKER_FILES) {
    key.update(await sourceOf(file));
  }
  const family = `walk-${wish.host}-`;
  const stem = join(wish.folder, family + key.digest('hex').slice(0, 16));
  const [pagesFile, edgesFile] = [`${stem}.pages.jsonl`, `${stem}.edges.jsonl`];
  if (!wish.fresh) {
    const kept = await readWalk(pagesFile, edgesFile);
    if (kept !== null) {
      return kept;
    }
  }
  const found = relocateWalk(await walk(wish.url), new URL(wish.url).origin, `http://${wish.host}`);
  await mkdir(wish.folder, { recursive: true });
  for (const name of await readdir(wish.folder)) {
    if (name.startsWith(family)) {
      await rm(join(wish.folder, name));
    }
  }
  await writeJsonLines(edgesFile, found.edges);
  // Last and in one step: where the pages are, the edges are whole.
  await writeJsonLines(`${pagesFile}.partial`, found.pages);
  await rename(`${pagesFile}.partial`, pagesFile);
  return found;
}

/** The same URL on another origin; URLs elsewhere stay as they are. */
export function relocate(url: string, fromOrigin: string, toOrigin: string): string {
  return url.startsWith(`${fromOrigin}/`) ? toOrigin + url.slice(fromOrigin.length) : url;
}

function relocateWalk({ pages, edges }: Walk, fromOrigin: string, toOrigin: string): Walk {
  const intern = interner();
  const moved = (url: string) => intern(relocate(url, fromOrigin, toOrigin));
  return {
    pages: pages.map((page) => ({ ...page, url: moved(page.url) })),
    edges: edges.map((edge) => ({ ...edge, from: moved(edge.from), to: moved(edge.to) })),
  };
}

/** Part of the key: a walker that was changed may find something else. */
const WALKER_FILES = ['walker', 'page-links', 'page-charset'];

async function sourceOf(name: string): Promise<string> {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return readFile(new URL(`./${name}.${ending}`, import.meta.url), 'utf8');
}

async function readWalk(pagesFile: string, edgesFile: string): Promise<Walk | null> {
  const walk: Walk = { pages: [], edges: [] };
  try {
    for await (const page of readJsonLines(pagesFile)) {
      walk.pages.push(page as WalkedPage);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return null;
    }
    throw error;
  }
  const intern = interner();
  for await (const line of readJsonLines(edgesFile)) {
    const { from, to, kind, rel } = line as WalkedEdge;
    walk.edges.push({ from: intern(from), to: intern(to), kind: intern(kind) as LinkKind, rel: intern(rel) });
  }
  return walk;
}
