import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { StateError, UsageError } from '../base/errors.js';
import { printable, shellWord } from '../base/text.js';
import { nounOf } from '../config/commands.js';
import type { CrawlOptions } from '../config/options.js';
import type { ResolvedOptions } from '../config/resolve.js';
import { seedingSources } from '../config/seeding.js';
import type { StoredOptions } from '../config/stored.js';
import type { FetchOptions } from '../fetch/contract.js';
import type { SchedulerOptions } from '../frontier/options.js';
import { openForReading, stateOf } from '../store/directory.js';
import { storePath } from '../store/store-file.js';
import type { SeedRow } from '../store/transaction.js';

/** A crawl that kept its answers, so that another command can work on it as on the web. */
export interface KeptPages {
  readonly directory: string;
  /** The seeds as the user gave them. */
  readonly seeds: readonly SeedRow[];
  /** The crawl's settings that other commands have too: they apply unless the user sets others. */
  readonly inherited: Partial<CrawlOptions>;
  /** The scope of seeds that had none of their own. */
  readonly scope: string;
  /** When the crawl began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** A sentence for the user about what is missing. */
  readonly notices: readonly string[];
}

/** Options that make two crawls of one site the same: what a URL is, which are followed, and how robots.txt applies. */
const INHERITED: readonly (keyof CrawlOptions)[] = [
  ...(['scope', 'include', 'exclude', 'nofollow', 'order', 'depth'] as const),
  ...(['stripQuery', 'stripTracking', 'sortQuery'] as const),
  ...(['allowTraps', 'maxUrlLength', 'maxPathSegments', 'maxSegmentRepeats'] as const),
  ...(['maxQueryVariants', 'maxShapeVariants', 'userAgent', 'ignoreRobots', 'maxRedirects'] as const),
];

/** Whether an argument names a directory with a crawl, and not a page or a folder of pages. */
export const isCrawlDirectory = (text: string): boolean => existsSync(storePath(resolve(text)));

/** @param purpose what the pages are for, as in "makes a corpus" */
export function keptPagesIn(path: string, purpose: string): KeptPages {
  const directory = resolve(path);
  return openForReading(directory, (reader) => {
    const command = reader.command();
    if (command !== 'crawl') {
      throw new StateError(
        'other_command',
        `${directory} holds a ${nounOf(command)}, and ${purpose} needs a crawl with its pages: \`gossamer crawl --keep body\` makes one`,
      );
    }
    const meta = reader.meta();
    const { values } = JSON.parse(meta.options!) as StoredOptions;
    if (values.keep !== 'body') {
      const kept = values.keep === 'text' ? 'only the text of its pages' : 'none of its pages';
      throw new StateError(
        'nothing_kept',
        `the crawl in ${directory} kept ${kept}, and ${purpose} needs them as they came: crawl again with --keep body`,
      );
    }
    if (meta.customFetch === 'true' || meta.ownKeys === 'true') {
      throw new StateError(
        'other_functions',
        `the crawl in ${directory} was fetched by functions of a program, which are not kept: ${purpose} needs one without them`,
      );
    }
    const inherited = Object.fromEntries(
      INHERITED.flatMap((key) => (values[key] === undefined ? [] : [[key, values[key]]])),
    );
    return {
      directory,
      seeds: reader.seeds(),
      inherited: { ...inherited, ...(values.seedingStrategy === 'none' ? { seedingStrategy: 'none' } : {}) },
      scope: values.scope ?? 'subdomains',
      startedAt: Number(meta.startedAt ?? 0),
      notices:
        stateOf(directory) === 'finished'
          ? []
          : [
              `the crawl in ${directory} is not finished: pages that it has not asked for are missing; \`gossamer resume ${shellWord(directory)}\` goes on with it`,
            ],
    };
  });
}

/** The one argument of a command that names a kept crawl; null if none does. */
export function crawlDirectoryIn(positionals: readonly string[]): string | null {
  const found = positionals.find(isCrawlDirectory);
  if (found !== undefined && positionals.length > 1) {
    throw new UsageError(
      `${printable(found)} holds a crawl, so give nothing else with it: its seeds are those of the crawl`,
    );
  }
  return found ?? null;
}

/** Options about how servers are asked, or where a run is kept: neither means anything when a kept crawl answers. */
const FOR_THE_WEB: readonly [key: string, flag: string][] = [
  ['startUrls', 'start-url'],
  ['seedsFiles', 'seeds-file'],
  ['from', 'from'],
  ['dataDir', 'data-dir'],
  ['resume', 'resume'],
  ['fresh', 'fresh'],
  ['render', 'render'],
  ['httpCache', 'http-cache'],
  ['suggest', 'suggest'],
  ['baseUrl', 'base-url'],
  ['rootDir', 'root-dir'],
  ['remaps', 'remap'],
  ['cache', 'cache'],
];

/** The options for a command that works on a kept crawl. An option that would send requests is refused. */
export function optionsForKept<C extends 'docs' | 'check'>(resolved: ResolvedOptions<C>): ResolvedOptions<C> {
  const options = resolved.options as Readonly<Record<string, unknown>>;
  const sources = resolved.sources as Readonly<Record<string, string>>;
  for (const [key, flag] of FOR_THE_WEB) {
    if (sources[key] !== undefined && sources[key] !== 'default') {
      throw new UsageError(`--${flag} has no meaning for a kept crawl, which asks no server: leave it out`);
    }
  }
  const others = [...seedingSources(String(options.seedingStrategy))].find((source) => source !== 'sitemap');
  if (others !== undefined) {
    throw new UsageError(`--seeding-strategy ${others} asks others, and a kept crawl asks no server: leave it out`);
  }
  return { ...resolved, options: { ...options, render: 'never' } } as unknown as ResolvedOptions<C>;
}

/** The seeds of the crawl for another command: those that had no scope of their own get that of the command. */
export const seedsFor = ({ seeds, scope }: KeptPages, ownScope: string): SeedRow[] =>
  seeds.map((seed) => ({
    ...seed,
    scope: seed.scope === scope ? ownScope : seed.scope,
    scopeUrls: [seed.url, ...seed.fallbacks],
  }));

/** No server is asked, so nothing is paced and nothing waits: what failed in the crawl fails again at once. */
export const withoutWaiting = (options: SchedulerOptions): SchedulerOptions => ({
  ...options,
  delayMsFor: () => 0,
  limitsOf: () => ({}),
  retryDelayMs: 0,
  maxInflightPerIp: 0,
  delayPerIpMs: 0,
});

export const answeredFrom = (options: FetchOptions, directory: string): FetchOptions => ({
  ...options,
  keptIn: directory,
});
