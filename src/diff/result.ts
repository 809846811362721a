import type { DiffAspect, DiffPart } from '../config/option-spec.js';

/** What something was and what it is. */
export interface BeforeAfter {
  /** Null if there was none. */
  before: string | null;
  /** Null if there is none. */
  after: string | null;
}

/** URLs that came to a page and went from it, each once. */
export interface LinkChange {
  /** The first hundred of them. */
  added: string[];
  /** The first hundred of them. */
  removed: string[];
  /** How many came. */
  addedCount: number;
  /** How many went. */
  removedCount: number;
}

/** What differs of a page, by what it is. */
export type PageDifferences = { [A in Exclude<DiffAspect, 'links' | 'assets'>]?: BeforeAfter } & {
  links?: LinkChange;
  assets?: LinkChange;
};

/** A page that only one of the crawls has, or that is another one. */
export interface PageChange {
  /** What became of it. */
  change: 'added' | 'removed' | 'changed';
  /** As the later crawl calls it. */
  url: string;
  /** As the earlier crawl calls it, where that is something else. */
  oldUrl?: string;
  /** How it was answered, in the crawl that has it; of a changed page now. */
  status: string;
  /** Its title, in the crawl that has it; of a changed page now. */
  title: string | null;
  /** Only of a page that has changed. */
  differences?: PageDifferences;
}

/** Something that is wrong, and was not; or that was wrong, and is not any more. */
export interface FindingChange {
  /** What became of it. */
  change: 'came' | 'went';
  /** What is wrong, by a rule of the audit: `broken_link`. */
  rule: string;
  /** How bad that is. */
  severity: 'error' | 'warning' | 'notice';
  /** On which page; of what concerns a whole site, its first page. */
  url: string;
  /** What the page leads to or names, where that is what is wrong. */
  target: string | null;
  /** What is to be said of this place alone, such as a status. */
  detail: string | null;
}

/** One of the two crawls. */
export interface ComparedCrawl {
  /** Where it is kept. */
  directory: string;
  /** What it began with. */
  seeds: string[];
  /** When it began, ISO 8601. */
  startedAt: string;
  /** URLs that it lists. */
  pages: number;
}

/** How much differs. */
export interface DiffCounts {
  /** Pages that only the later crawl has. */
  added: number;
  /** Pages that only the earlier crawl has. */
  removed: number;
  /** Pages of both that are not the same. */
  changed: number;
  /** Pages that are in both and the same in all that was compared. */
  unchanged: number;
  /** Changed pages by what has changed of them. */
  byAspect: { [A in DiffAspect]?: number };
  /** Findings that only the later crawl has. */
  findingsCame: number;
  /** Findings that only the earlier crawl has. */
  findingsWent: number;
  /** Both by the rule of the audit. */
  byRule: Record<string, { came: number; went: number }>;
}

/** What differs between two crawls. It is kept in a temporary file until it is closed. */
export interface CrawlDiff {
  /** The earlier crawl. */
  readonly before: ComparedCrawl;
  /** The later crawl. */
  readonly after: ComparedCrawl;
  /** What to keep in mind when reading it, in sentences: a crawl that is unfinished, other options. */
  readonly remarks: readonly string[];
  /** What was left out. */
  readonly ignored: readonly DiffPart[];
  /** How much differs. */
  readonly counts: DiffCounts;
  /** Whether anything differs. */
  readonly differs: boolean;
  /** In the order of the URLs; of one sort, or first what was added, then what was removed, then what has changed. */
  changes(change?: PageChange['change']): IterableIterator<PageChange>;
  /** Those that came or those that went; or first what came, then what went. */
  findings(change?: FindingChange['change']): IterableIterator<FindingChange>;
  /** Deletes the temporary file. */
  close(): void;
}
