import type { LinkKind } from '../parse/links.js';
import type { Summary } from '../report/summary.js';
import type { PageContent } from './page-content.js';

/**
 * Functions of yours that a crawl calls: the default export of the module that `--hooks` names, best written as `defineHooks({ … })`. Every
 * lane (a thread that fetches and reads pages) loads the module for itself, so what it keeps between two pages is kept per lane.
 */
export interface Hooks {
  /**
   * Runs once, before the first request of the crawl, and again when the crawl is resumed: the place for a login. What it returns (JSON,
   * 1 MiB at most) is `started` in the context of the other hooks, in every lane. What it throws ends the run.
   */
  start?(context: StartContext): unknown;
  /** Before each request but those for robots.txt: may add headers to it, or skip it. It may be async. */
  request?(request: HookRequest, context: HookContext): RequestAnswer | Promise<RequestAnswer>;
  /**
   * Sees each page that was answered with 2xx: HTML, and the types that `--content-types` names. What it returns is the page's `data`: an
   * object of JSON, 1 MiB at most. It may be async.
   */
  page?(page: HookPage, context: PageContext): PageAnswer | Promise<PageAnswer>;
  /** Sees each link of a page that would be followed, after `page` has seen the page. It must answer at once. */
  link?(link: HookLink, page: HookPage): LinkAnswer;
  /** Runs once, when the outputs are written. */
  end?(summary: Summary): unknown;
}

/** Gives an editor the types of a module of hooks; the hooks come back as they are. */
export const defineHooks = (hooks: Hooks): Hooks => hooks;

/** What `request` and `page` are told besides. */
export interface HookContext {
  /** What `start` returned; null if there is no `start` or it returned nothing. */
  readonly started: unknown;
}

/** What `page` may do besides. */
export interface PageContext extends HookContext {
  /** Adds a URL as if the page had a link to it; relative ones are resolved against the page. Scope, robots.txt, traps and limits hold for it. */
  add(url: string, options?: HookAddOptions): void;
}

/** About a URL that is added. */
export interface HookAddOptions {
  /** 0 (first) to 7 (last); counts with `--order priority`. */
  rank?: number;
}

/** A request that is about to go out. */
export interface HookRequest {
  /** What is asked for. */
  readonly url: string;
  /** How it is asked for. */
  readonly method: 'GET' | 'HEAD';
  /** What it is asked for as. */
  readonly kind: 'page' | 'sitemap' | 'asset';
  /** Links from the seed, by the shortest way that was known when it was asked for. */
  readonly depth: number;
  /** From 1. */
  readonly attempt: number;
}

/** Nothing: it goes out as it is. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing has this type.
export type RequestAnswer = void | undefined | null | { headers: Readonly<Record<string, string>> } | { skip: string };

/** The `data` of a page by name, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing has this type.
export type PageAnswer = void | undefined | null | Readonly<Record<string, unknown>>;

/** Nothing or true: it is followed. A number is its rank, 0 (first) to 7 (last), with `--order priority`. False, or words why: it is not followed. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing has this type.
export type LinkAnswer = void | undefined | null | boolean | number | { skip: string };

/** A link of a page, to a URL in scope that robots.txt's kin does not forbid to follow. */
export interface HookLink {
  /** Where it leads, in normal form. */
  readonly url: string;
  /** What kind of link it is. */
  readonly kind: LinkKind;
  /** Its `rel`, or an empty text. */
  readonly rel: string;
  /** Only with `--anchor-text`. */
  readonly text: string | null;
}

/** A page that was answered. All of it is worked out when it is first asked for, and can be asked for until the hook is over. */
export interface HookPage extends PageContent {
  /** What was asked for. */
  readonly url: string;
  /** Links from the seed, by the shortest way that was known when it was asked for. */
  readonly depth: number;
  /** Of the answer, 200 to 299. */
  readonly status: number;
  /** Those of the answer, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The links of the page, resolved; each URL once. */
  readonly links: readonly string[];
}

/** What `start` may do. */
export interface StartContext {
  /** Asks a server, politely: robots.txt is obeyed, the delay between two requests to a host is kept, private addresses are refused. */
  fetch(url: string, options?: HookFetchOptions): Promise<HookResponse>;
  /** Those that `fetch` sends and is given. */
  readonly cookies: HookCookies;
}

/** Cookies by the URL that they are for. */
export interface HookCookies {
  /** What a request for the URL would send, as `name=value; name=value`; an empty text where it is nothing. */
  get(url: string): string;
  /** As a Set-Cookie header of the URL would: `name=value; Path=/`. */
  set(url: string, cookie: string): void;
}

/** A request of `start`. */
export interface HookFetchOptions {
  /** GET where it is left out, or POST with a body. */
  method?: 'GET' | 'HEAD' | 'POST';
  /** Besides those of every request. */
  headers?: Readonly<Record<string, string>>;
  /** Fields of a form, or a text as it is. */
  body?: string | Readonly<Record<string, string>> | Iterable<readonly [string, string]>;
  /** Redirects are followed, 10 at most, unless this is `manual`. */
  redirect?: 'follow' | 'manual';
}

/** An answer to a request of `start`. */
export interface HookResponse extends PageContent {
  /** Where the last redirect led. */
  readonly url: string;
  /** Of the answer. */
  readonly status: number;
  /** Whether the status is 2xx. */
  readonly ok: boolean;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}
