import { workerData } from 'node:worker_threads';
import { systemClock } from '../base/clock.js';
import { serve } from '../base/worker-thread.js';
import type { FetchOptions } from '../fetch/fetcher.js';
import { openFetcher } from '../fetch/http-cache.js';
import { prepareExtraction } from './extraction-door.js';
import { Lane, type LaneSetup } from './lane.js';
import { loadJars, type OpenJar } from './lane-cookies.js';
import { LANE_NEWS, LANE_ORDERS } from './messages.js';

const { setup, fetchOptions } = workerData as { setup: LaneSetup; fetchOptions: FetchOptions };

/** What is told before it has begun waits at the port. */
function begin(openJar: OpenJar | undefined): void {
  const lane = new Lane(
    setup,
    openFetcher(fetchOptions, systemClock),
    {
      headers: (ids, ats) => coordinator.tell('headers', { ids, ats }),
      outcomes: (outcomes) => coordinator.tell('outcomes', { outcomes, peakWaiting: lane.peakWaiting }),
      piece: (piece) => coordinator.tell('piece', piece),
      cookies: (changes) => coordinator.tell('cookies', changes),
    },
    systemClock,
    undefined,
    openJar,
  );

  const coordinator = serve(
    LANE_ORDERS,
    {
      take: ({ jobs, updates }) => lane.take(jobs, updates),
      widenScope: ({ version, seed, scopeUrls }) => lane.widenScope(version, seed, scopeUrls),
      forgetRules: (origins) => lane.forgetRules(origins),
      dropCaches: () => lane.dropCaches(),
      flow: () => lane.flow(),
      recall: ({ place }) => lane.recall(place),
      admitted: ({ id, ids }) => lane.admitted(id, ids),
      resizeSockets: (count) => lane.resizeSockets(count),
      putCookies: ({ site, cookies }) => lane.putCookies(site, cookies),
      forgetCookies: (sites) => lane.forgetCookies(sites),
      resolve: (host) => lane.resolve(host),
      read: (page) => lane.read(page),
    },
    LANE_NEWS,
  );
}

/** Loads what only some crawls need. */
async function prepare(): Promise<void> {
  await prepareExtraction(setup.reader.extract);
  begin(setup.keepsCookies ? await loadJars() : undefined);
}

// Not at the top of the module: programs that bundle it make CommonJS of it. What cannot be loaded ends the thread.
if (setup.keepsCookies || setup.reader.extract.length > 0) {
  void prepare();
} else {
  begin(undefined);
}
