import type { Database } from '../store/sqlite.js';
import { writeMeta } from '../store/store.js';

/** What of a run's corpora is finished, though the run is not. */
export interface WrittenCorpora {
  /** The first so many. */
  seeds: number;
  /** What they were made of. */
  asOf: string;
}

/** How far a corpus has come; kept in its store, so that any stop can be gone on from. */
export interface DocsProgress {
  /** First it is seen what there is, then the pages are fetched. */
  round: 'survey' | 'pages';
  /** A finished one is brought up to date. */
  renews: boolean;
  /** Seeds whose sitemaps name their pages. */
  unfollowed: number[];
  /** What came into scope by what the survey found: folders, by seed. */
  widened: [seed: number, urls: string[]][];
  /** The folder of each seed's corpus. */
  outputs: string[];
  /** The last run came to its end, with a corpus or with nothing to make one of. */
  isWritten: boolean;
  written?: WrittenCorpora;
}

const KEY = 'docs';

export const asMeta = (progress: DocsProgress): Record<string, string> => ({ [KEY]: JSON.stringify(progress) });

/** Null where the store is of something else. */
export function progressOf(meta: Readonly<Record<string, string>>): DocsProgress | null {
  return meta[KEY] === undefined ? null : JSON.parse(meta[KEY]);
}

export const saveProgress = (database: Database, progress: DocsProgress): void => writeMeta(database, asMeta(progress));

/** The same with other folders; what is finished stands in those of before. */
export function withOutputs({ written, ...progress }: DocsProgress, outputs: string[]): DocsProgress {
  const areSame =
    progress.outputs.length === outputs.length && progress.outputs.every((each, i) => each === outputs[i]);
  return { ...progress, outputs, ...(areSame && written !== undefined ? { written } : {}) };
}
