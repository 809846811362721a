import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { checkKeys, describeValue } from '../config/arguments.js';
import type { MailedUrl } from '../store/mailbox.js';
import { RANKS } from '../store/url-state.js';
import type { IdentityOptions } from '../url/identity.js';
import { parseSeedArgument, type Seed } from '../url/seeds.js';

/** What a user may set for URLs that are added to a crawl. */
export interface AddOptions {
  /** The depth of the URLs; their links are one deeper. 0 by default, as for a seed. */
  depth?: number;
  /** Their rank with `order: 'priority'`: 0 goes first, 7 last. By default they go before all links, as seeds do. */
  rank?: number;
  /** Kept with each of them; comes back as `data` in the record of its page. */
  data?: Readonly<Record<string, unknown>>;
}

/** What the reader of added URLs has to know about the crawl. */
export interface AddTo {
  identity: IdentityOptions;
  /** The URLs are keys of the user's own making. */
  ownKeys: boolean;
  /** The crawl's order uses ranks. */
  ranks: boolean;
}

const MOST_DEPTH = 1_000_000;
const MOST_DATA_BYTES = 65_536;

/** The URLs in normal form, each once. If one is not a URL, all are refused with a sentence about the first such one. */
export function readAdded(urls: unknown, given: unknown, to: AddTo): MailedUrl[] {
  const list = typeof urls === 'string' ? [urls] : urls;
  if (!Array.isArray(list) || !list.every((url) => typeof url === 'string')) {
    throw new UsageError(
      `add takes URLs: add(['https://example.com/page'], { depth: 0 }); got ${describeValue(Array.isArray(list) ? list.find((url) => typeof url !== 'string') : urls)}`,
    );
  }
  const options = readAddOptions(given, to);
  const read = to.ownKeys ? (key: string) => key : (url: string) => urlToAdd(url, to.identity);
  return [...new Set(list.map(read))].map((url) => ({ url, ...options }));
}

export function readAddOptions(given: unknown, { ranks }: Pick<AddTo, 'ranks'>): Omit<MailedUrl, 'url'> {
  if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given))) {
    throw new UsageError(`the options of add must be an object: { depth, rank, data }, got ${describeValue(given)}`);
  }
  const options: AddOptions = given ?? {};
  checkKeys('add', options, ['depth', 'rank', 'data']);
  const { depth = 0, rank = null, data = null } = options;
  whole('depth', depth, MOST_DEPTH);
  if (rank !== null) {
    whole('rank', rank, RANKS - 1);
    if (!ranks) {
      throw new UsageError("rank works only in a crawl with order 'priority' (--order priority)");
    }
  }
  return { depth, rank, data: data === null ? null : dataText(data) };
}

function whole(name: string, value: unknown, most: number): void {
  if (!Number.isSafeInteger(value) || (value as number) < 0 || (value as number) > most) {
    throw new UsageError(`${name} must be a whole number from 0 to ${most}, got ${describeValue(value)}`);
  }
}

function dataText(data: unknown): string {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new UsageError(`data must be an object by name, such as { id: 7 }, got ${describeValue(data)}`);
  }
  let text: string;
  try {
    text = JSON.stringify(data);
  } catch (error) {
    throw new UsageError(`data must be something that JSON can express: ${(error as Error).message}`);
  }
  if (!text?.startsWith('{')) {
    throw new UsageError(`data must be an object by name, such as { id: 7 }, got ${describeValue(data)}`);
  }
  const bytes = Buffer.byteLength(text);
  if (bytes > MOST_DATA_BYTES) {
    throw new UsageError(`data may have at most ${MOST_DATA_BYTES} bytes as JSON, and has ${bytes}`);
  }
  return text;
}

/** Only whole URLs are taken: finding out which spelling of a bare domain answers is a seed's job. */
export function urlToAdd(text: string, identity: IdentityOptions): string {
  const argument = parseSeedArgument(text, () => null, identity);
  if (argument.kind !== 'url') {
    throw new UsageError(`${printable(text, 200)}: this is not a URL`);
  }
  return wholeUrl(argument.seed);
}

export function wholeUrl({ url, label, fallbacks, credentials, scope, maxUrls }: Seed): string {
  if (fallbacks.length > 0) {
    throw new UsageError(`${label}: give a whole URL, such as ${url}`);
  }
  if (credentials !== undefined) {
    throw new UsageError(
      `${label}: a URL that is added cannot bring a user name and a password: give them with --user`,
    );
  }
  if (scope !== undefined || maxUrls !== undefined) {
    throw new UsageError(`${label}: a URL that is added has no scope or budget of its own`);
  }
  return url;
}
