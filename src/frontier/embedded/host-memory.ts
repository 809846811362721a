import type { HostSnapshot, QueuedUrl } from '../../store/transaction.js';
import { QueueClass } from '../../store/url-state.js';
import { hostnameOfKey } from '../../url/host.js';
import type { Composition } from './composition.js';
import type { Deferral } from './deferral.js';
import type { FrontierState } from './frontier-state.js';
import type { Host, Origin } from './host.js';
import { MAX_RETRY_DELAY_MS } from './options.js';
import type { Waiting } from './queue-window.js';

const MOST_LOOK_UPS = 256;
const LONGEST_LOOK_UP_MS = 2_000;

/** Hosts and waiting URLs on their way between memory and disk (layers 3 and 10). */
export class HostMemory {
  readonly #state: FrontierState;
  readonly #deferral: Deferral;

  constructor(state: FrontierState, deferral: Deferral) {
    this.#state = state;
    this.#deferral = deferral;
  }

  /** Hosts and URLs that come back from disk, before anything new is composed. */
  async bringIn(): Promise<void> {
    const now = this.#state.clock.now();
    if (this.#state.parked > 0 && this.#state.parkedDue <= now && this.#state.registry.surplus < 0) {
      const due = await this.#state.parts.store.loadDue(this.#state.steady.wall(), -this.#state.registry.surplus);
      this.#state.parked = due.parked + this.#state.toPark.size;
      const nextDue =
        due.nextDue === null ? Number.POSITIVE_INFINITY : now + Math.max(0, due.nextDue - this.#state.steady.wall());
      this.#state.parkedDue = this.#state.toPark.size > 0 ? Math.min(now, nextDue) : nextDue;
      for (const host of due.hosts) {
        this.enter(host);
      }
    }
    const { origins, each } = this.#state.scheduler.loads();
    if (origins.length > 0) {
      await this.#loadQueues(origins, each);
    }
  }

  /** Begins to look up the addresses that are wanted, not all at once: a burst of questions is what name servers drop. */
  findAddresses(): void {
    const { wantsAddress } = this.#state.scheduler.addresses;
    for (const host of wantsAddress) {
      if (this.#state.lookingUp >= MOST_LOOK_UPS) {
        return;
      }
      wantsAddress.delete(host);
      void this.#findAddress(host);
    }
  }

  async #findAddress(host: Host): Promise<void> {
    const name = hostnameOfKey(host.name);
    this.#state.lookingUp++;
    const address = await this.#inTime(this.#state.parts.resolveAddress(name).catch(() => null));
    this.#state.lookingUp--;
    // Behind a proxy nobody knows more than the name.
    this.#state.scheduler.addresses.found(host, address === name ? null : address);
    this.findAddresses();
    this.#state.parts.events.wake();
  }

  /** Where addresses are not paced, a name server that does not answer must not hold up the names that wait for their look-up. */
  #inTime(lookUp: Promise<string | null>): Promise<string | null> {
    const { clock, scheduler } = this.#state;
    if (scheduler.addresses.isOn) {
      return lookUp;
    }
    return new Promise((resolve) => {
      const cancel = clock.at(clock.now() + LONGEST_LOOK_UP_MS, () => resolve(null));
      void lookUp.then((address) => {
        cancel();
        resolve(address);
      });
    });
  }

  async #loadQueues(origins: Origin[], each: number): Promise<void> {
    const loads = origins.flatMap((origin) => {
      const wanted = origin.queue.wanting();
      if (wanted === null) {
        // Something came into memory since, or all of it was put off.
        this.#state.scheduler.addLoaded(origin, QueueClass.rest, []);
        return [];
      }
      return [
        {
          from: origin,
          load: { origin: origin.id, ...wanted, limit: each, renews: this.#state.options.renews ?? false },
        },
      ];
    });
    const rows = await this.#state.parts.store.loadQueue(loads.map(({ load }) => load));
    loads.forEach(({ from, load }, i) => {
      this.#state.scheduler.addLoaded(
        from,
        load.class,
        rows[i]!.map((row) => this.waiting(row)),
      );
    });
  }

  waiting(row: QueuedUrl): Waiting {
    const waitMs = row.notBefore - this.#state.steady.wall();
    return { ...row, notBefore: waitMs > 0 ? this.#state.clock.now() + Math.min(waitMs, MAX_RETRY_DELAY_MS) : 0 };
  }

  enter(snapshot: HostSnapshot): void {
    this.#state.parked -= this.#state.toPark.delete(snapshot.host.id) ? 1 : 0;
    const host = this.#state.registry.enter(snapshot);
    const waitMs = host.blockedUntil - this.#state.clock.now();
    if (waitMs > this.#state.options.maxWaitMs && host.deferredReason === null && host.waiting > 0) {
      this.#deferral.putOff(host, host.blockReason ?? 'backoff');
    }
    this.#state.scheduler.refresh(host);
  }

  saveChanged(composition: Composition): void {
    const swaps = this.#state.parked > 0 && this.#state.parkedDue <= this.#state.clock.now();
    if (
      this.#state.registry.surplus > 0 ||
      (swaps && this.#state.registry.surplus === 0 && !this.#state.evictionFutile)
    ) {
      const rows = this.#state.registry.evict(
        this.#state.registry.surplus,
        swaps && this.#state.registry.surplus === 0,
      );
      this.#state.evictionFutile = rows.length === 0;
      this.#state.parts.events.originsLeft(this.#state.registry.takeLeft());
      this.#state.scheduler.left(this.#state.registry.takeUrlsLeft());
      composition.transaction.hosts.push(...rows);
      for (const { parkedUntil } of rows) {
        if (parkedUntil !== null) {
          this.#state.parked++;
          this.#state.parkedDue = Math.min(
            this.#state.parkedDue,
            this.#state.clock.now() + Math.max(0, parkedUntil - this.#state.steady.wall()),
          );
        }
      }
    }
    composition.transaction.hosts.push(...this.#state.toPark.values());
    this.#state.toPark.clear();
    for (const host of new Set(composition.pinned)) {
      this.#saveHost(host, composition);
    }
    composition.transaction.spilledKeys = this.#state.parts.keys.spill();
  }

  #saveHost(host: Host, composition: Composition): void {
    if (host.dirty) {
      host.dirty = false;
      composition.transaction.hosts.push(this.#state.registry.row(host));
    }
    for (const origin of host.origins) {
      if (origin.dirty) {
        origin.dirty = false;
        composition.transaction.origins.push(this.#state.registry.originRow(origin));
      }
    }
  }

  /** There is no room for it in memory: with the next transaction it stands among those that wait on disk. */
  park(host: HostSnapshot['host']): void {
    const parkedUntil = Math.max(host.nextAllowedAt, host.blockedUntil);
    this.#state.parked += this.#state.toPark.has(host.id) ? 0 : 1;
    this.#state.toPark.set(host.id, { ...host, parkedUntil });
    this.#state.parkedDue = Math.min(
      this.#state.parkedDue,
      this.#state.clock.now() + Math.max(0, parkedUntil - this.#state.steady.wall()),
    );
  }
}
