import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Breaks } from '../base/breaks.js';
import { foldersIn } from '../base/folders.js';
import { resolveOptions } from '../config/resolve.js';
import type { StoredOptions } from '../config/stored.js';
import type { WhyBlock } from '../content/extract/why.js';
import { loadTokenCounter } from '../corpus/tokens.js';
import { openForReading } from '../store/directory.js';
import { DocsReader } from '../store/docs-reader.js';
import { PageMemory } from '../store/page-memory.js';
import { storePath } from '../store/store-file.js';
import type { SeedRow } from '../store/transaction.js';
import { UrlState } from '../store/url-state.js';
import { shapeOptions } from './convert/page-shape.js';
import { outputsOf } from './corpus-place.js';
import { Documents } from './documents.js';
import { choosePages } from './page-choice.js';
import { PageOrder } from './page-order.js';
import { progressOf } from './progress.js';

/** What became of the blocks of a page, with what is known of its site. */
export interface PageWhy {
  url: string;
  /** Whether the corpus was written of the pages as they are kept now. */
  isCurrent: boolean;
  /** Null for a page that is Markdown already, and is taken as it is. */
  blocks: WhyBlock[] | null;
}

/** The run of docs that has written a corpus. */
interface CorpusRun {
  directory: string;
  seed: SeedRow;
  stored: StoredOptions;
  isWritten: boolean;
}

const DEFAULT_ROOT = 'gossamer-data';

/**
 * Reads a page of a corpus again from the crawl that the corpus was made of, and decides again, as the conversion did, what is its text.
 * @param asked the folder of the corpus, or the data directory of its run
 * @returns `no run` where the crawl is not to be found, `no body` where it has nothing kept of the page
 */
export async function whyPage(asked: string, corpus: string, url: string): Promise<PageWhy | 'no run' | 'no body'> {
  const run = runOf(resolve(asked), corpus);
  if (run === null) {
    return 'no run';
  }
  const { directory, seed, isWritten } = run;
  const { options } = resolveOptions({
    command: 'docs',
    flags: {},
    env: {},
    configFile: null,
    stored: { values: run.stored.values, withheld: [] },
  });
  const store = DocsReader.open(directory);
  const memory = PageMemory.openToRead(directory);
  let documents: Documents | null = null;
  try {
    const order = await PageOrder.of(store, options, new Breaks(() => false));
    const seeds = options.one ? store.seeds() : [seed];
    const all = seeds.flatMap((each) => order.ofSeed(each.seed));
    const { ids } = await choosePages(store, all, options, new Breaks());
    const id = ids.find((each) => store.urlOf(each) === url);
    const fate = id === undefined ? null : store.fateOf(id);
    if (fate === null || fate.state !== UrlState.done || !fate.isKept) {
      return 'no body';
    }
    documents = new Documents(store, {
      ...{ directory, chunkTokens: options.chunkTokens, tokens: await loadTokenCounter(), pages: ids.length },
      ...{ linkEnd: (to) => to, redirects: store.redirectChains(options.maxRedirects) },
      ...(memory === null ? {} : { memory }),
      shape: shapeOptions(options),
      threads: options.parseWorkers ?? 1,
    });
    return { url, isCurrent: isWritten, blocks: await documents.whyOf(ids, id!) };
  } finally {
    await documents?.close();
    memory?.close();
    store.close();
  }
}

/** A corpus does not say where its crawl is: it is looked for where runs put it. The latest counts. */
function runOf(asked: string, corpus: string): CorpusRun | null {
  const runs = isCrawl(asked) ? [asked] : crawlsNear(corpus);
  for (const directory of runs.sort((a, b) => changedAt(b) - changedAt(a))) {
    const run = runIn(directory, corpus);
    if (run !== null) {
      return run;
    }
  }
  return null;
}

function runIn(directory: string, corpus: string): CorpusRun | null {
  try {
    return openForReading(directory, (reader) => {
      const meta = reader.meta();
      const place = outputsOf(meta).findIndex((output) => realPath(output) === realPath(corpus));
      const seed = reader.seeds()[place];
      return seed === undefined
        ? null
        : { directory, seed, stored: JSON.parse(meta.options!), isWritten: progressOf(meta)!.isWritten };
    });
  } catch {
    return null;
  }
}

function crawlsNear(corpus: string): string[] {
  const beside = dirname(corpus);
  const roots = [resolve(DEFAULT_ROOT), resolve('.'), join(beside, DEFAULT_ROOT), beside];
  return [...new Set(roots.flatMap(foldersOf))].filter(isCrawl);
}

/** A folder that cannot be read has no crawl for us. */
function foldersOf(root: string): string[] {
  try {
    return foldersIn(root).map((name) => join(root, name));
  } catch {
    return [];
  }
}

const isCrawl = (directory: string): boolean => existsSync(storePath(directory));

const changedAt = (directory: string): number => statSync(storePath(directory)).mtimeMs;

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
