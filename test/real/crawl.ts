import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { factsOfExport, type SiteFacts } from './compare.js';
import { GOSSAMER_BIN, WORK_FOLDER } from './sites.js';
import { relocate } from './walk-cache.js';

export interface CrawlOfSite {
  facts: SiteFacts;
  /** From the start of the process to its end. */
  tookMs: number;
}

/** Crawls a site with the command line, as a user would, and reads the result back through `export`. */
export async function crawlSite(site: { name: string; host: string; url: string }): Promise<CrawlOfSite> {
  const dataDir = `${WORK_FOLDER}/crawl-${site.name}`;
  // --fresh would keep the result of every earlier run beside this one.
  await rm(dataDir, { recursive: true, force: true });
  const startedAt = performance.now();
  await endOf(gossamer(['crawl', site.url, '--data-dir', dataDir, '--quiet'], 'inherit'));
  const tookMs = performance.now() - startedAt;
  const pages = gossamer(['export', dataDir, '--format', 'jsonl'], 'pipe');
  const edges = gossamer(['export', dataDir, '--format', 'edges'], 'pipe');
  const { origin } = new URL(site.url);
  const moved = (url: string) => relocate(url, origin, `http://${site.host}`);
  const [facts] = await Promise.all([
    factsOfExport(pages.stdout as Readable, edges.stdout as Readable, moved),
    endOf(pages),
    endOf(edges),
  ]);
  return { facts, tookMs };
}

export interface CheckOfSite {
  dead: Set<string>;
  missing: Set<string>;
  /** Links of any other verdict that is bad, by verdict. */
  others: Record<string, number>;
  links: number;
  tookMs: number;
}

/** Checks the links of a site with the command line; those that leave it are not asked for. */
export async function checkSite(site: { url: string }): Promise<CheckOfSite> {
  const startedAt = performance.now();
  const child = gossamer(['check', site.url, '--no-external', '--quiet', '--format', 'json'], 'pipe');
  const pieces: Buffer[] = [];
  child.stdout!.on('data', (piece: Buffer) => pieces.push(piece));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0 && code !== 1) {
    throw new Error(`check ended with ${code}`);
  }
  const report: CheckJson = JSON.parse(Buffer.concat(pieces).toString());
  const found: CheckOfSite = {
    dead: new Set(),
    missing: new Set(),
    others: {},
    links: report.links.length,
    tookMs: performance.now() - startedAt,
  };
  for (const { url, fragment, verdict } of report.links) {
    if (verdict === 'dead') {
      found.dead.add(url);
    } else if (verdict === 'missing_fragment') {
      found.missing.add(`${url}#${fragment}`);
    } else if (!['ok', 'skipped', 'moved', 'redirected'].includes(verdict)) {
      found.others[verdict] = (found.others[verdict] ?? 0) + 1;
    }
  }
  return found;
}

interface CheckJson {
  links: { url: string; fragment: string | null; verdict: string }[];
}

function gossamer(arguments_: string[], stdout: 'inherit' | 'pipe'): ChildProcess {
  return spawn(process.execPath, [GOSSAMER_BIN, ...arguments_], { stdio: ['ignore', stdout, 'inherit'] });
}

async function endOf(child: ChildProcess): Promise<void> {
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  if (code !== 0) {
    throw new Error(`${child.spawnargs.slice(1).join(' ')} ended with ${signal ?? `code ${code}`}`);
  }
}
