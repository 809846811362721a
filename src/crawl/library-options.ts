import { isDeepStrictEqual } from 'node:util';
import { UsageError } from '../base/errors.js';
import { checkSignal } from '../config/abort.js';
import { checkFunction, describeValue } from '../config/arguments.js';
import { checkOptionKeys } from '../config/names.js';
import { type CrawlOptions, OPTION_KEYS, type OptionKey, specOf, usesOption } from '../config/options.js';
import {
  completeOptions,
  defaultOf,
  type ResolvedOptions,
  refuseHostKeys,
  refuseOtherIdentity,
} from '../config/resolve.js';
import { seedingSources } from '../config/seeding.js';
import type { StoredOptions } from '../config/stored.js';
import { writeValue } from '../config/values.js';
import type { NewLink } from '../frontier/options.js';
import type { PageContent } from '../hooks/page-content.js';
import type { CustomFetch } from '../lane/custom-source.js';
import type { LinkKind } from '../parse/links.js';
import type { CrawledPage } from '../store/page-types.js';
import type { ScopeKind } from '../url/scope.js';

/** What a terminal needs and a program does not. */
export const COMMAND_LINE_ONLY = [
  ...['json', 'config', 'printConfig', 'quiet', 'progress', 'verbose', 'color', 'exitSimple'],
  ...['metricsPort', 'metricsFile', 'metricsIntervalMs', 'logFile', 'logLevel', 'notify', 'dashboard'],
] as const;
/** Options about the connections of our own fetcher. */
const NETWORK_ONLY = [
  'connectTimeoutMs',
  'idleTimeoutMs',
  'minSpeedBytesPerSecond',
  'headers',
  'user',
  'contact',
  'proxy',
  'proxyRotation',
  'authFile',
  'cookies',
  'cookieJar',
  'clientCerts',
  'clientKeys',
  'clientPassphrase',
  'insecure',
  'cacert',
  'connectTo',
  'http2',
  'maxSockets',
  'httpCache',
  'httpCacheOnly',
  'httpCacheBytes',
  'since',
  'maxAgeMs',
  'maxInflightPerIp',
  'delayPerIpMs',
] as const satisfies OptionKey[];
/** Options about URLs, which `resolve` decides instead. */
const URL_ONLY = [
  'scope',
  'include',
  'exclude',
  'external',
  'stripQuery',
  'stripTracking',
  'sortQuery',
  'hosts',
] as const satisfies OptionKey[];

/** The user's fetcher has its own manners, so these are off unless the user asks for them. */
const WITH_OWN_FETCH: Partial<CrawlOptions> = {
  delayMs: 0,
  autoTune: false,
  ignoreRobots: true,
  seedingStrategy: 'none',
  retries: 0,
  maxUrlLength: 0,
  maxPathSegments: 0,
  maxSegmentRepeats: 0,
  maxQueryVariants: 0,
  maxShapeVariants: 0,
};

const DEFAULT_QUEUE_SIZE = 1_000;
const MOST_QUEUE_SIZE = 10_000_000;
const MOST_INFLIGHT_PER_HOST = specOf('maxInflightPerHost') as { max: number };
const MOST_EDGE_PAGES = 1_000;

/** A seed with a scope and a budget of its own. */
export interface SeedSpec {
  /** A URL or a bare domain; with `fetch` and `resolve`, a key. */
  url: string;
  /** Replaces the scope of the crawl. */
  scope?: ScopeKind;
  /** Replaces the depth of the crawl. */
  depth?: number;
  /** The most URLs that are requested on behalf of this seed. */
  maxUrls?: number;
}

/** What an edge has besides its two ends. */
export interface EdgeFacts {
  /** What kind of link it is. */
  kind: LinkKind;
  /** The link's `rel`, or an empty text. */
  rel: string;
  /** Set only with `anchorText`. */
  text: string | null;
}
/** Gets an edge; what it returns is awaited. */
export type OnEdge = (from: string, to: string, edge: EdgeFacts) => void | Promise<void>;

/** Gets a page and its content, which is worked out when it is read; what it returns is awaited. */
export type OnPage = (page: CrawledPage, content: PageContent) => void | Promise<void>;

/** The options of the command line, in their normal units, and those that only a program can give. */
export interface LibraryOptions extends Partial<Omit<CrawlOptions, (typeof COMMAND_LINE_ONLY)[number]>> {
  /** Where to begin: URLs and bare domains; with `fetch` and `resolve`, keys of any kind. */
  seeds?: readonly (string | SeedSpec)[];
  /** Provides the pages in place of the network. */
  fetch?: CustomFetch;
  /** Says what a link of a page leads to: a key, or null for nothing. Two links lead to one page when their keys are equal. */
  resolve?: (href: string, from: string) => string | null;
  /** Gets every edge once its page is committed, including edges to pages already seen. Awaited; an error ends the crawl. */
  onEdge?: OnEdge;
  /**
   * With `order: 'priority'`: where a new link waits at its host, 0 (first) to 7; null or nothing leaves it where it would be. Called in your
   * thread, once for each URL that is new; what it throws ends the crawl.
   */
  priority?: (link: NewLink) => number | null | undefined;
  /**
   * Gets every requested page with its HTML once it is committed: in this thread, one after the other. Awaited; an error ends the
   * crawl. The content is empty if the page is neither HTML nor a type of `contentTypes`.
   */
  onPage?: OnPage;
  /** Pages requested at the same time: `workers` by another name. */
  downloaders?: number;
  /** Threads that read pages (`parseWorkers`); with `fetch` or `resolve`, pages that hand on their edges at the same time. */
  parsers?: number;
  /** Results that may wait to be taken from the iterator, those under way included. */
  queueSize?: number;
  /** Stops the crawl as `stop()` does: `finished` resolves with the reason `stopped`. */
  signal?: AbortSignal;
}

type Functions = Pick<LibraryOptions, 'fetch' | 'resolve' | 'onEdge' | 'onPage' | 'priority' | 'signal'>;

const CRAWL_KEYS = OPTION_KEYS.filter((key) => usesOption('crawl', specOf(key)));
/** What only a program can give. */
const OWN_KEYS = [
  ...['seeds', 'fetch', 'resolve', 'onEdge', 'onPage', 'priority'],
  ...['downloaders', 'parsers', 'queueSize', 'signal'],
];

/** What a run is started with. */
export interface RunOptions extends Functions {
  resolved: ResolvedOptions<'crawl'>;
  /** How many pages hand on their edges at the same time. */
  edgePages: number;
  queueSize: number;
  guardsFetch: boolean;
}

export function resolveLibraryOptions(given: LibraryOptions, stored?: StoredOptions): RunOptions {
  const {
    seeds: _seeds,
    fetch,
    resolve,
    onEdge,
    onPage,
    priority,
    downloaders,
    parsers,
    queueSize = DEFAULT_QUEUE_SIZE,
    signal,
    ...plain
  } = given;
  for (const [name, value] of Object.entries({ fetch, resolve, onEdge, onPage, priority })) {
    checkFunction(name, value);
  }
  checkSignal(signal);
  checkOptionKeys(plain, [...CRAWL_KEYS, ...OWN_KEYS], 'crawl');
  refuseStrangers(plain, fetch !== undefined, resolve !== undefined);
  if (plain.hooks !== undefined && plain.hooks !== null && (fetch !== undefined || resolve !== undefined)) {
    throw new UsageError(
      'hooks run in their own threads, which cannot call your fetch or resolve: leave one of them out',
    );
  }
  refuseThirdParties(plain.seedingStrategy, fetch !== undefined, resolve !== undefined);
  const readsHere = fetch !== undefined || resolve !== undefined;
  const options: { -readonly [K in keyof CrawlOptions]?: CrawlOptions[K] } = { ...plain };
  takeAlias(options, 'workers', 'downloaders', downloaders);
  takeAlias(options, 'parseWorkers', 'parsers', parsers);
  const edgePages = readsHere ? (options.parseWorkers ?? 1) : 1;
  if (readsHere) {
    options.parseWorkers = 1;
  }
  if (fetch !== undefined && options.workers !== undefined) {
    // For pacing, all keys belong to one host, so its limit must not be lower than the user's.
    options.maxInflightPerHost ??= Math.min(MOST_INFLIGHT_PER_HOST.max, options.workers);
  }
  const resolved = stored === undefined ? completeOptions(options) : resumeOptions(options, stored, readsHere);
  if (priority !== undefined && resolved.options.order !== 'priority') {
    throw new UsageError(`priority works only with order 'priority', and order is '${resolved.options.order}'`);
  }
  if (plain.hosts !== undefined) {
    refuseHostKeys('crawl', resolved.options.hosts);
    if (stored !== undefined) {
      refuseOtherIdentity('hosts', resolved.options.hosts, stored);
    }
  }
  return {
    resolved: fetch === undefined || stored !== undefined ? resolved : withDefaults(resolved, WITH_OWN_FETCH),
    edgePages: integer('parsers', edgePages, readsHere ? MOST_EDGE_PAGES : Number.MAX_SAFE_INTEGER),
    queueSize: integer('queueSize', queueSize, MOST_QUEUE_SIZE),
    guardsFetch: options.allowPrivate === false || (options.allowNetworks?.length ?? 0) > 0,
    ...(fetch === undefined ? {} : { fetch }),
    ...(resolve === undefined ? {} : { resolve: checkedResolve(resolve) }),
    ...(onEdge === undefined ? {} : { onEdge }),
    ...(onPage === undefined ? {} : { onPage }),
    ...(priority === undefined ? {} : { priority }),
    ...(signal === undefined ? {} : { signal }),
  };
}

function refuseStrangers(plain: object, hasFetch: boolean, hasResolve: boolean): void {
  for (const [key, value] of Object.entries(plain)) {
    if (value === undefined) {
      continue;
    }
    if ((COMMAND_LINE_ONLY as readonly string[]).includes(key)) {
      throw new UsageError(`${key} is an option of the command line; a program has no use for it`);
    }
    if (hasFetch && (NETWORK_ONLY as readonly string[]).includes(key)) {
      throw new UsageError(`${key} is for connections and has no effect with your own fetch: leave one of them out`);
    }
    if (hasFetch && key === 'hosts') {
      refuseOwnConnections(value);
    }
    if (hasResolve && (URL_ONLY as readonly string[]).includes(key)) {
      throw new UsageError(
        `${key} has no effect with resolve, which decides what a link leads to: return null for links not to follow`,
      );
    }
  }
}

/** Settings of hosts that the user's `fetch` does not see. */
function refuseOwnConnections(hosts: unknown): void {
  const keys = ['headers', 'proxy', 'timeoutMs', 'userAgent'];
  const entries: unknown[] = Array.isArray(hosts) ? hosts : [];
  for (const [entry, policy] of entries.entries()) {
    const key = keys.find((each) => (policy as Record<string, unknown> | null)?.[each] !== undefined);
    if (key !== undefined) {
      throw new UsageError(
        `hosts[${entry}].${key} is for connections and has no effect with your own fetch: leave one of them out`,
      );
    }
  }
}

/** These name URLs of the web, for our own connections. */
function refuseThirdParties(strategy: unknown, hasFetch: boolean, hasResolve: boolean): void {
  const sources = seedingSources(typeof strategy === 'string' ? strategy : '');
  if ((hasFetch || hasResolve) && (sources.has('ct') || sources.has('commoncrawl'))) {
    throw new UsageError(
      `seedingStrategy ${strategy} asks third parties for URLs of the web, which have no meaning with your own ${hasFetch ? 'fetch' : 'resolve'}`,
    );
  }
}

function takeAlias<K extends 'workers' | 'parseWorkers'>(
  options: { [P in K]?: number | null },
  key: K,
  alias: string,
  value: number | undefined,
): void {
  if (value === undefined) {
    return;
  }
  if (options[key] !== undefined) {
    throw new UsageError(`${alias} and ${key} are the same: give one of them`);
  }
  options[key] = integer(alias, value, Number.MAX_SAFE_INTEGER);
}

function integer(name: string, value: number, max: number): number {
  if (!Number.isSafeInteger(value) || value < 1 || value > max) {
    throw new UsageError(
      `${name} must be a whole number from 1${max < Number.MAX_SAFE_INTEGER ? ` to ${max}` : ''}, got ${describeValue(value)}`,
    );
  }
  return value;
}

/** Defaults for values that were not given; like given ones, they are kept with the crawl. */
function withDefaults(resolved: ResolvedOptions<'crawl'>, defaults: Partial<CrawlOptions>): ResolvedOptions<'crawl'> {
  const missing = Object.entries(defaults).filter(([key]) => resolved.sources[key as keyof CrawlOptions] === 'default');
  return {
    ...resolved,
    options: { ...resolved.options, ...Object.fromEntries(missing) },
    sources: { ...resolved.sources, ...Object.fromEntries(missing.map(([key]) => [key, 'given'])) },
  };
}

/** The crawl's first options, overridden by those that may be changed. */
function resumeOptions(
  given: Partial<CrawlOptions>,
  stored: StoredOptions,
  readsHere: boolean,
): ResolvedOptions<'crawl'> {
  for (const key of Object.keys(given) as (keyof CrawlOptions)[]) {
    const spec = specOf(key) as ReturnType<typeof specOf> | undefined;
    const kept = stored.values[key] ?? (spec === undefined ? undefined : defaultOf('crawl', spec));
    if (
      spec !== undefined &&
      given[key] !== undefined &&
      !spec.resumable &&
      !spec.perRun &&
      !isDeepStrictEqual(given[key], kept)
    ) {
      throw new UsageError(
        `${key} cannot be changed on resume: the crawl was started with ${writeValue(spec, kept ?? null)}`,
      );
    }
  }
  const changed = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return completeOptions({ ...changed, ...(readsHere ? { parseWorkers: 1 } : {}) }, undefined, stored);
}

/** A value that is not a key would appear as a URL called "undefined" in every output. */
function checkedResolve(resolve: NonNullable<LibraryOptions['resolve']>): NonNullable<LibraryOptions['resolve']> {
  return (href, from) => {
    const key: unknown = resolve(href, from);
    if (typeof key === 'string') {
      return key;
    }
    if (key === null || key === undefined) {
      return null;
    }
    throw new UsageError(`resolve must return a text or null, got ${typeof key} for ${href}`);
  };
}
