import type { CorpusState } from '../store/corpus-state.js';

/** What index.json says of a page of the corpus. docs/CORPUS.md and docs/schemas/corpus-1.json describe it. */
export interface IndexEntry {
  /** Where the page comes from. */
  url: string;
  /** Its file in the tree. */
  path: string;
  /** Its title. */
  title: string;
  /** Its description; null if it has none. */
  description: string | null;
  /** Its language; null if it does not say. */
  lang: string | null;
  /** SHA-256 of its Markdown as in corpus.jsonl, before links are made relative. */
  hash: string;
  /** Tokens of its Markdown. */
  tokens: number;
  /** Bytes of its file. */
  bytes: number;
  /** The day on which this content was first seen. */
  crawled: string;
  /** What it calls its canonical URL; null if it names none. */
  canonical: string | null;
  /** Of the answer; null if it had none. */
  etag: string | null;
  /** Of the answer; null if it had none. */
  lastModified: string | null;
  /** Ids of its chunks, in their order. */
  chunks: string[];
  /** The share of the page's own text that its Markdown has, from 0 to 1; left out where it is all of it. */
  kept?: number;
  /** `index` of a page that only says where things are: it is in no chunk, not in llms-full.txt and not found by a search. */
  kind?: 'index';
}

const LOW = 0.5;

/** Whether much of a page's text was left out. */
export const isLow = ({ kept = 1 }: Pick<IndexEntry, 'kept'>): boolean => kept < LOW;

/** A page that was in the corpus and no longer is. */
export interface RemovedEntry {
  url: string;
  path: string;
  /** The day on which a run found that it was gone. */
  removed: string;
  /** How many more runs will name it. */
  runsLeft: number;
}

/** The pages of a corpus that is being written. */
export type State = CorpusState<IndexEntry, RemovedEntry>;

/** Counts of one run against the corpus that was there before. */
export interface ChangeCounts {
  /** Pages that are new. */
  added: number;
  /** Pages whose text is another. */
  changed: number;
  /** Pages whose text is the same while their file changed, because a page that they link to was added or removed. */
  rewritten: number;
  /** Pages that are gone. */
  removed: number;
  /** Pages that are as they were. */
  unchanged: number;
}

/** The head of index.json, before its lists of pages. */
export interface IndexHead {
  schema: string;
  /** Of the site. */
  title: string;
  /** Always null: no summary is written yet. */
  summary: string | null;
  /** The URL that it was begun from. */
  source: string;
  /** The origin whose pages stand at the root of the tree. */
  origin: string;
  /** How often this corpus was written. */
  run: number;
  /** How many pages there are. */
  pages: number;
  /** Of the files of the tree. */
  bytes: number;
  /** Of the Markdown of all pages. */
  tokens: number;
  /** Whether tokens are estimated, because no tokenizer was installed. */
  tokensEstimated: boolean;
  /** Tokens of a chunk at most. */
  chunkTokens: number;
  /** How many chunks there are. */
  chunks: number;
  /** Pages that kept less than half of their text; left out where there is none. */
  low?: number;
  /** Pages that only say where things are; left out where there is none, or where they were wanted like any other. */
  indexPages?: number;
  /** Only where robots.txt was not obeyed. */
  ignoredRobots?: true;
  changes: ChangeCounts;
}
