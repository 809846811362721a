import { type AnswerEnd, type ApiClient, ApiTrouble } from '../../fetch/api-client.js';
import { MAX_ANSWER_BYTES, MAX_ENTRY_BYTES, parseObject, type SourceEnd } from './source.js';

/** The most pages of an index that are read: each has thousands of lines. */
const MAX_PAGES = 1_000;
/** The most bytes of the list of collections, or of the answer with the number of pages. */
const MAX_SMALL_BYTES = 1024 * 1024;
const COLLECTION = /^[\w.-]{1,100}$/;

/**
 * Reads the URLs that answered 200 in the newest collection of Common Crawl, by a pattern such as `*.example.com/*`. A URL is passed on as often
 * as it is listed. `take` gets batches and returns false when it has enough; the next batch is read when it is done with the last.
 */
export async function readCommonCrawl(
  client: ApiClient,
  baseUrl: string,
  pattern: string,
  take: (urls: string[]) => Promise<boolean>,
): Promise<SourceEnd> {
  const base = baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`;
  const index = new URL(await newestIndex(client, base), base);
  const ask = (more: string): string => {
    index.search = `?url=${encodeURIComponent(pattern)}&output=json&fl=url,status&filter==status:200&${more}`;
    return index.href;
  };
  const pages = await numberOfPages(client, ask('showNumPages=true'));
  const reading = new Reading(take);
  for (let page = 0; page < Math.min(pages, MAX_PAGES); page++) {
    const end = await reading.readPage((piece) => client.ask(ask(`page=${page}`), piece));
    if (end !== null) {
      return end;
    }
  }
  return { cut: pages > MAX_PAGES ? 'too large' : reading.hasBrokenOff ? 'broken off' : null };
}

/** The pages of an index, one after the other. */
class Reading {
  readonly #take: (urls: string[]) => Promise<boolean>;
  #bytes = 0;
  hasBrokenOff = false;

  constructor(take: (urls: string[]) => Promise<boolean>) {
    this.#take = take;
  }

  /** How reading ended if this page was the last; otherwise null. */
  async readPage(ask: (piece: (piece: Buffer) => Promise<boolean>) => Promise<AnswerEnd>): Promise<SourceEnd | null> {
    const lines = new Lines(MAX_ENTRY_BYTES);
    const end = await ask(async (piece) => {
      this.#bytes += piece.length;
      const urls = [...lines.read(piece)].flatMap(urlIn);
      return (urls.length === 0 || (await this.#take(urls))) && this.#bytes <= MAX_ANSWER_BYTES;
    });
    if (this.#bytes > MAX_ANSWER_BYTES) {
      return { cut: 'too large' };
    }
    if (end === 'enough') {
      return { cut: 'limit' };
    }
    this.hasBrokenOff ||= end === 'truncated';
    const rest = urlIn(lines.rest());
    return rest.length > 0 && !(await this.#take(rest)) ? { cut: 'limit' } : null;
  }
}

/** The last line may be cut off in the middle of its object: then it has no URL. */
function urlIn(line: string): string[] {
  const url = parseObject(line)?.url;
  return typeof url === 'string' ? [url] : [];
}

/**
 * The name of the newest index. The list of collections also says at which address to ask, but that may be anywhere: only its last part is
 * taken, and asked for at the address that the user named.
 */
async function newestIndex(client: ApiClient, base: string): Promise<string> {
  const text = await small(client, new URL('collinfo.json', base).href);
  const collections: unknown = parseObject(text ?? '');
  const first: unknown = Array.isArray(collections) ? collections[0] : null;
  const api = (first as Record<string, unknown> | null)?.['cdx-api'];
  const name = typeof api === 'string' && URL.canParse(api, base) ? new URL(api, base).pathname.split('/').at(-1)! : '';
  if (!COLLECTION.test(name)) {
    throw new ApiTrouble('it does not say which collections it has');
  }
  return name;
}

/** The answer is a number, or an object that holds it; a 404 means that nothing was captured. */
async function numberOfPages(client: ApiClient, url: string): Promise<number> {
  const text = await small(client, url);
  if (text === null) {
    return 0;
  }
  const pages = /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : parseObject(text)?.pages;
  if (typeof pages !== 'number' || !Number.isSafeInteger(pages) || pages < 0) {
    throw new ApiTrouble('it does not say how many pages its answer has');
  }
  return pages;
}

/** A small answer as a whole; null for a 404. */
async function small(client: ApiClient, url: string): Promise<string | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const end = await client.ask(url, (piece) => {
    pieces.push(Buffer.from(piece));
    bytes += piece.length;
    return bytes <= MAX_SMALL_BYTES;
  });
  if (end === 'enough') {
    throw new ApiTrouble('its answer is much larger than it can be');
  }
  return end === 'nothing' ? null : Buffer.concat(pieces).toString('utf8');
}

const LINE_FEED = 0x0a;

/** Splits bytes into lines as they arrive. A line that is longer than the cap is skipped; the last one counts only when it is ended. */
export class Lines {
  readonly #maxBytes: number;
  #earlier: Buffer[] = [];
  #earlierBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *read(piece: Buffer): IterableIterator<string> {
    let start = 0;
    for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, start)) {
      const line = this.#take(piece.subarray(start, end));
      if (line !== null) {
        yield line;
      }
      start = end + 1;
    }
    this.#keep(piece.subarray(start));
  }

  /** What follows the last line break. It is a line too if the answer was complete. */
  rest(): string {
    return this.#take(Buffer.alloc(0)) ?? '';
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) {
      return;
    }
    this.#earlierBytes += bytes.length;
    if (this.#earlierBytes > this.#maxBytes) {
      this.#earlier = [];
    } else {
      this.#earlier.push(Buffer.from(bytes));
    }
  }

  #take(bytes: Buffer): string | null {
    const length = this.#earlierBytes + bytes.length;
    const line = length > this.#maxBytes ? null : Buffer.concat([...this.#earlier, bytes], length).toString('utf8');
    this.#earlier = [];
    this.#earlierBytes = 0;
    return line?.trimEnd() ?? null;
  }
}
