import type { Breaks } from '../base/breaks.js';
import type { LinksOf } from './document.js';
import type { CorpusImage } from './images.js';
import type { ChangeCounts } from './index-entry.js';
import type { OnSwapStep } from './swap.js';
import type { TokenCounter } from './tokens.js';

export interface CorpusOptions {
  /** The title of the site, for llms.txt and index.json. */
  title: string;
  summary: string | null;
  /** The URL that the run began with: the corpus of another URL is not overwritten. */
  source: string;
  /** The origin whose pages stand at the root of the tree. */
  origin: string;
  chunkTokens: number;
  /** Pages that only say where things are go into chunks, llms-full.txt and the search like any other. */
  indexPages?: boolean;
  tokens: TokenCounter;
  /** Finds links, so that those between pages become relative; without it they stay absolute. */
  linksOf?: LinksOf;
  /** The names under which a link may be known after redirects; the first that is a page counts. A fragment stays. */
  linkEnds?(url: string): readonly string[];
  /** The image that is to be shown in the place of a URL; null: the URL stays. */
  imageAt?(url: string): CorpusImage | null;
  /** False where the run did not see the whole site: pages that it did not name are then kept as they are. */
  isComplete?: boolean;
  /** Its pages were fetched without regard to robots.txt: index.json says so. */
  ignoredRobots?: boolean;
  /** ISO 8601: the date of tombstones. */
  now: string;
  /** When it throws, the existing corpus stays as it is. */
  breaks?: Breaks;
  onSwapStep?: OnSwapStep;
}

export const DEFAULT_CHUNK_TOKENS = 512;

/** What a run made of a corpus. */
export interface CorpusReport {
  /** Pages of the corpus. */
  pages: number;
  /** Bytes of the files of the tree. */
  bytes: number;
  /** Tokens of all pages. */
  tokens: number;
  /** Whether tokens are estimated, because no tokenizer is installed. */
  tokensEstimated: boolean;
  /** Chunks of all pages. */
  chunks: number;
  /** Pages that kept less than half of their text: `kept` in index.json says how much. */
  low: number;
  /** Pages that only say where things are, and are kept apart. */
  indexPages: number;
  /** Pages left out because another has their content; `duplicates` of index.json says why. */
  duplicates: number;
  /** How this run differs from the one before. */
  changes: ChangeCounts;
}
