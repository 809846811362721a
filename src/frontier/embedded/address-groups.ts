import type { Clock } from '../../base/clock.js';
import type { Host } from './host.js';
import type { SchedulerOptions } from './options.js';

/** The hosts on one address, where addresses are paced too. */
export interface AddressGroup {
  nextAllowedAt: number;
  /** Requests under way, and those of them that still wait for headers. */
  inFlight: number;
  awaitingHeaders: number;
  /** Hosts whose turn has come and that have not taken it yet. */
  called: number;
  /** The others, by id, in the order in which they came. */
  readonly waiting: Map<number, Host>;
}

type AddressOptions = Pick<SchedulerOptions, 'maxInflightPerIp' | 'delayPerIpMs'>;

const SWEEP_FROM = 1_000;

/**
 * `--max-inflight-per-ip` and `--delay-per-ip`: hosts that share an address take turns there. A host that finds its address busy stands
 * in line and out of the ready heap. When there is a place, the first in line is called: it goes to the heap under the time of the
 * address. One that is called and has nothing to ask then passes its turn on; so a line never waits for somebody who does not come.
 */
export class AddressGroups {
  /** Hosts whose address has to be looked up first. */
  readonly wantsAddress = new Set<Host>();
  readonly #options: AddressOptions;
  readonly #clock: Clock;
  readonly #groups = new Map<string, AddressGroup>();
  /** Puts a host into the ready heap, where it belongs there. */
  readonly #refresh: (host: Host, now: number) => void;
  /** Whether addresses are paced at all. */
  readonly isOn: boolean;
  /** A run that goes on with another keeps its distance to the last request of that one, whenever it was. */
  readonly #startAt: number;
  #waiting = 0;
  #sweepAt = SWEEP_FROM;

  constructor(options: AddressOptions, clock: Clock, resumed: boolean, refresh: (host: Host, now: number) => void) {
    this.#options = options;
    this.#clock = clock;
    this.#refresh = refresh;
    this.isOn = options.maxInflightPerIp > 0 || options.delayPerIpMs > 0;
    this.#startAt = resumed ? clock.now() + options.delayPerIpMs : 0;
  }

  /** Hosts in line. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Addresses that something is known of. */
  get size(): number {
    return this.#groups.size;
  }

  /** Whether a request of the host may go to its address now. If not, the host stands in line, or waits for its address. */
  admits(host: Host, now: number): boolean {
    if (!this.isOn) {
      return true;
    }
    const group = this.#groupOf(host);
    if (group === null) {
      return !this.lacksAddress(host);
    }
    this.#answerCall(host);
    if (this.#hasPlace(group) && group.nextAllowedAt <= now) {
      return true;
    }
    host.waitingForRoom = true;
    this.#waiting += group.waiting.has(host.id) ? 0 : 1;
    group.waiting.set(host.id, host);
    this.#sweep();
    this.#callNext(group);
    return false;
  }

  /** True where the address of the host is not known: it is looked up, and the host waits for that. */
  lacksAddress(host: Host): boolean {
    if (host.address !== null || host.addressless) {
      return false;
    }
    this.wantsAddress.add(host);
    host.waitingForRoom = true;
    return true;
  }

  /** The host came out of the heap and asks for nothing, or nothing yet: whoever stands in line behind it may go. */
  pass(host: Host): void {
    if (!this.isOn) {
      return;
    }
    const group = host.called?.group ?? this.#groupOf(host);
    this.#answerCall(host);
    if (group !== null) {
      this.#callNext(group);
    }
  }

  found(host: Host, address: string | null): void {
    host.address = address;
    host.addressless = address === null;
    host.dirty = true;
    host.waitingForRoom = false;
    this.#refresh(host, this.#clock.now());
  }

  started(host: Host): void {
    if (this.isOn) {
      host.group ??= this.#groupOf(host);
      host.group!.inFlight++;
      host.group!.awaitingHeaders++;
    }
  }

  headers(host: Host, at: number): void {
    if (host.group !== null) {
      host.group.awaitingHeaders--;
      this.#answered(host.group, at);
      this.#callNext(host.group);
    }
  }

  /** @param answeredAt null where the headers were there before, or nothing was sent */
  ended(host: Host, headersSeen: boolean, answeredAt: number | null): void {
    const { group } = host;
    if (group === null) {
      return;
    }
    group.inFlight--;
    group.awaitingHeaders -= headersSeen ? 0 : 1;
    if (answeredAt !== null) {
      this.#answered(group, answeredAt);
    }
    if (host.inFlight === 0) {
      // Its next request may find it at another address.
      host.group = null;
    }
    this.#callNext(group);
  }

  #answered(group: AddressGroup, at: number): void {
    group.nextAllowedAt = Math.max(group.nextAllowedAt, at + this.#options.delayPerIpMs);
  }

  #hasPlace({ inFlight, awaitingHeaders, called }: AddressGroup): boolean {
    const { maxInflightPerIp, delayPerIpMs } = this.#options;
    return (
      (maxInflightPerIp === 0 || inFlight + called < maxInflightPerIp) &&
      (delayPerIpMs === 0 || awaitingHeaders + called === 0)
    );
  }

  #callNext(group: AddressGroup): void {
    const now = this.#clock.now();
    for (const [id, host] of group.waiting) {
      if (!this.#hasPlace(group)) {
        return;
      }
      group.waiting.delete(id);
      this.#waiting--;
      const at = Math.max(now, group.nextAllowedAt);
      host.waitingForRoom = false;
      host.called = { group, at };
      group.called++;
      this.#refresh(host, now);
      if (host.heapAt === null || host.heapAt > at) {
        // It has nothing to ask, or not by then: it will stand in line again.
        this.#answerCall(host);
      }
    }
  }

  #answerCall(host: Host): void {
    if (host.called !== null) {
      host.called.group.called--;
      host.called = null;
    }
  }

  /** The group of its requests under way, else of its address; null while that is not known. */
  #groupOf(host: Host): AddressGroup | null {
    const address = host.address ?? (host.addressless ? host.name : null);
    if (host.group !== null || address === null) {
      return host.group;
    }
    let group = this.#groups.get(address);
    if (group === undefined) {
      this.#sweep();
      group = { nextAllowedAt: this.#startAt, inFlight: 0, awaitingHeaders: 0, called: 0, waiting: new Map() };
      this.#groups.set(address, group);
    }
    return group;
  }

  /** Forgets addresses that are as if never asked, and hosts in line that left memory. What it costs is spread over what came since. */
  #sweep(): void {
    if (this.#groups.size + this.#waiting < this.#sweepAt) {
      return;
    }
    const now = this.#clock.now();
    for (const [address, group] of this.#groups) {
      for (const [id, host] of group.waiting) {
        if (host.evicted) {
          group.waiting.delete(id);
          this.#waiting--;
        }
      }
      if (group.inFlight + group.called + group.waiting.size === 0 && group.nextAllowedAt <= now) {
        this.#groups.delete(address);
      }
    }
    this.#sweepAt = Math.max(SWEEP_FROM, 2 * (this.#groups.size + this.#waiting));
  }
}
