import { inflateRawSync } from 'node:zlib';
import type { Clock } from '../base/clock.js';
import { FetchError } from '../base/errors.js';
import type { FetchOptions, FetchRequest, FetchResponse, PendingFetch } from '../fetch/contract.js';
import { type AnyFetcher, openFetcher } from '../fetch/http-cache.js';
import { ResponseHeaders } from '../fetch/response-headers.js';
import { type AnsweredUrl, KeptAnswers } from '../store/kept-answers.js';
import { ArchiveSource } from './archive-source.js';
import type { PageSource } from './lane.js';

/** Pages come from the network, from an archive, or from a crawl that has kept them. */
export function openSource(options: FetchOptions, clock: Clock): AnyFetcher & PageSource {
  if (options.archive !== undefined) {
    return new ArchiveSource(options.archive, options.maxBodyBytes, clock);
  }
  return options.keptIn === undefined ? openFetcher(options, clock) : new KeptSource(options.keptIn, clock);
}

/** A kept crawl in place of the web: every URL is answered as it was then, and no requests are sent. */
class KeptSource implements AnyFetcher, PageSource {
  readonly asksNobody = true;
  readonly #answers: KeptAnswers;
  readonly #clock: Clock;

  constructor(directory: string, clock: Clock) {
    this.#answers = KeptAnswers.open(directory);
    this.#clock = clock;
  }

  fetch(request: FetchRequest): PendingFetch {
    const ignore = (): void => {};
    return { promise: this.#answer(request), pause: ignore, resume: ignore, abort: ignore };
  }

  resolve(): Promise<string> {
    return Promise.reject(notKept());
  }

  resize(): void {}

  retire(): number {
    return 0;
  }

  async close(): Promise<void> {
    this.#answers.close();
  }

  async #answer(request: FetchRequest): Promise<FetchResponse> {
    const kept = this.#answers.of(request.url);
    if (kept === null) {
      throw notKept();
    }
    if (kept.status === null) {
      throw new FetchError(kept.errorClass, kept.message ?? 'There was no answer when the crawl asked.');
    }
    const body = bodyOf(kept, request);
    const at = this.#clock.now();
    return {
      status: kept.status,
      headers: new ResponseHeaders(kept.headers.flat()),
      body,
      wireBytes: 0,
      bodyBytes: body?.length ?? 0,
      cut: body === null && request.method === 'GET',
      endedEarly: kept.endedEarly ?? false,
      truncated: kept.truncated ?? false,
      damage: kept.damage ?? null,
      ttfbMs: 0,
      headersAt: at,
      endedAt: at,
      remoteAddress: null,
      cached: true,
      ...(kept.answeredAt === null ? {} : { answeredAt: kept.answeredAt }),
    };
  }
}

function bodyOf({ packed }: AnsweredUrl, { method, firstBytes }: FetchRequest): Buffer | null {
  if (packed === null || method === 'HEAD') {
    return null;
  }
  const whole = inflateRawSync(packed);
  return firstBytes === undefined ? whole : whole.subarray(0, firstBytes);
}

const notKept = (): FetchError => new FetchError('not_kept', 'The crawl did not ask for it.');
