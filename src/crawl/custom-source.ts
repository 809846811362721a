import type { Clock } from '../base/clock.js';
import { FetchError } from '../base/errors.js';
import type { FetchRequest, FetchResponse, PendingFetch } from '../fetch/contract.js';
import { ResponseHeaders } from '../fetch/response-headers.js';
import type { PageSource } from './lane.js';

/** What a fetcher of the user's may answer: a page, or its links outright. Null means that the page is broken. */
export interface CustomPage {
  html?: string | Uint8Array;
  links?: readonly string[];
  status?: number;
  contentType?: string;
  headers?: Readonly<Record<string, string>>;
}
export type CustomFetch = (url: string) => CustomPage | string | null | Promise<CustomPage | string | null>;

/** Pages from a function instead of the net. Whatever it does (null, a throw, a promise that rejects), its URL gets a result. */
export class CustomSource implements PageSource {
  readonly #fetch: CustomFetch;
  readonly #clock: Clock;

  constructor(fetch: CustomFetch, clock: Clock) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  fetch(request: FetchRequest, hooks: { onHeaders?(at: number): void; onBytes?(count: number): void }): PendingFetch {
    let abort: (error: FetchError) => void = () => {};
    const aborted = new Promise<never>((_, reject) => {
      abort = reject;
    });
    const promise = Promise.race([this.#answer(request.url, hooks), aborted]);
    return { promise, pause: () => {}, resume: () => {}, abort: (error) => abort(error) };
  }

  async resolve(host: string): Promise<string> {
    return host;
  }

  async close(): Promise<void> {}

  async #answer(url: string, hooks: { onHeaders?(at: number): void; onBytes?(count: number): void }): Promise<FetchResponse> {
    const startedAt = this.#clock.now();
    let given: Awaited<ReturnType<CustomFetch>>;
    try {
      given = await this.#fetch(url);
    } catch (error) {
      throw new FetchError('unknown', `the fetcher threw: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
    if (given === null || given === undefined) {
      throw new FetchError('unknown', 'the fetcher returned null');
    }
    const page: CustomPage = typeof given === 'string' ? { html: given } : given;
    const now = this.#clock.now();
    hooks.onHeaders?.(now);
    const body = page.html === undefined ? null : Buffer.from(page.html as string);
    hooks.onBytes?.(body?.length ?? 0);
    return {
      status: page.status ?? 200,
      headers: headersOf(page),
      body,
      wireBytes: body?.length ?? 0,
      bodyBytes: body?.length ?? 0,
      cut: false,
      truncated: false,
      ttfbMs: now - startedAt,
      headersAt: now,
      endedAt: now,
      remoteAddress: null,
      ...(page.links === undefined ? {} : { links: [...page.links] }),
    } as FetchResponse;
  }
}

function headersOf(page: CustomPage): ResponseHeaders {
  const entries = Object.entries({ 'content-type': page.contentType ?? 'text/html; charset=utf-8', ...page.headers });
  return new ResponseHeaders(entries.flatMap(([name, value]) => [Buffer.from(name, 'latin1'), Buffer.from(value, 'latin1')]));
}
