import { UsageError } from '../base/errors.js';
import type { CrawlOptions } from '../config/options.js';
import type { SeedRow } from '../store/transaction.js';
import { hostKeyOf } from '../url/host.js';
import { isTrapByLooks } from '../url/traps.js';
import type { LayerFigures } from '../watch/live.js';
import type { RoundMoment, WatchedRound } from '../watch/run-watch.js';
import type { ClusterSeat } from './cluster-seat.js';
import type { Engine } from './engine.js';
import type { SessionStats } from './profile.js';
import type { EngineSettings } from './settings.js';

/** A host holds a place of so many while it has requests under way: `WirePlaces`. */
const MOST_WORKERS = 4_096;

const LONGEST_DELAY_MS = 24 * 3600 * 1000;

export interface WatchedParts {
  readonly options: CrawlOptions;
  readonly settings: EngineSettings;
  readonly seeds: readonly SeedRow[];
  readonly isResumed: boolean;
  readonly cluster: Pick<ClusterSeat, 'view'> | undefined;
}

/** A session as the user sees and controls it: figures of the moment, and settings that can be changed. */
export class WatchedSession implements WatchedRound {
  readonly controls: WatchedRound['controls'];
  readonly msAPage: number | null;
  readonly isResumed: boolean;
  readonly #stats: () => SessionStats;
  readonly #engine: Engine;
  readonly #parts: WatchedParts;

  constructor(stats: () => SessionStats, engine: Engine, parts: WatchedParts) {
    this.#stats = stats;
    this.#engine = engine;
    this.#parts = parts;
    this.msAPage = msAPageOf(parts);
    this.isResumed = parts.isResumed;
    this.controls = controlsOf(engine, parts.settings);
  }

  moment(): RoundMoment {
    const { crawl, frontier, governor } = this.#engine;
    const { queuedInMemory, queuedOnDisk, ...stats } = this.#stats();
    const { done, failed, skipped, deferred, retries, refetched, inFlight, dispatched, endsAt, now } = stats;
    const { known, busy, delayed, backingOff, deferred: deferredHosts } = frontier.hostFigures();
    const { isPaused, isHeldUp } = crawl.room;
    const { commitMs } = crawl;
    const { waitingFor, seeding, rendering, isStopping, isDiskLow, hostsDelayed } = stats;
    return {
      urls: { done, failed, skipped, deferred, queued: queuedInMemory + queuedOnDisk + frontier.inStock, queuedOnDisk },
      ...{ retries, refetched, inFlight, dispatched, endsAt, now, isStopping, isDiskLow, isPaused, isHeldUp },
      ...{ hostsDelayed, waitingFor, seeding, rendering, commitMs },
      hosts: { known, busy, delayed, backingOff, deferred: deferredHosts },
      layers: this.#layers(isHeldUp && !isPaused && inFlight >= governor.limit ? queuedInMemory : 0),
      cluster: this.#parts.cluster?.view() ?? null,
      memory: { ...crawl.memory, limitBytes: this.#parts.settings.memoryLimitBytes },
    };
  }

  /** The twelve layers, under the names that they have in summary.json. @param held URLs that wait only for a place among all requests */
  #layers(held: number): LayerFigures[] {
    const { options, settings } = this.#parts;
    const { crawl, frontier, governor, lanes, budget, keys } = this.#engine;
    const counts = frontier.counts();
    const { most, waiting, delayed, backingOff } = frontier.hostFigures();
    const { inFlight } = crawl;
    const isGoverned = governor.limit < governor.ceiling;
    const layer = (
      [name, title, option, unit]: readonly [name: string, title: string, option: string, unit: string],
      [use, limit, waits]: readonly [use: number, limit: number | null, waiting: number],
    ): LayerFigures => ({ name, title, option, unit, use, limit, waiting: waits });
    return [
      layer(
        ['workers', 'requests in flight', '--workers', 'requests'],
        [inFlight, governor.ceiling, isGoverned ? 0 : held],
      ),
      layer(
        ['inflightPerHost', 'requests per host', '--max-inflight-per-host', 'requests'],
        [most, settings.scheduler.mostInflight ?? options.maxInflightPerHost, waiting],
      ),
      layer(
        ['frontier', 'queued URLs in memory', '--frontier-limit', 'URLs'],
        [counts.queuedInMemory, settings.scheduler.frontierLimit, counts.queuedOnDisk],
      ),
      layer(['delay', 'hosts that keep their delay', '--delay', 'hosts'], [delayed, null, delayed]),
      layer(['backoff', 'hosts left alone after trouble', '--max-backoff', 'hosts'], [backingOff, null, backingOff]),
      layer(['filter', 'known URLs', '--expected-urls', 'URLs'], [keys.size, options.expectedUrls, 0]),
      layer(
        ['lanes', 'threads that fetch and read', '--parse-workers', 'threads'],
        [lanes.inUse, lanes.size, lanes.waiting],
      ),
      layer(
        ['robots', 'requests for robots.txt', '--robots-workers', 'requests'],
        [counts.robotsInFlight, options.robotsWorkers, counts.robotsWaiting],
      ),
      layer(
        ['lookups', 'look-ups on disk at once', '--fp-check-limit', 'URLs'],
        [
          Math.min(frontier.lookups, options.fpCheckLimit),
          options.fpCheckLimit,
          Math.max(0, frontier.lookups - options.fpCheckLimit),
        ],
      ),
      layer(
        ['hosts', 'hosts in memory', '--ready-heap-limit', 'hosts'],
        [counts.hostsInMemory, options.readyHeapLimit, counts.hostsParked],
      ),
      layer(
        ['bytes', 'bytes fetched and not yet kept', '--parse-buffer', 'bytes'],
        [budget.held, options.parseBufferBytes, budget.pausedBodies],
      ),
      layer(
        ['governor', 'requests that memory and speed allow', '--governor', 'requests'],
        [inFlight, governor.limit, isGoverned ? held : 0],
      ),
    ];
  }
}

/** How long a page takes by the delay of the only host; null if there are several hosts, or if it has none. */
function msAPageOf({ seeds, settings }: WatchedParts): number | null {
  const [first] = seeds;
  const host = first === undefined ? null : hostKeyOf(first.url);
  if (host === null || seeds.some(({ url }) => hostKeyOf(url) !== host)) {
    return null;
  }
  const delayMs = settings.scheduler.delayMsFor(host);
  return delayMs > 0 ? delayMs : null;
}

function controlsOf({ crawl, frontier }: Engine, { fetch }: EngineSettings): WatchedRound['controls'] {
  return {
    pause: () => crawl.room.pause(),
    goOn: () => crawl.room.goOn(),
    setWorkers: (count) => {
      if (!(Number.isInteger(count) && count >= 1)) {
        throw new UsageError(`workers must be a whole number from 1, got ${count}`);
      }
      crawl.room.setWorkers(Math.min(count, fetch.maxSockets, MOST_WORKERS));
    },
    setDelay: (host, delayMs) => {
      if (!(delayMs >= 0 && delayMs <= LONGEST_DELAY_MS)) {
        throw new UsageError(`a delay must be between 0 and ${LONGEST_DELAY_MS} ms, got ${delayMs}`);
      }
      frontier.setDelay(host, delayMs);
    },
    quarantine: (host) => frontier.quarantine(host),
    release: (host) => frontier.release(host),
    // Traps that a single URL shows are judged where links are read; naming their pattern does not queue them again.
    allowTrap: async (pattern) => !isTrapByLooks(pattern) && crawl.intake.letTrapIn(pattern),
  };
}
