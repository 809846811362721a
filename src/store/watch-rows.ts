/** What the dashboard lists: questions and rows, as they travel as JSON. Nothing but types, so that a browser's code may name them too. */

export const HOST_SORTS = ['name', 'state', 'queue', 'requests', 'failures', 'delay'] as const;
export type HostSort = (typeof HOST_SORTS)[number];

export interface HostQuestion {
  readonly sort: HostSort;
  /** Part of the name; empty for all. */
  readonly text: string;
  /** The whole name of the only one that is wanted; null for all. */
  readonly name: string | null;
  /** Where the last answer ended; null for the first. */
  readonly after: string | null;
  readonly limit: number;
  /** Delays that somebody set, by host: they count where hosts are sorted by delay. */
  readonly delays: Readonly<Record<string, number>>;
}

export type HostState = 'backing off' | 'put off' | 'busy' | 'delayed' | 'ready' | 'idle';

/** A host as the store has it. */
export interface StoredHost {
  readonly id: number;
  readonly name: string;
  readonly state: HostState;
  /** Why it is left alone; null if it is not. */
  readonly reason: string | null;
  /** Wall time of its next request; null if it may be asked now, or nobody knows. */
  readonly until: number | null;
  /** Its queued URLs, as far as they are counted. */
  readonly queue: number;
  /** There are more than were counted. */
  readonly isQueueLonger: boolean;
  /** The longest Crawl-delay of its robots.txt files; null if there is none. */
  readonly crawlDelayMs: number | null;
  /** What its answers have taught. */
  readonly learnedDelayMs: number;
  readonly robots: string | null;
  /** In a row. */
  readonly failures: number;
  /** Requests at once, as tuned; null if nothing is. */
  readonly tunedLimit: number | null;
  readonly requests: number;
  readonly address: string | null;
}

/** What holds between two requests to a host. */
export interface HostDelay {
  readonly delayMs: number;
  /** Whose word it is: somebody's while the run went on, that of `--delay`, of robots.txt, or of the host's refusals (429). */
  readonly delayFrom: 'user' | 'option' | 'robots.txt' | 'refusals';
}

export type HostRow = StoredHost & HostDelay;

export interface HostAnswer<Row extends StoredHost = HostRow> {
  readonly rows: readonly Row[];
  /** Where the next answer begins; null at the end. */
  readonly next: string | null;
  /** How many hosts match, where that is known without looking at each of them: where no text is searched for. */
  readonly total: number | null;
}

export const PAGE_STATES = ['queued', 'leased', 'done', 'failed', 'skipped', 'deferred'] as const;
export type PageState = (typeof PAGE_STATES)[number];

export interface PageQuestion {
  readonly state: PageState | null;
  /** Why it failed, was skipped or put off. */
  readonly reason: string | null;
  /** A status such as 404, a class such as 4xx, or `none`. */
  readonly status: string | null;
  readonly depth: number | null;
  /** The whole name of a host. */
  readonly host: string | null;
  /** Part of the URL or of the title. */
  readonly text: string;
  /** The last ones found come first. */
  readonly isNewestFirst: boolean;
  readonly after: number | null;
  readonly limit: number;
}

export interface PageRow {
  readonly id: number;
  readonly url: string;
  readonly state: PageState;
  readonly reason: string | null;
  readonly status: number | null;
  readonly depth: number;
  readonly title: string | null;
  readonly bytes: number | null;
  readonly ttfbMs: number | null;
  readonly fetchedAt: number | null;
}

export interface PageAnswer {
  readonly rows: readonly PageRow[];
  /** Where the next answer begins; null at the end. */
  readonly next: number | null;
  /** Ids that were looked at from the beginning of the list, and those that there are. */
  readonly searched: number;
  readonly all: number;
}

/** A crawl that is kept, or that another process runs, with what became of its pages. */
export interface KeptFigures {
  readonly directory: string;
  readonly command: string;
  readonly state: 'running' | 'unfinished' | 'finished';
  readonly reason: string | null;
  readonly truncated: string | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly seeds: readonly string[];
  /** The most frequent first. */
  readonly tallies: readonly {
    readonly state: string;
    readonly reason: string | null;
    readonly status: number | null;
    readonly pages: number;
  }[];
  /** Of bodies. */
  readonly bytes: number;
  readonly hosts: number;
}
