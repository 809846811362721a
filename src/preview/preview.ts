import { UsageError } from '../base/errors.js';
import { checkSignal, stoppedBy, throwIfStopped } from '../config/abort.js';
import { checkOptionKeys } from '../config/names.js';
import {
  acceptsOption,
  type CrawlOptions,
  OPTION_KEYS,
  type OptionKey,
  type OptionsOf,
  specOf,
} from '../config/options.js';
import { ON_ONE_MACHINE } from '../config/options-cluster.js';
import { WITHOUT_HOOKS } from '../config/options-hooks.js';
import { WITHOUT_KEEPING } from '../config/options-keep.js';
import { givenOrigin } from '../config/origin.js';
import { completeOptions, completeOptionsOf, defaultOf, type ResolvedOptions } from '../config/resolve.js';
import { checkValue } from '../config/values.js';
import { COMMAND_LINE_ONLY, type SeedSpec } from '../crawl/library-options.js';
import { librarySeeds } from '../crawl/library-seeds.js';
import { badSeedLines } from '../crawl/seed-input.js';
import { CrawlSession } from '../crawl/session.js';
import type { SessionEvents } from '../crawl/session-plan.js';
import { sampleOrder } from '../crawl/survey/sample-order.js';
import type { Duration, Survey } from '../crawl/survey/survey.js';
import type { SeedFate } from '../frontier/seed-book.js';
import type { SeedRow } from '../store/transaction.js';
import { type HostPolicy, policiesOf } from '../url/host-policies.js';
import type { Credentials } from '../url/identity.js';
import type { CorpusForecast } from './corpus-size.js';

/** What a crawl would ask for and how long it would take. Counts are of all; lists are of the largest only. */
export interface Preview extends Omit<Survey, 'seeds' | 'duration' | 'isNamed'> {
  /** What the figures rest on. `none`: there is no sitemap, so nobody can know how many pages there are. */
  basis: 'sitemaps' | 'sample' | 'seeds' | 'none';
  /** Null if nobody knows how many pages there are. */
  duration: Duration | null;
  /** What the corpus will be; null if a crawl is previewed. */
  corpus: CorpusForecast | null;
  /** What became of each seed: with a sample it is fetched, else as far as robots.txt tells. */
  seeds: SeedFate[];
  /** What the user of a crawl would have been told. */
  notices: readonly string[];
}

type CommandLineOnly = (typeof COMMAND_LINE_ONLY)[number];

/** The options of `gossamer preview`, in their normal units. */
export interface PreviewOptions extends Partial<Omit<OptionsOf<'preview'>, CommandLineOnly>> {
  /** Where a crawl would begin: URLs and bare domains. */
  seeds?: readonly (string | SeedSpec)[];
  /** Gives up: the promise is rejected with a `StateError` of the code `stopped`. */
  signal?: AbortSignal;
}

/** What a preview is started with. */
export interface PreviewPlan {
  /** Of the crawl that is previewed. */
  resolved: ResolvedOptions<'crawl'>;
  seeds: SeedRow[];
  credentials: Map<string, Credentials>;
  sample: number | null;
  sampleSeed: number;
  /** It is a corpus that is previewed; the pages of a sample are kept in this directory. */
  corpus?: { directory: string | null };
  events?: SessionEvents;
  signal?: AbortSignal;
}

/** What a program asks for. What is wrong with the options is thrown. */
export function planPreview(options: PreviewOptions): { plan: PreviewPlan; notices: string[] } {
  const { seeds: given = [], sample, sampleSeed, for: purpose, signal, ...crawlOptions } = options;
  checkSignal(signal);
  refuseStrangers(crawlOptions);
  const resolved = optionsFor(checked('for', purpose) as Purpose, crawlOptions);
  const { seeds, credentials, bad } = librarySeeds(given, resolved.options, false);
  const plan = {
    resolved,
    seeds,
    credentials,
    sample: checked('sample', sample) as number | null,
    sampleSeed: checked('sampleSeed', sampleSeed) as number,
    ...(signal === undefined ? {} : { signal }),
  };
  return { plan, notices: [...resolved.notices, ...badSeedLines(bad)] };
}

/** The options of a crawl as those of a preview name them: what was not given is the default of what is previewed. */
export function asCrawlOptions({ options, sources }: ResolvedOptions<'preview'>): ResolvedOptions<'crawl'> {
  const isGiven = (key: string) => sources[key as keyof typeof sources] !== 'default';
  const given = Object.entries(options).filter(([key]) => isGiven(key) && isOptionOf('crawl', key));
  for (const [key] of given) {
    if (sources[key as keyof typeof sources] === 'flag' && !specOf(key as OptionKey).perRun) {
      refuseOther(options.for, key, `--${specOf(key as OptionKey).flag}`);
    }
  }
  return optionsFor(options.for, Object.fromEntries(given.filter(([key]) => isOptionOf(options.for, key))));
}

type Purpose = OptionsOf<'preview'>['for'];

const isOptionOf = (purpose: Purpose, key: string): boolean =>
  (specOf(key as OptionKey).commands as readonly string[]).includes(purpose);

function refuseOther(purpose: Purpose, key: string, name: string): void {
  if (!isOptionOf(purpose, key)) {
    throw new UsageError(`${name} is no option of \`gossamer ${purpose}\`, which is previewed`);
  }
}

function optionsFor(purpose: Purpose, given: Partial<CrawlOptions>): ResolvedOptions<'crawl'> {
  if (purpose === 'crawl') {
    return completeOptions(given);
  }
  for (const key of Object.keys(given)) {
    refuseOther(purpose, key, key);
  }
  const { options, sources, notices } = completeOptionsOf('docs', given);
  return {
    options: {
      ...options,
      ...ON_ONE_MACHINE.options,
      ...WITHOUT_HOOKS.options,
      ...WITHOUT_KEEPING.options,
      from: [],
      ...{
        anchorText: false,
        facts: 'basic',
        extract: [],
        assets: false,
        external: false,
        hashRoutes: false,
        reports: [],
      },
    },
    sources: {
      ...sources,
      ...ON_ONE_MACHINE.sources,
      ...WITHOUT_HOOKS.sources,
      ...WITHOUT_KEEPING.sources,
      from: 'default',
      ...{ anchorText: 'default', facts: 'default', extract: 'default', assets: 'default' },
      ...{ external: 'default', hashRoutes: 'default', reports: 'default' },
    },
    notices,
  };
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
  const hosts = options.hosts.map(
    ({ maxUrls: _, maxInflight, ...policy }): HostPolicy => ({
      ...policy,
      ...(plan.sample !== null || maxInflight === undefined ? {} : { maxInflight }),
    }),
  );
  const own = { maxUrls: plan.sample, maxUrlsPerHost: null, durationMs: null, order: 'bfs', hosts } as const;
  const directory = plan.corpus?.directory ?? null;
  const choose = plan.sample === null ? null : sampleOrder(plan.sample, plan.sampleSeed);
  const perHost = plan.sample === null ? {} : { maxInflightPerHost: 1, leasesInStock: 0 };
  const session = await CrawlSession.open({
    resolved: { ...plan.resolved, options: { ...options, ...own, ...perHost } },
    directory,
    seeds: plan.seeds.map((seed) => ({ ...seed, maxUrls: null })),
    credentials: plan.credentials,
    events: plan.events ?? {},
    profile: {
      command: 'crawl',
      writesOutputs: false,
      scheduler: (given) => ({ ...given, choose, surveyOnly: choose === null, sitemapsAreBeyond: false }),
      reader: (given) => ({ ...given, keepsOutside: true, keepsBodies: directory !== null, feeds: false }),
      survey: {
        delayMs: options.delayMs,
        delayIsDefault: sources.delayMs === 'default',
        hosts: policiesOf(options.hosts, ['delayMs', 'maxInflight', 'maxUrls']),
        maxCrawlDelayMs: options.maxCrawlDelayMs,
        limits,
        sample: plan.sample,
        goesByName: plan.corpus !== undefined,
      },
    },
  });
  const { seeds: fates, survey } = await stoppedBy(
    plan.signal,
    () => session.stop('stopped', 0),
    () => session.run(),
  );
  throwIfStopped('preview', plan.signal);
  const { seeds: waiting, duration, isNamed, ...found } = survey!;
  const basis = isNamed ? 'sitemaps' : basisOf(plan, found);
  const bySeed = new Map(waiting.map((seed) => [seed.seed, seed]));
  return {
    ...found,
    basis,
    duration: basis === 'none' ? null : duration,
    corpus: null,
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
  const known = OPTION_KEYS.filter((key) => acceptsOption('preview', specOf(key)));
  for (const key of Object.keys(options)) {
    if ((COMMAND_LINE_ONLY as readonly string[]).includes(key)) {
      throw new UsageError(`${key} is an option of the command line; a program has no use for it`);
    }
  }
  checkOptionKeys(options, [...known, 'seeds', 'signal'], 'preview');
}

function checked(key: 'sample' | 'sampleSeed' | 'for', value: unknown): unknown {
  return value === undefined ? defaultOf('preview', specOf(key)) : checkValue(specOf(key), value, givenOrigin(key));
}
