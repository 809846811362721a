import { completeOptions } from '../src/config/resolve.js';
import { CrawlSession } from '../src/crawl/session.js';

export const OPTIONS = {
  workers: 64,
  maxInflightPerHost: 64,
  autoTune: false,
  delayMs: 0,
  ignoreRobots: true,
  seedingStrategy: 'none',
  parseWorkers: 1,
  maxShapeVariants: 0,
} as const;

export const SEED = {
  seed: 0,
  url: 'root',
  label: 'root',
  scope: 'any',
  depth: null,
  maxUrls: null,
  fallbacks: [],
  scopeUrls: [],
};

const LEAVES_A_HUB = 1_000;

/** Leaves a crawl behind in which so many URLs are queued, stopped by a limit when all pages that lead to them are done. */
export async function makeQueuedCrawl(directory: string, queued: number): Promise<void> {
  const hubs = queued / LEAVES_A_HUB;
  const fetch = (key: string) => {
    if (key === 'root') {
      return { links: Array.from({ length: hubs }, (_, hub) => `hub:${hub}`) };
    }
    const first = Number(key.slice(4)) * LEAVES_A_HUB;
    return {
      links: Array.from({ length: LEAVES_A_HUB }, (_, leaf) => `https://example.com/leaf/number/${first + leaf}`),
    };
  };
  const session = await CrawlSession.open({
    resolved: completeOptions({ ...OPTIONS, maxUrls: 1 + hubs }),
    directory,
    seeds: [SEED],
    events: {},
    fetch,
    resolve: (href) => href,
  });
  await session.run();
}
