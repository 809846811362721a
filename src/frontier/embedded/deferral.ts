import { UrlState } from '../../store/url-state.js';
import type { Admission } from './admission.js';
import type { Composition } from './composition.js';
import type { FrontierState } from './frontier-state.js';
import type { Host, Origin } from './host.js';

/** All waiting URLs of a host or an origin share one fate: put off because it is in trouble, failed because it cannot be had. */
export class Deferral {
  readonly #state: FrontierState;
  readonly #admission: Admission;

  constructor(state: FrontierState, admission: Admission) {
    this.#state = state;
    this.#admission = admission;
  }

  putOff(host: Host, reason: string): void {
    host.toDefer = reason;
    this.#state.toDefer.add(host);
  }

  deferHosts(composition: Composition): void {
    for (const origin of this.#state.toShareFate) {
      this.shareFate(origin, composition);
    }
    this.#state.toShareFate.clear();
    for (const host of this.#state.toDefer) {
      host.deferredReason = host.toDefer;
      host.toDefer = null;
      host.dirty = true;
      this.moveAll(UrlState.deferred, host.deferredReason, host, null, composition);
      this.#state.scheduler.refresh(host);
    }
    this.#state.toDefer.clear();
  }

  moveAll(
    to: UrlState,
    reason: string | null,
    host: Host | null,
    origin: Origin | null,
    composition: Composition,
  ): void {
    const members = origin !== null ? [origin] : host!.origins;
    for (const member of members) {
      this.#state.scheduler.clear(member, [0, 0, 0]);
    }
    composition.transaction.bulk.push({
      host: host?.id ?? null,
      origin: origin?.id ?? null,
      from: UrlState.queued,
      to,
      reason,
    });
    composition.bulkHosts.push({ host, origin });
    composition.pin(host ?? origin!.host);
    for (const member of members) {
      this.abandonHops(member.origin, composition);
    }
  }

  /** Whose robots.txt moved to an origin that is given up shares its fate. */
  abandonHops(at: string, composition: Composition): void {
    const target = this.#state.registry.origin(at);
    const problem = target?.robots === 'failed' ? target.problem : null;
    const [standing, to, reason] =
      problem === null
        ? (['unreachable', UrlState.deferred, 'robots_unreachable'] as const)
        : (['failed', UrlState.failed, problem] as const);
    for (const { id, owner, isPassedOver } of this.#state.robots.abandoned(at, standing, reason, (id) =>
      this.#state.leased.has(id),
    )) {
      const fresh = composition.transaction.newUrls.find((url) => url.id === id);
      if (fresh !== undefined) {
        fresh.state = UrlState.failed;
      } else {
        composition.transaction.skipped.push({ id, reason, pattern: null });
        composition.settled.outstanding++;
      }
      if (isPassedOver) {
        this.#admission.afterRobots(owner, [], composition);
        composition.pin(owner.host);
        continue;
      }
      this.moveAll(to, reason, null, owner, composition);
      const seeds = this.#state.parts.seeds.originFailed(owner.origin, reason, {
        message: `its robots.txt moved to ${at}: ${reason}`,
        errorClass: null,
      });
      this.#admission.admit(seeds, null, composition);
    }
  }

  /** What is queued again where all else is put off or has failed meanwhile goes the same way in the same transaction. */
  shareFate(origin: Origin, composition: Composition): void {
    if (origin.host.deferredReason !== null) {
      this.putOff(origin.host, origin.host.deferredReason);
    } else if (origin.robots === 'unreachable') {
      this.moveAll(UrlState.deferred, origin.problem, null, origin, composition);
    } else if (origin.robots === 'failed') {
      this.moveAll(UrlState.failed, origin.problem, null, origin, composition);
    }
  }
}
