import { isHostTrouble } from '../../hosts/backoff.js';
import { UrlFlag, UrlKind } from '../../store/url-state.js';
import { isServer } from '../../url/place.js';
import type { Outcome } from '../frontier.js';
import type { Deferral } from './deferral.js';
import type { FrontierState, Held } from './frontier-state.js';
import type { Host } from './host.js';
import type { RobotsEnd } from './robots-places.js';

/** What a response does to its host at once, long before it is committed: its clock, its places, its backoff, its tuning. */
export class Responses {
  readonly #state: FrontierState;
  readonly #deferral: Deferral;

  constructor(state: FrontierState, deferral: Deferral) {
    this.#state = state;
    this.#deferral = deferral;
  }

  headers(id: number, at: number): void {
    const held = this.#state.leased.get(id);
    if (held !== undefined && !held.headersSeen && !held.ended) {
      held.headersSeen = true;
      this.#state.scheduler.headers(held.origin.host, held.item, at);
    }
  }

  ended(outcome: Outcome): void {
    const held = this.#state.leased.get(outcome.id);
    if (held === undefined || held.ended) {
      return;
    }
    held.ended = true;
    this.#state.evictionFutile = false;
    const { host } = held.origin;
    const sent = outcome.unsent === null;
    if (sent && outcome.headersAt !== null && !held.headersSeen) {
      held.headersSeen = true;
      this.#state.scheduler.headers(host, held.item, outcome.headersAt);
    }
    if (sent) {
      this.#learn(host, held, outcome);
    }
    this.#state.scheduler.ended(host, held.item, outcome.endedAt, held.headersSeen, sent);
    if (held.item.kind === UrlKind.robots) {
      this.#state.scheduler.robotsEnded(host, robotsEnd(outcome));
    }
  }

  /** What a response tells about its host. */
  #learn(host: Host, held: Held, outcome: Outcome): void {
    const { status, errorClass } = outcome;
    if (outcome.address !== null && outcome.address !== host.address) {
      host.address = outcome.address;
      host.dirty = true;
    }
    if (errorClass === 'timeout' || status === 429 || status === 503) {
      host.tuner.overloaded();
    } else if (outcome.ttfbMs !== null && held.item.attempts === 1) {
      host.tuner.answered(outcome.ttfbMs);
    }
    if (!isHostTrouble(status, errorClass) || !isServer(host.name)) {
      host.succeeded();
      return;
    }
    const now = this.#state.clock.now();
    if (status === 429 && this.#state.options.learnsDelay) {
      host.refused(held.sentAt, now);
    }
    const retryAfterMs = status === 429 || status === 503 ? outcome.retryAfterMs : null;
    this.#state.scheduler.use.peakBlocked++;
    const trouble = { sentAt: held.sentAt, isKnown: (held.item.flags & UrlFlag.secondLook) !== 0 };
    host.troubled(trouble, now, retryAfterMs, this.#state.parts.random(), this.#state.options);
    if (host.blockedUntil - now > this.#state.options.maxWaitMs && host.deferredReason === null) {
      this.#deferral.putOff(host, host.blockReason ?? 'backoff');
    }
  }
}

/** One that begins to answer and comes to no end holds its place as one that never does. */
const robotsEnd = ({ errorClass, status }: Outcome): RobotsEnd =>
  errorClass === 'timeout' || errorClass === 'too_slow' ? 'silent' : status === null ? 'other' : 'answered';
