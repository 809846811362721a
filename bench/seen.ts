import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completeOptions } from '../src/config/resolve.js';
import { CrawlSession } from '../src/crawl/session.js';
import { openDatabase } from '../src/store/sqlite.js';
import { table } from './figures.js';

const DISTINCT = 1_000_000;
const REPEATS = 10_000_000;
const HUBS = 10_000;
const NEW_A_HUB = DISTINCT / HUBS;
const REPEATS_A_HUB = REPEATS / HUBS;

/**
 * A million distinct URLs and ten million repeats through a crawl with a fetcher of our own: 10,000 pages with 1,100 links each, the leaves cut by
 * depth so that only admission is measured. The store is then asked whether one was lost or doubled.
 */
export async function seen(options: { seenMemoryBytes: number | null }): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'gossamer-seen-'));
  const marks: { hubs: number; rssBytes: number; at: number }[] = [];
  let hubs = 0;
  const fetch = (key: string) => {
    if (key === 'root') {
      return { links: Array.from({ length: HUBS }, (_, hub) => `hub:${hub}`) };
    }
    hubs++;
    if (hubs % (HUBS / 10) === 0) {
      (globalThis as { gc?: () => void }).gc?.();
      marks.push({ hubs, rssBytes: process.memoryUsage.rss(), at: performance.now() });
    }
    return { links: linksOf(Number(key.slice(4))) };
  };
  const resolved = completeOptions({
    depth: 1,
    expectedUrls: 1_000,
    workers: 64,
    maxInflightPerHost: 64,
    autoTune: false,
    delayMs: 0,
    ignoreRobots: true,
    seedingStrategy: 'none',
    parseWorkers: 1,
    maxShapeVariants: 0,
    ...(options.seenMemoryBytes === null ? {} : { seenMemoryBytes: options.seenMemoryBytes }),
  });
  const seed = {
    seed: 0,
    url: 'root',
    label: 'root',
    scope: 'any',
    depth: null,
    maxUrls: null,
    fallbacks: [],
    scopeUrls: [],
  };
  const session = new CrawlSession({ resolved, directory, seeds: [seed], events: {}, fetch, resolve: (href) => href });
  const startedAt = performance.now();
  try {
    await session.open();
    const { summary } = await session.run();
    report(directory, marks, startedAt, summary.layers.filter!);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** 100 URLs of its own, and 1,000 that earlier or later pages own, spread over all of them. */
function linksOf(hub: number): string[] {
  const links: string[] = [];
  for (let i = 0; i < NEW_A_HUB; i++) {
    links.push(`leaf:${hub * NEW_A_HUB + i}`);
  }
  for (let i = 0; i < REPEATS_A_HUB; i++) {
    links.push(`leaf:${(hub * 7919 + i * 104_729) % Math.max(1, hub * NEW_A_HUB + NEW_A_HUB)}`);
  }
  return links;
}

function report(
  directory: string,
  marks: { hubs: number; rssBytes: number; at: number }[],
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
  const bytesAUrl = (last.rssBytes - first.rssBytes) / (DISTINCT * 0.9);
  process.stdout.write(
    table(
      ['seen set', 'rows', 'distinct', 'lost', 'doubled', 'bytes/URL', 'last/first tenth', 'links/s', 'asked', 'saved'],
      [
        [
          'exact',
          String(rows),
          String(distinct),
          String(DISTINCT - distinct),
          String(rows - distinct),
          bytesAUrl.toFixed(1),
          (msOf(marks.length - 1) / msOf(0)).toFixed(2),
          (((DISTINCT + REPEATS) / (last.at - startedAt)) * 1000).toFixed(0),
          String(filter.peak),
          String(filter.peakWaiting),
        ],
      ],
    ),
  );
}
