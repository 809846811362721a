/** How many hosts are busy, left alone or put off. Changes are counted as they happen, so that no loop over all hosts is needed. */
export class HostFigures {
  /** How many hosts have each number of leases out; the last place stands for more. */
  readonly #byLeases: Int32Array;
  readonly #perHost: number;
  #busy = 0;
  /** By name, the second at which a host is no longer left alone; and the names of each second. */
  readonly #blockedUntil = new Map<string, number>();
  readonly #bySecond = new Map<number, Set<string>>();
  #passed: number;
  readonly #deferred = new Set<string>();

  /** @param perHost requests of a host at most; @param stock leases beyond those */
  constructor(perHost: number, stock: number, now: number) {
    this.#perHost = perHost;
    this.#byLeases = new Int32Array(perHost + stock + 2);
    this.#passed = secondOf(now);
  }

  /** @param before leases of the host that were out before this one */
  started(before: number): void {
    this.#move(before, before + 1);
    this.#busy += before === 0 ? 1 : 0;
  }

  /** @param after leases of the host that are still out */
  ended(after: number): void {
    this.#move(after + 1, after);
    this.#busy -= after === 0 ? 1 : 0;
  }

  #move(from: number, to: number): void {
    const last = this.#byLeases.length - 1;
    this.#byLeases[Math.min(last, from)]!--;
    this.#byLeases[Math.min(last, to)]!++;
  }

  /** The host is left alone until then; a time in the past does not count. */
  blocked(name: string, until: number): void {
    const before = this.#blockedUntil.get(name);
    const second = secondOf(until);
    if (second === before || second <= this.#passed) {
      return;
    }
    if (before !== undefined) {
      this.#bySecond.get(before)?.delete(name);
    }
    this.#blockedUntil.set(name, second);
    const names = this.#bySecond.get(second);
    if (names === undefined) {
      this.#bySecond.set(second, new Set([name]));
    } else {
      names.add(name);
    }
  }

  deferred(name: string, isPutOff: boolean): void {
    if (isPutOff) {
      this.#deferred.add(name);
    } else {
      this.#deferred.delete(name);
    }
  }

  /** The hosts with a request under way, those left alone after trouble, those put off. */
  counts(now: number): { busy: number; backingOff: number; deferred: number } {
    this.#pass(secondOf(now));
    return { busy: this.#busy, backingOff: this.#blockedUntil.size, deferred: this.#deferred.size };
  }

  /** The most requests of one host, and leases that wait in a lane because their host has no place for them. */
  get load(): { most: number; waiting: number } {
    let most = 0;
    let waiting = 0;
    for (let leases = 1; leases < this.#byLeases.length; leases++) {
      const hosts = this.#byLeases[leases]!;
      most = hosts > 0 ? Math.min(leases, this.#perHost) : most;
      waiting += hosts * Math.max(0, leases - this.#perHost);
    }
    return { most, waiting };
  }

  /** Whose second has passed is asked again. */
  #pass(now: number): void {
    if (this.#blockedUntil.size === 0) {
      this.#passed = now;
    }
    while (this.#passed < now) {
      this.#passed++;
      for (const name of this.#bySecond.get(this.#passed) ?? []) {
        this.#blockedUntil.delete(name);
      }
      this.#bySecond.delete(this.#passed);
    }
  }
}

/** The first whole second at which a time is over. */
const secondOf = (at: number): number => Math.ceil(at / 1000);
