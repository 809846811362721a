import { types } from 'node:util';
import { StateError, UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { checkSignal, stoppedBy, throwIfStopped } from '../config/abort.js';
import { checkKeys, describeValue, readOptions, readTextArgument } from '../config/arguments.js';
import { type CrawlOptions, OPTION_KEYS, specOf, usesOption } from '../config/options.js';
import { completeOptions } from '../config/resolve.js';
import { COMMAND_LINE_ONLY } from '../crawl/library-options.js';
import { librarySeeds } from '../crawl/library-seeds.js';
import { seedFailure } from '../crawl/seed-failure.js';
import { CrawlSession } from '../crawl/session.js';
import type { SessionEvents } from '../crawl/session-plan.js';
import { detectEncoding } from '../parse/charset.js';
import { decodeText } from '../parse/encodings.js';
import { isBinary, isHtmlType, isMarkdownType } from '../parse/media-type.js';
import { openPage } from '../store/page-row.js';
import { parseSeedArgument } from '../url/seeds.js';
import { firstHeading, readHtml } from './convert/page-content.js';
import { type PageMetadata, pageMetadata } from './convert/page-metadata.js';
import { type PageShape, pageShape } from './convert/page-shape.js';
import { canReadPdf, isPdf, isPdfType, noPdfReader, readPdf } from './convert/pdf-text.js';
import { markdownOfText } from './convert/text-markdown.js';

/** One page as Markdown, and what it says of itself; null if it does not. */
export interface MarkdownPage {
  /** Its title. */
  title: string | null;
  /** Who wrote it. */
  byline: string | null;
  /** When it was published, as it says it. */
  date: string | null;
  /** Its language. */
  language: string | null;
  /** Its description. */
  description: string | null;
  /** The name of its site. */
  site: string | null;
  /** The URL of its picture. */
  image: string | null;
  /** Where it was found, behind all redirects; of bytes the `url` that was given. */
  url: string | null;
  /** The share of its own text that is in the Markdown, from 0 to 1. */
  kept: number;
  /** Its main content. */
  markdown: string;
}

/** Who asks, the way to the server, and what of the page is wanted. */
export interface PageQuestion
  extends Partial<
    Pick<
      CrawlOptions,
      | 'allowNetworks'
      | 'allowPrivate'
      | 'authFile'
      | 'cacert'
      | 'clientCerts'
      | 'clientKeys'
      | 'clientPassphrase'
      | 'connectTimeoutMs'
      | 'connectTo'
      | 'contact'
      | 'dnsServers'
      | 'headers'
      | 'http2'
      | 'insecure'
      | 'proxy'
      | 'robotsTimeoutMs'
      | 'timeoutMs'
      | 'user'
      | 'userAgent'
    >
  > {
  /** What these CSS selectors match is the text of the page. */
  content?: readonly string[];
  /** What these CSS selectors match is left out. */
  remove?: readonly string[];
  /** Of bytes: where the page is from; its links are read by it. */
  url?: string;
  /** Of bytes: their Content-Type. Left out, the bytes are looked at. */
  type?: string;
  /** Gives up: the promise is rejected with a `StateError` of the code `stopped`. */
  signal?: AbortSignal;
}

type SettledPage = Parameters<NonNullable<SessionEvents['settled']>>[0][number];

interface RawPage {
  bytes: Uint8Array;
  type: string | null;
  url: string | null;
}

const CALL = "pageAsMarkdown('https://example.com/a')";
const OWN_KEYS = ['content', 'remove', 'url', 'type', 'signal'];

/** The main content of one page as Markdown. A URL is asked for as a crawl would, after its robots.txt, and nothing is kept; bytes are the page itself. */
export async function pageAsMarkdown(page: string | Uint8Array, question: PageQuestion = {}): Promise<MarkdownPage> {
  const isBytes = types.isUint8Array(page);
  if (!isBytes && typeof page !== 'string') {
    throw new UsageError(`the page of pageAsMarkdown must be a URL or bytes: ${CALL}; got ${describeValue(page)}`);
  }
  const { content = [], remove = [], url, type, signal, ...options } = readOptions(CALL, question);
  const known = OPTION_KEYS.filter(
    (key) => usesOption('md', specOf(key)) && !(COMMAND_LINE_ONLY as readonly string[]).includes(key),
  );
  checkKeys('pageAsMarkdown', options, [...known, ...OWN_KEYS]);
  checkSignal(signal);
  const shape = pageShape({ content, remove });
  if (!isBytes) {
    if (url !== undefined || type !== undefined) {
      throw new UsageError(`url and type are for bytes: ${CALL} finds them itself`);
    }
    return convert(await ask(readTextArgument(CALL, page, 'page'), options, signal), shape);
  }
  throwIfStopped('pageAsMarkdown', signal);
  return convert({ bytes: page, type: type ?? null, url: url === undefined ? null : checkedUrl(url) }, shape);
}

function checkedUrl(url: unknown): string {
  if (typeof url !== 'string' || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UsageError(`url must be a URL with http:// or https://, got ${describeValue(url)}`);
  }
  return new URL(url).href;
}

/** A crawl of one page that leaves nothing behind. */
async function ask(url: string, given: Partial<CrawlOptions>, signal: AbortSignal | undefined): Promise<RawPage> {
  if (parseSeedArgument(url, () => null).kind !== 'url') {
    throw new UsageError(`${printable(url)} is not a URL`);
  }
  throwIfStopped('pageAsMarkdown', signal);
  const complete = completeOptions({
    ...given,
    ...{ scope: 'page', depth: 0, seedingStrategy: 'none', parseWorkers: 1, contentTypes: ['text/*'] },
  });
  // A PDF is a type that nobody may ask for, because it is no text.
  const contentTypes = (await canReadPdf()) ? ['text/*', 'application/pdf'] : ['text/*'];
  const resolved = { ...complete, options: { ...complete.options, contentTypes } };
  const { seeds, credentials } = librarySeeds([url], resolved.options, false);
  let last: SettledPage | null = null;
  const session = await CrawlSession.open({
    resolved,
    directory: null,
    seeds,
    credentials,
    handsOnBodies: true,
    profile: { command: 'crawl', writesOutputs: false },
    events: {
      settled(pages) {
        last = pages.findLast(({ state, outcome }) => state === 'done' && outcome.redirectUrl === null) ?? last;
      },
    },
  });
  const { seeds: fates, summary } = await stoppedBy(
    signal,
    () => session.stop('stopped', 0),
    () => session.run(),
  );
  throwIfStopped('pageAsMarkdown', signal);
  const found = last as SettledPage | null;
  if (found === null) {
    throw seedFailure(fates, summary, 'so nothing may be asked for');
  }
  const { body, page } = found.outcome;
  if (body === undefined) {
    throw unreadable(found.url, page === null ? null : openPage(page).contentType);
  }
  return { bytes: body.bytes, type: body.type, url: found.url };
}

const unreadable = (what: string, type: string | null): StateError =>
  new StateError(
    'not_readable',
    isPdfType(type)
      ? `${printable(what)} is a PDF, and ${noPdfReader()}`
      : `${printable(what)} is ${type === null || type === '' ? 'no text' : printable(type, 100)}: only HTML, Markdown, plain text and PDF are read`,
  );

const NOTHING_SAID: PageMetadata = {
  ...{ byline: null, date: null, language: null, description: null, site: null, image: null },
};
const NO_IDS: ReadonlySet<string> = new Set();
/** Of HTML, somewhere. */
const TAG = /<(?:!doctype|!--|\/?[a-z][^<>]*>)/i;
const isText = (type: string): boolean => /^\s*text\//i.test(type);

async function convert({ bytes, type, url }: RawPage, shape: PageShape): Promise<MarkdownPage> {
  if (isPdfType(type) || (type === null && isPdf(bytes))) {
    if (!(await canReadPdf())) {
      throw unreadable(url ?? 'the page', 'application/pdf');
    }
    const { title, markdown, ...said } = await readPdf(bytes);
    return { title, ...NOTHING_SAID, ...said, url, kept: 1, markdown };
  }
  const { encoding } = detectEncoding(bytes, type);
  if (type !== null && !isHtmlType(type) && !isText(type)) {
    throw unreadable(url ?? 'the page', type);
  }
  const { text } = decodeText(bytes, encoding);
  const isHtml = type === null ? TAG.test(text) : isHtmlType(type);
  if (isBinary(bytes, encoding, isHtml)) {
    throw unreadable(url ?? 'the page', nameOf(bytes));
  }
  if (type !== null && isMarkdownType(type)) {
    return { title: firstHeading(text) || null, ...NOTHING_SAID, url, kept: 1, markdown: text };
  }
  const place = url ?? NOWHERE;
  const linkFor = url === null ? { linkFor: localLink } : {};
  const reading = { linkedIds: NO_IDS, shape, ...linkFor };
  if (!isHtml) {
    return { title: null, ...NOTHING_SAID, url, kept: 1, markdown: markdownOfText(text) };
  }
  const { title, markdown, kept } = readHtml({ url: place, text, encoding }, reading);
  return { title: title || null, ...pageMetadata(text, url), url, kept, markdown };
}

/** For the message alone. */
const nameOf = (bytes: Uint8Array): string | null => (isPdf(bytes) ? 'application/pdf' : null);

/** Where a page stands that has no URL: deep enough that a path which goes up stays below it. */
const HOST = 'http://page.invalid';
const DEPTH = 16;
const NOWHERE = `${HOST}${'/_'.repeat(DEPTH)}/`;

/** A link of such a page as the page has it; null to nothing. */
function localLink(url: string, fragment: string): string | null {
  const hash = fragment === '' ? '' : `#${fragment}`;
  if (!url.startsWith(`${HOST}/`)) {
    return `${url}${hash}`;
  }
  let path = url.slice(HOST.length + 1);
  let depth = 0;
  while (depth < DEPTH && path.startsWith('_/')) {
    path = path.slice(2);
    depth++;
  }
  const up = depth === 0 ? '/' : '../'.repeat(DEPTH - depth);
  return `${up}${path}${hash}` || null;
}
