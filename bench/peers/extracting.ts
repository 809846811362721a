import type { Entry } from '../contestant.js';
import { crawlee } from './crawlee.js';
import type { Peer } from './peer.js';
import { scrapy } from './scrapy.js';

/** Peers that take the same from each page, and keep it on disk. Their programs read the selectors from this variable. */
export const EXTRACTING_PEERS = (selectors: Readonly<Record<string, string>>): Peer[] =>
  [crawlee, scrapy].map((peer) => ({ ...peer, entries: peer.entries.map((entry) => extracting(entry, selectors)) }));

const extracting = (entry: Entry, selectors: Readonly<Record<string, string>>): Entry => ({
  ...entry,
  note: 'five selectors',
  commands: (job) =>
    entry.commands(job).map((command) => ({
      ...command,
      cwd: job.diskFolder,
      env: { ...command.env, BENCH_SELECTORS: JSON.stringify(selectors) },
    })),
});
