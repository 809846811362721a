import { workerData } from 'node:worker_threads';
import { systemClock } from '../base/clock.js';
import { serve } from '../base/worker-thread.js';
import type { FetchOptions } from '../fetch/fetcher.js';
import { prepareExtraction } from './extraction-door.js';
import type { HookService } from './hook-service.js';
import { openSource } from './kept-source.js';
import { Lane, type LaneSetup } from './lane.js';
import { loadJars, type OpenJar } from './lane-cookies.js';
import { LANE_NEWS, LANE_ORDERS } from './messages.js';

const { setup, fetchOptions } = workerData as { setup: LaneSetup; fetchOptions: FetchOptions };

const source = openSource(fetchOptions, systemClock);

/** Messages that come before it has begun wait at the port. */
function begin(openJar: OpenJar | undefined, hooks: HookService | null): void {
  const lane = new Lane(
    setup,
    source,
    {
      headers: (ids, ats) => coordinator.tell('headers', { ids, ats }),
      outcomes: (outcomes) => coordinator.tell('outcomes', { outcomes, peakWaiting: lane.peakWaiting }),
      piece: (piece) => coordinator.tell('piece', piece),
      cookies: (changes) => coordinator.tell('cookies', changes),
    },
    systemClock,
    undefined,
    openJar,
    hooks?.hooks ?? null,
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
      ping: () => {},
      startHooks: () => hooks!.start(),
      started: ({ started }) => hooks!.hooks.started(started),
      endHooks: (summary) => hooks!.end(summary),
      read: (page) => lane.read(page),
    },
    LANE_NEWS,
  );
  hooks?.onStrayThrow((words) => coordinator.tell('strayThrow', words));
}

/** Loads code that only some crawls need. An error in loading ends the thread. */
async function prepare(): Promise<void> {
  const { hooks, lane, keepsCookies, reader } = setup;
  await prepareExtraction(reader.extract);
  const openJar = keepsCookies ? await loadJars() : undefined;
  const service =
    hooks === undefined ? null : await (await import('./hook-service.js')).openHooks(hooks, lane, source, systemClock);
  begin(openJar, service);
}

// Not at the top of the module: programs that bundle it make CommonJS of it.
if (setup.keepsCookies || setup.reader.extract.length > 0 || setup.hooks !== undefined) {
  void prepare();
} else {
  begin(undefined, null);
}
