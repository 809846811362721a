import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { StateError, UsageError } from '../base/errors.js';
import { formatCount } from '../base/figures.js';
import { nounOf } from '../config/commands.js';
import { type OptionKey, specOf } from '../config/options.js';
import { optionsToStore, type StoredOptions } from '../config/stored.js';
import { VERSION } from '../config/version.js';
import type { EarlierSetup } from '../lane/earlier-pages.js';
import { HostManners } from '../lane/host-manners.js';
import type { EarlierIndex } from '../store/earlier-crawl.js';
import { storePath } from '../store/store-file.js';
import type { SessionPlan } from './session-plan.js';
import type { EngineSettings } from './settings.js';
import type { EarlierOpened } from './store-host.js';

/** The earlier crawl that this one carries unchanged pages over from (`--since`), once it was looked through. */
export interface Since {
  /** Null if nothing is carried over. */
  setup: EarlierSetup | null;
  notices: string[];
}

export const NO_SINCE: Since = { setup: null, notices: [] };

/**
 * Options that decide what a server answers, or what is kept of an answer. If one of them has changed, a page of the earlier crawl may
 * not be what this crawl would have read, so everything is fetched in full. Scope, depth, limits and manners are not among them: links that
 * are carried over are judged anew.
 */
const SHAPING: readonly OptionKey[] = [
  ...([
    'extract',
    'anchorText',
    'hooks',
    'contentTypes',
    'render',
    'hashRoutes',
    'maxBodyBytes',
    'searches',
    'facts',
    'keep',
  ] as const),
  ...(['userAgent', 'contact', 'headers', 'user', 'authFile', 'cookies', 'cookieJar', 'clientCerts'] as const),
  ...(['hosts', 'connectTo', 'stripQuery', 'stripTracking', 'sortQuery', 'maxUrlLength', 'allowTraps'] as const),
];

/**
 * @param earlier looks through the crawl in a directory
 * @throws if the user has named something other than a crawl; a resumed crawl goes on without it
 */
export async function openSince(
  plan: SessionPlan,
  settings: EngineSettings,
  earlier: (directory: string) => Promise<EarlierOpened>,
): Promise<Since> {
  const { since, maxAgeMs, keep } = plan.resolved.options;
  if (since === null) {
    return NO_SINCE;
  }
  refuseOthers(plan, settings, since);
  const isResumed = plan.seeds === null;
  let index: EarlierOpened;
  try {
    index = await earlier(since);
  } catch (error) {
    if (isResumed && error instanceof StateError) {
      return { setup: null, notices: [`${error.message}: from here on everything is fetched in full (--since)`] };
    }
    throw error;
  }
  const { command = 'crawl' } = index.meta;
  if (command !== 'crawl') {
    throw new UsageError(`--since needs a crawl, and ${since} holds a ${nounOf(command)}`);
  }
  const obstacle = obstacleIn(index, optionsToStore(plan.resolved));
  return obstacle === null
    ? {
        setup: { path: storePath(since), cells: index.cells, maxAgeMs: maxAgeMs ?? 0, withBodies: keep !== 'none' },
        notices: index.isFinished
          ? []
          : [
              `the crawl in ${since} is unfinished: only the ${formatCount(index.pages)} pages that it has are carried over`,
            ],
      }
    : { setup: null, notices: [`nothing is carried over from ${since}, everything is fetched in full: ${obstacle}`] };
}

/** Refuses options that never go together with an earlier crawl. */
function refuseOthers(
  { directory, fetch, resolve: ownKeys, handsOnBodies }: SessionPlan,
  settings: EngineSettings,
  since: string,
): void {
  const because = 'of a page that is carried over there is no body to see';
  if (fetch !== undefined || ownKeys !== undefined) {
    throw new UsageError(
      'since cannot be used with a fetch or resolve of your own: only a server can say what has not changed',
    );
  }
  if (handsOnBodies) {
    throw new UsageError(`since cannot be used with onPage: ${because}; iterate the crawl instead`);
  }
  if (settings.hooks !== null) {
    throw new UsageError(`--since cannot be used with --hooks: ${because}`);
  }
  if (new HostManners(settings.reader).rendersAny) {
    throw new UsageError(
      '--since cannot be used with --render: what a browser draws may change while the page does not',
    );
  }
  if (directory !== null && resolve(directory) === resolve(since)) {
    throw new UsageError(
      `--since and the new crawl cannot share a directory: ${since} is only read; give another --data-dir`,
    );
  }
}

/** Why no page of the earlier crawl may stand for an answer, as the end of a sentence; null if they may. */
function obstacleIn({ meta, isComplete }: EarlierIndex, now: StoredOptions): string | null {
  if (!isComplete || meta.version !== VERSION) {
    return `that crawl was made by Gossamer ${meta.version ?? 'of an unknown version'}, and this one may read pages in another way`;
  }
  if (meta.customFetch === 'true' || meta.ownKeys === 'true') {
    return 'that crawl was made by a program with a fetch or resolve of its own';
  }
  // The first and the last options of a crawl that was resumed.
  const before = [meta.options!, meta.inForce ?? meta.options!].map((text) => JSON.parse(text) as StoredOptions);
  const changed = SHAPING.filter((key) => before.some((stored) => differs(stored, now, key)));
  const flags = changed.map((key) => `--${specOf(key).flag}`);
  return flags.length === 0
    ? null
    : `${flags.join(', ')} ${flags.length === 1 ? 'was' : 'were'} not the same in that crawl`;
}

const valueIn = ({ values }: StoredOptions, key: OptionKey): unknown =>
  (values as Readonly<Record<string, unknown>>)[key] ?? specOf(key).default;

/** Secrets are not kept: all that can be compared is whether there was one. */
const differs = (before: StoredOptions, now: StoredOptions, key: OptionKey): boolean =>
  !isDeepStrictEqual(valueIn(before, key), valueIn(now, key)) ||
  before.withheld.includes(key) !== now.withheld.includes(key);

/** Checks that the named crawl exists before anything is made for the new one. */
export function refuseMissingSince({ resolved: { options }, seeds }: SessionPlan): void {
  const { since } = options;
  if (since !== null && seeds !== null && !existsSync(storePath(since))) {
    throw new UsageError(`--since: there is no crawl in ${since} (no crawl.sqlite)`);
  }
}
