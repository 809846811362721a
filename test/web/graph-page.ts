import type { LinkKind } from '../../src/parse/links.js';

/** One link of a page in document order. How its href is spelled is decided when the page is written. */
export interface GraphLink {
  to: string;
  kind: LinkKind;
  /** The rel attribute as written. */
  rel: string;
}

export type GraphPageKind = 'html' | 'redirect' | 'error' | 'binary';

/** What is behind one URL of the graph. */
export interface GraphPage {
  readonly number: number;
  readonly url: string;
  readonly host: string;
  /** Path and query: the request target that it is served at. */
  readonly path: string;
  readonly kind: GraphPageKind;
  readonly status: number;
  readonly contentType: string;
  readonly title: string | null;
  /** Redirects only. */
  location: string | null;
  readonly links: GraphLink[];
  /** robots.txt of its host forbids it. */
  readonly disallowed: boolean;
  /** Meta robots or X-Robots-Tag says nofollow. */
  readonly nofollow: 'meta' | 'header' | null;
  /** So many first GETs are refused, by a 503 or a reset. */
  readonly failsFirst: { times: number; by: '503' | 'reset' } | null;
  readonly contentEncoding: 'gzip' | 'br' | null;
  readonly charset: 'utf-8' | 'utf-8-bom' | 'latin1-header' | 'latin1-meta' | 'utf-16le-bom';
  /** The page has a base element with this URL. */
  readonly base: string | null;
}

export interface GraphHost {
  readonly name: string;
  readonly origin: string;
  /** null: there is none (404). */
  readonly robots: string | null;
  /** What its sitemaps list, found through robots.txt, at /sitemap.xml, or in an index there. */
  readonly sitemap: { style: 'robots' | 'plain' | 'index'; urls: string[] } | null;
}

/** Parameters of a graph; each ingredient is on unless switched off. */
export interface GraphOptions extends Partial<Ingredients> {
  seed: number;
  hosts: number;
  /** How many URLs there are behind all hosts, redirects and failures included. */
  urls: number;
  hostName?: (host: number) => string;
}

export const INGREDIENTS = [
  /** Links in other spellings of the same URL. */
  'spellings',
  /** Different URLs that look like others. */
  'twins',
  'redirects',
  /** 404, 410 and permanent 500. */
  'failures',
  /** 503 or a reset, once or twice, then fine. */
  'transient',
  'binaries',
  /** robots.txt and paths that it forbids. */
  'robots',
  /** Links with rel=nofollow, pages that nothing else leads to, and whole pages with nofollow. */
  'nofollow',
  /** Links and redirects to EXTERNAL_HOST. */
  'external',
  /** Images, scripts, style sheets, forms. */
  'assets',
  /** Sitemaps, and pages that only they know. */
  'sitemaps',
  /** gzip and br. */
  'encodings',
  'charsets',
] as const;
export type Ingredient = (typeof INGREDIENTS)[number];
export type Ingredients = Record<Ingredient, boolean>;

export const EXTERNAL_HOST = 'out.example';
