import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import type { CrawlOptions } from '../config/options.js';
import type { ResolvedOptions } from '../config/resolve.js';
import { changedOptions, optionsToStore, type StoredOptions } from '../config/stored.js';
import { openForReading, otherCommand, resumeCommand, stateOf } from '../store/directory.js';
import type { Reader } from '../store/reader.js';
import { TRAP_OPTIONS } from '../store/reopening.js';
import type { SeedRow } from '../store/transaction.js';
import type { EndReason } from './limits.js';
import { sameSeeds } from './seed-input.js';

/**
 * What a kept crawl has left to do: it was stopped; it had ended, and has more to do by the options it is given now; it had ended, and only
 * what was put off could be tried again; nothing.
 */
export type Left = 'rest' | 'more' | 'deferred' | 'nothing';

/** A kept crawl, ready to go on. */
export interface ResumePlan {
  readonly directory: string;
  readonly seeds: SeedRow[];
  /** What it was started with: options that are not given again are these. */
  readonly stored: StoredOptions;
  left(resolved: ResolvedOptions<'crawl'>): Left;
}

/** Refuses what is no crawl, what was never begun, and one whose seeds are not those that are given. */
export function resumePlan(directory: string, givenSeeds: readonly SeedRow[] | null): ResumePlan {
  return openForReading(directory, (reader) => {
    if (reader.command() !== 'crawl') {
      throw otherCommand(directory, reader.command(), 'crawl');
    }
    const seeds = reader.seeds();
    if (givenSeeds !== null && !sameSeeds(givenSeeds, seeds)) {
      throw otherSeeds(directory, 'crawl', seeds);
    }
    return {
      directory,
      seeds,
      stored: JSON.parse(reader.meta().options!) as StoredOptions,
      left: (resolved) =>
        stateOf(directory) === 'unfinished' ? 'rest' : openForReading(directory, (now) => leftOf(now, resolved)),
    };
  });
}

export const otherSeeds = (directory: string, noun: string, [first]: readonly SeedRow[]): UsageError =>
  new UsageError(
    `the ${noun} in ${directory} has other seeds (${printable(first?.label ?? 'none', 200)}), and seeds cannot be changed on resume: ` +
      `\`${resumeCommand(directory)}\` goes on with that one, --fresh moves it aside, another --data-dir keeps both`,
  );

function leftOf(reader: Reader, resolved: ResolvedOptions<'crawl'>): Left {
  const { reason } = reader.ended()!;
  // The time that ended it is each run's own.
  if (reason === 'duration' || isLimitRaised(reader, reason, resolved.options, optionsToStore(resolved))) {
    return 'more';
  }
  return (reader.counts().deferred ?? 0) > 0 ? 'deferred' : 'nothing';
}

/**
 * Whether what limits kept from being asked for may be asked for by the options that are given now.
 * @param reason why it ended; null where it has not
 */
export function isLimitRaised(
  reader: Reader,
  reason: string | null,
  options: Pick<CrawlOptions, 'depth' | 'maxUrls' | 'maxUrlsPerHost' | 'maxBytes'>,
  now: StoredOptions,
): boolean {
  const meta = reader.meta();
  const before = JSON.parse(meta.inForce ?? meta.options!) as StoredOptions;
  const isRaised = (key: 'depth' | 'maxUrlsPerHost' | 'maxBytes'): boolean =>
    (options[key] ?? Number.POSITIVE_INFINITY) > (before.values[key] ?? Number.POSITIVE_INFINITY);
  switch (reason) {
    case 'max_urls':
      return Number(meta.dispatched ?? 0) < (options.maxUrls ?? Number.POSITIVE_INFINITY);
    case 'max_bytes':
      return isRaised('maxBytes');
  }
  const changed = changedOptions(before, now);
  return (
    (isRaised('depth') && reader.hasSkipped('depth')) ||
    (isRaised('maxUrlsPerHost') && reader.hasSkipped('limit')) ||
    (TRAP_OPTIONS.some((key) => changed.has(key)) && reader.hasSkipped('trap'))
  );
}

/**
 * What to type after a run that ended for this reason; null where it has left nothing.
 * @param fetched so many URLs were asked for
 */
export function nextStep(directory: string, reason: EndReason, fetched: number): string | null {
  switch (reason) {
    case 'complete':
    case 'surveyed':
      return null;
    case 'complete_with_deferred':
      return `\`${resumeCommand(directory)}\` tries again what was put off`;
    case 'max_urls':
      return `\`${resumeCommand(directory, `--max-urls ${fetched * 2}`)}\` goes on`;
    case 'max_bytes':
      return `\`${resumeCommand(directory, '--max-bytes SIZE')}\` goes on, with a SIZE above the last one`;
    default:
      return `\`${resumeCommand(directory)}\` goes on`;
  }
}
