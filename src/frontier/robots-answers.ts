import type { Clock } from '../base/clock.js';
import { RobotsWalk } from '../robots/walk.js';
import type { QueuedUrl } from '../store/transaction.js';
import { ROBOTS_LOOKS, UrlState } from '../store/url-state.js';
import { isForeignTo } from '../url/slots.js';
import type { Origin } from './host.js';
import { ROBOTS_AGE_MS, ROBOTS_RETRIES_MS, type SchedulerOptions } from './options.js';
import { type Offer, type Outcome, type RobotsAnswer, robotsHopOffer } from './outcome.js';

export interface RobotsStep {
  /** It redirects: this URL is requested next, on behalf of the first origin. */
  hop: { offer: Offer; walk: RobotsWalk } | null;
  /** The fate of all URLs that wait at the origin. */
  bulk: { to: UrlState; reason: string } | null;
  /** Rules are known now. */
  settled: boolean;
  sitemaps: string[];
}

type Rules = Omit<Extract<RobotsAnswer, { standing: 'rules' }>, 'standing'>;

const NO_RULES: Rules = { rules: null, crawlDelayMs: null, sitemaps: [], maxAgeMs: null };
const NOTHING: RobotsStep = { hop: null, bulk: null, settled: false, sitemaps: [] };

/**
 * What an answer to a request for robots.txt means for the origin that it was asked for (RFC 9309, and what it leaves open). A robots.txt that
 * redirects is followed here: each hop is a URL of its own, requested on behalf of the first origin.
 */
export class RobotsAnswers {
  readonly #options: SchedulerOptions;
  readonly #clock: Clock;
  /** Whether a bare domain waits there that has another spelling to try: then this one is given up early. */
  readonly #hasOtherSpelling: (origin: string) => boolean;
  /** Redirected requests, by id: on behalf of which origin they are made, which they are sent to, and over which hops. */
  readonly #owners = new Map<number, { owner: Origin; at: string; walk: RobotsWalk }>();

  constructor(options: SchedulerOptions, clock: Clock, hasOtherSpelling: (origin: string) => boolean) {
    this.#options = options;
    this.#clock = clock;
    this.#hasOtherSpelling = hasOtherSpelling;
  }

  follows(id: number, owner: Origin, at: string, walk: RobotsWalk): void {
    this.#owners.set(id, { owner, at, walk });
  }

  cookieFor({ id, url }: QueuedUrl): string | null {
    return this.#owners.get(id)?.walk.cookieFor(url) ?? null;
  }

  ownerOf(id: number): Origin | null {
    return this.#owners.get(id)?.owner ?? null;
  }

  /** Nothing that waits at this origin is requested any more: origins whose robots.txt was to be found there share its fate. */
  abandoned(
    at: string,
    standing: 'failed' | 'unreachable',
    problem: string,
    isLeased: (id: number) => boolean,
  ): { id: number; owner: Origin; isPassedOver: boolean }[] {
    const abandoned: { id: number; owner: Origin; isPassedOver: boolean }[] = [];
    for (const [id, hop] of this.#owners) {
      if (hop.at === at && !isLeased(id)) {
        this.#owners.delete(id);
        hop.owner.robots.touch();
        const isPassedOver = !this.#options.obeyRobots || (standing === 'unreachable' && this.#letsGo);
        if (isPassedOver) {
          this.#passOver(hop.owner);
        } else {
          hop.owner.robots.giveUp(standing, problem);
        }
        abandoned.push({ id, owner: hop.owner, isPassedOver });
      }
    }
    return abandoned;
  }

  answer(owner: Origin, item: QueuedUrl, outcome: Outcome): RobotsStep {
    const walk = this.#owners.get(item.id)?.walk ?? new RobotsWalk();
    this.#owners.delete(item.id);
    owner.robots.touch();
    const target =
      outcome.redirect !== null && 'offer' in outcome.redirect ? outcome.offers[outcome.redirect.offer] : undefined;
    if (target !== undefined) {
      const meaning = walk.redirected(item.url, target.url, outcome.cookies ?? []);
      if (meaning === 'ask' && this.#isForeign(target.url)) {
        // Only the machine that owns that host may send requests to it, and its answers do not come here.
        return this.#options.obeyRobots
          ? this.#letsGo
            ? this.#passOver(owner)
            : this.#putOff(owner)
          : this.#rules(owner, NO_RULES, outcome);
      }
      if (meaning === 'ask') {
        return { ...NOTHING, hop: { offer: robotsHopOffer(target.url, item.hops + 1), walk } };
      }
      return meaning === 'unreachable' && this.#options.obeyRobots
        ? this.#unreachable(owner)
        : // More redirects than anyone has to follow: as if there were no file.
          this.#rules(owner, NO_RULES, outcome);
    }
    const { robots } = outcome;
    if (!this.#options.obeyRobots) {
      return this.#rules(
        owner,
        { ...NO_RULES, sitemaps: robots?.standing === 'rules' ? robots.sitemaps : [] },
        outcome,
      );
    }
    if (robots?.standing === 'rules') {
      return this.#rules(owner, robots, outcome);
    }
    if (robots?.standing === 'failed') {
      return this.#failed(owner, robots.errorClass);
    }
    const { errorClass } = outcome;
    const isSilent = this.#options.givesUpOnSilence && (errorClass === 'timeout' || errorClass === 'too_slow');
    return isSilent ? this.#silent(owner, item, errorClass) : this.#unreachable(owner);
  }

  #rules(
    owner: Origin,
    { rules, crawlDelayMs, sitemaps, maxAgeMs }: Rules,
    { fromCache }: Pick<Outcome, 'fromCache'>,
  ): RobotsStep {
    const wall = this.#clock.wall();
    const ageMs = Math.min(ROBOTS_AGE_MS, maxAgeMs ?? ROBOTS_AGE_MS);
    const expiresAt = this.#options.obeyRobots ? wall + ageMs : Number.MAX_SAFE_INTEGER;
    owner.robots.read(rules, crawlDelayMs, wall, expiresAt);
    owner.host.robotsRead(this.#clock.now(), fromCache === undefined);
    return { ...NOTHING, settled: true, sitemaps };
  }

  /** 5xx, 429 or no answer: nothing of the origin may be fetched. It is requested twice more, then put off, or ignored if the user says so. */
  #unreachable(owner: Origin): RobotsStep {
    const pause = ROBOTS_RETRIES_MS[owner.robots.missed() - 1];
    if (pause !== undefined) {
      return this.#retry(owner, pause);
    }
    return this.#letsGo ? this.#passOver(owner) : this.#putOff(owner);
  }

  #putOff(owner: Origin): RobotsStep {
    owner.robots.giveUp('unreachable', 'robots_unreachable');
    return { ...NOTHING, bulk: { to: UrlState.deferred, reason: 'robots_unreachable' } };
  }

  /** Each try takes as long as a request may, and the second one is the second look at all that waits here. */
  #silent(owner: Origin, { url, hops }: QueuedUrl, errorClass: string): RobotsStep {
    if (owner.robots.missed() < ROBOTS_LOOKS) {
      return this.#retry(owner, this.#options.secondLook?.afterMs(url, errorClass, null) ?? ROBOTS_RETRIES_MS[0]);
    }
    if (this.#letsGo) {
      return this.#passOver(owner);
    }
    // If its robots.txt has moved, the host itself has answered.
    return hops > 0 ? this.#putOff(owner) : this.#givenUp(owner, errorClass);
  }

  #retry(owner: Origin, afterMs: number): RobotsStep {
    owner.robots.retry(this.#clock.now() + afterMs);
    return NOTHING;
  }

  #isForeign(url: string): boolean {
    const { seat } = this.#options;
    return seat !== undefined && isForeignTo(seat, url);
  }

  get #letsGo(): boolean {
    return this.#options.robotsUnreachable === 'allow';
  }

  #passOver(owner: Origin): RobotsStep {
    const step = this.#rules(owner, NO_RULES, {});
    owner.robots.passedOver(this.#options.obeyRobots, ROBOTS_RETRIES_MS.length);
    return step;
  }

  /** The host itself cannot be reached: that is the result of each of its URLs. */
  #failed(owner: Origin, errorClass: string): RobotsStep {
    const transient = errorClass === 'connection_refused' || errorClass === 'connection_reset';
    const { tries } = owner.robots;
    if (transient && tries < this.#options.retries && !this.#hasOtherSpelling(owner.origin)) {
      owner.robots.missed();
      return this.#retry(owner, this.#options.retryDelayMs * 2 ** tries);
    }
    return this.#givenUp(owner, errorClass);
  }

  #givenUp(owner: Origin, errorClass: string): RobotsStep {
    owner.robots.giveUp('failed', errorClass);
    return { ...NOTHING, bulk: { to: UrlState.failed, reason: errorClass } };
  }
}
