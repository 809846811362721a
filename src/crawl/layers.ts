import type { CrawlOptions } from '../config/options.js';
import type { EmbeddedFrontier } from '../frontier/embedded/embedded-frontier.js';
import type { LayerFacts } from '../report/summary.js';
import type { Crawl } from './crawl.js';
import type { Governor } from './governor.js';
import type { LanePool } from './lane-pool.js';
import type { EngineSettings } from './settings.js';
import type { StoreUse } from './threads/store-host.js';

/** The twelve layers of concurrency: what each allows, how far it was used, and how many ever waited on it. */
export function layerFacts(parts: {
  options: CrawlOptions;
  settings: EngineSettings;
  crawl: Crawl;
  frontier: EmbeddedFrontier;
  lanes: LanePool;
  governor: Governor;
  store: StoreUse;
}): Record<string, LayerFacts> {
  const { options, settings, crawl, frontier, lanes, store } = parts;
  const counts = frontier.counts();
  const use = frontier.layerUse;
  const layer = (limit: number | null, peak: number, peakWaiting: number): LayerFacts => ({ limit, peak, peakWaiting });
  return {
    workers: layer(options.workers, crawl.use.peakInFlight, crawl.use.peakWaiting),
    inflightPerHost: layer(options.maxInflightPerHost, use.peakHost, use.peakHostWaiting),
    frontier: layer(settings.scheduler.frontierLimit, use.peakInMemory, frontier.peaks.onDisk),
    delay: layer(options.delayMs, counts.hostsInMemory, use.peakDelayed),
    backoff: layer(options.maxBackoffMs, use.peakBlocked, use.peakBlocked),
    filter: layer(options.expectedUrls, store.asked, store.saved),
    lanes: layer(lanes.size, lanes.peakInUse, lanes.peakWaiting),
    robots: layer(options.robotsWorkers, frontier.robotsUse.peak, frontier.robotsUse.peakWaiting),
    lookups: layer(options.fpCheckLimit, store.peakBatch, store.peakWaiting),
    hosts: layer(options.readyHeapLimit, frontier.peaks.hosts, frontier.peaks.parked),
    bytes: layer(options.parseBufferBytes, crawl.use.peakHeldBytes, crawl.use.peakPaused),
    governor: layer(options.workers, parts.governor.limit, parts.governor.decisions),
  };
}
