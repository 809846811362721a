import { resolve } from 'node:path';
import { UsageError } from '../base/errors.js';
import type { OptionsOf } from '../config/options.js';
import { completeOptionsOf } from '../config/resolve.js';
import { COMMAND_LINE_ONLY } from '../crawl/library-options.js';
import type { EndReason } from '../crawl/limits.js';
import { badSeedLines, readSeeds } from '../crawl/seed-input.js';
import type { SessionResult } from '../crawl/session-plan.js';
import { type DocsPlan, DocsRun } from './docs-run.js';
import { isFinished, keptDocsIn, planDocs, planKeptDocs } from './plan-docs.js';
import type { SavedCorpus } from './write-corpora.js';

/** The options of `gossamer docs`, in their normal units. */
export interface DocsLibraryOptions
  extends Partial<Omit<OptionsOf<'docs'>, (typeof COMMAND_LINE_ONLY)[number] | 'startUrls' | 'seedsFiles'>> {
  /** Hears what a user should know. */
  onNotice?: (text: string) => void;
  /** Ends the run early: what is done stands in DIR.partial, and `resumeDocs` goes on. */
  signal?: AbortSignal;
}

export interface DocsResult {
  reason: EndReason;
  /** The limit that cut it short, or null. */
  truncated: string | null;
  /** Where the crawl is kept. */
  directory: string;
  /** One a seed; none where no page was reached. */
  corpora: SavedCorpus[];
  seeds: SessionResult['seeds'];
  /** Of the crawl. Null where there was nothing to do. */
  summary: SessionResult['summary'] | null;
}

/** Makes a Markdown corpus of each site, or brings those that are there up to date. */
export async function makeDocs(
  inputs: string | readonly string[],
  options: DocsLibraryOptions = {},
): Promise<DocsResult> {
  const resolved = completeOptionsOf('docs', givenOf(options));
  const seeds = readSeeds(typeof inputs === 'string' ? [inputs] : inputs, resolved.options, 'docs');
  const planned = planDocs(seeds, resolved);
  if (planned.what === 'nothing') {
    return { reason: 'complete', truncated: null, directory: planned.directory, corpora: [], seeds: [], summary: null };
  }
  for (const notice of [...resolved.notices, ...badSeedLines(seeds.bad), ...planned.notices]) {
    options.onNotice?.(notice);
  }
  return finished(planned.plan, options);
}

/** Goes on with a corpus that was stopped, by whatever. */
export async function resumeDocs(
  directory: string,
  options: Omit<DocsLibraryOptions, 'dataDir' | 'resume' | 'fresh'> = {},
): Promise<DocsResult> {
  const kept = keptDocsIn(resolve(directory));
  const resolved = completeOptionsOf('docs', givenOf(options), undefined, kept.stored);
  if (isFinished(kept)) {
    return { reason: 'complete', truncated: null, directory, corpora: [], seeds: [], summary: null };
  }
  return finished(planKeptDocs(kept, resolved, resolved.options.output), options);
}

function givenOf({ onNotice: _, signal: __, ...given }: DocsLibraryOptions): Partial<OptionsOf<'docs'>> {
  const foreign = Object.keys(given).find((key) => (COMMAND_LINE_ONLY as readonly string[]).includes(key));
  if (foreign !== undefined) {
    throw new UsageError(`${foreign} is an option of the command line; a program has no use for it`);
  }
  return given;
}

async function finished(plan: DocsPlan, { signal, onNotice }: DocsLibraryOptions): Promise<DocsResult> {
  const run = new DocsRun({ ...plan, events: onNotice === undefined ? {} : { notice: onNotice } });
  const stop = () => run.stop('stopped', 0);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) {
    stop();
  }
  try {
    const { result, corpora, stopped } = await run.run();
    const { end, seeds, summary } = result;
    return {
      reason: stopped ?? end.reason,
      truncated: end.truncated,
      directory: plan.directory,
      corpora,
      seeds,
      summary,
    };
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
