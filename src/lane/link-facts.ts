import type { ResponseHeaders } from '../fetch/response-headers.js';
import { packAnchors } from '../parse/anchors.js';
import { IGNORED_LINK, type LinkFacts } from '../store/page-row.js';

/** Headers that say why a request was refused, or by whom. */
export const TELLING_HEADERS = [
  'server',
  'retry-after',
  'www-authenticate',
  'cf-mitigated',
  'cf-ray',
  'x-datadome',
  'x-amzn-waf-action',
  'x-sucuri-id',
  'x-iinfo',
  'x-served-by',
  'via',
] as const;
const LONGEST_HEADER = 200;
const LONGEST_HREF = 16_384;
const LONGEST_DATA = 2_048;
const DATA = /^\s*data:/i;
/** What stands in a link and is no URL is kept under this scheme: it has no other name. */
export const INVALID_SCHEME = 'x-invalid:';

/** Gathers what a check wants to know of the links of one page. */
export class LinkFactsKeeper {
  readonly #hrefs: string[] = [];
  readonly #places: number[] = [];

  add(href: string, line: number, column: number, ignored: boolean): void {
    this.#hrefs.push(shortHref(href));
    this.#places.push(line, (column | (ignored ? IGNORED_LINK : 0)) >>> 0);
  }

  facts(anchors: Iterable<string> | null, textHash: number | null): LinkFacts {
    return {
      hrefs: this.#hrefs.length === 0 ? null : this.#hrefs,
      places: this.#places.length === 0 ? null : Uint32Array.from(this.#places),
      anchors: anchors === null ? null : packAnchors(anchors),
      headers: null,
      textHash,
    };
  }
}

/** A `data:` image may be as long as a page; nobody reads that in a report. */
export function shortHref(href: string): string {
  const longest = href.length > LONGEST_DATA && DATA.test(href) ? LONGEST_DATA : LONGEST_HREF;
  return href.length > longest ? `${href.slice(0, longest)}…` : href;
}

/** Null if none of them is there. */
export function refusalHeaders(headers: ResponseHeaders): Record<string, string> | null {
  const found: Record<string, string> = {};
  for (const name of TELLING_HEADERS) {
    const value = headers.get(name);
    if (value !== null) {
      found[name] = value.slice(0, LONGEST_HEADER);
    }
  }
  return Object.keys(found).length === 0 ? null : found;
}
