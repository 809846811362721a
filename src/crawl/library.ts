import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StateError, UsageError } from '../base/errors.js';
import type { StoredOptions } from '../config/stored.js';
import type { Summary } from '../report/summary.js';
import { openForReading } from '../store/directory.js';
import type { SeedRow } from '../store/transaction.js';
import { type CrawlResult, CrawlRun, type RunPlan } from './crawl-run.js';
import { chooseDirectory } from './data-directory.js';
import { type LibraryOptions, resolveLibraryOptions } from './library-options.js';
import { librarySeeds } from './library-seeds.js';
import type { EndReason } from './limits.js';
import { badSeedLines } from './seed-input.js';

/**
 * A crawl, ready to begin: iterate it, or await its `finished`. Without `dataDir` nothing is left of it. What is wrong with the options
 * is thrown at once.
 */
export function crawl(options: LibraryOptions): CrawlRun {
  const run = resolveLibraryOptions(options);
  const { fetch, resolve: ownResolve, resolved } = run;
  const ownKeys = fetch !== undefined && ownResolve !== undefined;
  const { seeds, credentials, bad } = librarySeeds(options.seeds ?? [], resolved.options, ownKeys);
  const { dataDir, fresh, resume } = resolved.options;
  if (dataDir === null) {
    if (fresh || resume) {
      throw new UsageError(`${fresh ? 'fresh' : 'resume'} needs a dataDir: without one nothing is kept`);
    }
    return new CrawlRun({
      what: 'session',
      session: { directory: null, seeds, badSeeds: bad, credentials },
      options: run,
      notices: badSeedLines(bad),
    });
  }
  const choice = chooseDirectory(resolved.options, seeds[0]!.url);
  if (choice.what === 'finished') {
    return new CrawlRun({ what: 'finished', result: keptResult(choice.directory) });
  }
  if (choice.what === 'resume') {
    const { seeds: _seeds, dataDir: _dataDir, resume: _resume, ...changes } = options;
    return new CrawlRun(resumePlan(choice.directory, changes, seeds));
  }
  const moved = choice.movedTo === null ? [] : [`moved the old crawl to ${choice.movedTo}`];
  return new CrawlRun({
    what: 'session',
    session: { directory: choice.directory, seeds, badSeeds: bad, credentials },
    options: run,
    notices: [...badSeedLines(bad), ...moved],
  });
}

/** Goes on with a kept crawl. Options that may not change on resume are refused; functions are to be given again. */
export function resumeCrawl(
  directory: string,
  options: Omit<LibraryOptions, 'seeds' | 'startUrls' | 'seedsFiles' | 'dataDir' | 'fresh' | 'resume'> = {},
): CrawlRun {
  for (const key of ['seeds', 'startUrls', 'seedsFiles', 'dataDir', 'fresh', 'resume']) {
    if (key in options) {
      throw new UsageError(`${key} cannot be given to resumeCrawl: the directory says it`);
    }
  }
  return new CrawlRun(resumePlan(resolve(directory), options, null));
}

function resumePlan(directory: string, given: LibraryOptions, givenSeeds: SeedRow[] | null): RunPlan {
  const { stored, storedSeeds, isCheck } = openForReading(directory, (reader) => ({
    isCheck: reader.meta().command === 'check',
    stored: JSON.parse(reader.meta().options ?? 'null') as StoredOptions | null,
    storedSeeds: reader.seeds(),
  }));
  if (stored === null) {
    throw new StateError(
      'store_damaged',
      `the store in ${directory} does not say how it was made; it cannot be resumed`,
    );
  }
  if (isCheck) {
    throw new StateError('other_command', `${directory} holds a check: resumeCheck goes on with it`);
  }
  if (
    givenSeeds !== null &&
    givenSeeds.map(({ url }) => url).join('\n') !== storedSeeds.map(({ url }) => url).join('\n')
  ) {
    throw new UsageError(`the crawl in ${directory} has other seeds; seeds cannot be changed on resume`);
  }
  return {
    what: 'session',
    session: { directory, seeds: null, storedSeeds },
    options: resolveLibraryOptions(given, stored),
    notices: [],
  };
}

/** What a finished crawl came to, from its files. */
function keptResult(directory: string): CrawlResult {
  const summary = JSON.parse(readFileSync(join(directory, 'summary.json'), 'utf8')) as Summary;
  return { reason: summary.reason as EndReason, truncated: summary.truncated, summary, seeds: [], directory };
}
