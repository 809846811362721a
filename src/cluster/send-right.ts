import type { Clock } from '../base/clock.js';
import { maySend } from '../base/send-until.js';

interface Moment {
  now: number;
  wall: number;
}

const NEVER: Moment = { now: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };

/**
 * Until when this node may send requests. It stands in shared memory and a lane reads it right before the head of each request is written, so that a
 * process that was stopped, or a machine that slept, sends nothing when it wakes up. It is over when the monotonic clock says so or the wall clock:
 * one of them stands still while a machine sleeps, the other may be set back.
 */
export class SendRight {
  readonly cells: Float64Array;
  readonly #clock: Clock;
  readonly #changed: () => void;
  /** Renewed until then. */
  #until: Moment = NEVER;
  /** Not before: whoever held the slot before may still send until then. */
  #from = Number.POSITIVE_INFINITY;
  /** Nor before this, however often the slot is claimed. */
  #quietUntil = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, changed: () => void, cells = new Float64Array(new SharedArrayBuffer(16))) {
    this.#clock = clock;
    this.#changed = changed;
    this.cells = cells;
    this.#write(NEVER);
  }

  get isOpen(): boolean {
    return maySend(this.cells, this.#clock);
  }

  /** When it is over, of the monotonic clock. */
  get until(): number {
    return this.cells[0]!;
  }

  /** Nothing is sent before this time of the monotonic clock. */
  notBefore(at: number): void {
    this.#quietUntil = Math.max(this.#quietUntil, at);
  }

  /** The slot was claimed by a call that went out at this moment. What was granted before holds on until it is over. */
  claimed(sentAt: Moment, leaseMs: number, waitMs: number): void {
    this.#until = later(sentAt, leaseMs);
    const from = waitMs === 0 ? Number.NEGATIVE_INFINITY : this.#clock.now() + waitMs;
    this.#from = Math.max(from, this.#quietUntil);
    this.#cancel?.();
    this.#cancel = this.#from > this.#clock.now() ? this.#clock.at(this.#from, () => this.#open()) : null;
    this.#open();
  }

  /** The lease was renewed by a call that went out at this moment. Where it had run out before, somebody else may have had the slot. */
  renewed(sentAt: Moment, leaseMs: number, marginMs: number): void {
    const hadLapsed = sentAt.now >= this.#until.now || sentAt.wall >= this.#until.wall;
    if (hadLapsed) {
      this.claimed(sentAt, leaseMs, leaseMs + marginMs);
      return;
    }
    this.#until = later(sentAt, leaseMs);
    this.#open();
  }

  end(): void {
    this.#cancel?.();
    this.#from = Number.POSITIVE_INFINITY;
    this.#write(NEVER);
  }

  #open(): void {
    if (this.#clock.now() >= this.#from) {
      this.#write(this.#until);
      this.#changed();
    }
  }

  #write({ now, wall }: Moment): void {
    this.cells[0] = now;
    this.cells[1] = wall;
  }
}

const later = ({ now, wall }: Moment, ms: number): Moment => ({ now: now + ms, wall: wall + ms });
