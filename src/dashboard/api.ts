import type { AuditFinding, AuditGap, AuditPlace, AuditSummary } from '../audit/report/result.js';
import type { LiveSnapshot } from '../watch/live.js';

/** What the dashboard's server says, as its page reads it. Types alone: both sides name them. */

/** A crawl that runs here, or one that is kept. */
export interface CrawlEntry {
  /** Its place in the list, which questions name it by. */
  readonly crawl: number;
  readonly directory: string;
  /** It is the run that the server is part of. */
  readonly isLive: boolean;
}

export interface About {
  readonly version: string;
  readonly crawls: readonly CrawlEntry[];
  readonly corpora: number;
  /** Whether there is a run here that can be told something. */
  readonly hasControls: boolean;
}

export interface LiveAnswer {
  readonly live: LiveSnapshot;
  readonly hasControls: boolean;
}

/** What an audit of a crawl says. */
export interface AuditAnswer {
  readonly summary: AuditSummary;
  readonly findings: readonly AuditFinding[];
  readonly gaps: readonly AuditGap[];
  /** Titles of rules that found nothing. */
  readonly passed: readonly string[];
}

/** Some places of a finding. */
export interface AuditPlaces {
  readonly rows: readonly AuditPlace[];
  /** From where to go on, or null at the end. */
  readonly next: number | null;
}

/** The columns of a point of the series, in their order. Rates are a second; null if nothing was measured. */
export const SERIES_COLUMNS = [
  'at',
  'pages',
  'bytes',
  'p50Ms',
  'p90Ms',
  'inFlight',
  'memoryBytes',
  '1xx',
  '2xx',
  '3xx',
  '4xx',
  '5xx',
  'none',
] as const;
export type SeriesColumn = (typeof SERIES_COLUMNS)[number];
export type SeriesPoint = readonly (number | null)[];

export interface SeriesAnswer {
  /** Between two points. It doubles when a run gets long; what was read before is then read again. */
  readonly stepMs: number;
  readonly points: readonly SeriesPoint[];
}

export interface CorpusEntry {
  readonly corpus: number;
  readonly directory: string;
  readonly title: string;
  readonly pages: number;
  readonly tokens: number;
  readonly tokensEstimated: boolean;
  readonly written: string;
}

export interface CorpusListed {
  readonly path: string;
  readonly url: string;
  readonly title: string;
  readonly tokens: number;
}

export interface CorpusHit extends CorpusListed {
  readonly headings: readonly string[];
  readonly snippet: string;
}

export interface CorpusPages {
  readonly rows: readonly CorpusListed[];
  readonly next: number | null;
}

export interface CorpusPage extends CorpusListed {
  readonly markdown: string;
  /** It is longer than what is sent. */
  readonly isCut: boolean;
}
