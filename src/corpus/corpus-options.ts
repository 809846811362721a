import type { Breaks } from '../base/breaks.js';
import type { LinksOf } from './document.js';
import type { ChangeCounts } from './index-entry.js';
import type { OnSwapStep } from './swap.js';
import type { TokenCounter } from './tokens.js';

export interface CorpusOptions {
  /** Of the site, for llms.txt and index.json. */
  title: string;
  summary: string | null;
  /** The URL that it was begun from: the corpus of another is not written over. */
  source: string;
  /** The origin whose pages stand at the root of the tree. */
  origin: string;
  chunkTokens: number;
  tokens: TokenCounter;
  /** Finds links, so that those between pages become relative; without it they stay absolute. */
  linksOf?: LinksOf;
  /** Where a link leads in the end, by one name or another; the first that is a page counts. A fragment stays. */
  linkEnds?(url: string): readonly string[];
  /** False where the run did not look at the whole site: what it did not name is then kept as it is. */
  isComplete?: boolean;
  /** Its pages were fetched without regard to robots.txt: index.json says so. */
  ignoredRobots?: boolean;
  /** ISO 8601: the date of tombstones. */
  now: string;
  /** Where it throws, the corpus that is there stays as it is. */
  breaks?: Breaks;
  onSwapStep?: OnSwapStep;
}

export const DEFAULT_CHUNK_TOKENS = 512;

/** What a run made of a corpus. */
export interface CorpusReport {
  /** Pages of the corpus. */
  pages: number;
  /** Of the files of the tree. */
  bytes: number;
  /** Tokens of all pages. */
  tokens: number;
  /** Whether tokens are estimated, because no tokenizer is installed. */
  tokensEstimated: boolean;
  /** Chunks of all pages. */
  chunks: number;
  /** Pages left out because another has their content; `duplicates` of index.json says why. */
  duplicates: number;
  /** What is other than before. */
  changes: ChangeCounts;
}
