import type { Clock } from '../base/clock.js';
import { hostnameOfKey } from '../url/host.js';
import type { Host } from './host.js';
import type { SchedulerOptions } from './options.js';

/** The hosts on one address, where addresses are paced too. */
interface AddressGroup {
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

/** What the lines at addresses need from the scheduler. */
interface Surroundings {
  clock: Clock;
  /** Puts a host into the ready heap if it belongs there. */
  refresh(host: Host, now: number): void;
  resolve(hostName: string): Promise<string | null>;
  /** An address was found: something may be ready earlier than was said. */
  wake(): void;
}

const SWEEP_FROM = 1_000;
const MOST_LOOK_UPS = 256;
const LONGEST_LOOK_UP_MS = 2_000;

/**
 * Hosts whose requests have to wait for their address: for its turn, or for its look-up. It says whether a host's wait is over, and knows
 * nothing about what the host wants to request.
 *
 * `--max-inflight-per-ip` and `--delay-per-ip`: hosts that share an address take turns there. A host that finds its address busy stands
 * in line and out of the ready heap. When there is a place, the first in line is called: it goes to the heap under the time of the
 * address. A called host that has nothing to request passes its turn on, so a line never waits for a host that does not come.
 */
export class Addresses {
  readonly #options: AddressOptions;
  readonly #clock: Clock;
  readonly #around: Surroundings;
  readonly #isOn: boolean;
  /** A run that goes on with another keeps its distance to the last request of that one, whenever it was. */
  readonly #startAt: number;
  readonly #groups = new Map<string, AddressGroup>();
  /** Hosts that stand in line or wait for their look-up: they are in no ready heap. */
  readonly #held = new Set<Host>();
  /** The group of a host's requests under way: its name may move meanwhile. */
  readonly #busy = new Map<Host, AddressGroup>();
  /** Whose turn it is, and from which time on. */
  readonly #called = new Map<Host, { group: AddressGroup; at: number }>();
  readonly #toLookUp = new Set<Host>();
  #lookingUp = 0;
  #waiting = 0;
  #sweepAt = SWEEP_FROM;

  constructor(options: AddressOptions, resumed: boolean, around: Surroundings) {
    this.#options = options;
    this.#clock = around.clock;
    this.#around = around;
    this.#isOn = options.maxInflightPerIp > 0 || options.delayPerIpMs > 0;
    this.#startAt = resumed ? this.#clock.now() + options.delayPerIpMs : 0;
  }

  /** The host is in line, or waits for its look-up. */
  holds(host: Host): boolean {
    return this.#held.has(host);
  }

  /** From when on it is the turn of a host that was called; 0 where nobody has to wait for that. */
  calledAt(host: Host): number {
    return this.#called.get(host)?.at ?? 0;
  }

  /** Look-ups are under way. */
  get isLookingUp(): boolean {
    return this.#lookingUp > 0;
  }

  /** Hosts in line. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Addresses about which something is known. */
  get size(): number {
    return this.#groups.size;
  }

  /** Whether a request of the host may go to its address now. If not, the host stands in line, or waits for its address. */
  admits(host: Host, now: number): boolean {
    if (!this.#isOn) {
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
    this.#held.add(host);
    this.#waiting += group.waiting.has(host.id) ? 0 : 1;
    group.waiting.set(host.id, host);
    this.#sweep();
    this.#callNext(group);
    return false;
  }

  /** Returns true if the host's address is not known: it is looked up, and the host waits for that. */
  lacksAddress(host: Host): boolean {
    if (host.address !== null || host.hasNoAddress) {
      return false;
    }
    this.#toLookUp.add(host);
    this.#held.add(host);
    return true;
  }

  /** The host came out of the heap and requests nothing, or nothing yet: the next in line may go. */
  pass(host: Host): void {
    if (!this.#isOn) {
      return;
    }
    const group = this.#called.get(host)?.group ?? this.#groupOf(host);
    this.#answerCall(host);
    if (group !== null) {
      this.#callNext(group);
    }
  }

  /** Begins the look-ups that are wanted, not all at once: a burst of questions is what name servers drop. */
  lookUp(): void {
    for (const host of this.#toLookUp) {
      if (this.#lookingUp >= MOST_LOOK_UPS) {
        return;
      }
      this.#toLookUp.delete(host);
      void this.#lookUpOne(host);
    }
  }

  async #lookUpOne(host: Host): Promise<void> {
    const name = hostnameOfKey(host.name);
    this.#lookingUp++;
    const address = await this.#inTime(this.#around.resolve(name).catch(() => null));
    this.#lookingUp--;
    // Behind a proxy only the name is known.
    host.resolved(address === name ? null : address);
    this.#held.delete(host);
    this.#around.refresh(host, this.#clock.now());
    this.lookUp();
    this.#around.wake();
  }

  /** When addresses are not paced, a silent name server must not hold up the names that wait for their look-up. */
  #inTime(lookUp: Promise<string | null>): Promise<string | null> {
    if (this.#isOn) {
      return lookUp;
    }
    return new Promise((resolve) => {
      const cancel = this.#clock.at(this.#clock.now() + LONGEST_LOOK_UP_MS, () => resolve(null));
      void lookUp.then((address) => {
        cancel();
        resolve(address);
      });
    });
  }

  started(host: Host): void {
    const group = this.#isOn ? this.#groupOf(host) : null;
    if (group !== null) {
      this.#busy.set(host, group);
      group.inFlight++;
      group.awaitingHeaders++;
    }
  }

  headers(host: Host, at: number): void {
    const group = this.#busy.get(host);
    if (group !== undefined) {
      group.awaitingHeaders--;
      this.#answered(group, at);
      this.#callNext(group);
    }
  }

  /** @param answeredAt null if the headers were there before, or if nothing was sent */
  ended(host: Host, headersSeen: boolean, answeredAt: number | null): void {
    const group = this.#busy.get(host);
    if (group === undefined) {
      return;
    }
    group.inFlight--;
    group.awaitingHeaders -= headersSeen ? 0 : 1;
    if (answeredAt !== null) {
      this.#answered(group, answeredAt);
    }
    if (host.inFlight === 0) {
      // Its next request may find it at another address.
      this.#busy.delete(host);
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
      this.#held.delete(host);
      this.#called.set(host, { group, at });
      group.called++;
      this.#around.refresh(host, now);
      if (host.heapAt === null || host.heapAt > at) {
        // It has nothing to request by then, so it will stand in line again.
        this.#answerCall(host);
      }
    }
  }

  #answerCall(host: Host): void {
    const call = this.#called.get(host);
    if (call !== undefined) {
      call.group.called--;
      this.#called.delete(host);
    }
  }

  /** The group of its requests under way, otherwise of its address; null while that is not known. */
  #groupOf(host: Host): AddressGroup | null {
    const busy = this.#busy.get(host);
    const address = host.address ?? (host.hasNoAddress ? host.name : null);
    if (busy !== undefined || address === null) {
      return busy ?? null;
    }
    let group = this.#groups.get(address);
    if (group === undefined) {
      this.#sweep();
      group = { nextAllowedAt: this.#startAt, inFlight: 0, awaitingHeaders: 0, called: 0, waiting: new Map() };
      this.#groups.set(address, group);
    }
    return group;
  }

  /** Forgets addresses without any state, and hosts in line that left memory. It runs rarely, so its cost per new host is small. */
  #sweep(): void {
    if (this.#groups.size + this.#waiting < this.#sweepAt) {
      return;
    }
    const now = this.#clock.now();
    for (const [address, group] of this.#groups) {
      for (const [id, host] of group.waiting) {
        if (host.isEvicted) {
          group.waiting.delete(id);
          this.#held.delete(host);
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
