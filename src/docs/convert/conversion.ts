import type { SiteMemory } from '../../content/extract/site-memory.js';
import type { LinkedPlace } from '../../content/markdown/linked-places.js';
import type { CorpusInput, PreparedDocument } from '../../corpus/document.js';

export type Task = 'learn' | 'convert';

/** A page that is to be looked at. */
export interface Job {
  id: number;
  url: string;
  /** The size of its body. */
  bytes: number;
  /** The hash of the content as it was measured before: a page that still has it is not measured again. Null if it never was. */
  knownHash: string | null;
  /** Places on it that pages of the site link to. */
  linkedIds: readonly string[];
  /** Under which a later run finds what comes out of it; null if it does not look. */
  key?: string | null;
}

/** What becomes of a page: null if there is nothing to tell, a sentence where it could not be read. */
export type Result = PreparedDocument | Learned | Problem | null;

/** What has to be known of a page before others are converted. */
export interface Learned {
  /** They are in the memory of the site already. */
  fingerprints: readonly number[];
  linked: readonly LinkedPlace[];
}

export const isLearned = (result: Result): result is Learned => result !== null && 'linked' in result;

export interface Problem {
  problem: string;
}

/** A page to convert, or what stands in its place and is ready. */
export type Step = { job: Job } | { input: CorpusInput };

/** What converts the pages of all sites of a run: this thread, or several others. */
export interface Conversion {
  /** Sites may be converted at the same time; each has a memory of its own. */
  site(memory: SiteMemory): SiteConversion;
  close(): Promise<void>;
}

export interface SiteConversion {
  /** Has to be over before the first page is converted: what repeats on a site is known when all of it was seen. */
  learn(jobs: Iterable<Job>, learned: (facts: Learned, job: Job) => void): Promise<void>;
  /** In the order of the steps. They are taken only as far ahead as there is room. */
  convert(steps: Iterable<Step>): AsyncIterableIterator<{ step: Step; result: Result }>;
}

/** A page that cannot be read is left out, and the others are not affected. */
export function resultOf(work: () => PreparedDocument | Learned): Result {
  try {
    return work();
  } catch (error) {
    return { problem: `it cannot be converted: ${error instanceof Error ? error.message : String(error)}` };
  }
}
