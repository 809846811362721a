import { isDeepStrictEqual } from 'node:util';
import { StateError, UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { nounOf, resumedBy } from '../config/commands.js';
import type { CrawlOptions } from '../config/options.js';
import type { ResolvedOptions } from '../config/resolve.js';
import { changedOptions, optionsToStore, type StoredOptions } from '../config/stored.js';
import { openForReading, resumeCommand, stateOf } from '../store/directory.js';
import type { Reader } from '../store/reader.js';
import { TRAP_OPTIONS } from '../store/reopening.js';
import type { SeedRow } from '../store/transaction.js';
import type { EndReason } from './ending.js';
import { sameSeeds } from './seed-input.js';

/**
 * What a kept crawl has left to do: it was stopped; it had ended, but the options given now allow more; it had ended, and only
 * what was put off could be tried again; or nothing.
 */
export type Left = 'rest' | 'more' | 'deferred' | 'nothing';

type Options = ResolvedOptions<'crawl'> | ResolvedOptions<'check'> | ResolvedOptions<'docs'>;

/** What a directory keeps of a command, ready to be resumed. */
export interface ResumePlan {
  readonly directory: string;
  readonly seeds: SeedRow[];
  /** The options it was started with: they apply unless they are given again. */
  readonly stored: StoredOptions;
  /** What the store keeps besides URLs, including the command's own notes. */
  readonly meta: Readonly<Record<string, string>>;
  /** Why its last run ended; null if it has not, or if there is more to do. */
  readonly endedBy: string | null;
  /** What is left to do under these options. */
  left(resolved: Options): Left;
  /**
   * Whether these options allow URLs that limits kept from being requested.
   * @param reason why it ended, as far as the command knows
   */
  isLimitRaised(resolved: Options, reason: string | null): boolean;
}

/** Refuses a crawl that another command began, one that never began, and one whose seeds differ from the given ones. */
export function resumePlan(
  directory: string,
  command: string,
  givenSeeds: readonly SeedRow[] | null = null,
): ResumePlan {
  return openForReading(directory, (reader) => {
    if (reader.command() !== command) {
      throw otherCommand(directory, reader.command(), command);
    }
    const seeds = reader.seeds();
    if (givenSeeds !== null && !sameSeeds(givenSeeds, seeds)) {
      throw otherSeeds(directory, command, seeds);
    }
    const meta = reader.meta();
    return {
      directory,
      seeds,
      stored: JSON.parse(meta.options!) as StoredOptions,
      meta,
      endedBy: reader.ended()?.reason ?? null,
      left: (resolved) =>
        stateOf(directory) === 'unfinished'
          ? 'rest'
          : openForReading(directory, (now) => leftOf(now, command, resolved)),
      isLimitRaised: (resolved, reason) =>
        openForReading(directory, (now) =>
          isLimitRaised(now, reason, resolved.options, optionsToStore(resolved, command)),
        ),
    };
  });
}

/** Refuses to resume what another command began. */
function otherCommand(directory: string, kept: string, wanted: string): StateError {
  const own = resumedBy(kept);
  const inProgram = own === null ? '' : `, in a program ${own}()`;
  return new StateError(
    'other_command',
    `${directory} holds a ${nounOf(kept)}, not a ${nounOf(wanted)}: \`${resumeCommand(directory)}\` goes on with it${inProgram}`,
  );
}

const otherSeeds = (directory: string, noun: string, [first]: readonly SeedRow[]): UsageError =>
  new UsageError(
    `the ${noun} in ${directory} has other seeds (${printable(first?.label ?? 'none', 200)}), and seeds cannot be changed on resume: ` +
      `\`${resumeCommand(directory)}\` goes on with that one, --fresh moves it aside, another --data-dir keeps both`,
  );

function leftOf(reader: Reader, command: string, resolved: Options): Left {
  const { reason } = reader.ended()!;
  // Each run has its own time limit.
  if (reason === 'duration' || isLimitRaised(reader, reason, resolved.options, optionsToStore(resolved, command))) {
    return 'more';
  }
  return (reader.counts().deferred ?? 0) > 0 ? 'deferred' : 'nothing';
}

/**
 * Whether the options given now allow URLs that limits kept from being requested.
 * @param reason why it ended; null if it has not
 */
function isLimitRaised(
  reader: Reader,
  reason: string | null,
  options: Pick<CrawlOptions, 'depth' | 'maxUrls' | 'maxUrlsPerHost' | 'maxBytes' | 'hosts'>,
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
  // Looking through the URLs shows which hosts' limits are higher or lower than before.
  const isChangedForHosts = (key: 'depth' | 'maxUrlsPerHost'): boolean =>
    changed.has('hosts') && changed.has(key) && isDeepStrictEqual(options[key] ?? null, before.values[key] ?? null);
  return (
    (isChangedForHosts('depth') && reader.hasSkipped('depth')) ||
    (isChangedForHosts('maxUrlsPerHost') && reader.hasSkipped('limit')) ||
    (isRaised('depth') && reader.hasSkipped('depth')) ||
    (isRaised('maxUrlsPerHost') && reader.hasSkipped('limit')) ||
    (TRAP_OPTIONS.some((key) => changed.has(key)) && reader.hasSkipped('trap'))
  );
}

/** What to type after a run that ended for this reason, on one machine of a crawl on several. */
export function nextStepOfPart(directory: string, reason: EndReason, crawlId: string): string {
  const join = `\`gossamer join --redis-url … --crawl-id ${crawlId} --data-dir ${directory}\``;
  switch (reason) {
    case 'complete':
    case 'complete_with_deferred':
      return '`gossamer merge` makes one crawl of all parts';
    case 'max_urls':
    case 'max_bytes':
    case 'duration':
      return '`gossamer merge` makes one crawl of all parts, and `gossamer resume` with a higher limit goes on with that';
    case 'stopped':
      return `\`gossamer cluster go\`, then ${join} goes on; \`gossamer merge\` makes one crawl of all parts`;
    default:
      return `${join} goes on`;
  }
}

/**
 * What to type after a run that ended for this reason; null if it has left nothing.
 * @param fetched how many URLs were requested
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
