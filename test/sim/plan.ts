import type { CrawlOptions } from '../../src/config/options.js';
import type { SchedulerOptions } from '../../src/frontier/options.js';
import type { UrlKind } from '../../src/store/url-state.js';
import type { StoreLatency } from './model-store.js';
import type { Simulation } from './simulation.js';
import type { VirtualWeb } from './virtual-web.js';

export interface SimulationPlan {
  seed?: number;
  web: VirtualWeb;
  /** URLs that are there from the start, in their order. */
  urls: readonly string[];
  options?: Partial<CrawlOptions>;
  /** Beyond what the options allow, such as room for three hosts. */
  scheduler?: Partial<SchedulerOptions>;
  keyBudgetBytes?: number;
  lanes?: number;
  storeLatency?: StoreLatency;
  rssBytes?(elapsedMs: number): number;
  /** How late the coordinator's timer fires. */
  lagMs?(elapsedMs: number): number;
  /** Once a virtual second, after the governor. */
  onTick?(simulation: Simulation): void;
  /** False where a million entries would be too many: the hash is made all the same. */
  keepLog?: boolean;
}

/** One request as it went out. */
export interface Sent {
  /** Milliseconds since the beginning. */
  at: number;
  host: string;
  url: string;
  kind: UrlKind;
  attempt: number;
  /** Requests of the host in flight, this one included. */
  inFlight: number;
}

export interface Deferral {
  at: number;
  host: string;
  reason: string;
  urls: number;
}
