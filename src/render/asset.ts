/** What a page loads: fetched by the crawl, never by the browser. */
export interface Asset {
  status: number;
  type: string | null;
  body: Uint8Array;
}

/** Gives what a page asks for; null where it cannot be had or must not be asked for. It always comes to an end. */
export type AssetSource = (url: string) => Promise<Asset | null>;

/** A page as it came. */
export interface PageSource {
  url: string;
  type: string | null;
  body: Uint8Array;
}

export interface VisitLimits {
  /** A page may take so long for itself. */
  timeoutMs: number;
  /** Larger pages are left as they came. */
  maxBytes: number;
}

/** What came of a visit. */
export type Visit =
  | { html: string }
  /** The page cannot be rendered: it hangs, has left for elsewhere, or grew too large. */
  | { problem: string }
  /** The browser was gone before the page was done. */
  | { gone: true };
