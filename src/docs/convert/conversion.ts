import type { CorpusInput, PreparedDocument } from '../../corpus/document.js';

export type Task = 'learn' | 'convert';

/** A page that is to be looked at. */
export interface Job {
  id: number;
  url: string;
  /** Of its body. */
  bytes: number;
  /** Of the content that need not be measured again; null where there is none. */
  knownHash: string | null;
}

/** What becomes of a page: null where it was only learned from, a sentence where it could not be read. */
export type Result = PreparedDocument | Problem | null;

export interface Problem {
  problem: string;
}

/** A page to convert, or what stands in its place and is ready. */
export type Step = { job: Job } | { input: CorpusInput };

/** What converts pages: this thread, or several others. */
export interface Conversion {
  /** Has to be over before the first page is converted: what repeats on a site is known when all of it was seen. */
  learn(jobs: Iterable<Job>): Promise<void>;
  /** In the order of the steps. They are taken only as far ahead as there is room. */
  convert(steps: Iterable<Step>): AsyncIterable<{ step: Step; result: Result }>;
  close(): Promise<void>;
}

/** A page that cannot be read costs that page. */
export function resultOf(work: () => PreparedDocument | null): Result {
  try {
    return work();
  } catch (error) {
    return { problem: `it cannot be converted: ${error instanceof Error ? error.message : String(error)}` };
  }
}
