import { printable } from '../base/text.js';

/** The kind of file that was found. */
export type SitemapKind = 'urlset' | 'index' | 'text' | 'feed' | 'unknown';

export interface SitemapEntry {
  /** Absolute, http or https. Any host: whether it may speak for it is the caller's to decide. */
  url: string;
  /** As written; of RSS, whose dates have another format, in ISO 8601. */
  lastmod: string | null;
  /** From 0 to 1. */
  priority: number | null;
  /** Of a feed: no page but what comes with one, such as a sound. */
  isEnclosure?: true;
}

export interface SitemapLimits {
  maxUrls: number;
  /** Of the file after decompression. */
  maxBytes: number;
  /** Where the file comes from; relative URLs are resolved against it. */
  baseUrl: string;
}

const MAX_URL_LENGTH = 8_192;
const MAX_LASTMOD_LENGTH = 64;
/** How many are kept of one file. */
const MAX_FAULTS = 1_000;
const ABSOLUTE = /^https?:\/\//i;

/**
 * What was read so far: only usable URLs, each once, and never more than the limit. Alternates do not count for it, as in the protocol, and
 * enclosures neither; but both have a limit of the same size.
 */
export class SitemapEntries {
  readonly list: SitemapEntry[] = [];
  /** There was at least one entry more than the limit. */
  isFull = false;
  /** The first thing that was wrong with an entry. */
  problem: string | null = null;
  /** What stands where an absolute URL of the web should, as written; and how many more there are than are kept. */
  readonly faults: string[] = [];
  faultsCut = 0;
  readonly #limits: SitemapLimits;
  readonly #seen = new Set<string>();
  readonly #enclosed = new Set<string>();
  #urls = 0;
  #alternates = 0;

  constructor(limits: SitemapLimits) {
    this.#limits = limits;
  }

  /** Where the file comes from. */
  get baseUrl(): string {
    return this.#limits.baseUrl;
  }

  addAbsolute(url: string): void {
    if (ABSOLUTE.test(url)) {
      this.add(url, null, null);
    } else {
      this.#refuse(url);
    }
  }

  /** @param base of an entry whose URL may be relative: that of a feed. Of a sitemap such a URL is used and noted as a fault. */
  add(written: string, lastmod: string | null, priority: string | null, base: string | null = null): void {
    const text = written.trim();
    const url = this.#resolve(text, base ?? this.baseUrl);
    if (url !== null && base === null && !ABSOLUTE.test(text)) {
      this.#noteFault(text);
    }
    if (url === null) {
      this.#refuse(text);
    } else if (this.#seen.has(url)) {
      return;
    } else if (this.#urls >= this.#limits.maxUrls) {
      this.isFull = true;
    } else {
      this.#urls++;
      this.#seen.add(url);
      this.list.push({ url, lastmod: readLastmod(lastmod), priority: readPriority(priority) });
    }
  }

  addAlternate(written: string, base = this.baseUrl): void {
    const url = this.#resolve(written.trim(), base);
    if (url === null) {
      this.#refuse(written.trim());
    } else if (!this.#seen.has(url) && this.#alternates < this.#limits.maxUrls) {
      this.#alternates++;
      this.#seen.add(url);
      this.list.push({ url, lastmod: null, priority: null });
    }
  }

  /** The same URL may be that of an entry, too. */
  addEnclosure(written: string, base: string): void {
    const url = this.#resolve(written.trim(), base);
    if (url === null) {
      this.#refuse(written.trim());
    } else if (!this.#enclosed.has(url) && this.#enclosed.size < this.#limits.maxUrls) {
      this.#enclosed.add(url);
      this.list.push({ url, lastmod: null, priority: null, isEnclosure: true });
    }
  }

  /** The base below an element that has `xml:base`; one that is no address of the web changes nothing. */
  baseWithin(base: string, written: string | undefined): string {
    return written === undefined ? base : (this.#resolve(written.trim(), base) ?? base);
  }

  #refuse(written: string): void {
    this.problem ??= `not a URL: ${printable(written, 100)}`;
    this.#noteFault(written);
  }

  #noteFault(written: string): void {
    if (this.faults.length < MAX_FAULTS) {
      this.faults.push(written.slice(0, MAX_URL_LENGTH));
    } else {
      this.faultsCut++;
    }
  }

  #resolve(written: string, base: string): string | null {
    if (written === '' || written.length > MAX_URL_LENGTH || !URL.canParse(written, base)) {
      return null;
    }
    const { protocol, href } = new URL(written, base);
    return protocol === 'http:' || protocol === 'https:' ? href : null;
  }
}

function readLastmod(written: string | null): string | null {
  const text = written?.trim() ?? '';
  return text === '' || text.length > MAX_LASTMOD_LENGTH ? null : text;
}

function readPriority(written: string | null): number | null {
  const text = written?.trim() ?? '';
  const value = /^(?:\d{1,10}(?:\.\d{0,20})?|\.\d{1,20})$/.test(text) ? Number(text) : Number.NaN;
  return value >= 0 && value <= 1 ? value : null;
}
