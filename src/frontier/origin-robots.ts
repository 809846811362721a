import type { OriginRow } from '../store/transaction.js';
import { UNANSWERED_ROBOTS } from '../store/url-state.js';

/**
 * The state of an origin's rules:
 *
 *   unknown ──► fetching ──► ready         its rules are known, or there are none
 *      ▲           │  ├────► unreachable   it does not answer: nothing may be fetched
 *      └───────────┘  └────► failed        the host cannot be had: that is the result of each of its URLs
 *   asked again, expired, or never sent
 */
export type RobotsState = 'unknown' | 'fetching' | 'ready' | 'unreachable' | 'failed';

/** How an origin comes back into memory. */
interface Return {
  state: RobotsState;
  obeys: boolean;
  /** Monotonic. */
  retryAt: number;
}

/** The robots.txt of one origin: what it says, how it was asked for, and whether the sitemaps it may name were looked for. */
export class OriginRobots {
  #state: RobotsState = 'unknown';
  #id: number | null = null;
  #rules: string | null = null;
  #rulesVersion = 0;
  /** Wall times. */
  #readAt: number | null = null;
  #expiresAt = 0;
  /** Kept in the store with the time of the next try, so that a resumed run begins no new series. */
  #tries = 0;
  #retryAt = 0;
  #problem: string | null = null;
  #crawlDelayMs: number | null = null;
  #isUnanswered = false;
  #sitemapsSought = false;
  #wantsOneBack = false;
  #changed = false;

  restore(row: OriginRow, { state, obeys, retryAt }: Return): void {
    this.#state = state;
    this.#id = row.robotsId;
    this.#rules = obeys ? row.robotsRules : null;
    this.#rulesVersion = row.robotsAt ?? 0;
    this.#readAt = obeys ? row.robotsAt : null;
    this.#expiresAt = obeys ? (row.robotsExpiresAt ?? 0) : Number.MAX_SAFE_INTEGER;
    this.#crawlDelayMs = obeys ? row.crawlDelayMs : null;
    this.#isUnanswered = obeys && row.robotsState === UNANSWERED_ROBOTS;
    this.#sitemapsSought = row.sitemapsSought;
    this.#tries = row.robotsTries;
    this.#retryAt = retryAt;
  }

  /** @param wallOffset what makes a monotonic time a wall time */
  toRow(originId: number, wallOffset: number): OriginRow {
    return {
      id: originId,
      robotsId: this.#id,
      robotsState: this.#state === 'ready' && this.#isUnanswered ? UNANSWERED_ROBOTS : this.#state,
      robotsRules: this.#rules,
      robotsAt: this.#readAt,
      robotsExpiresAt: this.#expiresAt,
      crawlDelayMs: this.#crawlDelayMs,
      sitemapsSought: this.#sitemapsSought,
      robotsTries: this.#tries,
      robotsRetryAt: this.#retryAt + wallOffset,
    };
  }

  /** Whether the row has changed since this was last asked. */
  takeChanged(): boolean {
    const changed = this.#changed;
    this.#changed = false;
    return changed;
  }

  /** Something about it has changed and goes into the next transaction of its host. */
  touch(): void {
    this.#changed = true;
  }

  get state(): RobotsState {
    return this.#state;
  }

  /** The id of its URL, once it was leased. */
  get id(): number | null {
    return this.#id;
  }

  get rules(): string | null {
    return this.#rules;
  }

  get rulesVersion(): number {
    return this.#rulesVersion;
  }

  get crawlDelayMs(): number | null {
    return this.#crawlDelayMs;
  }

  /** Error class of `failed`, reason of `unreachable`. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Whether it did not answer and its URLs are requested anyway. */
  get isUnanswered(): boolean {
    return this.#isUnanswered;
  }

  /** How often in a row it could not be read. */
  get tries(): number {
    return this.#tries;
  }

  /** Monotonic time before which it is not requested. */
  get retryAt(): number {
    return this.#retryAt;
  }

  /** Whether nothing waits for rules here. */
  get isNeverAwaited(): boolean {
    return this.#expiresAt === Number.MAX_SAFE_INTEGER;
  }

  get sitemapsSought(): boolean {
    return this.#sitemapsSought;
  }

  /** Whether it has to be requested before anything else, because the rules are not known or have expired. */
  isNeeded(wall: number): boolean {
    // A clock that was set back says nothing about its age.
    if (this.#state === 'ready' && (wall >= this.#expiresAt || wall < (this.#readAt ?? 0))) {
      this.#state = 'unknown';
      this.#changed = true;
    }
    return this.#state === 'unknown';
  }

  started(): void {
    this.#state = 'fetching';
  }

  leased(id: number): void {
    this.#id = id;
    this.#changed = true;
  }

  /** @param wantsOneBack all URLs of the origin are under way: the next that comes back is queued again, so that robots.txt is requested */
  askAgain(wantsOneBack = this.#wantsOneBack): void {
    this.#state = 'unknown';
    this.#wantsOneBack = wantsOneBack;
  }

  get wantsOneBack(): boolean {
    return this.#wantsOneBack;
  }

  gotOneBack(): void {
    this.#wantsOneBack = false;
  }

  /** It could not be read. Returns how often that has happened in a row. */
  missed(): number {
    return ++this.#tries;
  }

  retry(at: number): void {
    this.#state = 'unknown';
    this.#retryAt = at;
  }

  read(rules: string | null, crawlDelayMs: number | null, wall: number, expiresAt: number): void {
    this.#state = 'ready';
    this.#rules = rules;
    this.#rulesVersion = wall;
    this.#readAt = wall;
    this.#expiresAt = expiresAt;
    this.#crawlDelayMs = crawlDelayMs;
    this.#isUnanswered = false;
    this.#problem = null;
    this.#tries = 0;
    this.#retryAt = 0;
  }

  /** It is crawled as if everything were allowed. @param tries counted further: another run tries once */
  passedOver(isUnanswered: boolean, tries: number): void {
    this.#isUnanswered = isUnanswered;
    this.#tries = tries;
  }

  giveUp(state: 'failed' | 'unreachable', problem: string): void {
    this.#state = state;
    this.#problem = problem;
  }

  /** Whether its sitemaps are looked for here for the first time. */
  seekSitemaps(): boolean {
    const isFirst = !this.#sitemapsSought;
    this.#sitemapsSought = true;
    return isFirst;
  }
}
