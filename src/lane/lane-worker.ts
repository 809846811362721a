import { workerData } from 'node:worker_threads';
import { systemClock } from '../base/clock.js';
import { serve } from '../base/worker-thread.js';
import { Fetcher, type FetchOptions } from '../fetch/fetcher.js';
import type { HookService } from './hook-service.js';
import { Lane, type LaneSetup } from './lane.js';
import { LANE_NEWS, LANE_ORDERS } from './messages.js';

const { setup, fetchOptions } = workerData as { setup: LaneSetup; fetchOptions: FetchOptions };

const source = new Fetcher(fetchOptions, systemClock);

function begin(hooks: HookService | null): void {
  const lane = new Lane(
    setup,
    source,
    {
      headers: (ids, ats) => coordinator.tell('headers', { ids, ats }),
      outcomes: (outcomes) => coordinator.tell('outcomes', { outcomes, peakWaiting: lane.peakWaiting }),
      piece: (piece) => coordinator.tell('piece', piece),
    },
    systemClock,
    undefined,
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
      resolve: (host) => lane.resolve(host),
      ping: () => {},
      startHooks: () => hooks!.start(),
      started: ({ started }) => hooks!.hooks.started(started),
      endHooks: (summary) => hooks!.end(summary),
      read: (page) => lane.read(page),
    },
    LANE_NEWS,
  );
}

if (setup.hooks === undefined) {
  begin(null);
} else {
  // What is told meanwhile waits at the port. A module that cannot be loaded ends the thread.
  const { hooks, lane } = setup;
  void import('./hook-service.js').then(({ openHooks }) => openHooks(hooks, lane, source, systemClock)).then(begin);
}
