import type { Clock } from '../base/clock.js';
import type { QueuedUrl } from '../store/transaction.js';
import { UrlFlag, UrlKind } from '../store/url-state.js';
import type { Budget } from './budget.js';
import type { Host, Origin } from './host.js';
import type { SchedulerOptions } from './options.js';
import type { Queues } from './queues.js';

export const isSecondLook = ({ flags }: QueuedUrl): boolean => (flags & UrlFlag.secondLook) !== 0;
/** Files of rendered pages are free of the limits on pages: a page that was fetched needs them. */
const isAsset = ({ kind }: QueuedUrl): boolean => kind === UrlKind.asset;

/** Decides which waiting URLs may be requested, and when. It looks at queues, robots.txt and the budget, never at the pace of hosts. */
export class Eligibility {
  readonly #options: SchedulerOptions;
  readonly #clock: Clock;
  readonly #queues: Queues;
  readonly #budget: Budget;

  constructor(parts: { options: SchedulerOptions; clock: Clock; queues: Queues; budget: Budget }) {
    this.#options = parts.options;
    this.#clock = parts.clock;
    this.#queues = parts.queues;
    this.#budget = parts.budget;
  }

  /** When the host has something to request. */
  from(host: Host): number {
    let at = Number.POSITIVE_INFINITY;
    for (const origin of host.origins) {
      at = Math.min(at, this.#fromOrigin(origin));
    }
    return at;
  }

  #fromOrigin(origin: Origin): number {
    if (origin.isLoading || origin.waiting === 0) {
      return Number.POSITIVE_INFINITY;
    }
    const ownTime = origin.queue.readyAt((item) => this.allows(origin, item));
    if (origin.robots.isNeeded(this.#clock.wall())) {
      return Math.min(ownTime, this.#keepsRobots(origin) ? Number.POSITIVE_INFINITY : origin.robots.retryAt);
    }
    return this.wantsMore(origin) ? 0 : ownTime;
  }

  /** Whether robots.txt, the budget and second looks let this URL go. A robots.txt itself always may. */
  allows(origin: Origin, item: QueuedUrl): boolean {
    return (
      (origin.robots.state === 'ready' || item.kind === UrlKind.robots) &&
      (!this.#budget.takesNoNew || item.attempts > 0 || isAsset(item)) &&
      !(isSecondLook(item) && this.#keepsSecondLooks(origin))
    );
  }

  /** Whether its robots.txt has to be requested now. */
  wantsRobots(origin: Origin, now: number): boolean {
    const { robots } = origin;
    const waits = origin.waiting > 0 && !this.#keepsRobots(origin);
    return waits && robots.isNeeded(this.#clock.wall()) && robots.retryAt <= now;
  }

  /** Whether more URLs have to come from disk into memory. */
  wantsMore({ robots, queue }: Origin): boolean {
    const wanted = robots.state === 'ready' ? queue.wanting() : null;
    return (
      wanted !== null && !this.#queues.isHeld(wanted.class) && !(this.#budget.takesNoNew && queue.urgentOnDisk === 0)
    );
  }

  /** Nothing new may be requested, so no robots.txt is needed either. */
  #keepsRobots({ queue }: Origin): boolean {
    return this.#budget.isSpent && !this.#options.asksAgain && queue.readyAt(isAsset) === Number.POSITIVE_INFINITY;
  }

  /** One goes at a time; after a failure it is one that has not failed yet, so that a few bad URLs do not put the whole host off. */
  #keepsSecondLooks({ host, queue }: Origin): boolean {
    return host.secondLooks > 0 || (host.failures > 0 && !this.#budget.takesNoNew && queue.restWaits);
  }
}
