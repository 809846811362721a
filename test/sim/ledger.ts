import type { Host } from '../../src/frontier/host.js';
import type { Lease } from '../../src/frontier/outcome.js';
import type { Transaction } from '../../src/store/transaction.js';
import { UrlKind, UrlState } from '../../src/store/url-state.js';
import type { ModelHost, ModelTables } from './model-tables.js';

/**
 *   leasing    in a transaction that is under way, or durable and not yet with a lane
 *   stock      with a lane, and not sent
 *   lane       sent
 *   back       its outcome has come and is in no transaction yet
 *   settling   in the transaction that settles it
 */
type Place = 'leasing' | 'stock' | 'lane' | 'back' | 'settling';

interface Entry {
  place: Place;
  lane: number;
  host: ModelHost;
}

/** Where each leased URL is: in exactly one place, and the next one is always the one that has to follow. */
export class Ledger {
  readonly #entries = new Map<number, Entry>();
  readonly #tables: () => ModelTables;
  readonly #hostNamed: (name: string) => Host | undefined;
  /** Leased as the frontier counts it: all but those that are being settled. */
  leased = 0;
  /** Leases that lanes have, or are about to get. */
  inFlight = 0;
  /** Leases of robots.txt that the frontier counts and the store does not know of yet, and the other way round. */
  robotsUnderWay = 0;

  constructor(tables: () => ModelTables, hostNamed: (name: string) => Host | undefined) {
    this.#tables = tables;
    this.#hostNamed = hostNamed;
  }

  submitted(transaction: Transaction): void {
    for (const { id } of transaction.settled) {
      this.#go(id, ['back'], 'settling');
    }
    for (const id of transaction.returned) {
      this.#go(id, ['back', 'leasing'], 'settling');
    }
    for (const id of transaction.leased) {
      this.#lease(id, this.#tables().urls.get(id)!.origin.host);
    }
    for (const url of transaction.newUrls) {
      if (url.state === UrlState.leased) {
        this.#lease(url.id, this.#tables().origin(url.origin as number).host);
      }
    }
    this.robotsUnderWay += this.#robotsBalance(transaction);
  }

  /** Called after the store has it. */
  committed(transaction: Transaction): void {
    for (const { id } of transaction.settled) {
      this.#forget(id);
    }
    for (const id of transaction.returned) {
      this.#forget(id);
    }
    this.robotsUnderWay -= this.#robotsBalance(transaction);
  }

  /** Unless it was leased again in the same transaction. */
  #forget(id: number): void {
    if (this.#entries.get(id)?.place === 'settling') {
      this.#entries.delete(id);
    }
  }

  /** A lane has it: its lease must be durable. */
  taken(lane: number, lease: Lease): void {
    const url = this.#tables().urls.get(lease.id);
    if (url?.state !== UrlState.leased) {
      throw new Error(`${lease.url} went out before its lease was durable`);
    }
    this.#go(lease.id, ['leasing'], 'stock').lane = lane;
  }

  /** It is on the wire, and no more of its host than may be. */
  sent({ id }: Lease): void {
    const { host } = this.#go(id, ['stock'], 'lane');
    this.inFlight++;
    const scheduled = this.#hostNamed(host.name);
    const limit = scheduled === undefined ? 0 : scheduled.isProbing ? 1 : scheduled.tuner.limit;
    if (++host.wire.inFlight > limit) {
      throw new Error(`${host.name} has ${host.wire.inFlight} requests in flight, and ${limit} are allowed`);
    }
  }

  /** It came back unsent. */
  recalled(id: number): void {
    this.#go(id, ['stock'], 'back');
  }

  ended(id: number): void {
    this.#go(id, ['lane'], 'back');
  }

  laneDied(lane: number): void {
    for (const [id, entry] of this.#entries) {
      if ((entry.place === 'lane' || entry.place === 'stock') && entry.lane === lane) {
        this.#go(id, ['lane', 'stock'], 'back');
      }
    }
  }

  #lease(id: number, host: ModelHost): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined && entry.place !== 'settling') {
      throw new Error(`URL ${id} is leased and already ${entry.place}`);
    }
    this.#entries.set(id, { place: 'leasing', lane: -1, host });
    this.leased++;
  }

  #go(id: number, from: readonly Place[], to: Place): Entry {
    const entry = this.#entries.get(id);
    if (entry === undefined || !from.includes(entry.place)) {
      throw new Error(`URL ${id} should go from ${from.join(' or ')} to ${to}, and is ${entry?.place ?? 'not leased'}`);
    }
    if (entry.place === 'lane') {
      this.inFlight--;
      entry.host.wire.inFlight--;
    }
    if (to === 'settling') {
      this.leased--;
    }
    entry.place = to;
    return entry;
  }

  #robotsBalance(transaction: Transaction): number {
    let balance = 0;
    for (const url of transaction.newUrls) {
      balance += url.state === UrlState.leased ? 1 : 0;
    }
    for (const id of transaction.leased) {
      balance += this.#isOwnRobots(id) ? 1 : 0;
    }
    for (const { id } of transaction.settled) {
      balance -= this.#isOwnRobots(id) ? 1 : 0;
    }
    for (const id of transaction.returned) {
      balance -= this.#isOwnRobots(id) ? 1 : 0;
    }
    return balance;
  }

  #isOwnRobots(id: number): boolean {
    const url = this.#tables().urls.get(id);
    return url?.kind === UrlKind.robots && url.hops === 0;
  }
}
