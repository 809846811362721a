import { UsageError } from '../base/errors.js';
import { checkSignal, stoppedBy } from '../config/abort.js';
import { checkFunction, readDirectory, readOptions, readTexts } from '../config/arguments.js';
import type { OptionsOf } from '../config/options.js';
import { completeOptionsOf, refuseOtherIdentity } from '../config/resolve.js';
import { guessed, namedOrArchived } from '../crawl/archive-web.js';
import type { CrawlResult } from '../crawl/crawl-run.js';
import type { EndReason } from '../crawl/ending.js';
import { crawlDirectoryIn, keptPagesIn, optionsForKept } from '../crawl/kept-pages.js';
import { COMMAND_LINE_ONLY } from '../crawl/library-options.js';
import { checkWatching, LibraryWatching, type WatchingOptions } from '../crawl/library-watching.js';
import { badSeedLines, readSeeds } from '../crawl/seed-input.js';
import { UserFunctions } from '../crawl/user-functions.js';
import { type DocsPlan, DocsRun } from './docs-run.js';
import { isFinished, keptDocsIn, planDocs, planDocsOfKept, planKeptDocs, withOne } from './plan-docs.js';
import type { SavedCorpus } from './write-corpora.js';

/** The options of `gossamer docs`, in their normal units. */
export interface DocsLibraryOptions
  extends Partial<Omit<OptionsOf<'docs'>, (typeof COMMAND_LINE_ONLY)[number] | 'startUrls' | 'seedsFiles'>>,
    WatchingOptions {
  /** Hears what a user should know. */
  onNotice?: (text: string) => void;
  /** Ends the run early, after `graceMs` at most: what is done stands in DIR.partial, and `resumeDocs` goes on. */
  signal?: AbortSignal;
}

/** What a run of `makeDocs` came to. */
export interface DocsResult {
  /** Why the run ended. */
  reason: EndReason;
  /** The limit that cut it short, or null. */
  truncated: string | null;
  /** Where the crawl is kept. */
  directory: string;
  /** One a seed; none where no page was reached. */
  corpora: SavedCorpus[];
  /** What became of each seed. */
  seeds: CrawlResult['seeds'];
  /** Of the crawl. Null if there was nothing to do. */
  summary: CrawlResult['summary'] | null;
}

const DOCS_CALL = "makeDocs('https://example.com/docs/', { output: 'corpus' })";
const RESUME_CALL = "resumeDocs('gossamer-data/example.com', { delayMs: 2000 })";

/** Makes a Markdown corpus of each site, or brings those that are there up to date; or one of a crawl that kept its pages, by its directory. */
export async function makeDocs(
  inputs: string | readonly string[],
  given: DocsLibraryOptions = {},
): Promise<DocsResult> {
  const arguments_ = readTexts(DOCS_CALL, inputs, 'inputs');
  const options = readOptions(DOCS_CALL, given);
  const crawl = crawlDirectoryIn(arguments_);
  if (crawl !== null) {
    return docsOfKept(crawl, options);
  }
  const resolved = withOne(completeOptionsOf('docs', givenOf(options)));
  const { named, guess } = namedOrArchived(arguments_, resolved.options);
  const seeds = readSeeds(named, resolved.options, 'docs');
  const planned = planDocs(seeds, resolved);
  if (planned.what === 'nothing') {
    return { reason: 'complete', truncated: null, directory: planned.directory, corpora: [], seeds: [], summary: null };
  }
  return finished(planned.plan, options, [
    ...resolved.notices,
    ...(guess === null ? [] : [guessed(guess)]),
    ...badSeedLines(seeds.bad),
    ...planned.notices,
  ]);
}

async function docsOfKept(directory: string, options: DocsLibraryOptions): Promise<DocsResult> {
  const kept = keptPagesIn(directory, 'a corpus');
  const resolved = completeOptionsOf('docs', givenOf(options), undefined, { values: kept.inherited, withheld: [] });
  const { plan, cleanUp } = planDocsOfKept(kept, optionsForKept(resolved));
  try {
    const result = await finished(plan, options, [...resolved.notices, ...kept.notices]);
    return { ...result, directory: kept.directory };
  } finally {
    cleanUp();
  }
}

/** Goes on with a corpus that was stopped, by whatever. */
export async function resumeDocs(
  directory: string,
  given: Omit<DocsLibraryOptions, 'dataDir' | 'resume' | 'fresh'> = {},
): Promise<DocsResult> {
  const path = readDirectory(RESUME_CALL, directory);
  const options = readOptions(RESUME_CALL, given);
  const kept = keptDocsIn(path);
  const resolved = completeOptionsOf('docs', givenOf(options), undefined, kept.stored);
  if (options.hosts !== undefined) {
    refuseOtherIdentity('hosts', resolved.options.hosts, kept.stored);
  }
  if (isFinished(kept)) {
    return { reason: 'complete', truncated: null, directory: path, corpora: [], seeds: [], summary: null };
  }
  return finished(planKeptDocs(kept, resolved, resolved.options.output), options, []);
}

function givenOf({ onNotice, onProgress, onEvent, signal, ...given }: DocsLibraryOptions): Partial<OptionsOf<'docs'>> {
  checkFunction('onNotice', onNotice);
  checkWatching(onProgress, onEvent);
  checkSignal(signal);
  const foreign = Object.keys(given).find((key) => (COMMAND_LINE_ONLY as readonly string[]).includes(key));
  if (foreign !== undefined) {
    throw new UsageError(`${foreign} is an option of the command line; a program has no use for it`);
  }
  return given;
}

async function finished(plan: DocsPlan, options: DocsLibraryOptions, notices: readonly string[]): Promise<DocsResult> {
  const { signal, onNotice } = options;
  const functions = new UserFunctions(() => run.stop('stopped', 0));
  const watching = new LibraryWatching(options, functions);
  const notice = (text: string) => onNotice && functions.call(onNotice, text);
  const run = new DocsRun({ ...plan, events: { notice, ...watching.events } });
  notices.forEach(notice);
  const { graceMs } = plan.resolved.options;
  const { result, corpora, stopped } = await stoppedBy(
    signal,
    () => run.stop('stopped', graceMs),
    () => run.run(),
  );
  watching.end();
  functions.end();
  const { end, seeds, summary } = result;
  return {
    reason: stopped ?? end.reason,
    truncated: end.truncated,
    directory: plan.directory,
    corpora,
    seeds,
    summary,
  };
}
