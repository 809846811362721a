import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import type { CrawlOptions } from '../config/options.js';
import { seedingSources } from '../config/seeding.js';
import { VERSION } from '../config/version.js';
import type { FetchOptions, Header } from '../fetch/contract.js';
import { basicAuthorization, parseHeaderOption, parseUserOption } from '../fetch/headers.js';
import type { SchedulerOptions } from '../frontier/embedded/options.js';
import { baseDelayMs } from '../hosts/base-delay.js';
import { productToken } from '../hosts/robots.js';
import type { SeedRow } from '../store/transaction.js';
import { hostKeyOf, hostnameOf, isIpHost, isLoopbackHost, originOf } from '../url/host.js';
import type { Credentials } from '../url/identity.js';
import type { ReaderOptions } from './page-reader.js';
import type { CheckWishes, DocsWishes, PreviewWishes } from './session-plan.js';

/** What the parts of the engine are told, worked out once from the options and the machine. */
export interface EngineSettings {
  scheduler: SchedulerOptions;
  fetch: FetchOptions;
  /** For third parties that are asked for URLs. */
  seedingFetch: FetchOptions;
  reader: ReaderOptions;
  lanes: number;
  memoryLimitBytes: number;
  keyBudgetBytes: number;
  userAgent: string;
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
const SITEMAP_MAX_URLS = 50_000;
const SITEMAP_MAX_BYTES = 50 * 1024 * 1024;

export function engineSettings(input: SettingsInput): EngineSettings {
  const { options } = input;
  const memoryLimitBytes = options.memoryLimitBytes ?? Math.floor(DEFAULT_MEMORY_SHARE * availableMemory());
  // One core is left to the coordinator, the store and, on loopback, the server.
  const lanes = options.parseWorkers ?? Math.max(1, availableParallelism() - 1);
  const userAgent = agentOf(options);
  const fetch = fetchOptions(input, userAgent, lanes);
  return {
    scheduler: schedulerOptions(input, memoryLimitBytes),
    fetch,
    seedingFetch: seedingFetch(fetch, options),
    reader: {
      agent: productToken(userAgent),
      obeyNofollow: options.nofollow === 'obey',
      assets: options.assets,
      anchorText: options.anchorText,
      targets: input.listensToEdges,
      order: options.order,
      sitemapMaxUrls: SITEMAP_MAX_URLS,
      sitemapMaxBytes: SITEMAP_MAX_BYTES,
      keepsOutside: false,
      linkFacts: false,
      keepsBodies: false,
      unfollowed: new Set(),
      render: 'never',
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
    scheduler: { ...settings.scheduler, choose, surveyOnly: choose === null },
    reader: { ...settings.reader, keepsOutside: true, keepsBodies: keepsPages },
  };
}

/** The same engine for a check: more is kept of each page, and a second look goes at an easier pace. */
export function checkSettings(settings: EngineSettings, wishes: CheckWishes): EngineSettings {
  const { scheduler, fetch, reader } = settings;
  const isSecond = wishes.secondLook !== null;
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
      ...(isSecond
        ? { delayFactor: 2, maxInflightPerHost: 1, autoTune: false, seekSitemaps: false, asksAgain: true }
        : {}),
    },
    fetch: {
      ...fetch,
      folders: wishes.folders,
      // What is on this machine is not asked through a proxy, or where --connect-to sends everything else.
      connectTo: [...places.map((place) => `${place}:${place}`), ...fetch.connectTo],
      originHeaders: { ...fetch.originHeaders, ...wishes.folderSecrets },
      headerRules: wishes.headers,
      guard: { ...fetch.guard, allowAddresses: [...fetch.guard.allowAddresses, ...places] },
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
    reader: { ...settings.reader, keepsBodies: true, unfollowed: new Set(unfollowed), render },
  };
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
    maxRedirects: options.maxRedirects,
  };
}

function fetchOptions(input: SettingsInput, userAgent: string, lanes: number): FetchOptions {
  const { options } = input;
  return {
    userAgent,
    headers: options.headers.map(parseHeaderOption),
    originHeaders: originHeaders(input),
    proxy: options.proxy,
    insecure: options.insecure,
    cacert: options.cacert === null ? null : readFileSync(options.cacert, 'utf8'),
    connectTimeoutMs: options.connectTimeoutMs,
    idleTimeoutMs: options.idleTimeoutMs,
    timeoutMs: options.timeoutMs,
    minSpeedBytesPerSecond: options.minSpeedBytesPerSecond,
    minSpeedWindowMs: 10_000,
    maxBodyBytes: options.maxBodyBytes,
    maxSockets: Math.max(1, Math.floor((options.maxSockets ?? defaultSockets()) / lanes)),
    http2: options.http2,
    connectTo: [...options.connectTo],
    guard: {
      allowPrivate: options.allowPrivate,
      allowNetworks: [...options.allowNetworks],
      allowAddresses: input.seeds.flatMap(({ url, fallbacks }) => [url, ...fallbacks].flatMap(seedAddress)),
    },
    dnsServers: options.dnsServers.length > 0 ? [...options.dnsServers] : null,
    verboseNetwork: options.verboseNetwork,
  };
}

/**
 * As for pages, but nothing that was meant for the sites: no headers, no credentials, and of the addresses only those that the user gave
 * for the third parties themselves.
 */
function seedingFetch(fetch: FetchOptions, { ctUrl, commoncrawlUrl }: CrawlOptions): FetchOptions {
  const allowAddresses = [ctUrl, commoncrawlUrl].flatMap((url) => seedAddress(new URL(url).href));
  return { ...fetch, headers: [], originHeaders: {}, guard: { ...fetch.guard, allowAddresses } };
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

/** Credentials go to the origins of the seeds they came with, or of all seeds for --user, and nowhere else. */
function originHeaders({ options, seeds, credentials }: SettingsInput): Record<string, Header[]> {
  const headers: Record<string, Header[]> = {};
  if (options.user !== null) {
    const header = parseUserOption(options.user);
    for (const { url, fallbacks } of seeds) {
      for (const each of [url, ...fallbacks]) {
        headers[originOf(each)] = [header];
      }
    }
  }
  for (const [origin, { username, password }] of credentials) {
    headers[origin] = [basicAuthorization(username, password)];
  }
  return headers;
}

/** Half of the files this process may open, at most 16,384. */
function defaultSockets(): number {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return Math.min(16_384, Math.max(64, Math.floor(Number(limit ?? 2_048) / 2)));
  } catch {
    return 1_024;
  }
}
