import { readableText } from '../content/visible-text.js';
import type { Outcome } from '../frontier/outcome.js';
import { DRAWN_BY_SCRIPT, DRAWS_BY_ROUTES, ROUTE_VIEW } from '../parse/anchors.js';
import { detectEncoding } from '../parse/charset.js';
import { decodeText } from '../parse/encodings.js';
import { type FetchedPage, NO_BODY, packBody, type Reading, type RenderMode, type SeenInBrowser } from './reading.js';

/*
 * Whether a browser has to render a page before it is reported, and what is kept of the page until then. A page whose `measured` says that it
 * needs a browser keeps its body; any other keeps only the length of its text.
 */

type Measured = NonNullable<Outcome['measured']>;

/** A page that runs scripts and has less text than this may be only a frame that the scripts fill. */
const LITTLE_TEXT = 500;
/** A page with a script and less text than this is filled by the script. Short pages that only count their visitors have more. */
const NEARLY_NO_TEXT = 200;
/** A page with this many names is no empty frame, so its text need not be measured. */
const NAMES_ENOUGH = 50;
const ENOUGH = { text: Number.POSITIVE_INFINITY, hasScripts: false };

export function measure(html: string, render: RenderMode): Measured {
  const { text, hasScripts } = readableText(html);
  return { text, needsBrowser: render === 'always' || (hasScripts && text < LITTLE_TEXT) };
}

/** A browser sees a page once. A route of a page always needs one. */
export function measureBody(page: FetchedPage, render: RenderMode, isRouteOfPage: boolean): Measured {
  const { encoding } = detectEncoding(page.body!, page.contentType);
  const measured = measure(decodeText(page.body!, encoding).text, render);
  return { ...measured, needsBrowser: page.rendered === undefined && (measured.needsBrowser || isRouteOfPage) };
}

/** Keeps the body only until a browser has rendered the page. */
export function keepForBrowser(page: FetchedPage, reading: Reading): void {
  if (page.rendered !== undefined) {
    return;
  }
  if (reading.errorClass !== null) {
    // No browser renders it, and it says nothing about pages like it.
    delete reading.measured;
    return;
  }
  const measured = reading.measured!;
  reading.page.body = measured.needsBrowser
    ? { ...packBody(page.body!, page.contentType), measured }
    : { type: null, packed: NO_BODY, measured };
}

/** Such a page is not reported, and no function of the user's gets it, until a browser has rendered it or none will. */
export const waitsForBrowser = ({ measured, errorClass }: Reading): boolean =>
  measured !== undefined && measured.isKept !== true && measured.needsBrowser && errorClass === null;

/**
 * The names that fragments of a page can point at. A page that a script fills has more names in a browser than in its source: a mark among the
 * names says so. What a browser said of a page is such a mark too, because only the names are kept of it.
 */
export function withDrawn(anchors: string[], body: Uint8Array, encoding: string, rendered?: SeenInBrowser): string[] {
  if (rendered !== undefined) {
    return [...anchors, ...marksOf(rendered)];
  }
  const { text, hasScripts } = anchors.length < NAMES_ENOUGH ? readableText(decodeText(body, encoding).text) : ENOUGH;
  return hasScripts && text < NEARLY_NO_TEXT ? [...anchors, DRAWN_BY_SCRIPT] : anchors;
}

const marksOf = ({ drawsByRoutes, route }: SeenInBrowser): string[] => [
  ...(drawsByRoutes ? [DRAWS_BY_ROUTES] : []),
  ...(route === null ? [] : [ROUTE_VIEW[route]]),
];
