import { UsageError } from '../base/errors.js';
import { LINK_KINDS } from '../parse/links.js';
import type { PageResult } from '../store/page-types.js';
import type { Reader } from '../store/reader.js';
import { isHttp, originOf } from '../url/host.js';
import { isRoute } from '../url/routes.js';
import {
  fileNamePart,
  type Output,
  type OutputFile,
  type OutputFiles,
  type OutputNotes,
  TextWriter,
  xmlComment,
  xmlUrl,
} from './output.js';

/** What a sitemap, and whether a URL belongs there, is made of. */
const FIELDS = [
  'url',
  'state',
  'external',
  'status',
  'finalUrl',
  'contentType',
  'robotsMeta',
  'canonical',
  'lastModified',
] as const;
type SitemapPage = Pick<PageResult, (typeof FIELDS)[number]> & Partial<Pick<PageResult, 'hreflang'>>;

interface SitemapCaps {
  maxUrls: number;
  /** Of a file before compression. */
  maxBytes: number;
}

/** Of the protocol: https://www.sitemaps.org/protocol.html */
const PROTOCOL_CAPS: SitemapCaps = { maxUrls: 50_000, maxBytes: 50 * 1024 * 1024 };

/**
 * So many origins may have their files open at once; `OWN_FILES` of crawl/settings.ts has room for them. Of more, the pages have to come one
 * origin after the other.
 */
const MOST_OPEN_ORIGINS = 12;

/**
 * sitemap.xml. A sitemap may only list URLs of the origin it is served from, so each origin has its own: the first seed's is the file
 * that was asked for, the others stand beside it under the name of their host.
 */
export function sitemapOutput(caps: SitemapCaps = PROTOCOL_CAPS): Output {
  const writeTo = async (reader: Reader, files: OutputFiles, hasExtras: boolean): Promise<OutputNotes> => {
    const writer = new SitemapWriter(reader, files, caps, hasExtras);
    const order = reader.hasOrigins(MOST_OPEN_ORIGINS) ? 'found' : 'origin';
    for (const [page, id] of reader.pagesWithIds(hasExtras ? [...FIELDS, 'hreflang'] : FIELDS, order)) {
      const wait = writer.add(page, id);
      if (wait !== undefined) {
        await wait;
      }
    }
    return writer.end();
  };
  return {
    async write(reader, files, { sitemapExtras = false } = {}) {
      if (!files.several) {
        await refuseSeveral((nowhere) => writeTo(reader, nowhere, sitemapExtras));
      }
      return writeTo(reader, files, sitemapExtras);
    },
  };
}

class SitemapWriter {
  readonly #reader: Reader;
  readonly #files: OutputFiles;
  readonly #caps: SitemapCaps;
  readonly #remarks: readonly string[];
  readonly #leftOut = Object.fromEntries(LEFT_OUT.map((cause) => [cause, 0])) as Record<LeftOut, number>;
  /** In the order in which their first pages came. */
  readonly #sets: SitemapSet[] = [];
  readonly #open = new Map<string, SitemapSet>();
  readonly #hasExtras: boolean;
  #records = 0;

  constructor(reader: Reader, files: OutputFiles, caps: SitemapCaps, hasExtras: boolean) {
    this.#hasExtras = hasExtras;
    this.#reader = reader;
    this.#files = files;
    this.#caps = caps;
    this.#remarks = reader.remarks();
  }

  add(page: SitemapPage, id: number): void | Promise<void> {
    const cause = whyLeftOut(page);
    if (cause !== null) {
      this.#leftOut[cause]++;
      return;
    }
    this.#records++;
    const origin = originOf(page.url);
    const set = this.#open.get(origin);
    const entry = this.#entryOf(page, id);
    return set === undefined ? this.#addFirst(origin, entry) : set.add(entry);
  }

  #entryOf(page: SitemapPage, id: number): Entry {
    const lastmod = page.lastModified === null ? null : w3cDateAgain(page.lastModified);
    const extras = this.#hasExtras ? alternates(page.hreflang ?? {}) + images(this.#reader.edgesOf([id])) : '';
    const text = `<url><loc>${xmlUrl(page.url)}</loc>${lastmod === null ? '' : `<lastmod>${lastmod}</lastmod>`}${extras}</url>\n`;
    return { text, lastmod };
  }

  async #addFirst(origin: string, entry: Entry): Promise<void> {
    if (this.#open.size === MOST_OPEN_ORIGINS) {
      const [oldest, set] = this.#open.entries().next().value!;
      this.#open.delete(oldest);
      await set.close();
    }
    const set = new SitemapSet(origin, this.#files, this.#caps, this.#remarks, this.#hasExtras);
    this.#sets.push(set);
    this.#open.set(origin, set);
    await set.add(entry);
  }

  async end(): Promise<OutputNotes> {
    for (const set of this.#open.values()) {
      await set.close();
    }
    return { records: this.#records, files: await placeSets(this.#reader, this.#sets), leftOut: this.#leftOut };
  }
}

async function placeSets(reader: Reader, sets: readonly SitemapSet[]): Promise<number> {
  const main = mainSet(reader, sets);
  if (main === undefined) {
    return 0;
  }
  const usualScheme = main.origin.slice(0, main.origin.indexOf(':'));
  let count = 0;
  for (const set of sets) {
    count += await set.place(set === main ? '' : `-${fileNamePart(set.origin, usualScheme)}`);
  }
  return count;
}

/** The first seed's, where it has pages: of the origins it was redirected through the last that has. */
function mainSet(reader: Reader, sets: readonly SitemapSet[]): SitemapSet | undefined {
  const seed = reader.seeds()[0];
  const urls = seed === undefined ? [] : [seed.url, ...seed.scopeUrls].reverse();
  const found = urls.map((url) => sets.find((set) => set.origin === originOf(url))).find((set) => set !== undefined);
  return found ?? sets[0];
}

/** Found out before the first byte is written: half a sitemap on stdout helps nobody. */
async function refuseSeveral(write: (files: OutputFiles) => Promise<OutputNotes>): Promise<void> {
  const { files } = await write(NOWHERE);
  if (files > 1) {
    throw new UsageError(`the sitemap of this crawl has ${files} files: name a file with --output`);
  }
}

const NO_FILE: OutputFile = { write() {}, close() {}, place: (suffix) => suffix };
const NOWHERE: OutputFiles = { several: true, create: () => NO_FILE };

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const URLS_START = `<urlset ${NAMESPACE}>\n`;
const URLS_START_WITH_EXTRAS = `<urlset ${NAMESPACE} xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">\n`;
const URLS_END = '</urlset>\n';

/** The sitemap of one origin: a file, or as many as the caps ask for and an index of them. */
class SitemapSet {
  readonly origin: string;
  readonly #files: OutputFiles;
  readonly #caps: SitemapCaps;
  readonly #head: string;
  readonly #parts: OutputFile[] = [];
  /** Of each part the newest time of its pages, or an empty text. */
  readonly #newest: string[] = [];
  readonly #start: string;
  /** Writes to the last part. */
  #text: TextWriter | null = null;
  #partUrls = 0;
  #partBytes = 0;

  constructor(origin: string, files: OutputFiles, caps: SitemapCaps, remarks: readonly string[], hasExtras: boolean) {
    this.#start = hasExtras ? URLS_START_WITH_EXTRAS : URLS_START;
    this.origin = origin;
    this.#files = files;
    this.#caps = caps;
    this.#head = XML + remarks.map(xmlComment).join('');
  }

  add(entry: Entry): void | Promise<void> {
    const bytes = Buffer.byteLength(entry.text);
    const isFull = this.#partUrls >= this.#caps.maxUrls || this.#partBytes + bytes > this.#caps.maxBytes;
    // An entry that is over the cap alone still has to go somewhere.
    return this.#parts.length === 0 || (isFull && this.#partUrls > 0)
      ? this.#addToNext(entry, bytes)
      : this.#addTo(this.#text!, entry, bytes);
  }

  #addTo(text: TextWriter, { text: written, lastmod }: Entry, bytes: number): void | Promise<void> {
    const part = this.#parts.length - 1;
    if (lastmod !== null && lastmod > this.#newest[part]!) {
      this.#newest[part] = lastmod;
    }
    this.#partUrls++;
    this.#partBytes += bytes;
    return text.write(written);
  }

  async #addToNext(entry: Entry, bytes: number): Promise<void> {
    await this.close();
    await this.#addTo(await this.#openPart(), entry, bytes);
  }

  /** All its URLs have been added. */
  async close(): Promise<void> {
    await this.#text?.write(URLS_END);
    await this.#text?.flush();
    await this.#parts.at(-1)?.close();
  }

  /** Names its files, `suffix` telling them from those of other origins, and writes the index where there are several. */
  async place(suffix: string): Promise<number> {
    if (this.#parts.length === 1) {
      this.#parts[0]!.place(suffix);
      return 1;
    }
    const names = this.#parts.map((part, i) => part.place(suffix === '' ? `-${i + 1}` : `${suffix}_part${i + 1}`));
    const index = this.#files.create();
    index.place(suffix);
    const text = new TextWriter(index);
    await text.write(`${this.#head}<sitemapindex ${NAMESPACE}>\n`);
    for (const [part, name] of names.entries()) {
      const newest = this.#newest[part]!;
      const lastmod = newest === '' ? '' : `<lastmod>${newest}</lastmod>`;
      await text.write(`<sitemap><loc>${xmlUrl(`${this.origin}/${name}`)}</loc>${lastmod}</sitemap>\n`);
    }
    await text.write('</sitemapindex>\n');
    await text.flush();
    await index.close();
    return names.length + 1;
  }

  async #openPart(): Promise<TextWriter> {
    const part = this.#files.create();
    const text = new TextWriter(part);
    this.#parts.push(part);
    this.#newest.push('');
    this.#text = text;
    const start = this.#head + this.#start;
    this.#partUrls = 0;
    this.#partBytes = Buffer.byteLength(start + URLS_END);
    await text.write(start);
    return text;
  }
}

/** Why a URL is not in the sitemap; the first that holds counts. */
export const LEFT_OUT = [
  'external',
  'notFetched',
  'notOk',
  'redirect',
  'notHtml',
  'noindex',
  'canonical',
  'notHttp',
  'route',
  'tooLong',
] as const;
type LeftOut = (typeof LEFT_OUT)[number];

/** The protocol: a URL has fewer characters than this. */
const URL_LENGTH_LIMIT = 2048;

function whyLeftOut(page: SitemapPage): LeftOut | null {
  if (page.external) {
    return 'external';
  }
  if (page.state === 'skipped' || page.state === 'deferred') {
    return 'notFetched';
  }
  if (page.state !== 'done') {
    return 'notOk';
  }
  if (page.finalUrl !== page.url) {
    return 'redirect';
  }
  if (page.status !== 200) {
    return 'notOk';
  }
  if (!isHtml(page.contentType)) {
    return 'notHtml';
  }
  if (isNoindex(page.robotsMeta)) {
    return 'noindex';
  }
  if (page.canonical !== null && page.canonical !== page.url) {
    return 'canonical';
  }
  if (!isHttp(page.url)) {
    return 'notHttp';
  }
  if (isRoute(page.url)) {
    return 'route';
  }
  return page.url.length >= URL_LENGTH_LIMIT ? 'tooLong' : null;
}

/** Pages that were made together have the date in common. */
let lastDate: { httpDate: string; w3c: string | null } = { httpDate: '', w3c: null };

function w3cDateAgain(httpDate: string): string | null {
  if (httpDate !== lastDate.httpDate) {
    lastDate = { httpDate, w3c: w3cDate(httpDate) };
  }
  return lastDate.w3c;
}

/** A page in a sitemap. */
interface Entry {
  text: string;
  lastmod: string | null;
}

const LANGUAGE = /^(?:x-default|[a-z]{2,3}(?:-[a-z0-9]{2,8})*)$/i;

/** The page in other languages, as it says itself. What is no code of a language would make the whole file invalid. */
const alternates = (hreflang: Readonly<Record<string, string>>): string =>
  Object.entries(hreflang)
    .filter(([code, url]) => LANGUAGE.test(code) && isHttp(url) && url.length < URL_LENGTH_LIMIT)
    .map(([code, url]) => `<xhtml:link rel="alternate" hreflang="${code}" href="${xmlUrl(url)}"/>`)
    .join('');

/** So many images of a page are read. */
const MOST_IMAGES = 1_000;
const IMAGE_KINDS: ReadonlySet<number> = new Set([LINK_KINDS.indexOf('img')]);

/** Each image that stands on the page, once. */
function images(edges: Iterable<{ to: string; kind: number }>): string {
  const urls = new Set<string>();
  for (const { to, kind } of edges) {
    if (IMAGE_KINDS.has(kind) && isHttp(to) && to.length < URL_LENGTH_LIMIT && urls.size < MOST_IMAGES) {
      urls.add(to);
    }
  }
  return [...urls].map((url) => `<image:image><image:loc>${xmlUrl(url)}</image:loc></image:image>`).join('');
}

function isHtml(contentType: string | null): boolean {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  return type === 'text/html' || type === 'application/xhtml+xml';
}

/** `none` is short for `noindex, nofollow`. */
function isNoindex(robotsMeta: string | null): boolean {
  const directives = robotsMeta?.split(',').map((directive) => directive.trim()) ?? [];
  return directives.includes('noindex') || directives.includes('none');
}

const WITH_ZONE = /^[a-z]{3,9}, .* gmt$/i;
/** The oldest date format of HTTP names no zone; it means GMT too. */
const ASCTIME = /^[a-z]{3} [a-z]{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/i;

/** A date of HTTP (RFC 9110, 5.6.7) in the format of W3C, to the second; null if it is none. */
export function w3cDate(httpDate: string): string | null {
  const text = httpDate.trim();
  const timeMs = WITH_ZONE.test(text) ? Date.parse(text) : ASCTIME.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
  if (Number.isNaN(timeMs)) {
    return null;
  }
  const date = new Date(timeMs);
  // The first number is the day in all three formats; Date.parse turns February 30 into a day of March.
  return date.getUTCDate() === Number(/\d+/.exec(text)?.[0]) ? `${date.toISOString().slice(0, 19)}Z` : null;
}
