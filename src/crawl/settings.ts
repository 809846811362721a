import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import type { CrawlOptions } from '../config/options.js';
import { seedingSources } from '../config/seeding.js';
import { VERSION } from '../config/version.js';
import type { FetchOptions } from '../fetch/contract.js';
import type { SchedulerOptions } from '../frontier/embedded/options.js';
import { baseDelayMs } from '../hosts/base-delay.js';
import { productToken } from '../hosts/robots.js';
import type { SeedRow } from '../store/transaction.js';
import { hostKeyOf, hostnameOf, isHttp, isIpHost, isLoopbackHost, originOf } from '../url/host.js';
import type { Credentials } from '../url/identity.js';
import { bindHeaders } from './bound-headers.js';
import type { ReaderOptions } from './reading.js';
import type { CheckWishes, DocsWishes, PreviewWishes } from './session-plan.js';
import { SITEMAP_URL_DEPTH } from './sitemap-reader.js';
import { socketBudget, spareDescriptors } from './socket-budget.js';

/** What the parts of the engine are told, worked out once from the options and the machine. */
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
  /** For the user: what was asked for and cannot be had. */
  notices: string[];
}

export interface SettingsInput {
  options: CrawlOptions;
  /** --delay was not given: then it is 0 on loopback. */
  delayIsDefault: boolean;
  seeds: SeedRow[];
  /** By origin; never stored. */
  credentials: Map<string, Credentials>;
  /** Pages come from a function of the user's: no robots, no sitemaps, no delay unless asked for. */
  listensToEdges: boolean;
}

export const PROJECT_PAGE = 'https://github.com/gossamer-crawler/gossamer';
/** What a waiting URL takes in memory, with its text. */
const WAITING_BYTES = 300;
const DEFAULT_MEMORY_SHARE = 0.75;
const SOCKETS_A_LANE = 16;
/** What a page leads to travels in pieces of so many URLs: a commit of them takes some milliseconds. */
const PIECE_URLS = 1_024;

/** A request to a folder takes a descriptor at each end of its connection, and one for the file. */
const DESCRIPTORS_A_FILE = 3;
const SITEMAP_MAX_URLS = 50_000;
const SITEMAP_MAX_BYTES = 50 * 1024 * 1024;

export function engineSettings(input: SettingsInput): EngineSettings {
  const { options } = input;
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
      obeyNofollow: options.nofollow === 'obey',
      assets: options.assets,
      anchorText: options.anchorText,
      targets: input.listensToEdges,
      order: options.order,
      feeds: seedingSources(options.seedingStrategy).has('sitemap'),
      feedsAreBeyond: areSitemapsBeyond(input),
      sitemapMaxUrls: SITEMAP_MAX_URLS,
      sitemapMaxBytes: SITEMAP_MAX_BYTES,
      keepsOutside: false,
      linkFacts: false,
      keepsBodies: false,
      unfollowed: new Set(),
      render: 'never',
      pieceUrls: PIECE_URLS,
    },
    lanes,
    memoryLimitBytes,
    keyBudgetBytes: options.seenMemoryBytes ?? Math.floor(memoryLimitBytes / 4),
    userAgent,
  };
}

/** The same engine, with no page asked for but those of a sample; `choose` null: of none at all. */
export function surveySettings(settings: EngineSettings, { choose, keepsPages }: PreviewWishes): EngineSettings {
  return {
    ...settings,
    scheduler: { ...settings.scheduler, choose, surveyOnly: choose === null, sitemapsAreBeyond: false },
    reader: { ...settings.reader, keepsOutside: true, keepsBodies: keepsPages, feeds: false },
  };
}

/** The same engine for a check: more is kept of each page, and a second look goes at an easier pace. */
export function checkSettings(settings: EngineSettings, wishes: CheckWishes): EngineSettings {
  const { scheduler, fetch, reader } = settings;
  const isRound = wishes.round !== null;
  const places = wishes.folders.map(({ to }) => new URL(to).host);
  const own = wishes.folders.map(({ origin }) => origin);
  const ownHosts = new Set(own.map((origin) => hostKeyOf(`${origin}/`)));
  return {
    ...settings,
    scheduler: {
      ...scheduler,
      delayMsFor: (host) =>
        ownHosts.has(host) ? 0 : Math.max(scheduler.delayMsFor(host), wishes.delayMsOf(host) ?? 0),
      ownOrigins: own,
      learnsDelay: true,
      asksTraps: true,
      givesUpOnSilence: true,
      ...(wishes.onlySeeds ? { surveyOnly: true, surveysSeeds: true, seekSitemaps: false } : {}),
      secondLook: wishes.secondLook,
      ...(isRound ? { maxInflightPerHost: 1, autoTune: false, seekSitemaps: false, asksAgain: true } : {}),
    },
    fetch: {
      ...fetch,
      maxSockets:
        places.length === 0
          ? fetch.maxSockets
          : Math.min(fetch.maxSockets, Math.max(settings.lanes, Math.floor(spareDescriptors() / DESCRIPTORS_A_FILE))),
      folders: wishes.folders,
      onlyFolders: wishes.offline,
      // What is on this machine is not asked through a proxy, or where --connect-to sends everything else.
      connectTo: [...places.map((place) => `${place}:${place}`), ...fetch.connectTo],
      originHeaders: { ...fetch.originHeaders, ...wishes.folderSecrets },
      headerRules: wishes.headers,
      guard: {
        ...fetch.guard,
        allowAddresses: [...fetch.guard.allowAddresses, ...places],
        allowPorts: [...(fetch.guard.allowPorts ?? []), ...portsOf(wishes.folders.map(({ to }) => to))],
      },
    },
    reader: { ...reader, linkFacts: true, assets: true },
  };
}

/** The same engine for a corpus: pages are kept, and those that are known are only asked whether they have changed. */
export function docsSettings(settings: EngineSettings, wishes: DocsWishes): EngineSettings {
  const { surveys, renews, unfollowed, render } = wishes;
  return {
    ...settings,
    scheduler: { ...settings.scheduler, renews, surveyOnly: surveys, surveysSeeds: surveys },
    // A feed is no list of all pages: it must not be taken for the sitemap of a corpus.
    reader: { ...settings.reader, feeds: false, keepsBodies: true, unfollowed: new Set(unfollowed), render },
  };
}

/** A lane shares its sockets with none: with a few each of them would be busy while another's idle. */
function lanesFor(sockets: number, given: number | null): number {
  // One core is left to the coordinator, the store and, on loopback, the server.
  const usual = Math.min(availableParallelism() - 1, Math.floor(sockets / SOCKETS_A_LANE));
  return Math.max(1, Math.min(sockets, given ?? usual));
}

function agentOf(options: CrawlOptions): string {
  const agent = options.userAgent ?? `gossamer/${VERSION} (+${PROJECT_PAGE})`;
  return options.contact === null ? agent : `${agent} ${options.contact}`;
}

/** The container's memory where there is one, else the machine's. */
function availableMemory(): number {
  const constrained = process.constrainedMemory?.() ?? 0;
  const machine = totalmem();
  return constrained > 0 && constrained < machine ? constrained : machine;
}

/** Whether depth forbids all that sitemaps and feeds could name, whichever seed it belongs to. */
const areSitemapsBeyond = ({ options, seeds }: SettingsInput): boolean =>
  options.depth !== null
    ? options.depth < SITEMAP_URL_DEPTH && seeds.every(({ depth }) => (depth ?? 0) < SITEMAP_URL_DEPTH)
    : seeds.length > 0 && seeds.every(({ depth }) => depth !== null && depth < SITEMAP_URL_DEPTH);

function schedulerOptions(input: SettingsInput, memoryLimitBytes: number): SchedulerOptions {
  const { options, seeds } = input;
  return {
    delayMsFor: (host) => baseDelayMs(host, options.delayMs, input.delayIsDefault),
    maxInflightPerHost: options.maxInflightPerHost,
    autoTune: options.autoTune,
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
    maxUrlsOfSeed: (seed) => seeds[seed]?.maxUrls ?? 0,
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
    proxy: options.proxy,
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
    verboseNetwork: options.verboseNetwork,
  };
}

/**
 * As for pages, but nothing that was meant for the sites: no headers, no credentials, and of the addresses only those that the user gave
 * for the third parties themselves.
 */
function thirdPartyFetch(fetch: FetchOptions, urls: readonly string[]): FetchOptions {
  const allowAddresses = urls.flatMap((url) => seedAddress(new URL(url).href));
  const allowPorts = portsOf(urls);
  return { ...fetch, headers: [], originHeaders: {}, guard: { ...fetch.guard, allowAddresses, allowPorts } };
}

/** The ports that URLs name; keys of a fetcher of the user's have none. */
function portsOf(urls: readonly string[]): number[] {
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
