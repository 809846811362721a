import type { Host } from './host.js';

/** The result of a request for robots.txt: an answer, none in time, or something that says nothing about either, such as a refused connection. */
export type RobotsEnd = 'answered' | 'silent' | 'other';

/** The hosts of one registrable domain, or on one address. */
interface Group {
  readonly kind: 'domain' | 'address';
  /** Places that its hosts hold. */
  held: number;
  /** Until one of them has answered, it is unknown whether any will. */
  standing: 'new' | 'answers' | 'silent';
  /** Those of its hosts that wait for others of it, by id, in the order in which they came. */
  readonly waiting: Map<number, Host>;
}

/** A place that is taken, and who it counts for. */
interface Place {
  readonly groups: readonly Group[];
  /** Whether its holder is expected to stay silent. */
  readonly isDoubtful: boolean;
}

/** How many groups of a kind without waiting hosts are remembered, with how they answered. */
const MOST_REMEMBERED = 10_000;

/**
 * Layer 8: how many requests for robots.txt are under way, redirected ones included, and the hosts that wait for a place.
 *
 * A name that takes a connection and never answers holds its place until it times out, and whoever has one such name has as many as he
 * likes. So places are shared out by registrable domain and by address: a group of which nothing is known gets an eighth of them, one that answers up to
 * three quarters. A group that was silent loses its turn: its hosts wait behind all others, and all silent ones together hold a
 * quarter of the places, or half where nobody else waits, each group its part of that.
 */
export class RobotsPlaces {
  readonly #limit: number;
  readonly #groups = { domain: new Map<string, Group>(), address: new Map<string, Group>() };
  /** Silent groups with hosts that hold a place or wait for one. */
  readonly #silent = { domain: new Set<Group>(), address: new Set<Group>() };
  /** Hosts that wait for a place, by id, in the order in which they came; and those that wait until these have theirs. */
  readonly #line = new Map<number, Host>();
  readonly #behind = new Map<number, Host>();
  /** Groups that have hosts waiting for others of them. */
  readonly #crowded = new Set<Group>();
  /** All hosts that wait, wherever they stand. */
  readonly #waiting = new Set<Host>();
  /** The places that each host holds. */
  readonly #taken = new Map<Host, Place[]>();
  #waitingForOwn = 0;
  #heldInDoubt = 0;
  #inFlight = 0;
  #peak = 0;
  #peakWaiting = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Most that were ever under way, or waited. */
  get peaks(): { inFlight: number; waiting: number } {
    return { inFlight: this.#peak, waiting: this.#peakWaiting };
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#line.size + this.#behind.size + this.#waitingForOwn;
  }

  /** Whether the host waits for a place. */
  holds(host: Host): boolean {
    return this.#waiting.has(host);
  }

  /** Whether so few places are left that it matters who gets them: then the address of a host has to be known. */
  get isScarce(): boolean {
    return this.#limit > 1 && this.#inFlight >= this.#part(2);
  }

  /** Whether there is a place for this host now. */
  isFreeFor(host: Host): boolean {
    return this.#inFlight < this.#limit && this.#whoIsInTheWay(host) === null && !this.#isHeldUpByDoubt(host);
  }

  take(host: Host): void {
    const groups = this.#groupsOf(host);
    const isDoubtful = groups.some(({ standing }) => standing === 'silent');
    for (const group of groups) {
      group.held++;
      this.#noteSilence(group);
    }
    this.#taken.set(host, [...(this.#taken.get(host) ?? []), { groups, isDoubtful }]);
    this.#heldInDoubt += isDoubtful ? 1 : 0;
    this.#inFlight++;
    this.#peak = Math.max(this.#peak, this.#inFlight);
  }

  giveBack(host: Host, end: RobotsEnd): void {
    const places = this.#taken.get(host)!;
    const { groups, isDoubtful } = places.pop()!;
    if (places.length === 0) {
      this.#taken.delete(host);
    }
    this.#inFlight--;
    this.#heldInDoubt -= isDoubtful ? 1 : 0;
    for (const group of groups) {
      group.held--;
      group.standing = end === 'answered' ? 'answers' : end === 'silent' ? 'silent' : group.standing;
      this.#noteSilence(group);
      this.#letGo(group);
    }
    forgetSome(this.#groups.domain);
    forgetSome(this.#groups.address);
  }

  wait(host: Host): void {
    if (!this.#waiting.has(host)) {
      this.#waiting.add(host);
      this.#stand(host);
      this.#peakWaiting = Math.max(this.#peakWaiting, this.waiting);
    }
  }

  /** Calls as many hosts as there are places; one that has left memory, or wants nothing any more, must not cost the next its turn. */
  called(): Host[] {
    const hosts: Host[] = [];
    this.#callFrom(hosts);
    // Whoever a group had let go on may have wanted nothing any more: the next of it must not wait for them.
    for (const group of this.#crowded) {
      if (hosts.length >= this.#limit - this.#inFlight) {
        break;
      }
      this.#letGo(group);
      this.#callFrom(hosts);
    }
    return hosts;
  }

  #callFrom(called: Host[]): void {
    for (const line of [this.#line, this.#behind]) {
      for (const [id, host] of line) {
        if (called.length >= this.#limit - this.#inFlight || (line === this.#behind && this.#isHeldUpByDoubt(host))) {
          break;
        }
        line.delete(id);
        if (host.isEvicted) {
          this.#waiting.delete(host);
        } else if (line === this.#line && this.#isDoubtful(host)) {
          this.#behind.set(id, host);
        } else {
          this.#call(host, called);
        }
      }
    }
  }

  #call(host: Host, called: Host[]): void {
    const group = this.#whoIsInTheWay(host);
    if (group === null) {
      this.#waiting.delete(host);
      called.push(host);
    } else {
      group.waiting.set(host.id, host);
      this.#waitingForOwn++;
      this.#crowded.add(group);
      this.#noteSilence(group);
    }
  }

  #stand(host: Host): void {
    (this.#isDoubtful(host) ? this.#behind : this.#line).set(host.id, host);
  }

  /** Those who waited for others of their group stand in line again, as many as there is room for. */
  #letGo(group: Group): void {
    let room = this.#shareOf(group) - group.held;
    for (const [id, host] of group.waiting) {
      if (room <= 0) {
        return;
      }
      group.waiting.delete(id);
      this.#waitingForOwn--;
      if (host.isEvicted) {
        this.#waiting.delete(host);
      } else {
        room--;
        this.#stand(host);
      }
    }
    this.#crowded.delete(group);
    this.#noteSilence(group);
  }

  /** The host's group that holds as many places as it may, or null. */
  #whoIsInTheWay(host: Host): Group | null {
    return this.#groupsOf(host).find((group) => group.held >= this.#shareOf(group)) ?? null;
  }

  #isDoubtful(host: Host): boolean {
    return this.#groupsOf(host).some(({ standing }) => standing === 'silent');
  }

  #isHeldUpByDoubt(host: Host): boolean {
    return this.#heldInDoubt >= this.#shareOfSilent && this.#isDoubtful(host);
  }

  get #shareOfSilent(): number {
    return this.#part(this.#line.size > 0 ? 4 : 2);
  }

  #shareOf({ standing, kind }: Group): number {
    if (standing === 'silent') {
      return Math.max(1, Math.floor(this.#shareOfSilent / Math.max(1, this.#silent[kind].size)));
    }
    return standing === 'new' ? this.#part(8) : Math.max(1, this.#limit - Math.floor(this.#limit / 4));
  }

  #part(divisor: number): number {
    return Math.max(1, Math.floor(this.#limit / divisor));
  }

  #groupsOf(host: Host): Group[] {
    const domain = this.#group('domain', host.domain);
    return host.address === null ? [domain] : [domain, this.#group('address', host.address)];
  }

  #group(kind: Group['kind'], name: string): Group {
    const groups = this.#groups[kind];
    let group = groups.get(name);
    if (group === undefined) {
      group = { kind, held: 0, standing: 'new', waiting: new Map() };
      groups.set(name, group);
    }
    return group;
  }

  #noteSilence(group: Group): void {
    if (group.standing === 'silent' && group.held + group.waiting.size > 0) {
      this.#silent[group.kind].add(group);
    } else {
      this.#silent[group.kind].delete(group);
    }
  }
}

/** Only how a group answered is forgotten. This runs rarely, so its cost per new group is small. */
function forgetSome(groups: Map<string, Group>): void {
  if (groups.size <= 2 * MOST_REMEMBERED) {
    return;
  }
  for (const [name, { held, waiting }] of groups) {
    if (groups.size <= MOST_REMEMBERED) {
      return;
    }
    if (held + waiting.size === 0) {
      groups.delete(name);
    }
  }
}
