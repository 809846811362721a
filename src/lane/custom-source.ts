import type { Clock } from '../base/clock.js';
import { FetchError } from '../base/errors.js';
import type { FetchHooks, FetchOptions, FetchRequest, FetchResponse, PendingFetch } from '../fetch/contract.js';
import { Guard } from '../fetch/guard.js';
import { Resolver } from '../fetch/resolver.js';
import { ResponseHeaders } from '../fetch/response-headers.js';
import { hostnameOf, isHttp } from '../url/host.js';
import type { PageSource } from './lane.js';

/** What the user's fetcher may answer: a page, or its links. Null means that the page is broken. */
export interface CustomPage {
  /** HTML; text is taken as it is, bytes are decoded by `contentType` and by what they say about themselves. */
  html?: string | Uint8Array;
  /** Links, each handed to `resolve` as it is; if they are given, `html` is not searched for links. */
  links?: readonly string[];
  /** 200 by default. From 400 on the page is broken; 3xx with a `location` among the headers is a redirect. */
  status?: number;
  /** HTML by default. */
  contentType?: string;
  /** Headers of the answer, with names in any case. */
  headers?: Readonly<Record<string, string>>;
}

/** What a fetcher of yours may answer. */
export type CustomAnswer = CustomPage | string | null | undefined;

/** The signal says that nobody waits for the answer any longer: its time is over, or the crawl is. */
export type CustomFetch = (url: string, signal: AbortSignal) => CustomAnswer | Promise<CustomAnswer>;

/** Without a tag, nothing can be malformed. */
const TAG = /<[a-z!/?]/i;

/** Pages from a function instead of the network. Whatever it does (null, a throw, a promise that rejects or never ends), its URL gets a result. */
export class CustomSource implements PageSource {
  readonly wholeOnly = true;
  readonly #fetch: CustomFetch;
  readonly #options: FetchOptions;
  readonly #clock: Clock;
  readonly #gate: AddressGate | null;
  readonly #pending = new Set<(error: FetchError) => void>();

  constructor(fetch: CustomFetch, options: FetchOptions, guarded: boolean, clock: Clock) {
    this.#fetch = fetch;
    this.#options = options;
    this.#clock = clock;
    this.#gate = guarded ? new AddressGate(options, clock) : null;
  }

  fetch(request: FetchRequest, hooks: FetchHooks): PendingFetch {
    const controller = new AbortController();
    const timeoutMs = request.timeoutMs ?? this.#options.timeoutMs;
    let abort: (error: FetchError) => void = () => {};
    const aborted = new Promise<never>((_, reject) => {
      abort = (error) => {
        reject(error);
        controller.abort(error);
      };
    });
    const cancel = this.#clock.at(this.#clock.now() + timeoutMs, () =>
      abort(new FetchError('timeout', `the fetcher gave no answer within ${timeoutMs} ms`)),
    );
    this.#pending.add(abort);
    const promise = Promise.race([this.#answer(request.url, controller.signal, hooks), aborted]).finally(() => {
      cancel();
      this.#pending.delete(abort);
    });
    return { promise, pause: () => {}, resume: () => {}, abort };
  }

  async resolve(host: string): Promise<string> {
    return host;
  }

  async close(): Promise<void> {
    for (const abort of this.#pending) {
      abort(new FetchError('internal', 'the crawl has ended'));
    }
    this.#gate?.close();
  }

  async #answer(url: string, signal: AbortSignal, hooks: FetchHooks): Promise<FetchResponse> {
    await this.#gate?.check(url);
    const startedAt = this.#clock.now();
    const page = pageOf(await this.#call(url, signal));
    const body = bodyOf(page);
    if (body !== null && body.length > this.#options.maxBodyBytes) {
      throw new FetchError(
        'too_large',
        `the page has ${body.length} bytes, more than maxBodyBytes, ${this.#options.maxBodyBytes}`,
      );
    }
    const now = this.#clock.now();
    const headers = headersOf(page);
    if (!signal.aborted) {
      hooks.onHeaders?.(now, headers);
      hooks.onBytes?.(body?.length ?? 0);
    }
    const response: FetchResponse & { links?: string[] } = {
      status: page.status ?? 200,
      headers,
      body,
      wireBytes: body?.length ?? 0,
      bodyBytes: body?.length ?? 0,
      cut: false,
      endedEarly: false,
      truncated: false,
      damage: null,
      ttfbMs: now - startedAt,
      headersAt: now,
      endedAt: now,
      remoteAddress: null,
      ...(page.links === undefined ? {} : { links: [...page.links] }),
    };
    return response;
  }

  async #call(url: string, signal: AbortSignal): Promise<CustomAnswer> {
    try {
      return await this.#fetch(url, signal);
    } catch (error) {
      throw new FetchError('unknown', `the fetcher threw: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  }
}

/** The answer is checked by hand: the function may be plain JavaScript, and its mistakes should become errors of its page, not crashes of ours. */
function pageOf(given: CustomAnswer): CustomPage {
  if (given === null || given === undefined) {
    throw new FetchError('unknown', 'the fetcher returned null');
  }
  const page: CustomPage = typeof given === 'string' ? { html: given } : given;
  const { html, links, status } = page;
  if (typeof page !== 'object') {
    throw noPage(`a ${typeof page}`);
  }
  if (html !== undefined && typeof html !== 'string' && !(html instanceof Uint8Array)) {
    throw noPage('an html that is neither text nor bytes');
  }
  if (links !== undefined && !(Array.isArray(links) && links.every((link) => typeof link === 'string'))) {
    throw noPage('links that are no list of texts');
  }
  if (status !== undefined && !(Number.isInteger(status) && status >= 100 && status <= 599)) {
    throw noPage(`the status ${String(status)}`);
  }
  return page;
}

const noPage = (what: string): FetchError =>
  new FetchError('unknown', `the fetcher returned ${what}, which is no page`);

function bodyOf({ html }: CustomPage): Buffer | null {
  if (html === undefined) {
    return null;
  }
  return typeof html === 'string' ? Buffer.from(html) : Buffer.from(html.buffer, html.byteOffset, html.byteLength);
}

function headersOf(page: CustomPage): ResponseHeaders {
  const given = Object.entries(page.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
  const contentType = page.contentType ?? contentTypeOf(page);
  const entries = contentType === null ? given : [['content-type', contentType] as const, ...given];
  return new ResponseHeaders(entries.flatMap(([name, value]) => [name, asBytes(value)]));
}

/** Each character is a byte, as in the headers of `fetch`; text with other characters is encoded in UTF-8. */
const asBytes = (value: string): string => (/[^\0-\xff]/.test(value) ? Buffer.from(value).toString('latin1') : value);

/** Text is in UTF-8 by now; the encoding of bytes is for their reader to find out. */
function contentTypeOf({ html }: CustomPage): string | null {
  if (typeof html !== 'string') {
    return null;
  }
  return TAG.test(html) ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8';
}

/**
 * The guard in front of the user's fetcher. It looks up the addresses itself, so a name that changes its address between the check and
 * the connection gets past it: only our own fetcher can rule that out.
 */
class AddressGate {
  readonly #guard: Guard;
  readonly #resolver: Resolver;

  constructor(options: FetchOptions, clock: Clock) {
    this.#guard = new Guard(options.guard);
    this.#resolver = new Resolver(options.dnsServers, clock, options.verboseNetwork);
  }

  /** Throws if an address of the URL's host is forbidden. Keys that are not URLs have no address. */
  async check(url: string): Promise<void> {
    if (!isHttp(url)) {
      return;
    }
    const host = hostnameOf(url).replace(/^\[|\]$/g, '');
    const { port, protocol } = new URL(url);
    const number = port !== '' ? Number(port) : protocol === 'https:' ? 443 : 80;
    this.#guard.checkPort(host, number);
    for (const address of this.#resolver.known(host) ?? (await this.#ask(host))) {
      if (!this.#guard.allows(address, host, number)) {
        throw new FetchError(
          'blocked_address',
          `${host} is ${address}, an address that is not asked without allowPrivate or allowNetworks`,
        );
      }
    }
  }

  close(): void {
    this.#resolver.close();
  }

  async #ask(host: string): Promise<string[]> {
    // It is unknown which family the fetcher uses.
    const [older, newer] = await Promise.allSettled([
      this.#resolver.addresses(host, 4),
      this.#resolver.addresses(host, 6),
    ]);
    if (older.status === 'rejected' && newer.status === 'rejected') {
      throw older.reason;
    }
    return [older, newer].flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  }
}
