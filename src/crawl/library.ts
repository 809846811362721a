import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../base/errors.js';
import { readDirectory, readOptions } from '../config/arguments.js';
import type { Summary } from '../report/summary.js';
import { type CrawlResult, CrawlRun } from './crawl-run.js';
import { chooseDirectory } from './data-directory.js';
import type { EndReason } from './ending.js';
import { type LibraryOptions, resolveLibraryOptions } from './library-options.js';
import { librarySeeds } from './library-seeds.js';
import { type ResumePlan, resumePlan } from './resume-plan.js';
import { badSeedLines } from './seed-input.js';

/**
 * A crawl, ready to begin: iterate it, or await its `finished`. Without `dataDir` it leaves nothing behind. Wrong options
 * throw at once.
 */
export function crawl(given: LibraryOptions): CrawlRun {
  const options = readOptions("crawl({ seeds: ['https://example.com/'] })", given, true);
  const run = resolveLibraryOptions(options);
  const { fetch, resolve: ownResolve, resolved } = run;
  if (resolved.options.redisUrl !== null || resolved.options.enableRedis) {
    throw new UsageError('redisUrl is for the command line: a program crawls on one machine');
  }
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
  const choice = chooseDirectory(resolved.options, { command: 'crawl', seeds });
  if (choice.what === 'kept') {
    const { seeds: _seeds, dataDir: _dataDir, resume: _resume, ...changes } = options;
    return resumed(resumePlan(choice.directory, 'crawl', seeds), changes, true);
  }
  const moved = choice.movedTo === null ? [] : [`moved the old crawl to ${choice.movedTo}`];
  return new CrawlRun({
    what: 'session',
    session: { directory: choice.directory, seeds, badSeeds: bad, credentials },
    options: run,
    notices: [...badSeedLines(bad), ...moved],
  });
}

const RESUME_CALL = "resumeCrawl('gossamer-data/example.com', { delayMs: 2000 })";

/** Goes on with a kept crawl. Options that may not change on resume are refused; functions are to be given again. */
export function resumeCrawl(
  directory: string,
  given: Omit<LibraryOptions, 'seeds' | 'startUrls' | 'seedsFiles' | 'dataDir' | 'fresh' | 'resume'> = {},
): CrawlRun {
  const path = readDirectory(RESUME_CALL, directory);
  const options = readOptions(RESUME_CALL, given);
  for (const key of ['seeds', 'startUrls', 'seedsFiles', 'dataDir', 'fresh', 'resume']) {
    if (key in options) {
      throw new UsageError(`${key} cannot be given to resumeCrawl: the directory says it`);
    }
  }
  return resumed(resumePlan(path, 'crawl'), options, false);
}

/** @param onlyToFinish leaves a crawl that has ended as it is: what it put off is not tried again, nor are its outputs written again */
function resumed(plan: ResumePlan, given: LibraryOptions, onlyToFinish: boolean): CrawlRun {
  const { directory, seeds: storedSeeds, stored } = plan;
  const options = resolveLibraryOptions(given, stored);
  if (
    onlyToFinish &&
    ['nothing', 'deferred'].includes(plan.left(options.resolved)) &&
    existsSync(summaryIn(directory))
  ) {
    return new CrawlRun({ what: 'finished', result: keptResult(directory) });
  }
  return new CrawlRun({ what: 'session', session: { directory, seeds: null, storedSeeds }, options, notices: [] });
}

const summaryIn = (directory: string): string => join(directory, 'summary.json');

/** The result of a finished crawl, from its files. */
function keptResult(directory: string): CrawlResult {
  const summary = JSON.parse(readFileSync(summaryIn(directory), 'utf8')) as Summary;
  return {
    reason: summary.reason as EndReason,
    truncated: summary.truncated,
    summary,
    seeds: [],
    undelivered: 0,
    directory,
  };
}
