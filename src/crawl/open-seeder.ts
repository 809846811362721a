import type { Clock } from '../base/clock.js';
import type { CrawlOptions } from '../config/options.js';
import { seedingSources } from '../config/seeding.js';
import { Fetcher } from '../fetch/fetcher.js';
import { QueuePlaces } from '../frontier/queue-place.js';
import { ApiClient } from '../seeding/api-client.js';
import { hostKeyOf } from '../url/host.js';
import { Seeder, type SeederParts, type SeedingParty } from './seeder.js';
import type { EngineSettings } from './settings.js';

type Given = Omit<SeederParts, 'parties' | 'places' | 'stop' | 'fetcher'> & {
  options: CrawlOptions;
  settings: EngineSettings;
  clock: Clock;
};

/** Third parties search large indexes before they answer: so many times --idle-timeout. */
const PATIENCE = 6;

/** The third parties that the options name; null where they name none. */
export function openSeeder({ options, settings, clock, ...parts }: Given): Seeder | null {
  const sources = seedingSources(options.seedingStrategy);
  if (!sources.has('ct') && !sources.has('commoncrawl')) {
    return null;
  }
  const stop = new AbortController();
  const fetcher = new Fetcher(settings.seedingFetch, clock);
  const clients = new Map<string, ApiClient>();
  /** Two that live on one host are one when it comes to pacing. */
  const clientFor = (host: string): ApiClient => {
    const client =
      clients.get(host) ??
      new ApiClient({
        fetcher,
        clock,
        delayMs: settings.scheduler.delayMsFor(host),
        maxWaitMs: options.maxWaitMs,
        idleTimeoutMs: options.idleTimeoutMs * PATIENCE,
        signal: stop.signal,
      });
    clients.set(host, client);
    return client;
  };
  const party = (source: SeedingParty['source'], url: string, max: number): SeedingParty[] => {
    const baseUrl = new URL(url).href;
    return sources.has(source) ? [{ source, baseUrl, max, client: clientFor(hostKeyOf(baseUrl)) }] : [];
  };
  const parties = [
    ...party('ct', options.ctUrl, options.maxCtNames),
    ...party('commoncrawl', options.commoncrawlUrl, options.maxCommoncrawlUrls),
  ];
  return new Seeder({ ...parts, parties, places: new QueuePlaces(options.order), stop, fetcher });
}
