import { UsageError } from '../base/errors.js';
import type { OptionValue } from './option-spec.js';
import type { CrawlOptions, OptionKey } from './options.js';
import type { Source } from './origin.js';
import { seedingSources } from './seeding.js';
import { writeSize } from './units.js';

/**
 * The rules between options and the machine. Lowers or raises values in place and gives the sentences that say so, and the
 * warnings that some options owe; refuses what contradicts itself.
 *
 * @param name how the user gave an option: `--workers`, `GOSSAMER_WORKERS`, …
 */
export function adjust(
  values: Record<string, OptionValue>,
  sources: Readonly<Record<string, Source>>,
  name: (key: OptionKey) => string,
  cores: number,
): string[] {
  const options = values as { -readonly [K in keyof CrawlOptions]?: CrawlOptions[K] };
  const notices: string[] = [];
  refuseBoth('quiet', 'verbose');
  refuseBoth('fresh', 'resume');

  const mostLanes = 2 * cores;
  if ((options.parseWorkers ?? 0) > mostLanes) {
    notices.push(
      `${name('parseWorkers')} ${options.parseWorkers} is more than twice the cores of this machine: lowered to ${mostLanes}`,
    );
    options.parseWorkers = mostLanes;
  }

  const { maxBodyBytes = 0, parseBufferBytes = maxBodyBytes } = options;
  if (parseBufferBytes < maxBodyBytes) {
    if (sources.parseBufferBytes !== 'default') {
      throw new UsageError(
        `${name('parseBufferBytes')} must be from ${writeSize(maxBodyBytes)} (${name('maxBodyBytes')}) to 16 GiB, got ${writeSize(parseBufferBytes)}`,
      );
    }
    options.parseBufferBytes = maxBodyBytes;
    notices.push(`--parse-buffer is raised to ${name('maxBodyBytes')}, ${writeSize(maxBodyBytes)}`);
  }

  const { seenMemoryBytes, memoryLimitBytes } = options;
  if (seenMemoryBytes && memoryLimitBytes && seenMemoryBytes >= memoryLimitBytes) {
    throw new UsageError(
      `${name('seenMemoryBytes')} must be less than ${name('memoryLimitBytes')}, ${writeSize(memoryLimitBytes)}, got ${writeSize(seenMemoryBytes)}`,
    );
  }

  const asked = seedingSources(options.seedingStrategy ?? 'none');
  if (options.maxSockets === 1 && (asked.has('ct') || asked.has('commoncrawl'))) {
    throw new UsageError(
      `${name('maxSockets')} must be 2 or more where third parties are asked (${name('seedingStrategy')}), got 1`,
    );
  }

  if (options.insecure) {
    notices.push(`TLS certificates are not verified (${name('insecure')})`);
  }
  if (options.ignoreRobots) {
    notices.push(
      `robots.txt is not obeyed (${name('ignoreRobots')}); summary, hosts, seeds, sitemap and reports say so`,
    );
  }
  if (options.robotsUnreachable === 'allow' && !options.ignoreRobots) {
    notices.push(
      `hosts whose robots.txt cannot be reached are crawled as if it forbade nothing (${name('robotsUnreachable')}); the summary says so`,
    );
  }
  return notices;

  function refuseBoth(one: OptionKey, other: OptionKey): void {
    if (values[one] && values[other]) {
      throw new UsageError(`${name(one)} and ${name(other)} contradict each other`);
    }
  }
}
