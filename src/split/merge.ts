import { join, resolve } from 'node:path';
import { Breaks } from '../base/breaks.js';
import { StateError } from '../base/errors.js';
import { checkSignal, throwIfStopped } from '../config/abort.js';
import { readDirectory } from '../config/arguments.js';
import { completeOptionsOf } from '../config/resolve.js';
import { seedingSources } from '../config/seeding.js';
import type { StoredOptions } from '../config/stored.js';
import { CrawlScope } from '../lane/crawl-scope.js';
import { exportFormat } from '../report/index.js';
import { openForReading, stateOf } from '../store/directory.js';
import { WordRoom } from '../store/disk-words.js';
import { type MergedStore, type Part, StoreMerge } from '../store/merge-stores.js';
import { type Database, openDatabase } from '../store/sqlite.js';
import { Store } from '../store/store.js';
import { readMeta, readSeeds, writeMeta } from '../store/store-file.js';
import { scopePatterns } from '../url/scope.js';
import { KeptStore, type PartFacts } from './kept-store.js';
import { UnfinishedFolder } from './unfinished-folder.js';

/** How parts of a crawl are merged. */
export interface MergeOptions {
  /** A folder that is not there yet: the whole crawl. */
  output: string;
  /** Stops it: nothing is left. */
  signal?: AbortSignal;
}

/** What the parts of a crawl came to. */
export interface MergedCrawl {
  /** Where the whole crawl is. */
  directory: string;
  /** URLs of all kinds, ends of links too. */
  urls: number;
  /** URLs that something was settled for. */
  pages: number;
  /** Links to other parts that had not arrived when the parts were stopped, and have now. */
  delivered: number;
}

const WORD_BYTES = 128 * 2 ** 20;
const CACHE_KIB = 64 * 1024;

/** Puts the parts of a crawl together, those of a split or of a cluster's nodes. They are only read. */
export async function mergeCrawls(directories: readonly string[], options: MergeOptions): Promise<MergedCrawl> {
  const from = directories.map((directory) =>
    readDirectory("mergeCrawls(['a', 'b'], { output: 'c' })", directory, 'part'),
  );
  const { signal } = options;
  checkSignal(signal);
  const output = resolve(options.output);
  const stores: KeptStore[] = [];
  try {
    for (const directory of from) {
      stores.push(KeptStore.open(directory));
    }
    const parts = partsOf(stores);
    const unfinished = UnfinishedFolder.open(output);
    try {
      const result = await build(parts, unfinished, new Breaks(() => signal?.aborted ?? false));
      unfinished.finish();
      return { directory: output, urls: result.urls, pages: result.pages, delivered: result.late };
    } catch (error) {
      unfinished.close();
      throwIfStopped('the merge', signal);
      throw error;
    }
  } finally {
    for (const store of stores) {
      store.close();
    }
  }
}

async function build(parts: readonly Part[], unfinished: UnfinishedFolder, breaks: Breaks): Promise<MergedStore> {
  const whole = unfinished.createStore(unfinished.made, CACHE_KIB);
  const work = openDatabase(join(unfinished.work, 'work.sqlite'));
  const room = new WordRoom(unfinished.work, WORD_BYTES);
  let merged: MergedStore;
  try {
    work.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -${CACHE_KIB}; BEGIN`);
    const merge = new StoreMerge(parts, whole, work, room, breaks);
    merged = await merge.run();
    if (merged.late > 0 || merged.widened.length > 0) {
      whole.exec('COMMIT');
      merge.deliver(storeOf(whole), merged, Date.now());
      whole.exec('BEGIN');
      // There is something left to do.
      writeMeta(whole, { ended: null });
    }
  } finally {
    room.close();
    work.close();
  }
  unfinished.finishStores();
  if (stateOf(unfinished.made) === 'finished') {
    await openForReading(unfinished.made, async (reader) => {
      await exportFormat(reader, 'jsonl', { path: join(unfinished.made, 'pages.jsonl') });
      await exportFormat(reader, 'sitemap', { path: join(unfinished.made, 'sitemap.xml') });
    });
  }
  return merged;
}

/** The store with the scope of its crawl, which judges what is found late. */
function storeOf(database: Database): Store {
  const meta = readMeta(database);
  const { values } = JSON.parse(meta.inForce ?? meta.options!) as StoredOptions;
  const { options } = completeOptionsOf('crawl', values);
  const scope = new CrawlScope({
    seeds: readSeeds(database),
    patterns: scopePatterns(options),
    maxDepth: options.depth,
    traps: { ...options, allow: [...options.allowTraps] },
    ownKeys: false,
    external: options.external,
    checksBeyond: false,
    ignore: [],
    surveys: false,
    onlyLocal: null,
    seeksSitemaps: seedingSources(options.seedingStrategy).has('sitemap'),
  });
  const { expectedUrls, fpRate, fpCheckLimit } = options;
  return new Store(database, { expectedUrls, falsePositiveRate: fpRate, lookupBatch: fpCheckLimit, scope });
}

/** By slot, and of each slot what it has now before what it had. Parts that do not belong together are refused. */
function partsOf(stores: readonly KeptStore[]): Part[] {
  const known = stores.map((store) => ({ store, facts: factsOf(store) }));
  const [first] = known;
  const { nodes, crawlId } = first!.facts;
  const seeds = seedsOf(first!.store);
  const incarnations = new Map<string, string>();
  for (const { store, facts } of known) {
    const other = incarnations.get(facts.incarnation);
    if (other !== undefined) {
      throw new StateError(
        'same_part',
        `${other} and ${store.directory} are the same part, slot ${facts.slot}: name one of them`,
      );
    }
    incarnations.set(facts.incarnation, store.directory);
    if (
      facts.nodes !== nodes ||
      facts.crawlId !== crawlId ||
      seedsOf(store) !== seeds ||
      isOfOtherSplit(first!.store, store)
    ) {
      throw new StateError(
        'other_crawl',
        `${store.directory} is no part of the crawl that ${first!.store.directory} is a part of`,
      );
    }
  }
  const present = new Set(known.map(({ facts }) => facts.slot));
  const missing = Array.from({ length: nodes }, (_, slot) => slot).filter((slot) => !present.has(slot));
  if (missing.length > 0) {
    const which =
      missing.length === 1
        ? `slot ${missing[0]}`
        : `slots ${missing.slice(0, 10).join(', ')}${missing.length > 10 ? ' …' : ''}`;
    throw new StateError(
      'missing_part',
      `${which} of ${nodes} ${missing.length === 1 ? 'is' : 'are'} missing: the whole crawl needs every part`,
    );
  }
  const latest = (store: KeptStore): number =>
    store.database.prepare('SELECT max(started_at) AS at FROM runs').get()?.at ?? 0;
  const bySlot = known
    .map(({ store, facts }) => ({ store, slot: facts.slot, at: latest(store) }))
    .sort((a, b) => a.slot - b.slot || b.at - a.at);
  return bySlot.map(({ store, slot }, place) => ({
    name: store.directory,
    database: store.database,
    slot,
    age: place - bySlot.findIndex((each) => each.slot === slot),
  }));
}

function factsOf(store: KeptStore): PartFacts {
  if (store.part === null) {
    throw new StateError(
      'no_part',
      `${store.directory} is a whole crawl and no part of one: there is nothing to merge`,
    );
  }
  return store.part;
}

const seedsOf = ({ database }: KeptStore): string =>
  JSON.stringify(readSeeds(database).map(({ seed, url, label, scope, depth }) => [seed, url, label, scope, depth]));

const isOfOtherSplit = (a: KeptStore, b: KeptStore): boolean =>
  a.meta.split !== undefined && b.meta.split !== undefined && a.meta.split !== b.meta.split;
