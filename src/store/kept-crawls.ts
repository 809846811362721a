import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { foldersIn } from '../base/folders.js';
import { isUnbegun, openForReading, refuseLink, stateOf, storePath } from './directory.js';
import { DirectoryLock } from './lock.js';

/** A crawl seen from outside, running or not. */
export interface CrawlStatus {
  /** Where it is kept. */
  directory: string;
  /** Whether it runs, waits to be gone on with, or is finished. */
  state: 'running' | 'unfinished' | 'finished';
  /** Why its last run ended; null where none has. */
  reason: string | null;
  /** The limit that cut it, or null. */
  truncated: string | null;
  /** URLs by their state. */
  counts: Record<string, number>;
  /** What it began with. */
  seeds: string[];
}

export function statusOf(directory: string): CrawlStatus {
  const kept = stateOf(directory);
  return openForReading(directory, (reader) => {
    const ended = reader.ended();
    const running = DirectoryLock.isTaken(directory);
    const { open: _open, queued = 0, leased = 0 } = reader.counts();
    // What a limit left in the queue is skipped here too, as in every output.
    const isCut = (ended?.truncated ?? null) !== null;
    const counts = {
      queued: isCut ? 0 : queued,
      leased: isCut ? 0 : leased,
      done: 0,
      failed: 0,
      skipped: 0,
      deferred: 0,
    };
    for (const { state, pages } of reader.tallies()) {
      counts[state] += pages;
    }
    return {
      directory,
      state: running ? 'running' : kept === 'finished' ? 'finished' : 'unfinished',
      reason: running ? null : (ended?.reason ?? null),
      truncated: ended?.truncated ?? null,
      counts,
      seeds: reader.seeds().map(({ label }) => label),
    };
  });
}

/** The crawls kept in the folders of `root`; those that cannot be read are told and left out. */
export function listCrawls(root: string, onUnreadable: (name: string, error: Error) => void): CrawlStatus[] {
  const crawls = foldersIn(root).filter((name) => existsSync(storePath(join(root, name))));
  return crawls.flatMap((name) => {
    try {
      return [statusOf(join(root, name))];
    } catch (error) {
      onUnreadable(name, error as Error);
      return [];
    }
  });
}

/** Files that a crawl makes. Nothing else in its directory is ever touched. */
const OURS =
  /^(?:crawl\.sqlite(?:-wal|-shm|-journal)?|lock\.sqlite(?:-journal|-wal|-shm)?|pages\.jsonl|summary\.json|sitemap[\w.-]*\.xml)$/;

/** Deletes a crawl that is not running. Returns how many files of others stand in its directory, which then stays. */
export function deleteCrawl(directory: string): number {
  refuseLink(directory);
  // Only a directory with a store of ours, if only half made, and none that is being written.
  if (!isUnbegun(directory)) {
    openForReading(directory, () => null);
  }
  DirectoryLock.take(directory).release();
  const others = readdirSync(directory).filter((name) => !OURS.test(name));
  for (const name of readdirSync(directory)) {
    if (OURS.test(name)) {
      rmSync(join(directory, name));
    }
  }
  if (others.length === 0) {
    rmdirSync(directory);
  }
  return others.length;
}
