import type CachePolicy from 'http-cache-semantics';
import type { Clock } from '../base/clock.js';
import { FetchError } from '../base/errors.js';
import { pathOf } from '../url/host.js';
import { CacheFiles, hashOf, sweepCache } from './cache-files.js';
import type { CacheOptions, FetchHooks, FetchOptions, FetchRequest, FetchResponse, PendingFetch } from './contract.js';
import { Fetcher } from './fetcher.js';
import { ResponseHeaders } from './response-headers.js';

/** What is kept of an answer. Nothing of the request is kept, because it may contain secrets. */
interface CacheEntry {
  version: typeof VERSION;
  status: number;
  headers: [string, string][];
  /** Hash of its body; null if only its head is kept, because no more was wanted. */
  body: string | null;
  policy: CachePolicy.CachePolicyObject;
}

/** Takes the place of an entry if the server chooses among several answers by headers of the request. */
interface Variants {
  version: typeof VERSION;
  vary: string[];
}

interface Found {
  /** That it is the answer to. */
  method: 'GET' | 'HEAD';
  entry: CacheEntry;
  policy: CachePolicy;
  /** Null where only the head is kept. */
  body: Buffer | null;
  /** Of the files that it was read from. */
  keys: string[];
}

const VERSION = 1;

/** Headers that say nothing of who asks. A request with any other one is not answered from the cache, nor is its answer kept. */
const ANYBODYS: ReadonlySet<string> = new Set([
  ...['accept', 'accept-charset', 'accept-encoding', 'accept-language', 'user-agent', 'from', 'referer', 'dnt'],
  ...[
    'range',
    'if-none-match',
    'if-modified-since',
    'cache-control',
    'pragma',
    'priority',
    'upgrade-insecure-requests',
  ],
]);

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** After so much of its size has been written by one thread, the cache is looked through. */
const SWEPT_SHARE = 1 / 20;

/** Of the fetcher, and of the cache before it. */
export type AnyFetcher = Pick<Fetcher, 'fetch' | 'resolve' | 'resize' | 'retire' | 'close'>;

/** Sends requests to the network, or through a cache if the options name one. */
export function openFetcher(options: FetchOptions, clock: Clock): AnyFetcher {
  const fetcher = new Fetcher(options, clock);
  return options.cache === undefined || options.onlyFolders === true
    ? fetcher
    : new CachingFetcher(fetcher, options, options.cache, clock);
}

/**
 * A step before the fetcher: it reuses answers of earlier runs as far as HTTP allows (RFC 9111, a private cache), asks with validators
 * for those that may have changed, and keeps new answers.
 */
class CachingFetcher implements AnyFetcher {
  readonly #fetcher: Fetcher;
  readonly #options: FetchOptions;
  readonly #cache: CacheOptions;
  readonly #clock: Clock;
  readonly #files: CacheFiles;
  /** Crawls without a cache do not load it. */
  readonly #semantics: Promise<typeof CachePolicy> = import('http-cache-semantics').then((module) => module.default);
  #written = 0;
  #isClosed = false;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(fetcher: Fetcher, options: FetchOptions, cache: CacheOptions, clock: Clock) {
    this.#fetcher = fetcher;
    this.#options = options;
    this.#cache = cache;
    this.#clock = clock;
    this.#files = new CacheFiles(cache.directory);
  }

  fetch(request: FetchRequest, hooks: FetchHooks = {}): PendingFetch {
    if (request.sink !== undefined || this.#fetcher.isInFolder(request.url)) {
      return this.#fetcher.fetch(request, hooks);
    }
    return new CachedFetch((start) => this.#answer(request, hooks, start));
  }

  resolve(host: string): Promise<string> {
    return this.#cache.only ? Promise.reject(notCached()) : this.#fetcher.resolve(host);
  }

  resize(maxSockets: number): void {
    this.#fetcher.resize(maxSockets);
  }

  retire(): number {
    return this.#fetcher.retire();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#fetcher.close();
    await this.#sweeping;
  }

  async #answer(request: FetchRequest, hooks: FetchHooks, start: Start): Promise<FetchResponse> {
    const sent = this.#fetcher.headersOf(request);
    if (sent === null || !isAnybodys(sent)) {
      if (this.#cache.only && sent !== null) {
        throw new FetchError(
          'not_cached',
          'It is requested with headers of yours, and answers to such requests are not kept.',
        );
      }
      return start(this.#send(request, hooks));
    }
    const headers = Object.fromEntries(sent);
    // A second look is meant to see what is there now.
    const isAnew = request.freshConnection === true && !this.#cache.only;
    const found = isAnew ? null : await this.#find(request, headers);
    if (found !== null) {
      const question = { url: request.url, method: found.method, headers: unconditional(headers) };
      const mayTell = found.policy.satisfiesWithoutRevalidation(question) && !isOldRobots(request.url, found.policy);
      if (this.#cache.only || mayTell) {
        await this.#files.used(found.keys, found.entry.body);
        return this.#kept(request, hooks, found);
      }
    }
    if (this.#cache.only) {
      throw notCached();
    }
    return found === null || request.ifModified !== undefined || request.firstBytes !== undefined
      ? this.#asked(request, hooks, headers, start)
      : this.#validated(request, hooks, headers, found, start);
  }

  /** While the cache was looked through, the run may have ended. */
  #send(request: FetchRequest, hooks: FetchHooks): PendingFetch {
    if (this.#isClosed) {
      throw new FetchError('internal', 'The fetcher was closed before the request was sent.');
    }
    return this.#fetcher.fetch(request, hooks);
  }

  // --- what is there

  /** The kept answer that could serve the request, fresh or not. */
  async #find(request: FetchRequest, headers: Readonly<Record<string, string>>): Promise<Found | null> {
    // Who has the whole answer has its head.
    for (const method of request.method === 'HEAD' ? (['GET', 'HEAD'] as const) : (['GET'] as const)) {
      const found = await this.#read(keyOf(method, request.url), headers);
      if (found !== null && isEnough(request, found.entry)) {
        const hash = wantsBody(request, found.entry) ? found.entry.body : null;
        const body = hash === null ? null : await this.#files.body(hash);
        if (hash === null || body !== null) {
          const policy = (await this.#semantics).fromObject(found.entry.policy);
          return { ...found, method, policy, body };
        }
      }
    }
    return null;
  }

  async #read(
    key: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ entry: CacheEntry; keys: string[] } | null> {
    const first = await this.#files.entry(key);
    if (isEntry(first)) {
      return { entry: first, keys: [key] };
    }
    if (!isVariants(first)) {
      return null;
    }
    const variant = variantKey(key, first.vary, headers);
    const entry = await this.#files.entry(variant);
    return isEntry(entry) ? { entry, keys: [key, variant] } : null;
  }

  /** No request is made. */
  #kept(request: FetchRequest, hooks: FetchHooks, { entry, body }: Found): FetchResponse {
    const most = Math.max(this.#options.maxBodyBytes, request.leastMaxBodyBytes ?? 0);
    if (body !== null && body.length > most && request.firstBytes === undefined) {
      throw new FetchError('too_large', `The body is larger than ${most} bytes.`);
    }
    return { ...this.#response(request, entry, body, hooks), cached: true };
  }

  #response(request: FetchRequest, entry: CacheEntry, whole: Buffer | null, hooks: FetchHooks): FetchResponse {
    const at = this.#clock.now();
    const headers = new ResponseHeaders(entry.headers.flat());
    const body = request.firstBytes === undefined ? whole : (whole?.subarray(0, request.firstBytes) ?? null);
    const isSame = request.ifModified !== undefined && isUnchanged(request.ifModified, headers);
    hooks.onBytes?.(body?.length ?? 0);
    return {
      status: isSame ? 304 : entry.status,
      headers,
      body: isSame ? null : body,
      wireBytes: 0,
      bodyBytes: isSame ? 0 : (body?.length ?? 0),
      cut: whole === null && request.method === 'GET',
      endedEarly: false,
      truncated: false,
      damage: null,
      ttfbMs: 0,
      headersAt: at,
      endedAt: at,
      remoteAddress: null,
    };
  }

  // --- what is asked for

  async #asked(
    request: FetchRequest,
    hooks: FetchHooks,
    headers: Readonly<Record<string, string>>,
    start: Start,
  ): Promise<FetchResponse> {
    const response = await start(this.#send(request, hooks));
    await this.#keep(request, headers, response);
    return response;
  }

  /** It may have changed: one request finds out, and if it has not, the kept answer is used. */
  async #validated(
    request: FetchRequest,
    hooks: FetchHooks,
    headers: Readonly<Record<string, string>>,
    found: Found,
    start: Start,
  ): Promise<FetchResponse> {
    const kept = new ResponseHeaders(found.entry.headers.flat());
    const [etag, lastModified] = [kept.get('etag'), kept.get('last-modified')];
    if (etag === null && lastModified === null) {
      return this.#asked(request, hooks, headers, start);
    }
    const ifModified = { ...(etag === null ? {} : { etag }), ...(lastModified === null ? {} : { lastModified }) };
    const response = await start(this.#send({ ...request, ifModified }, hooks));
    if (response.status !== 304) {
      await this.#keep(request, headers, response);
      return response;
    }
    const entry = this.#renewed(request, found, response.headers);
    await this.#attempt(async () => {
      await this.#files.used(found.keys, found.entry.body);
      return this.#files.writeEntry(found.keys.at(-1)!, entry);
    });
    const { ttfbMs, headersAt, endedAt, wireBytes, remoteAddress } = response;
    return {
      ...this.#response(request, entry, found.body, hooks),
      ...{ ttfbMs, headersAt, endedAt, wireBytes, remoteAddress },
    };
  }

  /** A 304 says for how long the answer is good from now on; what it says of a body is not of this one. */
  #renewed({ url }: FetchRequest, { method, entry, policy }: Found, news: ResponseHeaders): CacheEntry {
    const newer = storedHeaders(news).filter(([name]) => !name.startsWith('content-'));
    const names = new Set(newer.map(([name]) => name));
    const headers = [...entry.headers.filter(([name]) => !names.has(name)), ...newer];
    // The request sent these validators, so the answer is about them, whether it repeats them or not.
    const validators = entry.headers.filter(
      ([name]) => (name === 'etag' || name === 'last-modified') && !names.has(name),
    );
    const response = { status: 304, headers: joined([...newer.filter(([name]) => name !== 'vary'), ...validators]) };
    const renewed = policy.revalidatedPolicy({ url, method, headers: {} }, response).policy;
    return { ...entry, headers, policy: renewed.toObject() };
  }

  /** Keeps the answer if HTTP allows it. A disk error does not affect the page: it is just not kept. */
  async #keep(
    request: FetchRequest,
    headers: Readonly<Record<string, string>>,
    response: FetchResponse,
  ): Promise<void> {
    const { url, method, firstBytes } = request;
    const isPart = firstBytes !== undefined || response.truncated || response.status === 206 || response.status === 304;
    const vary = varyOf(response.headers);
    // The next request needs the cookies that a redirect sets, and a cache would not set them again.
    const setsCookies = REDIRECTS.has(response.status) && response.headers.get('set-cookie') !== null;
    if (isPart || setsCookies || vary.includes('*')) {
      return;
    }
    const stored = storedHeaders(response.headers);
    // Which headers the answer depends on is a matter of the key here.
    const plain = joined(stored.filter(([name]) => name !== 'vary'));
    const asked = { url, method, headers: unconditional(headers) };
    const policy = new (await this.#semantics)(asked, { status: response.status, headers: plain }, { shared: false });
    if (!policy.storable()) {
      return;
    }
    const { body } = response;
    const hash = body === null ? null : hashOf(body);
    const key = keyOf(method, url);
    const entry: CacheEntry = {
      version: VERSION,
      status: response.status,
      headers: stored,
      body: hash,
      policy: policy.toObject(),
    };
    await this.#attempt(async () => {
      const ofBody = body === null ? 0 : await this.#files.writeBody(hash!, body);
      if (vary.length === 0) {
        return ofBody + (await this.#files.writeEntry(key, entry));
      }
      const ofEntry = await this.#files.writeEntry(variantKey(key, vary, headers), entry);
      const variants: Variants = { version: VERSION, vary };
      return ofBody + ofEntry + (await this.#files.writeEntry(key, variants));
    });
  }

  async #attempt(write: () => Promise<number>): Promise<void> {
    try {
      this.#written += await write();
    } catch {
      return;
    }
    const { directory, maxBytes } = this.#cache;
    if (this.#written > maxBytes * SWEPT_SHARE) {
      this.#written = 0;
      this.#sweeping = this.#sweeping.then(() => sweepCache(directory, maxBytes));
      await this.#sweeping;
    }
  }
}

/** Hands what the caller does on to the request, once there is one. */
type Start = (pending: PendingFetch) => Promise<FetchResponse>;

/** A fetch of which it is not known yet whether it needs a request. */
class CachedFetch implements PendingFetch {
  readonly promise: Promise<FetchResponse>;
  #pending: PendingFetch | null = null;
  #isPaused = false;
  #aborted: FetchError | null = null;

  constructor(answer: (start: Start) => Promise<FetchResponse>) {
    this.promise = answer((pending) => this.#start(pending)).catch((error: unknown) => {
      throw error instanceof FetchError
        ? error
        : new FetchError('internal', `The cache: ${(error as Error).message}`, { cause: error });
    });
  }

  pause(): void {
    this.#isPaused = true;
    this.#pending?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#pending?.resume();
  }

  abort(reason: FetchError): void {
    this.#aborted ??= reason;
    this.#pending?.abort(reason);
  }

  #start(pending: PendingFetch): Promise<FetchResponse> {
    this.#pending = pending;
    if (this.#aborted !== null) {
      pending.abort(this.#aborted);
    } else if (this.#isPaused) {
      pending.pause();
    }
    return pending.promise;
  }
}

/** However long its server says: after a day it is asked whether it still forbids the same (RFC 9309, 2.4). */
const isOldRobots = (url: string, policy: CachePolicy): boolean =>
  pathOf(url) === '/robots.txt' && policy.age() >= ROBOTS_AGE_S;
const ROBOTS_AGE_S = 24 * 3600;

const notCached = (): FetchError =>
  new FetchError('not_cached', 'It is not in the cache, and --http-cache-only asks nobody.');

const isAnybodys = (headers: readonly (readonly [string, string])[]): boolean =>
  headers.every(([name]) => ANYBODYS.has(name) || name.startsWith('sec-'));

/** What a cache adds to ask whether its own answer is still good says nothing of what the user wants. */
function unconditional({
  'if-none-match': _etag,
  'if-modified-since': _since,
  range: _range,
  ...headers
}: Readonly<Record<string, string>>): Record<string, string> {
  return headers;
}

const keyOf = (method: string, url: string): string => hashOf(`${method}\n${url}`);

const variantKey = (key: string, vary: readonly string[], headers: Readonly<Record<string, string>>): string =>
  hashOf([key, ...vary.map((name) => `${name}: ${headers[name] ?? ''}`)].join('\n'));

const varyOf = (headers: ResponseHeaders): string[] =>
  [...new Set((headers.get('vary') ?? '').toLowerCase().split(','))]
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .sort();

/** Cookies are for the one request, and the rest belongs to the connection. */
const NOT_STORED: ReadonlySet<string> = new Set([
  ...[
    'set-cookie',
    'set-cookie2',
    'connection',
    'keep-alive',
    'proxy-authenticate',
    'proxy-connection',
    'te',
    'trailer',
  ],
  ...['transfer-encoding', 'upgrade'],
]);

const storedHeaders = (headers: ResponseHeaders): [string, string][] =>
  headers.list().filter(([name]) => !NOT_STORED.has(name));

function joined(headers: readonly (readonly [string, string])[]): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, value] of headers) {
    all[name] = all[name] === undefined ? value : `${all[name]}, ${value}`;
  }
  return all;
}

const typeOf = ({ headers }: CacheEntry): string | null =>
  headers.find(([name]) => name === 'content-type')?.[1] ?? null;

const isRedirect = ({ status, headers }: CacheEntry): boolean =>
  REDIRECTS.has(status) && headers.some(([name]) => name === 'location');

/** As the exchange with a server would have read it. */
const wantsBody = (request: FetchRequest, entry: CacheEntry): boolean =>
  request.method === 'GET' && !isRedirect(entry) && request.wantBody(entry.status, typeOf(entry));

const isEnough = (request: FetchRequest, entry: CacheEntry): boolean =>
  entry.body !== null || !wantsBody(request, entry);

function isUnchanged(
  { etag, lastModified }: NonNullable<FetchRequest['ifModified']>,
  headers: ResponseHeaders,
): boolean {
  return etag !== undefined ? headers.get('etag') === etag : headers.get('last-modified') === lastModified;
}

function isEntry(value: unknown): value is CacheEntry {
  const { version, status, headers, body, policy } = (value ?? {}) as Partial<Record<keyof CacheEntry, unknown>>;
  return (
    version === VERSION &&
    Number.isInteger(status) &&
    Array.isArray(headers) &&
    headers.every((header) => Array.isArray(header) && header.length === 2 && header.every(isText)) &&
    (body === null || (isText(body) && /^[\da-f]{64}$/.test(body))) &&
    typeof policy === 'object' &&
    policy !== null
  );
}

function isVariants(value: unknown): value is Variants {
  const { version, vary } = (value ?? {}) as Partial<Record<keyof Variants, unknown>>;
  return version === VERSION && Array.isArray(vary) && vary.every(isText);
}

const isText = (value: unknown): value is string => typeof value === 'string';
