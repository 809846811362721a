import type { HostRule } from '../config/host-entries.js';
import type { LinkKind } from '../parse/links.js';
import type { SitemapFiles } from '../store/host-reader.js';
import type { TrapResult } from '../store/traps.js';

/** As in the store; `unlisted`, known only as the end of a link; `unseen`, judged afresh. */
export type ExplainedState = 'queued' | 'leased' | 'done' | 'failed' | 'skipped' | 'deferred' | 'unlisted' | 'unseen';

/** What decided about a URL. */
export interface DecidingRule {
  /** What kind of rule it is. */
  by:
    | 'seed'
    | 'added'
    | 'scope'
    | 'include'
    | 'exclude'
    | 'scheme'
    | 'asset'
    | 'sitemap'
    | 'depth'
    | 'robots'
    | 'nofollow'
    | 'hook'
    | 'trap'
    | 'limit'
    | 'answer'
    | 'redirects'
    | 'host'
    | 'crash';
  /** As one would type or find it: `--exclude "*.pdf"`, `robots.txt line 12: Disallow: /private/`. */
  text: string;
  /** Of robots.txt, from 1. */
  line: number | null;
}

/** One URL of the way from a seed. */
export interface PathStep {
  url: string;
  /** How the crawl got from the URL before to this one; the first is a seed or comes from a sitemap. */
  by: 'seed' | 'sitemap' | 'redirect' | 'link' | 'ct' | 'commoncrawl' | 'unknown';
  kind: LinkKind | null;
}

export interface LinkFrom {
  url: string;
  kind: LinkKind;
  rel: string;
  /** Null unless the crawl was made with --anchor-text. */
  text: string | null;
  /** The link may not be followed: it says nofollow, its whole page does, or a hook of yours has skipped it. */
  nofollow: 'link' | 'page' | 'hook' | null;
  /** Why your hook has skipped it, in its words; null if it gave none. */
  skip: string | null;
}

/** The first of very many, and how many there are. */
export interface FirstOf<T> {
  total: number;
  first: T[];
}

/** One request. Times are milliseconds since 1970. */
export interface Attempt {
  attempt: number;
  at: number | null;
  status: number | null;
  reason: string | null;
  message: string | null;
}

/** What a URL waits for, or waited for. */
export interface WaitingFor {
  /** Of the twelve layers; null if none of them holds it up. */
  layer: number | null;
  name: string;
  /** In words. */
  why: string;
  /** Not before this time; null if that is not known. */
  until: number | null;
  /** URLs of its host that wait, and those of them that go before it. */
  queued: { all: number; before: number } | null;
  /** From the moment it was found to its answer. */
  waitedMs: number | null;
}

export interface RobotsSays {
  allowed: boolean;
  line: number | null;
  /** The line as written; null if none decides. */
  rule: string | null;
  why: string;
}

/** Why a URL was or was not fetched. */
export interface Explanation {
  /** In normal form: what is stored, compared and requested. */
  url: string;
  /** A page, a robots.txt or a sitemap. */
  kind: 'page' | 'robots' | 'sitemap';
  /** What became of it. */
  state: ExplainedState;
  /** Why failed, skipped, deferred or unlisted; of one that was never seen, why it would not be fetched; else null. */
  reason: string | null;
  /** What happened, in a sentence. */
  what: string;
  /** What decided it. */
  rule: DecidingRule;
  /** The command that would fetch it after all; null if there is none. */
  remedy: string | null;
  /** Of the answer that settled it; null if nothing has yet. `attempts` has the others. */
  status: number | null;
  /** What was out of the ordinary and no failure, as in pages.jsonl; else null. */
  note: string | null;
  /** Links from the nearest seed. */
  depth: number | null;
  /**
   * The path from a seed with the fewest links; its first step is `unknown` where the crawl does not know how it found the URL; null for a URL
   * that it has never seen.
   */
  path: PathStep[] | null;
  /** Of a redirect the URLs it leads through, to the end. */
  redirects: string[];
  /** Who links to it. */
  linkedFrom: FirstOf<LinkFrom> & { pages: number; nofollow: number };
  /** Other URLs with the very same body. */
  duplicates: FirstOf<string>;
  /** What the page names as its canonical URL. */
  canonical: string | null;
  /** What its robots meta elements and X-Robots-Tag say, such as `noindex`. */
  robotsMeta: string | null;
  /** Other pages that name this one as canonical. */
  canonicalOf: FirstOf<string>;
  /** Requests that were answered or failed, in their order; what was under way at a kill is not among them. */
  attempts: Attempt[];
  /** What it waits for, or waited for. */
  waiting: WaitingFor | null;
  /** What robots.txt says of the URL, or what follows where robots.txt could not be fetched; null where its rules are not known yet. */
  robots: RobotsSays | null;
  /** The pattern that cut it; null if none did. */
  trap: (TrapResult & { allow: string }) | null;
  /** What became of the sitemap files of the URL's host; null if the host is not known. */
  sitemaps: (SitemapFiles & { host: string }) | null;
  /** What entries of `hosts` say of the URL's host, key by key. */
  hosts: HostRule[];
  /** For a URL that was never seen: known URLs that are spelt almost alike. */
  near: string[];
  /** The crawl as a whole. */
  crawl: { directory: string; running: boolean; ended: string | null; truncated: string | null };
}
