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
  /** How many more results there is a place for; left out where there is no end to them. Where there is none, nothing new goes out for now. */
  placesLeft?(): number;
  /** So many of the first requests go out one at a time: one of them may be what took the last process down. */
  suspects?: number;
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
  #unsettled = 0;
  #suspects: number;
  /** Lanes were told to give their stock back, and nothing may have changed since. */
  #isRecalled = false;
  #isPaused = false;

  constructor(parts: RoomParts) {
    this.#parts = parts;
    this.#suspects = parts.suspects ?? 0;
  }

  dispatched(count: number): void {
    this.#leased += count;
  }

  cameBack(count: number): void {
    this.#leased -= count;
    this.#suspects -= count;
    this.#unsettled += count;
  }

  settled(count: number): void {
    this.#unsettled -= count;
  }

  /** With the lanes, on the wire or in stock. */
  get leased(): number {
    return this.#leased;
  }

  /** Requests that are out. What lanes have in stock is not among them. */
  get inFlight(): number {
    const { leasing, inStock } = this.#parts.frontier;
    return Math.max(0, this.#leased + leasing - inStock);
  }

  /** Nothing new goes out, of any host. */
  get isClosed(): boolean {
    return this.#parts.ending.isClosing || this.isHeldBack || this.#isPaused;
  }

  /** Whoever takes the results cannot keep up, or the disk is nearly full. */
  get isHeldBack(): boolean {
    return this.#parts.disk.isLow || this.#places <= 0;
  }

  /** Something may be asked for now, and only a place is missing. */
  get isHeldUp(): boolean {
    return this.left().requests === 0 && this.#parts.frontier.wakeAt() <= this.#parts.clock.now();
  }

  /**
   * How many requests may go out now, and what lanes may take in stock beside them. What came back and is not settled yet needs a place among
   * the results too. Stock is for what is left of `--workers`, where an eighth of them is to spare: else hosts would wait for what others only
   * keep.
   */
  left(): Leasable {
    const { budget, frontier, governor } = this.#parts;
    if (this.isClosed || budget.isOver) {
      return NOTHING;
    }
    const places = this.#places - this.#unsettled;
    const leased = this.#leased + frontier.leasing;
    const limit = this.#suspects > 0 ? 1 : governor.limit;
    return {
      requests: Math.max(0, Math.min(limit - this.inFlight, places - leased)),
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
    if (this.#isOverdrawn) {
      this.#recallAll();
    }
  }

  /** So many requests of the host may be on the wire from now on. It gets no more than are left of all that may be out. */
  retuned(host: string, limit: number): void {
    this.#parts.lanes.retune(host, limit, !this.#isOverdrawn);
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
    this.#parts.unsent(this.#parts.lanes.recallAll());
  }

  #setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.takeStockBack();
    this.#parts.changed();
  }

  /** More is out than the governor allows. */
  get #isOverdrawn(): boolean {
    return this.inFlight > this.#parts.governor.limit;
  }

  get #places(): number {
    return this.#parts.placesLeft?.() ?? Number.POSITIVE_INFINITY;
  }
}
