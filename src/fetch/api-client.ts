import type { Clock } from '../base/clock.js';
import { FetchError } from '../base/errors.js';
import type { FetchResponse } from './contract.js';
import type { Fetcher } from './fetcher.js';
import { parseRetryAfter } from './response-headers.js';

/** A third party could not be asked; the message is for the user. The crawl goes on without it. */
export class ApiTrouble extends Error {}

export interface ApiOptions {
  fetcher: Pick<Fetcher, 'fetch'>;
  clock: Clock;
  /** The time from the headers of one answer, or its failure, to the next request. */
  delayMs: number;
  /** The longest that all waits for one answer may take together, apart from the delay. */
  maxWaitMs: number;
  idleTimeoutMs: number;
  /** Aborted when the run ends; waiting calls are then rejected with its reason. */
  signal: AbortSignal;
}

/** Takes a piece of an answer; returns false when it has enough. */
export type TakePiece = (piece: Buffer) => boolean | Promise<boolean>;

/** `nothing` is a 404; `truncated` means that what was taken is only the beginning. */
export type AnswerEnd = 'complete' | 'nothing' | 'truncated' | 'enough';

interface Refusal {
  problem: string;
  retryAfterMs: number | null;
}

const MAX_TRIES = 5;
const FIRST_BACKOFF_MS = 2_000;
/** The limit for the whole of one answer: an index of a large site takes its time. */
const TIMEOUT_MS = 30 * 60_000;

/**
 * Asks one third party: one request at a time, with the delay between two. If it is busy or does not answer, it is asked again later, a few
 * times; if it refuses, it is left alone. Redirects are not followed: only the address that the user named is asked.
 */
export class ApiClient {
  readonly #options: ApiOptions;
  #turn: Promise<unknown> = Promise.resolve();
  #nextAt = 0;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  /** Resolves when all of the answer was taken; what was taken of an answer that broke off still counts. */
  ask(url: string, take: TakePiece): Promise<AnswerEnd> {
    const answer = this.#turn.then(() => this.#askUntilAnswered(url, take));
    this.#turn = answer.catch(() => {});
    return answer;
  }

  async #askUntilAnswered(url: string, take: TakePiece): Promise<AnswerEnd> {
    const { clock, maxWaitMs } = this.#options;
    let waitedMs = 0;
    for (let tries = 1; ; tries++) {
      await this.#sleepUntil(this.#nextAt);
      const outcome = await this.#try(url, take);
      if (typeof outcome === 'string') {
        return outcome;
      }
      const waitMs = outcome.retryAfterMs ?? FIRST_BACKOFF_MS * 2 ** (tries - 1);
      waitedMs += waitMs;
      if (tries === MAX_TRIES) {
        throw new ApiTrouble(`${outcome.problem}, ${MAX_TRIES} times`);
      }
      if (waitedMs > maxWaitMs) {
        throw new ApiTrouble(`${outcome.problem}, and waiting for it would take longer than --max-wait`);
      }
      await this.#sleepUntil(clock.now() + waitMs);
    }
  }

  async #try(url: string, take: TakePiece): Promise<AnswerEnd | Refusal> {
    const { fetcher, clock, signal, idleTimeoutMs, delayMs } = this.#options;
    const taking = new Taking(take);
    const pending = fetcher.fetch(
      {
        url,
        method: 'GET',
        accept: 'application/json',
        singleConnection: true,
        wantBody: (status) => status === 200,
        timeoutMs: TIMEOUT_MS,
        idleTimeoutMs,
        sink: (piece) => taking.take(piece, stop),
      },
      {
        onHeaders: (at) => {
          this.#nextAt = at + delayMs;
        },
      },
    );
    const stop = (): void => pending.abort(new FetchError('internal', 'Nothing more of it is wanted.'));
    signal.addEventListener('abort', stop, { once: true });
    try {
      const response = await pending.promise;
      return this.#judge(response, taking);
    } catch (error) {
      this.#nextAt = Math.max(this.#nextAt, clock.now() + delayMs);
      signal.throwIfAborted();
      return judgeFailure(error, taking);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** An answer, or a reason to ask again. */
  #judge({ status, headers, truncated }: FetchResponse, taking: Taking): AnswerEnd | Refusal {
    if (taking.failure !== null) {
      throw taking.failure.error;
    }
    if (taking.isEnough) {
      return 'enough';
    }
    if (status === 404) {
      return 'nothing';
    }
    if (status === 200) {
      return truncated ? 'truncated' : 'complete';
    }
    if (status === 429 || status >= 500) {
      const retryAfterMs = parseRetryAfter(headers.get('retry-after'), this.#options.clock.wall());
      return { problem: `it answered ${status}`, retryAfterMs };
    }
    throw new ApiTrouble(`it answered ${status}${status < 400 ? ', and redirects are not followed' : ''}`);
  }

  #sleepUntil(at: number): Promise<void> {
    const { clock, signal } = this.#options;
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        return reject(signal.reason);
      }
      if (at <= clock.now()) {
        return resolve();
      }
      const stop = (): void => {
        cancel();
        reject(signal.reason);
      };
      const cancel = clock.at(at, () => {
        signal.removeEventListener('abort', stop);
        resolve();
      });
      signal.addEventListener('abort', stop, { once: true });
    });
  }
}

/** Hands the pieces of one answer to the caller, who may have enough of them, or fail. */
class Taking {
  readonly #take: TakePiece;
  hasBegun = false;
  isEnough = false;
  failure: { error: unknown } | null = null;

  constructor(take: TakePiece) {
    this.#take = take;
  }

  async take(piece: Buffer, stop: () => void): Promise<void> {
    this.hasBegun = true;
    if (this.isEnough) {
      return;
    }
    try {
      this.isEnough = !(await this.#take(piece));
    } catch (error) {
      this.isEnough = true;
      this.failure = { error };
    }
    if (this.isEnough) {
      stop();
    }
  }
}

function judgeFailure(error: unknown, taking: Taking): AnswerEnd | Refusal {
  if (taking.failure !== null) {
    throw taking.failure.error;
  }
  if (taking.isEnough) {
    return 'enough';
  }
  if (taking.hasBegun) {
    return 'truncated';
  }
  if (!(error instanceof FetchError)) {
    throw error;
  }
  const message = error.message.replace(/\.$/, '');
  if (!PASSING.has(error.errorClass)) {
    throw new ApiTrouble(`it cannot be reached (${message})`);
  }
  return { problem: `it does not answer (${message})`, retryAfterMs: null };
}

const PASSING: ReadonlySet<string> = new Set(['timeout', 'connection_reset', 'connection_refused']);
