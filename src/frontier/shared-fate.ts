import { UrlState } from '../store/url-state.js';
import type { Admission } from './admission.js';
import type { Draft } from './draft.js';
import type { Host, Origin } from './host.js';
import type { Hosts } from './hosts.js';
import type { Leases } from './leases.js';
import type { Queues } from './queues.js';
import type { RobotsAnswers } from './robots-answers.js';
import type { Scheduler } from './scheduler.js';
import type { SeedBook } from './seed-book.js';

interface Surroundings {
  hosts: Hosts;
  queues: Queues;
  scheduler: Scheduler;
  leases: Leases;
  robots: RobotsAnswers;
  admission: Admission;
  seeds: SeedBook;
}

/**
 * All waiting URLs of a host or an origin share one fate: put off because it is in trouble, or failed because it cannot be reached. URLs that
 * come to wait there afterwards follow with the next transaction.
 */
export class SharedFate {
  readonly #around: Surroundings;
  /** Origins that are given up, but at which URLs were queued again. */
  readonly #late = new Set<Origin>();

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** Something has to be moved with the next transaction. */
  get isDue(): boolean {
    return this.#late.size > 0;
  }

  /** A URL was queued again at an origin that is given up. */
  addLate(origin: Origin): void {
    this.#late.add(origin);
  }

  /** Moves what is to be moved by now. */
  compose(draft: Draft): void {
    const { scheduler } = this.#around;
    for (const origin of this.#late) {
      this.follow(origin, draft);
    }
    this.#late.clear();
    for (const host of scheduler.deferrals.take()) {
      const reason = host.defer();
      scheduler.deferralChanged(host);
      this.#moveAll({ host }, UrlState.deferred, reason, draft);
      scheduler.refresh(host);
    }
  }

  /** What waits at the origin follows those that were given up there before, where they were. */
  follow(origin: Origin, draft: Draft): void {
    const { host, robots } = origin;
    if (host.deferredReason !== null) {
      this.#around.scheduler.deferrals.defer(host, host.deferredReason);
    } else if (robots.state === 'unreachable') {
      this.#moveAll({ origin }, UrlState.deferred, robots.problem, draft);
    } else if (robots.state === 'failed') {
      this.#moveAll({ origin }, UrlState.failed, robots.problem, draft);
    }
  }

  /** The robots.txt of the origin cannot be read: that decides for all that waits there. */
  giveUp(origin: Origin, to: UrlState, reason: string, draft: Draft): void {
    this.#moveAll({ origin }, to, reason, draft);
  }

  #moveAll(at: { host: Host } | { origin: Origin }, to: UrlState, reason: string | null, draft: Draft): void {
    const origins = 'host' in at ? at.host.origins : [at.origin];
    for (const origin of origins) {
      this.#around.queues.clear(origin, []);
    }
    draft.move(at, { from: UrlState.queued, to, reason });
    for (const { origin } of origins) {
      this.abandonHops(origin, draft);
    }
  }

  /** Whose robots.txt moved to an origin that is given up shares its fate. */
  abandonHops(at: string, draft: Draft): void {
    const { hosts, leases, robots, admission, seeds } = this.#around;
    const target = hosts.origin(at)?.robots;
    const problem = target?.state === 'failed' ? target.problem : null;
    const [state, to, reason] =
      problem === null
        ? (['unreachable', UrlState.deferred, 'robots_unreachable'] as const)
        : (['failed', UrlState.failed, problem] as const);
    for (const { id, owner, isPassedOver } of robots.abandoned(
      at,
      state,
      reason,
      (hop) => leases.get(hop) !== undefined,
    )) {
      const fresh = draft.transaction.newUrls.find((url) => url.id === id);
      if (fresh !== undefined) {
        fresh.state = UrlState.failed;
      } else {
        draft.skip(id, reason, null);
      }
      if (isPassedOver) {
        admission.seekSitemaps(owner, [], draft);
        draft.pin(owner.host);
        continue;
      }
      this.giveUp(owner, to, reason, draft);
      const message = `its robots.txt moved to ${at}: ${reason}`;
      admission.admit(seeds.originFailed(owner.origin, reason, { message, errorClass: null }), null, draft);
    }
  }
}
