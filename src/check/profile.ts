import { answeredFrom, type KeptPages, withoutWaiting } from '../crawl/kept-pages.js';
import type { CrawlProfile } from '../crawl/profile.js';
import type { Browser } from '../crawl/render/browser.js';
import { portsOf, spareDescriptors } from '../crawl/settings.js';
import type { FetchOptions } from '../fetch/contract.js';
import type { SchedulerOptions } from '../frontier/options.js';
import type { RenderMode } from '../lane/reading.js';
import type { AliasData } from '../url/aliases.js';
import { hostKeyOf } from '../url/host.js';
import type { ServedFolders } from './local-folder.js';

export interface CheckProfileParts {
  /** Links that are left out. */
  ignore: NonNullable<NonNullable<CrawlProfile['scope']>['ignore']>;
  /** Sites that are answered from folders of this machine. */
  served: Pick<ServedFolders, 'origins' | 'secrets'>;
  /** Whether the network is not used: URLs that are not in these folders are left out. */
  offline: boolean;
  /** Only what the user named is read, and nothing else is asked for. */
  onlySeeds: boolean;
  aliases: AliasData;
  /** When a failed URL gets its second look; null if there is no time for one. */
  secondLook: NonNullable<SchedulerOptions['secondLook']> | null;
  /** How long the round may take once only second looks are left; for a later round, how long it may take as a whole. */
  leftMs: number;
  /** Whether this is a later round, which requests again what seems broken, one request to a host at a time. */
  isLater: boolean;
  /** URLs whose results the cache has. */
  known: Iterable<string>;
  meta: Record<string, string>;
  /** The crawl that answers, instead of the web. */
  kept: KeptPages | undefined;
  /** Which pages a browser sees, and the browser. */
  render: RenderMode;
  hashRoutes: boolean;
  browser: Browser;
  next?: NonNullable<CrawlProfile['next']>;
}

/** A request to a folder needs a file descriptor at each end of its connection, and one for the file. */
const DESCRIPTORS_A_FILE = 3;

/** One round of a check: what is out of scope or too deep is asked for too, more is kept of each page, and what fails gets a second look. */
export function checkProfile(parts: CheckProfileParts): CrawlProfile {
  const { served, isLater, leftMs } = parts;
  return {
    command: 'check',
    meta: parts.meta,
    writesOutputs: false,
    scope: {
      checksBeyond: true,
      ignore: parts.ignore,
      ignoresExcluded: true,
      onlyLocal: parts.offline ? served.origins : null,
    },
    aliases: parts.aliases,
    scheduler: (options) => schedulerFor(options, parts),
    fetch: (options, lanes) =>
      parts.kept === undefined ? fetchFor(options, lanes, parts) : answeredFrom(options, parts.kept.directory),
    reader: (options) => ({
      ...options,
      linkFacts: true,
      assets: true,
      render: parts.render,
      hashRoutes: parts.hashRoutes,
    }),
    browser: parts.browser,
    beginsWith: { known: parts.known },
    limits: { secondLookMs: leftMs, ...(isLater ? { durationMs: Math.max(1, leftMs) } : {}) },
    ...(parts.next === undefined ? {} : { next: parts.next }),
  };
}

function schedulerFor(options: SchedulerOptions, parts: CheckProfileParts): SchedulerOptions {
  const base = parts.kept === undefined ? options : withoutWaiting(options);
  const own = parts.served.origins.map(({ origin }) => origin);
  const ownHosts = new Set(own.map((origin) => hostKeyOf(`${origin}/`)));
  return {
    ...base,
    delayMsFor: (host) => (ownHosts.has(host) ? 0 : base.delayMsFor(host)),
    ownOrigins: own,
    learnsDelay: true,
    asksTraps: true,
    givesUpOnSilence: true,
    ...(parts.onlySeeds ? { surveyOnly: true, surveysSeeds: true, seekSitemaps: false } : {}),
    secondLook: parts.secondLook,
    ...(parts.isLater
      ? {
          maxInflightPerHost: 1,
          limitsOf: (host) => ({ ...options.limitsOf?.(host), maxInflight: 1 }),
          leasesInStock: 0,
          autoTune: false,
          seekSitemaps: false,
          asksAgain: true,
        }
      : {}),
  };
}

/** Folders of this machine are not requested through a proxy, nor at the address of --connect-to. */
function fetchFor(options: FetchOptions, lanes: number, { served, offline }: CheckProfileParts): FetchOptions {
  const places = served.origins.map(({ to }) => new URL(to).host);
  const forFiles = Math.max(lanes, Math.floor(spareDescriptors() / DESCRIPTORS_A_FILE));
  return {
    ...options,
    maxSockets: places.length === 0 ? options.maxSockets : Math.min(options.maxSockets, forFiles),
    folders: served.origins,
    onlyFolders: offline,
    connectTo: [...places.map((place) => `${place}:${place}`), ...options.connectTo],
    originHeaders: { ...options.originHeaders, ...served.secrets },
    guard: {
      ...options.guard,
      allowAddresses: [...options.guard.allowAddresses, ...places],
      allowPorts: [...(options.guard.allowPorts ?? []), ...portsOf(served.origins.map(({ to }) => to))],
    },
  };
}
