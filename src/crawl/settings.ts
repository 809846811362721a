import { accessSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { StateError, UsageError } from '../base/errors.js';
import { TO_ALL, TO_SEEDS } from '../base/header-line.js';
import { printable } from '../base/text.js';
import { baseDelayMs } from '../config/base-delay.js';
import type { CrawlOptions } from '../config/options.js';
import { seedingSources } from '../config/seeding.js';
import { VERSION } from '../config/version.js';
import type { CacheOptions, FetchOptions, Header } from '../fetch/contract.js';
import { basicAuthorization, overlay, parseHeaderOption, parseUserOption } from '../fetch/headers.js';
import type { SchedulerOptions } from '../frontier/options.js';
import type { Manners } from '../hooks/lane-hooks.js';
import { PageSearch } from '../lane/page-search.js';
import type { ReaderOptions } from '../lane/reading.js';
import { SITEMAP_URL_DEPTH } from '../lane/sitemap-reader.js';
import { productToken } from '../robots/parse.js';
import type { SeedRow } from '../store/transaction.js';
import { hostnameOf, isHttp, isIpHost, isLoopbackHost, originOf } from '../url/host.js';
import { HostPolicies, type HostPolicy, policiesOf } from '../url/host-policies.js';
import type { Credentials } from '../url/identity.js';
import { readAuthFile, readClientCertificates } from './credential-files.js';

/** The settings of the engine's parts, worked out once from the options and the machine. */
export interface EngineSettings {
  scheduler: SchedulerOptions;
  fetch: FetchOptions;
  /** For third parties that are asked for URLs. */
  seedingFetch: FetchOptions;
  /** For an archive at this URL that is asked for copies. */
  archiveFetch(url: string): FetchOptions;
  reader: ReaderOptions;
  lanes: number;
  memoryLimitBytes: number;
  keyBudgetBytes: number;
  userAgent: string;
  /** The user's hooks; null if there are none. */
  hooks: HookSettings | null;
  /** Sentences for the user about what was requested but is not possible. */
  notices: string[];
}

export interface HookSettings {
  file: string;
  timeoutMs: number;
  stopsOnError: boolean;
  manners: Manners;
  /** Of the thread that they run in. */
  maxHeapMib: number;
}

export interface SettingsInput {
  options: CrawlOptions;
  /** Whether --delay was not given: then it is 0 on loopback. */
  delayIsDefault: boolean;
  seeds: SeedRow[];
  /** By origin; never stored. */
  credentials: Map<string, Credentials>;
  /** Whether pages come from the user's own function: then no robots, no sitemaps and no delay unless the user asks for them. */
  listensToEdges: boolean;
  /** Whether someone wants the pages themselves. */
  handsOnBodies?: boolean;
}

export const PROJECT_PAGE = 'https://github.com/gossamer-crawler/gossamer';

/** The memory that a waiting URL takes, with its text. */
const WAITING_BYTES = 300;

const DEFAULT_MEMORY_SHARE = 0.75;

const SOCKETS_A_LANE = 16;

/** How many of a page's URLs travel in one piece: a commit of them takes some milliseconds. */
const PIECE_URLS = 1_024;

const SITEMAP_MAX_URLS = 50_000;

const SITEMAP_MAX_BYTES = 50 * 1024 * 1024;

export function engineSettings(input: SettingsInput): EngineSettings {
  const { options } = input;
  // An invalid expression is refused before the first request.
  new PageSearch(options.searches);
  const memoryLimitBytes = options.memoryLimitBytes ?? Math.floor(DEFAULT_MEMORY_SHARE * availableMemory());
  const sources = seedingSources(options.seedingStrategy);
  const sockets = socketBudget(options.maxSockets, sources.has('ct') || sources.has('commoncrawl'));
  const lanes = lanesFor(sockets.pages, options.parseWorkers);
  const userAgent = agentOf(options);
  const fetch = fetchOptions(input, userAgent, sockets.pages);
  return {
    scheduler: schedulerOptions(input, memoryLimitBytes),
    fetch,
    seedingFetch: {
      ...thirdPartyFetch(fetch, [options.ctUrl, options.commoncrawlUrl]),
      maxSockets: sockets.thirdParties,
    },
    archiveFetch: (url) => ({ ...thirdPartyFetch(fetch, [url]), maxSockets: 1 }),
    notices: sockets.notice === null ? [] : [sockets.notice],
    reader: {
      agent: productToken(userAgent),
      hosts: policiesOf(options.hosts, ['userAgent', 'render']),
      obeyNofollow: options.nofollow === 'obey',
      assets: options.assets,
      anchorText: options.anchorText,
      allFacts: options.facts === 'all',
      extract: [...options.extract],
      targets: input.listensToEdges,
      order: options.order,
      feeds: seedingSources(options.seedingStrategy).has('sitemap'),
      feedsAreBeyond: areSitemapsBeyond(input),
      sitemapMaxUrls: SITEMAP_MAX_URLS,
      sitemapMaxBytes: SITEMAP_MAX_BYTES,
      keepsOutside: false,
      linkFacts: false,
      keepsBodies: false,
      keep: options.keep,
      searches: [...options.searches],
      unfollowed: new Set(),
      render: 'never',
      hashRoutes: false,
      pieceUrls: PIECE_URLS,
      contentTypes: options.contentTypes,
      handsOnBodies: input.handsOnBodies ?? false,
    },
    hooks: hookSettings(input, userAgent, Math.floor(memoryLimitBytes / lanes)),
    lanes,
    memoryLimitBytes,
    keyBudgetBytes: options.seenMemoryBytes ?? Math.floor(memoryLimitBytes / 4),
    userAgent,
  };
}

/** A lane without hooks needs less than the first; by default no Node thread has more than the second. */
const LEAST_HEAP_MIB = 256;
const MOST_HEAP_MIB = 4_096;
const MODULE = /\.[cm]?[jt]s$/;

function hookSettings(
  { options, delayIsDefault, handsOnBodies }: SettingsInput,
  userAgent: string,
  bytesOfLane: number,
): HookSettings | null {
  const { hooks: file, ignoreRobots, delayMs, maxCrawlDelayMs, robotsTimeoutMs } = options;
  if (file === null) {
    if (options.contentTypes.length > 0 && handsOnBodies !== true) {
      throw new UsageError('--content-types says which types hooks see: give --hooks too');
    }
    return null;
  }
  if (!MODULE.test(file) || !existsSync(file)) {
    const problem = MODULE.test(file) ? 'there is no such file' : 'a module of hooks ends in .ts, .mts, .js or .mjs';
    throw new UsageError(`--hooks ${printable(file)}: ${problem}`);
  }
  const half = Math.floor(bytesOfLane / 2 / 1024 ** 2);
  return {
    file,
    timeoutMs: options.hookTimeoutMs,
    stopsOnError: options.onHookError === 'stop',
    manners: {
      ...{ obeyRobots: !ignoreRobots, agent: productToken(userAgent), delayMs, delayIsDefault },
      ...{ maxCrawlDelayMs, robotsTimeoutMs },
      hosts: policiesOf(options.hosts, ['delayMs', 'userAgent']),
    },
    maxHeapMib: Math.max(LEAST_HEAP_MIB, Math.min(MOST_HEAP_MIB, half)),
  };
}

/** Lanes do not share sockets: with only a few each, some lanes would lack sockets while others have idle ones. */
function lanesFor(sockets: number, given: number | null): number {
  // One core is left to the coordinator, the store and, on loopback, the server.
  const usual = Math.min(availableParallelism() - 1, Math.floor(sockets / SOCKETS_A_LANE));
  return Math.max(1, Math.min(sockets, given ?? usual));
}

function agentOf({ userAgent, contact }: Pick<CrawlOptions, 'userAgent' | 'contact'>): string {
  const agent = userAgent ?? `gossamer/${VERSION} (+${PROJECT_PAGE})`;
  return contact === null ? agent : `${agent} ${contact}`;
}

/** The container's memory if there is one, otherwise the machine's. */
function availableMemory(): number {
  const constrained = process.constrainedMemory?.() ?? 0;
  const machine = totalmem();
  return constrained > 0 && constrained < machine ? constrained : machine;
}

/** Whether depth forbids all that sitemaps and feeds could name, whichever seed it belongs to. */
const areSitemapsBeyond = ({ options, seeds }: SettingsInput): boolean =>
  !options.hosts.some(({ depth = 0 }) => depth >= SITEMAP_URL_DEPTH) &&
  (options.depth !== null
    ? options.depth < SITEMAP_URL_DEPTH && seeds.every(({ depth }) => (depth ?? 0) < SITEMAP_URL_DEPTH)
    : seeds.length > 0 && seeds.every(({ depth }) => depth !== null && depth < SITEMAP_URL_DEPTH));

/**
 * How many URLs of a host without a delay are leased beyond those that may be on the wire. A lane never runs out of them while a commit is
 * under way, and after a kill only these, and those on the wire, have to be fetched again.
 */
const STOCK = 64;

/** The next URL is chosen only when it can go, if the order depends on what the last pages led to or if hosts share the limits of an address. */
const keepsStock = ({ order, maxInflightPerIp, delayPerIpMs }: CrawlOptions): boolean =>
  order === 'bfs' && maxInflightPerIp === 0 && delayPerIpMs === 0;

/** Links out of scope and assets are not requested, and only pages and sitemaps name URLs, so everything that is requested is read. */
function readsAllAlike({ external, assets, seedingStrategy }: CrawlOptions): boolean {
  const sources = seedingSources(seedingStrategy);
  return !external && !assets && !sources.has('ct') && !sources.has('commoncrawl');
}

function schedulerOptions(input: SettingsInput, memoryLimitBytes: number): SchedulerOptions {
  const { options, seeds } = input;
  const limits = policiesOf(options.hosts, ['delayMs', 'maxInflight', 'maxUrls']);
  const policies = new HostPolicies(limits);
  return {
    delayMsFor: (host) => policies.ofHost(host).delayMs ?? baseDelayMs(host, options.delayMs, input.delayIsDefault),
    ...(policies.isEmpty ? {} : { limitsOf: (host) => policies.ofHost(host) }),
    mostInflight: Math.max(options.maxInflightPerHost, ...limits.map(({ maxInflight = 0 }) => maxInflight)),
    maxInflightPerHost: options.maxInflightPerHost,
    autoTune: options.autoTune,
    leasesInStock: keepsStock(options) ? STOCK : 0,
    overlaps: readsAllAlike(options),
    frontierLimit: Math.max(1, Math.min(options.frontierLimit, Math.floor(memoryLimitBytes / 10 / WAITING_BYTES))),
    readyHeapLimit: options.readyHeapLimit,
    robotsWorkers: options.robotsWorkers,
    obeyRobots: !options.ignoreRobots,
    robotsUnreachable: options.robotsUnreachable,
    maxWaitMs: options.maxWaitMs,
    maxCrawlDelayMs: options.maxCrawlDelayMs,
    maxBackoffMs: options.maxBackoffMs,
    maxRetryAfterMs: options.maxRetryAfterMs,
    quarantineAfter: options.quarantineAfter,
    retries: options.retries,
    retryDelayMs: options.retryDelayMs,
    order: options.order,
    choose: null,
    surveyOnly: false,
    maxUrls: options.maxUrls ?? 0,
    maxUrlsPerHost: options.maxUrlsPerHost ?? 0,
    maxUrlsOfSeeds: new Map(seeds.flatMap(({ maxUrls }, seed) => (maxUrls ? [[seed, maxUrls]] : []))),
    maxInflightPerIp: options.maxInflightPerIp,
    delayPerIpMs: options.delayPerIpMs,
    seekSitemaps: seedingSources(options.seedingStrategy).has('sitemap'),
    sitemapsAreBeyond: areSitemapsBeyond(input),
    maxRedirects: options.maxRedirects,
  };
}

const CERTIFICATE = '-----BEGIN CERTIFICATE-----';

function readCertificates(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`--cacert cannot be read: ${(error as Error).message}`);
  }
  if (!text.includes(CERTIFICATE)) {
    throw new UsageError(`--cacert ${printable(path)} holds no certificate (PEM, "${CERTIFICATE}")`);
  }
  return text;
}

function fetchOptions(input: SettingsInput, userAgent: string, maxSockets: number): FetchOptions {
  const { options } = input;
  return {
    userAgent,
    ...bindHeaders(options, input.seeds, input.credentials),
    hosts: policiesOf(options.hosts, ['headers', 'userAgent', 'proxy', 'timeoutMs']).map((policy) => ({
      ...policy,
      ...(policy.userAgent === undefined ? {} : { userAgent: agentOf({ ...options, userAgent: policy.userAgent }) }),
    })),
    proxies: options.proxy,
    proxyRotation: options.proxyRotation,
    clientCertificates: readClientCertificates(options, () => originsOf(input.seeds)),
    insecure: options.insecure,
    cacert: options.cacert === null ? null : readCertificates(options.cacert),
    connectTimeoutMs: options.connectTimeoutMs,
    idleTimeoutMs: options.idleTimeoutMs,
    timeoutMs: options.timeoutMs,
    minSpeedBytesPerSecond: options.minSpeedBytesPerSecond,
    minSpeedWindowMs: 10_000,
    maxBodyBytes: options.maxBodyBytes,
    maxSockets,
    http2: options.http2,
    connectTo: [...options.connectTo],
    guard: {
      allowPrivate: options.allowPrivate,
      allowNetworks: [...options.allowNetworks],
      allowAddresses: input.seeds.flatMap(({ url, fallbacks }) => [url, ...fallbacks].flatMap(seedAddress)),
      allowPorts: portsOf(input.seeds.map(({ url }) => url)),
    },
    dnsServers: options.dnsServers.length > 0 ? [...options.dnsServers] : null,
    // A check shows the causes of a failure, and a kept one has to have them.
    verboseNetwork: options.verboseNetwork || options.keep === 'body',
    ...(options.httpCache === null ? {} : { cache: cacheOptions(options, options.httpCache) }),
  };
}

/** A cache that cannot be written to is refused before the first request. */
function cacheOptions({ httpCacheBytes, httpCacheOnly }: CrawlOptions, path: string): CacheOptions {
  const directory = resolve(path);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === 'EEXIST' || code === 'ENOTDIR'
        ? `${printable(path)} is a file, or lies below one: name a folder`
        : code === 'EACCES' || code === 'EROFS'
          ? `${printable(path)} cannot be written to`
          : message;
    throw new StateError('unwritable', `--http-cache cannot be used: ${why}`, { cause: error });
  }
  return { directory, maxBytes: httpCacheBytes, only: httpCacheOnly };
}

/**
 * The same as for pages, but without what was meant for the sites: no headers, no credentials, and only those addresses that the user gave
 * for the third parties themselves.
 */
function thirdPartyFetch(fetch: FetchOptions, urls: readonly string[]): FetchOptions {
  const allowAddresses = urls.flatMap((url) => seedAddress(new URL(url).href));
  const allowPorts = portsOf(urls);
  const hosts = (fetch.hosts ?? []).map(({ headers: _, ...policy }): HostPolicy => policy);
  return {
    ...fetch,
    headers: [],
    originHeaders: {},
    clientCertificates: {},
    hosts,
    guard: { ...fetch.guard, allowAddresses, allowPorts },
  };
}

/** The ports that URLs name; keys of a fetcher of the user's have none. */
export function portsOf(urls: readonly string[]): number[] {
  const ports = new Set<number>();
  for (const url of urls) {
    const port = isHttp(url) ? /:(\d+)$/.exec(originOf(url))?.[1] : undefined;
    if (port !== undefined) {
      ports.add(Number(port));
    }
  }
  return [...ports];
}

/**
 * A seed that is an address opens that address; on loopback its own port only: what else listens there is nobody's site. A name
 * opens nothing: what it resolves to is its owner's choice, not the user's.
 */
function seedAddress(url: string): string[] {
  const hostname = hostnameOf(url);
  if (!isLoopbackHost(hostname)) {
    return isIpHost(hostname) ? [hostname] : [];
  }
  const { port, protocol } = new URL(url);
  return [`${hostname}:${port !== '' ? port : protocol === 'https:' ? '443' : '80'}`];
}

/**
 * Which headers go to which origin. `-H` and `--user` go to the origins of the seeds as the user gave them, with the spellings that a bare
 * domain is tried in. A redirect of a seed may widen the scope, but it is the server that chose its target: that gets nothing.
 * If two name the same header, the one that is meant for fewer origins wins.
 */
export function bindHeaders(
  options: Pick<CrawlOptions, 'headers' | 'user'> & Partial<Pick<CrawlOptions, 'authFile'>>,
  seeds: readonly Pick<SeedRow, 'url' | 'fallbacks'>[],
  credentials: ReadonlyMap<string, Credentials>,
): Pick<FetchOptions, 'headers' | 'originHeaders'> {
  const lines = options.headers.map(parseHeaderOption);
  const linesTo = (whom: string): Header[] => lines.filter(({ to }) => to === whom).map(({ header }) => header);
  const user = options.user === null ? [] : [parseUserOption(options.user)];
  const forSeeds = overlay([linesTo(TO_SEEDS), user]);
  const seedOrigins = forSeeds.length === 0 ? new Set<string>() : originsOf(seeds);
  const originHeaders: Record<string, Header[]> = {};
  for (const origin of seedOrigins) {
    originHeaders[origin] = forSeeds;
  }
  for (const [origin, { username, password }] of credentials) {
    originHeaders[origin] = overlay([originHeaders[origin] ?? [], [basicAuthorization(username, password)]]);
  }
  for (const [origin, headers] of options.authFile ? readAuthFile(options.authFile) : []) {
    originHeaders[origin] = overlay([originHeaders[origin] ?? [], headers]);
  }
  for (const origin of new Set(lines.map(({ to }) => to).filter((to) => to !== TO_SEEDS && to !== TO_ALL))) {
    originHeaders[origin] = overlay([originHeaders[origin] ?? [], linesTo(origin)]);
  }
  return { headers: linesTo(TO_ALL), originHeaders };
}

/** Whether the user's headers go to an origin, which others may have no use for; null if no origin gets its own. */
export function headersTo({ originHeaders, hosts = [] }: FetchOptions): ((origin: string) => boolean) | null {
  const policies = new HostPolicies(policiesOf(hosts, ['headers']));
  return policies.isEmpty && Object.keys(originHeaders).length === 0
    ? null
    : (origin) => originHeaders[origin] !== undefined || policies.ofOrigin(origin).headers !== undefined;
}

function originsOf(seeds: readonly Pick<SeedRow, 'url' | 'fallbacks'>[]): Set<string> {
  const origins = new Set<string>();
  for (const { url, fallbacks } of seeds) {
    for (const each of [url, ...fallbacks]) {
      if (isHttp(each)) {
        origins.add(originOf(each));
      }
    }
  }
  return origins;
}

interface SocketBudget {
  /** Sockets for pages, of all lanes together. */
  pages: number;
  /** For third parties that are asked for URLs. */
  thirdParties: number;
  /** A sentence for the user if there are fewer than requested. */
  notice: string | null;
}

const MOST = 16_384;

/** Descriptors of the program itself: its own files, those of the store and the outputs, four for each thread, name servers. */
const OWN_FILES = 52;

/** The limit if the system does not state one. */
const USUAL_LIMIT = 2_048;

/** How many sockets may be open, and for whom: as many as the user said, but no more than the system has descriptors for. */
export function socketBudget(given: number | null, asksThirdParties: boolean): SocketBudget {
  const known = openFileLimit();
  const limit = known ?? USUAL_LIMIT;
  const wanted = given ?? Math.min(MOST, Math.floor(limit / 2));
  const sockets = Math.min(wanted, spareDescriptors());
  const thirdParties = asksThirdParties ? (sockets >= 16 ? 2 : 1) : 0;
  return {
    pages: Math.max(1, sockets - thirdParties),
    thirdParties,
    notice:
      given === null || given <= sockets
        ? null
        : `--max-sockets ${given} is more than ${limit} open files leave room for: lowered to ${sockets} (${known === null ? 'this system does not say how many files may be open' : 'see `ulimit -n`'})`,
  };
}

/** How many descriptors sockets may have; at least one. */
export const spareDescriptors = (): number => Math.max(1, (openFileLimit() ?? USUAL_LIMIT) - OWN_FILES);

function openFileLimit(): number | null {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}
