import type { LayerFacts } from '../../src/report/summary.js';
import { smallestGap } from '../web/judge.js';
import type { Seen } from './harness.js';

/** Questions to what a run left behind. */

/** The URLs that were asked for, in order, without scheme. */
export const asked = (seen: Seen): string[] => seen.log.map(({ host, path }) => `${host}${path}`);

const SERVICE = /\/(?:robots\.txt|sitemap(?:_index)?\.xml)$/;
/** The same without robots.txt and sitemaps. */
export const askedPages = (seen: Seen): string[] => asked(seen).filter((url) => !SERVICE.test(url));

export const timesAsked = (seen: Seen, url: string): number => asked(seen).filter((each) => each === url).length;

export const headersSent = (seen: Seen, name: string): string[] => [
  ...new Set(seen.log.map(({ headers }) => headers[name] ?? 'none')),
];

/** `done`, or the state and its reason. */
export function fateOf(seen: Seen, url: string): string | null {
  const page = seen.pages.find((each) => each.url === url);
  return page === undefined ? null : page.reason === null ? page.state : `${page.state} ${page.reason}`;
}

export function layer(seen: Seen, name: string): LayerFacts {
  const facts = seen.summary?.layers[name];
  if (facts === undefined) {
    throw new Error(`there is no layer ${name} in the summary: ${seen.stderr}`);
  }
  return facts;
}

/** No two requests to the host are closer than this. */
export const keepsApart = (seen: Seen, host: string, ms: number): boolean => smallestGap(seen.log, host) >= ms;

export const says = (seen: Seen, text: string): boolean => seen.stderr.includes(text);
