import type { LinkKind } from '../../parse/links.js';
import type { UncheckedCause, UncheckedCounts } from './unchecked.js';

/** What is said of a link. The order is that of reports: what fails first. */
export const VERDICTS = [
  'dead',
  'missing_fragment',
  'dns',
  'invalid_url',
  'insecure',
  'malformed_html',
  'redirect_loop',
  'redirect_limit',
  'server_error',
  'timeout',
  'connection',
  'tls',
  'soft_404',
  'blocked',
  'auth_required',
  'rate_limited',
  'mixed_content',
  'unverifiable',
  'unchecked',
  'moved',
  'redirected',
  'skipped',
  'ok',
] as const;
/** What a check makes of a link. */
export type Verdict = (typeof VERDICTS)[number];

/** One place where a link stands. */
export interface LinkSource {
  /** URL of the page, or path of the file. */
  page: string;
  /** That of a URL which only a sitemap names is `sitemap`. */
  kind: LinkKind | 'sitemap';
  /** As written, before it was resolved. */
  href: string;
  /** Anchor text, white space folded; '' where there is none. */
  text: string;
  /** From 1, of the tag that holds the link, or of the link itself where there are no tags; null if it is not known. */
  line: number | null;
  /** From 1; null if it is not known. */
  column: number | null;
  /** A CSS path that finds it on the page; null if there is no HTML. */
  selector: string | null;
}

/** One request and what came of it. */
export interface Look {
  /** ISO 8601. */
  at: string;
  /** Of the answer; null if there was none. */
  status: number | null;
  /** Error class, or null. */
  error: string | null;
  /** The chain of causes in words, or null. */
  message: string | null;
}

/** Why a verdict was given. */
export interface Evidence {
  /** The rule or signal that decided, in words. */
  why: string;
  /** From the link's own URL to where it ends; empty where nothing redirects. */
  chain: { url: string; status: number | null }[];
  /** Response headers that matter, lower case. */
  headers: Record<string, string>;
  /** All requests, the first look's and the second's, in their order. */
  looks: Look[];
}

/** One target of links: a URL without its fragment; a finding about a fragment is an entry of its own. */
export interface CheckedLink {
  /** The URL that was asked for, without its fragment. */
  url: string;
  /** What follows the `#`; null if there is none. */
  fragment: string | null;
  /** What came of it. */
  verdict: Verdict;
  /** Why it was not looked at, where the verdict is `unchecked`; else null. */
  unchecked: UncheckedCause | null;
  /** Whether it makes the run fail. */
  fails: boolean;
  /** Not one of the pages that were crawled. */
  external: boolean;
  /** Of the last answer; null if there was none. */
  status: number | null;
  /** Where its redirects end, its own URL where there are none; null if nothing answered. */
  finalUrl: string | null;
  /** What to write instead, where a server says so; of a dead link its copy in an archive, with --suggest. */
  suggestion: string | null;
  /** What is written in the link, where --remap led elsewhere; else null. */
  remappedFrom: string | null;
  /** Since when it is known to be broken (a baseline's date), or null. */
  firstSeen: string | null;
  /** What the verdict rests on. */
  evidence: Evidence;
  /** How many places link to it. */
  sourceCount: number;
  /** All of them; of links that are `ok` or `skipped`, and of those that a limit, a stop or a trap left, none. */
  sources: LinkSource[];
}

/** What a check came to, in numbers. */
export interface CheckSummary {
  /** Links by verdict; only those that there are. */
  verdicts: Partial<Record<Verdict, number>>;
  /** Those that were not looked at, by cause. */
  unchecked: UncheckedCounts;
  /** Distinct targets. */
  links: number;
  /** Pages and files that were read for links. */
  pages: number;
  /** Links that make the check fail. */
  failing: number;
  /** Links that a rule, a pattern or an attribute left out. */
  ignored: number;
  /** Of a baseline: what is broken now and was not, no longer is, still is; null without one. */
  baseline: { new: number; fixed: string[]; known: number } | null;
  /** The limit or the stop that cut the run short, or null. */
  truncated: string | null;
  /** Whether robots.txt was not obeyed. */
  ignoredRobots: boolean;
  /** How long the check took. */
  durationMs: number;
  /** What the command line ends with: 0, 1 where something fails, 4 where nothing answered, 130 or 143 after a stop. */
  exitCode: number;
}

/** What all reports are made from. Links can be read more than once, in the order of VERDICTS and then of URLs. */
export interface CheckReport {
  summary: CheckSummary;
  seeds: readonly string[];
  /** When the run began, ISO 8601. */
  startedAt: string;
  links(): Iterable<CheckedLink>;
}
