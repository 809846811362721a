import { StateError, UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { readDirectory } from '../config/arguments.js';
import { nounOf } from '../config/commands.js';
import type { CrawlOptions } from '../config/options.js';
import { completeOptions } from '../config/resolve.js';
import type { StoredOptions } from '../config/stored.js';
import { openForReading } from '../store/directory.js';
import { DirectoryLock } from '../store/lock.js';
import { leaveMail, type MailedUrl } from '../store/mailbox.js';
import type { BadSeed } from '../store/transaction.js';
import type { IdentityOptions } from '../url/identity.js';
import { type AddOptions, type AddTo, readAdded, readAddOptions, urlToAdd, wholeUrl } from './added-urls.js';
import { seedsOfFile } from './seed-input.js';

/** What was added to a kept crawl. */
export interface AddedToCrawl {
  /** Where the crawl is kept. */
  directory: string;
  /** The URLs in normal form. */
  urls: string[];
  /** Whether it runs now: then it takes them up at once, otherwise when it is resumed. */
  running: boolean;
}

const CALL = "addToCrawl('gossamer-data/example.com', ['https://example.com/page'])";

/**
 * Adds URLs to a crawl in a directory, running or not; they are on disk when it returns. A running crawl takes them up at once, in whatever
 * process; any other crawl, even one that had ended, takes them up when it is resumed. If one is not a URL, none is added.
 */
export function addToCrawl(
  directory: string,
  urls: string | readonly string[],
  options: AddOptions = {},
): AddedToCrawl {
  const path = readDirectory(CALL, directory);
  return leave(path, readAdded(urls, options, keptCrawl(path)));
}

/** Adds what the command line names: arguments, lists and stdin. Each entry that is not a URL gets a sentence; then nothing is added. */
export function addFromCommandLine(
  directory: string,
  input: { words: readonly string[]; files: readonly string[] },
  options: AddOptions,
): AddedToCrawl {
  const to = keptCrawl(directory);
  if (to.ownKeys) {
    throw new StateError(
      'other_functions',
      `the crawl in ${directory} was made by a program with keys of its own: only that program can add to it`,
    );
  }
  const shared = readAddOptions(options, to);
  const bad: BadSeed[] = [];
  const found = [
    ...input.words.flatMap((word) => (word === '-' ? listed('-', to.identity, bad) : named(word, to.identity, bad))),
    ...input.files.flatMap((path) => listed(path, to.identity, bad)),
  ];
  if (bad.length > 0) {
    throw new UsageError(refusal(bad));
  }
  if (found.length === 0) {
    throw new UsageError('no URL given: `gossamer add <dir> <url…>`, or --seeds-file FILE');
  }
  const unique = new Map(found.map(({ url, depth }) => [url, { ...shared, url, depth: depth ?? shared.depth }]));
  return leave(directory, [...unique.values()]);
}

interface Found {
  url: string;
  /** Of its line alone. */
  depth?: number | undefined;
}

function named(word: string, identity: IdentityOptions, bad: BadSeed[]): Found[] {
  return orBad('', bad, () => ({ url: urlToAdd(word, identity) }));
}

function listed(path: string, identity: IdentityOptions, bad: BadSeed[]): Found[] {
  return seedsOfFile(path, identity, bad).flatMap((seed) =>
    orBad('', bad, () => ({ url: wholeUrl(seed), depth: seed.depth })),
  );
}

function orBad(place: string, bad: BadSeed[], read: () => Found): Found[] {
  try {
    return [read()];
  } catch (error) {
    if (!(error instanceof UsageError)) {
      throw error;
    }
    bad.push({ place, text: '', problem: error.message });
    return [];
  }
}

const MOST_TOLD = 20;

function refusal(bad: readonly BadSeed[]): string {
  const told = bad
    .slice(0, MOST_TOLD)
    .map(
      ({ place, text, problem }) => `${place === '' ? '' : `${place}: `}${problem}${text === '' ? '' : ` (${text})`}`,
    );
  const others = bad.length - told.length;
  const rest = others > 0 ? [`${others.toLocaleString('en-US')} more are no URLs, either`] : [];
  return ['nothing was added', ...told, ...rest].join('\n  ');
}

function leave(directory: string, urls: MailedUrl[]): AddedToCrawl {
  if (urls.length > 0) {
    leaveMail(directory, urls);
  }
  return { directory, urls: urls.map(({ url }) => url), running: DirectoryLock.isTaken(directory) };
}

/** What the crawl in a directory accepts. A directory without a crawl is refused by name. */
function keptCrawl(directory: string): AddTo {
  return openForReading(directory, (reader) => {
    if (reader.command() !== 'crawl') {
      throw new StateError(
        'other_command',
        `${printable(directory)} holds a ${nounOf(reader.command())}, and URLs can only be added to a crawl`,
      );
    }
    const meta = reader.meta();
    const { options } = completeOptions({}, undefined, JSON.parse(meta.options!) as StoredOptions) as {
      options: CrawlOptions;
    };
    const { stripQuery, stripTracking, sortQuery, order } = options;
    return {
      identity: { stripQuery, stripTracking, sortQuery },
      ownKeys: meta.ownKeys === 'true',
      ranks: order === 'priority',
    };
  });
}
