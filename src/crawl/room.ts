import type { Clock } from '../base/clock.js';
import type { Frontier } from '../frontier/frontier.js';
import type { Lease } from '../frontier/outcome.js';
import { NO_STOCK, type StockRoom } from '../frontier/scheduler.js';
import type { ByteBudget } from '../lane/byte-budget.js';
import type { LanePool } from '../lane/lane-pool.js';
import type { Ending } from './ending.js';
import type { Governor } from './governor.js';

/** What may be leased. */
export interface Leasable {
  requests: number;
  stock: StockRoom;
}

/** Where fewer may be in flight, each lease is made when its request can go: what is found meanwhile may come before it. */
const FEWEST_WORTH_LEADING = 64;

const NOTHING: Leasable = { requests: 0, stock: NO_STOCK };

export interface RoomParts {
  clock: Clock;
  frontier: Pick<Frontier, 'leasing' | 'inStock' | 'wakeAt'>;
  lanes: Pick<LanePool, 'recallAll' | 'retune'>;
  governor: Governor;
  budget: ByteBudget;
  ending: Ending;
  /** Where it is nearly full, nothing new goes out for now. */
  disk: { readonly isLow: boolean };
  /** Where the crawl runs on several machines, this one may have to hold still. */
  cluster?: { readonly mayLease: boolean };
  /** How many more results there is a place for; left out where there is no end to them. Where there is none, nothing new goes out for now. */
  placesLeft?(): number;
  /** So many of the first requests go out one at a time: one of them may be what took the last process down. */
  suspects?: number;
  /** Hosts have a delay: none of them ever has more than one request out. */
  isPaced?: boolean;
  /** Lanes have given these back without sending them. */
  unsent(leases: readonly Lease[]): void;
  /** Something else may go out now. */
  changed(): void;
}

/**
 * How much may go out. It counts what is leased and what came back, and everything that holds requests back is asked here: a pause, the end,
 * the disk, the governor, bytes in memory, and results that nobody takes. Where less may go out than lanes have in stock, it takes that back.
 */
export class Room {
  readonly #parts: RoomParts;
  #leased = 0;
  /** Of those, what is durable and waits for a place on the wire. */
  #ready: Lease[] = [];
  #unsettled = 0;
  #suspects: number;
  /** Lanes were told to give their stock back, and nothing may have changed since. */
  #isRecalled = false;
  #isPaused = false;

  constructor(parts: RoomParts) {
    this.#parts = parts;
    this.#suspects = parts.suspects ?? 0;
  }

  /** These are durable, and may go out when there is a place for them. */
  leases(leases: readonly Lease[]): void {
    this.#leased += leases.length;
    this.#ready.push(...leases);
  }

  /** Those that go to the lanes now. */
  takeReady(): Lease[] {
    const places = this.isClosed ? this.#ready.length : Math.max(0, this.#parts.governor.limit - this.inFlight);
    return this.#ready.splice(0, places);
  }

  cameBack(count: number): void {
    this.#leased -= count;
    this.#suspects -= count;
    this.#unsettled += count;
  }

  settled(count: number): void {
    this.#unsettled -= count;
  }

  /** All that is leased and has not come back: on the wire, in stock, or ready. */
  get leased(): number {
    return this.#leased;
  }

  /** Requests that are out. What lanes have in stock is not among them. */
  get inFlight(): number {
    return Math.max(0, this.#leased - this.#ready.length - this.#parts.frontier.inStock);
  }

  /** Nothing new goes out, of any host. */
  get isClosed(): boolean {
    return this.#parts.ending.isClosing || this.isHeldBack || this.#isPaused;
  }

  /** Whoever takes the results cannot keep up, the disk is nearly full, or it is not certain that nobody else asks the same hosts. */
  get isHeldBack(): boolean {
    return this.#parts.disk.isLow || this.#places <= 0 || this.#parts.cluster?.mayLease === false;
  }

  /** Something may be asked for now, and only a place is missing. */
  get isHeldUp(): boolean {
    return this.left().requests === 0 && this.#parts.frontier.wakeAt() <= this.#parts.clock.now();
  }

  /**
   * How many requests may be leased now, and what lanes may take in stock beside them. Of hosts with a delay as many again are leased ahead as
   * may go out at once: while they become durable, the wire does not run dry. What came back and is not settled yet needs a place among the
   * results too. Stock is for what is left of `--workers`, where an eighth of them is to spare: else hosts would wait for what others only keep.
   */
  left(): Leasable {
    const { budget, frontier, governor } = this.#parts;
    if (this.isClosed || budget.isOver) {
      return NOTHING;
    }
    const places = this.#places - this.#unsettled;
    const leased = this.#leased + frontier.leasing;
    const limit = this.#suspects > 0 ? 1 : governor.limit;
    const leads = this.#parts.isPaced === true && frontier.inStock === 0 && limit >= FEWEST_WORTH_LEADING;
    return {
      requests: Math.max(0, Math.min((leads ? 2 * limit : limit) - (leased - frontier.inStock), places - leased)),
      stock: { most: Math.max(0, Math.min(limit, places) - leased), leaving: Math.ceil(limit / 8) },
    };
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Nothing new goes out until `goOn`; what is under way ends as it would have, and what came back is settled. Limits and stops still end the run. */
  pause(): void {
    this.#setPaused(true);
  }

  goOn(): void {
    this.#setPaused(false);
  }

  /** In flight at most, from now on. What is on the wire beyond that ends as it would have. */
  setWorkers(count: number): void {
    this.#parts.governor.setCeiling(count);
    this.governed();
    this.#parts.changed();
  }

  /** The governor has spoken. */
  governed(): void {
    if (this.inFlight > this.#parts.governor.limit) {
      this.#recallAll();
    }
  }

  /** So many requests of the host may be on the wire from now on. It gets no more than are left of all that may be out. */
  retuned(host: string, limit: number): void {
    const { frontier, governor, lanes } = this.#parts;
    const isFull = this.#leased + frontier.leasing - frontier.inStock > governor.limit;
    lanes.retune(host, limit, !isFull);
  }

  /** Where nothing new may go out, what lanes have not sent yet may not either; nor where a host waits for a place that it could have. */
  takeStockBack(): void {
    const wants = this.isClosed || (this.#parts.frontier.inStock > 0 && this.isHeldUp);
    const isNew = wants && !this.#isRecalled;
    this.#isRecalled = wants;
    if (isNew) {
      this.#recallAll();
    }
  }

  #recallAll(): void {
    this.#parts.unsent([...this.#ready.splice(0), ...this.#parts.lanes.recallAll()]);
  }

  #setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.takeStockBack();
    this.#parts.changed();
  }

  get #places(): number {
    return this.#parts.placesLeft?.() ?? Number.POSITIVE_INFINITY;
  }
}
