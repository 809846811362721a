import type { SeenInBrowser } from '../../lane/reading.js';

/** A file that a page loads: the crawl fetches it, never the browser. */
export interface Asset {
  status: number;
  type: string | null;
  body: Uint8Array;
}

/** Gives a file that a page requests, or null if it cannot or may not be fetched. The promise always settles. */
export type AssetSource = (url: string) => Promise<Asset | null>;

/** A page as it came. */
export interface PageSource {
  url: string;
  type: string | null;
  body: Uint8Array;
}

export interface VisitLimits {
  /** How long a page may take, not counting the time that it waits for the crawl. */
  timeoutMs: number;
  /** A page that becomes larger than this is kept as the server sent it. */
  maxBytes: number;
  /** Whether pages are searched for routes; `judged` also checks whether a route has a view of its own. */
  routes: 'ignored' | 'found' | 'judged';
}

/** The result of a visit. */
export type Visit =
  | ({ html: string } & SeenInBrowser)
  /** The page cannot be rendered: it hangs, navigated away, or grew too large. */
  | { problem: string }
  /** The browser was gone before the page was done. */
  | { gone: true };
