/** What index.json says of a page of the corpus. docs/CORPUS.md and docs/schemas/corpus-1.json describe it. */
export interface IndexEntry {
  url: string;
  path: string;
  title: string;
  description: string | null;
  lang: string | null;
  hash: string;
  tokens: number;
  bytes: number;
  crawled: string;
  canonical: string | null;
  etag: string | null;
  lastModified: string | null;
  /** Ids of its chunks, in their order. */
  chunks: string[];
}

/** A page that is left out because another has its content. */
export interface DuplicateEntry {
  url: string;
  /** The page that is kept. */
  duplicateOf: string;
  kind: DuplicateKind;
}

/** By `<link rel=canonical>`, by the same text, by nearly the same text under the same title. */
export type DuplicateKind = 'canonical' | 'exact' | 'near';

/** A page that was in the corpus and no longer is. */
export interface RemovedEntry {
  url: string;
  path: string;
  /** When that was found out. */
  removed: string;
  /** By how many runs it is named still; each run takes one off. */
  runsLeft: number;
}

/** Counts of one run against the corpus that was there before. */
export interface ChangeCounts {
  added: number;
  changed: number;
  /** Pages that are as they were, in a file that is not: a page that they link to came or went. */
  rewritten: number;
  removed: number;
  unchanged: number;
}

/** What stands before the pages in index.json. */
export interface IndexHead {
  schema: string;
  title: string;
  summary: string | null;
  /** The URL that it was begun from. */
  source: string;
  origin: string;
  /** How often this corpus was written. */
  run: number;
  pages: number;
  bytes: number;
  tokens: number;
  tokensEstimated: boolean;
  chunkTokens: number;
  chunks: number;
  /** Only where robots.txt was not obeyed. */
  ignoredRobots?: true;
  changes: ChangeCounts;
}
