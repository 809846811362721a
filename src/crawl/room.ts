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

/** When fewer may be in flight, a URL is leased only when its request can go, because URLs found meanwhile may come before it. */
const FEWEST_WORTH_LEADING = 64;

const NOTHING: Leasable = { requests: 0, stock: NO_STOCK };

export interface RoomParts {
  clock: Clock;
  frontier: Pick<Frontier, 'leasing' | 'inStock' | 'wakeAt'>;
  lanes: Pick<LanePool, 'recallAll' | 'retune'>;
  governor: Governor;
  budget: ByteBudget;
  ending: Ending;
  /** When the disk is nearly full, nothing new goes out for now. */
  disk: { readonly isLow: boolean };
  /** When the crawl runs on several machines, this one may have to hold still. */
  cluster?: { readonly mayLease: boolean };
  /** How many more results there is room for; left out if there is no limit. Without room, nothing new goes out for now. */
  placesLeft?(): number;
  /** How many of the first requests go out one at a time: one of them may have taken the last process down. */
  suspects?: number;
  /** Whether hosts have a delay: none of them ever has more than one request out. */
  isPaced?: boolean;
  /** Called with leases that lanes have given back without sending them. */
  unsent(leases: readonly Lease[]): void;
  /** Called when something else may go out. */
  changed(): void;
}

/**
 * How much may go out. It counts what is leased and what came back, and everything that holds requests back is asked here: a pause, the end,
 * the disk, the governor, bytes in memory, and results that nobody takes. Where less may go out than lanes have in stock, it takes that back.
 */
export class Room {
  readonly #parts: RoomParts;
  #leased = 0;
  /** Those of them that are durable and wait for a place on the wire. */
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

  /** Whether something could be requested now and only a place is missing. */
  get isHeldUp(): boolean {
    return this.left().requests === 0 && this.#parts.frontier.wakeAt() <= this.#parts.clock.now();
  }

  /**
   * How many requests may be leased now, and what lanes may take in stock besides. For hosts with a delay, twice as many are leased as
   * may go out at once, so that the wire does not run dry while leases become durable. Answers that are not settled yet need room among the
   * results too. Stock uses what is left of `--workers` if an eighth is to spare: otherwise hosts would wait for what others only keep.
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

  /** How many may be in flight from now on. Requests on the wire beyond that are not cut off. */
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

  /** How many requests of the host may be on the wire from now on. It gets no more than are left of the total. */
  retuned(host: string, limit: number): void {
    const { frontier, governor, lanes } = this.#parts;
    const isFull = this.#leased + frontier.leasing - frontier.inStock > governor.limit;
    lanes.retune(host, limit, !isFull);
  }

  /** Takes stock back from the lanes when nothing new may go out, or when a host waits for a place that stock takes. */
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
