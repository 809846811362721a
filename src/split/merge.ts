import { join } from 'node:path';
import { Breaks } from '../base/breaks.js';
import { StateError, UsageError } from '../base/errors.js';
import { checkSignal, throwIfStopped } from '../config/abort.js';
import { checkKeys, readDirectory, readOptions, readTexts } from '../config/arguments.js';
import { completeOptionsOf } from '../config/resolve.js';
import { seedingSources } from '../config/seeding.js';
import type { StoredOptions } from '../config/stored.js';
import { CrawlScope } from '../lane/crawl-scope.js';
import { exportFormat } from '../report/index.js';
import { openForReading, stateOf } from '../store/directory.js';
import { mergeStores, type WriterOptionsOf } from '../store/merge-stores.js';
import { type PartFacts, PartStore } from '../store/part-store.js';
import { UnfinishedFolder } from '../store/unfinished-folder.js';
import { scopePatterns } from '../url/scope.js';

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

const CALL = "mergeCrawls(['a', 'b'], { output: 'c' })";

/** Puts the parts of a crawl together, those of a split or of a cluster's nodes. They are only read. */
export async function mergeCrawls(directories: readonly string[], options: MergeOptions): Promise<MergedCrawl> {
  const from = readTexts(CALL, directories, 'parts').map((directory) => readDirectory(CALL, directory, 'part'));
  const twice = from.find((directory, i) => from.indexOf(directory) < i);
  if (from.length === 0 || twice !== undefined) {
    throw new UsageError(twice === undefined ? 'no part is named' : `${twice} is named twice`);
  }
  const given = readOptions(CALL, options, true);
  checkKeys('mergeCrawls', given, ['output', 'signal']);
  const { signal } = given;
  checkSignal(signal);
  const output = readDirectory(CALL, given.output, 'output');
  const stores: PartStore[] = [];
  try {
    for (const directory of from) {
      stores.push(PartStore.open(directory));
    }
    const parts = partsOf(stores);
    const unfinished = UnfinishedFolder.open(output);
    try {
      const breaks = new Breaks(() => signal?.aborted ?? false);
      const result = await mergeStores(parts, unfinished, optionsOf, breaks);
      await writeOutputs(unfinished.made);
      throwIfStopped('the merge', signal);
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

/** What is found late is judged by the scope of the crawl. */
const optionsOf: WriterOptionsOf = (meta, seeds) => {
  const { values } = JSON.parse(meta.inForce ?? meta.options!) as StoredOptions;
  const { options } = completeOptionsOf('crawl', values);
  const { expectedUrls, fpRate, fpCheckLimit } = options;
  const scope = new CrawlScope({
    ...{ seeds, patterns: scopePatterns(options), maxDepth: options.depth, external: options.external },
    ...{ ownKeys: false, checksBeyond: false, ignore: [], surveys: false, onlyLocal: null },
    traps: { ...options, allow: [...options.allowTraps] },
    seeksSitemaps: seedingSources(options.seedingStrategy).has('sitemap'),
  });
  return { expectedUrls, falsePositiveRate: fpRate, lookupBatch: fpCheckLimit, scope };
};

/** What the end of a run writes beside the store. What tells of one run alone, summary.json, is nobody's here. */
async function writeOutputs(directory: string): Promise<void> {
  if (stateOf(directory) === 'finished') {
    await openForReading(directory, async (reader) => {
      await exportFormat(reader, 'jsonl', { path: join(directory, 'pages.jsonl') });
      await exportFormat(reader, 'sitemap', { path: join(directory, 'sitemap.xml') });
    });
  }
}

/** By slot, and of each slot what it has now before what it had. Parts that do not belong together are refused. */
function partsOf(stores: readonly PartStore[]): { store: PartStore; slot: number; age: number }[] {
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
  const bySlot = known
    .map(({ store, facts }) => ({ store, slot: facts.slot, at: store.latestRunAt }))
    .sort((a, b) => a.slot - b.slot || b.at - a.at);
  return bySlot.map(({ store, slot }, place) => ({
    ...{ store, slot },
    age: place - bySlot.findIndex((each) => each.slot === slot),
  }));
}

function factsOf(store: PartStore): PartFacts {
  if (store.part === null) {
    throw new StateError(
      'no_part',
      `${store.directory} is a whole crawl and no part of one: there is nothing to merge`,
    );
  }
  return store.part;
}

const seedsOf = ({ seeds }: PartStore): string =>
  JSON.stringify(seeds.map(({ seed, url, label, scope, depth }) => [seed, url, label, scope, depth]));

const isOfOtherSplit = (a: PartStore, b: PartStore): boolean =>
  a.meta.split !== undefined && b.meta.split !== undefined && a.meta.split !== b.meta.split;
