import { UsageError } from '../../base/errors.js';
import { type CrawlOptions, OPTION_KEYS, type OptionKey, type OptionsOf, specOf, takes } from '../../config/options.js';
import { givenOrigin } from '../../config/origin.js';
import { completeOptions, defaultOf, type ResolvedOptions } from '../../config/resolve.js';
import { didYouMean, nearest } from '../../config/suggest.js';
import { checkValue } from '../../config/values.js';
import type { SeedFate } from '../../frontier/seed-book.js';
import type { SeedRow } from '../../store/transaction.js';
import type { Credentials } from '../../url/identity.js';
import { COMMAND_LINE_ONLY, type SeedSpec } from '../library-options.js';
import { librarySeeds } from '../library-seeds.js';
import { badSeedLines } from '../seed-input.js';
import { CrawlSession } from '../session.js';
import type { SessionEvents } from '../session-plan.js';
import { sampleOrder } from './sample-order.js';
import type { Duration, Survey } from './survey.js';

/** What a crawl would ask for and how long it would take. Counts are of all; lists are of the largest only. */
export interface Preview extends Omit<Survey, 'seeds' | 'duration'> {
  /** What the figures rest on. `none`: there is no sitemap, so nobody can know how many pages there are. */
  basis: 'sitemaps' | 'sample' | 'seeds' | 'none';
  /** Null where nobody can know. */
  duration: Duration | null;
  /** What became of each seed, as far as robots.txt tells. */
  seeds: SeedFate[];
  /** What the user of a crawl would have been told. */
  notices: readonly string[];
}

type CommandLineOnly = (typeof COMMAND_LINE_ONLY)[number];

/** The options of `gossamer preview`, in their normal units. */
export interface PreviewOptions extends Partial<Omit<OptionsOf<'preview'>, CommandLineOnly>> {
  /** Where a crawl would begin: URLs and bare domains. */
  seeds?: readonly (string | SeedSpec)[];
}

/** What a preview is started with. */
export interface PreviewPlan {
  /** Of the crawl that is previewed. */
  resolved: ResolvedOptions<'crawl'>;
  seeds: SeedRow[];
  credentials: Map<string, Credentials>;
  sample: number | null;
  sampleSeed: number;
  events?: SessionEvents;
}

/** Reads robots.txt and sitemaps, and with `sample` so many pages; nothing is kept. What is wrong with the options is thrown. */
export async function preview(options: PreviewOptions): Promise<Preview> {
  const { seeds: given = [], sample, sampleSeed, ...crawlOptions } = options;
  refuseStrangers(crawlOptions);
  const resolved = completeOptions(crawlOptions);
  const { seeds, credentials, bad } = librarySeeds(given, resolved.options, false);
  const answer = await runPreview({
    resolved,
    seeds,
    credentials,
    sample: checked('sample', sample) as number | null,
    sampleSeed: checked('sampleSeed', sampleSeed) as number,
  });
  return { ...answer, notices: [...resolved.notices, ...badSeedLines(bad), ...answer.notices] };
}

/** The options of a crawl as those of a preview name them: what was not given is the crawl's default. */
export function asCrawlOptions({ options, sources }: ResolvedOptions<'preview'>): ResolvedOptions<'crawl'> {
  const given = Object.entries(options).filter(
    ([key]) =>
      sources[key as keyof typeof sources] !== 'default' &&
      specOf(key as OptionKey).commands.includes('crawl' as never),
  );
  return completeOptions(Object.fromEntries(given));
}

export async function runPreview(plan: PreviewPlan): Promise<Preview> {
  const { options, sources } = plan.resolved;
  const limits = {
    workers: options.workers,
    maxInflightPerHost: options.maxInflightPerHost,
    autoTune: options.autoTune,
    maxUrls: options.maxUrls,
    maxUrlsPerHost: options.maxUrlsPerHost,
    durationMs: options.durationMs,
  };
  // The limits are those of the crawl, not of its preview. A page is drawn once all that came before is known.
  const own = { maxUrls: plan.sample, maxUrlsPerHost: null, durationMs: null, order: 'bfs' } as const;
  const perHost = plan.sample === null ? {} : { maxInflightPerHost: 1 };
  const session = new CrawlSession({
    resolved: { ...plan.resolved, options: { ...options, ...own, ...perHost } },
    directory: null,
    seeds: plan.seeds.map((seed) => ({ ...seed, maxUrls: null })),
    credentials: plan.credentials,
    events: plan.events ?? {},
    preview: {
      question: {
        delayMs: options.delayMs,
        delayIsDefault: sources.delayMs === 'default',
        maxCrawlDelayMs: options.maxCrawlDelayMs,
        limits,
        sample: plan.sample,
      },
      choose: plan.sample === null ? null : sampleOrder(plan.sample, plan.sampleSeed),
    },
  });
  await session.open();
  const { seeds: fates, survey } = await session.run();
  const { seeds: waiting, duration, ...found } = survey!;
  const basis = basisOf(plan, found);
  const bySeed = new Map(waiting.map((seed) => [seed.seed, seed]));
  return {
    ...found,
    basis,
    duration: basis === 'none' ? null : duration,
    seeds: fates.map((fate) => fateOf(fate, bySeed.get(fate.seed))),
    notices: session.notices,
  };
}

function basisOf({ sample, seeds, resolved }: PreviewPlan, { sitemaps }: Pick<Survey, 'sitemaps'>): Preview['basis'] {
  if (sample !== null) {
    return 'sample';
  }
  if (sitemaps.read > 0) {
    return 'sitemaps';
  }
  const endsAtSeed = ({ scope, depth }: SeedRow) => scope === 'page' || (depth ?? resolved.options.depth) === 0;
  return seeds.every(endsAtSeed) ? 'seeds' : 'none';
}

/** A survey asks for no seed: its robots.txt says whether a crawl could. */
function fateOf(fate: SeedFate, seed: Survey['seeds'][number] | undefined): SeedFate {
  if (fate.fate !== 'open' || seed === undefined) {
    return fate;
  }
  return seed.forbiddenBy === null
    ? { ...fate, fate: 'reached', detail: null }
    : { ...fate, fate: 'forbidden', detail: seed.forbiddenBy };
}

function refuseStrangers(options: Partial<CrawlOptions>): void {
  const known = OPTION_KEYS.filter((key) => takes('preview', specOf(key)));
  for (const key of Object.keys(options)) {
    if ((COMMAND_LINE_ONLY as readonly string[]).includes(key)) {
      throw new UsageError(`${key} is an option of the command line; a program has no use for it`);
    }
    if (!(known as string[]).includes(key)) {
      throw new UsageError(`preview takes no option ${key}${didYouMean(nearest(key, known))}`);
    }
  }
}

function checked(key: 'sample' | 'sampleSeed', value: unknown): unknown {
  return value === undefined ? defaultOf('preview', specOf(key)) : checkValue(specOf(key), value, givenOrigin(key));
}
