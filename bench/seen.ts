import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completeOptions } from '../src/config/resolve.js';
import { CrawlSession } from '../src/crawl/session.js';
import { openDatabase } from '../src/store/sqlite.js';
import { table } from './figures.js';
import { OPTIONS, SEED } from './queued-crawl.js';

export interface SeenPlan {
  distinct: number;
  repeats: number;
  /** Pages that have the links. */
  hubs: number;
  /** Of the key table; null: as much as a crawl takes by itself. */
  seenMemoryBytes: number | null;
}

/** A million distinct URLs and ten million repeats. */
export const MILLION: SeenPlan = { distinct: 1_000_000, repeats: 10_000_000, hubs: 10_000, seenMemoryBytes: null };
export const TEN_MILLION: SeenPlan = { ...MILLION, distinct: 10_000_000, hubs: 20_000 };

interface Mark {
  rssBytes: number;
  at: number;
}

/**
 * URLs through a crawl with a fetcher of our own: pages that are nothing but links, the leaves cut by depth so that only admission is
 * measured, the filter sized for 1,000. The store is then asked whether one was lost or doubled.
 */
export async function seen(plan: SeenPlan): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'gossamer-seen-'));
  const marks: Mark[] = [];
  let hubs = 0;
  const fetch = (key: string) => {
    if (key === 'root') {
      return { links: Array.from({ length: plan.hubs }, (_, hub) => `hub:${hub}`) };
    }
    hubs++;
    if (hubs % (plan.hubs / 10) === 0) {
      (globalThis as { gc?: () => void }).gc?.();
      marks.push({ rssBytes: process.memoryUsage.rss(), at: performance.now() });
    }
    return { links: linksOf(Number(key.slice(4)), plan) };
  };
  const resolved = completeOptions({
    ...OPTIONS,
    depth: 1,
    expectedUrls: 1_000,
    ...(plan.seenMemoryBytes === null ? {} : { seenMemoryBytes: plan.seenMemoryBytes }),
  });
  const session = await CrawlSession.open({
    resolved,
    directory,
    seeds: [SEED],
    events: {},
    fetch,
    resolve: (href) => href,
  });
  const startedAt = performance.now();
  try {
    const { summary } = await session.run();
    report(plan, directory, marks, startedAt, summary.layers.filter!);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** URLs of its own, and some that earlier pages own, spread over all of them. */
function linksOf(hub: number, { distinct, repeats, hubs }: SeenPlan): string[] {
  const links: string[] = [];
  const own = distinct / hubs;
  for (let i = 0; i < own; i++) {
    links.push(`leaf:${hub * own + i}`);
  }
  for (let i = 0; i < repeats / hubs; i++) {
    links.push(`leaf:${(hub * 7919 + i * 104_729) % (hub * own + own)}`);
  }
  return links;
}

function report(
  { distinct: wanted, repeats }: SeenPlan,
  directory: string,
  marks: readonly Mark[],
  startedAt: number,
  filter: { peak: number; peakWaiting: number },
): void {
  const database = openDatabase(join(directory, 'crawl.sqlite'), { readOnly: true });
  const { rows, different: distinct } = database
    .prepare("SELECT count(*) AS rows, count(DISTINCT url) AS different FROM urls WHERE url LIKE 'leaf:%'")
    .get();
  database.close();
  const first = marks[0]!;
  const last = marks.at(-1)!;
  const msOf = (place: number) => marks[place]!.at - (place === 0 ? startedAt : marks[place - 1]!.at);
  const bytesAUrl = (last.rssBytes - first.rssBytes) / (wanted * 0.9);
  process.stdout.write(
    table(
      [
        ...['seen set', 'rows', 'lost', 'doubled', 'bytes/URL', 'peak MiB'],
        ...['last/first tenth', 'links/s', 'asked', 'saved'],
      ],
      [
        [
          'exact',
          String(rows),
          String(wanted - distinct),
          String(rows - distinct),
          bytesAUrl.toFixed(1),
          ((process.resourceUsage().maxRSS * 1024) / 2 ** 20).toFixed(0),
          (msOf(marks.length - 1) / msOf(0)).toFixed(2),
          (((wanted + repeats) / (last.at - startedAt)) * 1000).toFixed(0),
          String(filter.peak),
          String(filter.peakWaiting),
        ],
      ],
    ),
  );
}
