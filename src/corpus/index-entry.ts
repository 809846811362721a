/** What index.json says of a page of the corpus. docs/CORPUS.md and docs/schemas/corpus-1.json describe it. */
export interface IndexEntry {
  /** Where the page comes from. */
  url: string;
  /** Its file in the tree. */
  path: string;
  /** Its title. */
  title: string;
  /** Its description; null where it has none. */
  description: string | null;
  /** Its language; null where it does not say. */
  lang: string | null;
  /** SHA-256 of its Markdown as in corpus.jsonl, before links are made relative. */
  hash: string;
  /** Tokens of its Markdown. */
  tokens: number;
  /** Bytes of its file. */
  bytes: number;
  /** The day on which this content was first seen. */
  crawled: string;
  /** What it calls its canonical URL; null where it names none. */
  canonical: string | null;
  /** Of the answer; null where it had none. */
  etag: string | null;
  /** Of the answer; null where it had none. */
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
  /** Pages that are new. */
  added: number;
  /** Pages whose text is another. */
  changed: number;
  /** Pages that are as they were, in a file that is not: a page that they link to came or went. */
  rewritten: number;
  /** Pages that are gone. */
  removed: number;
  /** Pages that are as they were. */
  unchanged: number;
}

/** What stands before the pages in index.json. */
export interface IndexHead {
  schema: string;
  /** Of the site. */
  title: string;
  /** Always null: nobody writes one yet. */
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
  /** Only where robots.txt was not obeyed. */
  ignoredRobots?: true;
  changes: ChangeCounts;
}
