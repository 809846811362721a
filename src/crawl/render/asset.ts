import type { SeenInBrowser } from '../../lane/reading.js';

/** A file that a page loads: the crawl fetches it, never the browser. */
export interface Asset {
  status: number;
  type: string | null;
  body: Uint8Array;
}

/** Gives a file that a page asks for; null where it cannot be fetched or may not be asked for. It always settles. */
export type AssetSource = (url: string) => Promise<Asset | null>;

/** A page as it came. */
export interface PageSource {
  url: string;
  type: string | null;
  body: Uint8Array;
}

export interface VisitLimits {
  /** How long a page may take, apart from waiting for the crawl. */
  timeoutMs: number;
  /** Pages that become larger than this are kept as the server sent them. */
  maxBytes: number;
  /** Whether pages are looked at for routes; `judged`: also whether a route has a view of its own. */
  routes: 'ignored' | 'found' | 'judged';
}

/** What came of a visit. */
export type Visit =
  | ({ html: string } & SeenInBrowser)
  /** The page cannot be rendered: it hangs, navigated away, or grew too large. */
  | { problem: string }
  /** The browser was gone before the page was done. */
  | { gone: true };
