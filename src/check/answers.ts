import type { CheckedUrl, CheckReader, EarlierLook } from '../store/check-reader.js';
import { UrlFlag, UrlState } from '../store/url-state.js';
import type { Look } from './report/result.js';
import type { Answer, LookResult } from './ruling.js';

/** Reasons for which the URL itself has answered with a status. For any other failure the stored status is not its answer. */
const ANSWERED: ReadonlySet<string | null> = new Set([
  null,
  'http_4xx',
  'http_5xx',
  'auth_required',
  'rate_limited',
  'malformed_html',
  'redirect_limit',
  'redirect_loop',
  'invalid_url',
  'too_large',
]);
const FEWEST_TO_JUDGE_A_HOST = 3;

/** Gives what the store knows of a URL in the form that a verdict needs. */
export class Answers {
  readonly #store: CheckReader;
  readonly #forbidding: ReadonlyMap<number, number>;

  constructor(store: CheckReader) {
    this.#store = store;
    this.#forbidding = store.forbiddingHosts(FEWEST_TO_JUDGE_A_HOST);
  }

  answerOf(row: CheckedUrl): Answer {
    const isMarked = (row.flags & UrlFlag.secondLook) !== 0;
    const isSilent = !isMarked && row.failedWithRobots === 1;
    return {
      state: row.state,
      ...resultOf(row),
      headers: row.headers === null ? {} : JSON.parse(row.headers),
      title: row.title,
      first: isMarked ? this.#firstLook(row.id) : isSilent ? resultOf(row) : null,
      wasDoubted: isMarked || isSilent,
      last: row.state === UrlState.done || row.state === UrlState.failed ? null : this.#lastLook(row.id),
      forbiddenByHost: row.host === null ? 0 : (this.#forbidding.get(row.host) ?? 0),
    };
  }

  /** All requests for a URL, in their order. */
  looksOf(row: CheckedUrl): Look[] {
    const looks = this.#store.earlierLooks(row.id).map(lookOf);
    const isSettled = row.state === UrlState.done || row.state === UrlState.failed;
    if (isSettled && (row.attempts > 0 || row.reason !== null)) {
      looks.push(lookOf({ at: row.fetchedAt, ...resultOf(row) }));
    }
    return looks;
  }

  #firstLook(id: number): LookResult | null {
    const first = this.#store.earlierLooks(id).findLast(({ look }) => look === 1);
    return first === undefined ? null : lookResult(first);
  }

  #lastLook(id: number): LookResult | null {
    const last = this.#store.earlierLooks(id).at(-1);
    return last === undefined ? null : lookResult(last);
  }
}

const resultOf = ({ reason, status, message }: CheckedUrl): LookResult => ({
  reason,
  status: ANSWERED.has(reason) ? status : null,
  message,
});

const lookResult = ({ reason, status, message }: EarlierLook): LookResult => ({ reason, status, message });

const lookOf = ({ at, status, reason, message }: LookResult & { at: number | null }): Look => ({
  at: new Date(at ?? 0).toISOString(),
  status,
  error: reason,
  message,
});
