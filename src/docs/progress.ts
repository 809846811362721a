import type { SitemapGap } from './incomplete-sitemaps.js';

/** The corpora that a run has finished before it was stopped. */
export interface WrittenCorpora {
  /** How many seeds, from the first on, have their corpus. */
  seeds: number;
  /** What they were made from: corpora of another value have to be written again. */
  asOf: string;
}

/** How far a run is. It is kept in the store, so that the run can be resumed after any stop. */
export interface DocsProgress {
  /** A survey finds out what the site has; a sample, whether its sitemaps lack pages; then the pages are fetched, and last their images. */
  round: 'survey' | 'sample' | 'pages' | 'images';
  /** Whether a finished corpus is being brought up to date. */
  renews: boolean;
  /** The number of the last page that was settled before that. */
  since?: number;
  /** Seeds whose pages are named by sitemaps, so that their links are not followed. */
  unfollowed: number[];
  /** Seeds whose sitemaps lack so many pages that links are followed too. */
  incomplete?: SitemapGap[];
  /** Folders that came into scope because of the survey, by seed. */
  widened: [seed: number, urls: string[]][];
  /** The folder of each seed's corpus. */
  outputs: string[];
  /** Whether the last run was completed, with a corpus or without any page for one. */
  isWritten: boolean;
  written?: WrittenCorpora;
}

const KEY = 'docs';

export const asMeta = (progress: DocsProgress): Record<string, string> => ({ [KEY]: JSON.stringify(progress) });

/** Null if the store is of something else. */
export function progressOf(meta: Readonly<Record<string, string>>): DocsProgress | null {
  return meta[KEY] === undefined ? null : JSON.parse(meta[KEY]);
}

/** The same progress with other folders. Corpora that are finished stand in the earlier folders, so they are written again. */
export function withOutputs({ written, ...progress }: DocsProgress, outputs: string[]): DocsProgress {
  const areSame =
    progress.outputs.length === outputs.length && progress.outputs.every((each, i) => each === outputs[i]);
  return { ...progress, outputs, ...(areSame && written !== undefined ? { written } : {}) };
}
