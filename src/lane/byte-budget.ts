/**
 * Bytes that are fetched and not yet settled (layer 11), counted across threads without locks: each lane only ever adds to its own
 * slot, the coordinator only to its own, and what is held is the difference.
 *
 *   slot 0        bytes settled (coordinator)
 *   slot 1        1 while some body is paused
 *   slot 2 + 3n   bytes that arrived at lane n
 *   slot 3 + 3n   sequence number of the oldest body lane n is reading, or Infinity
 *   slot 4 + 3n   bodies lane n has paused
 */
const SETTLED = 0;
const PAUSED = 1;
const FIRST_LANE = 2;
const LANE_SLOTS = 3;

export class ByteBudget {
  readonly slots: Float64Array;
  readonly limit: number;
  readonly #returned: number[] = [];

  constructor(limit: number, lanes: number, slots?: Float64Array) {
    this.limit = limit;
    this.slots = slots ?? new Float64Array(new SharedArrayBuffer((FIRST_LANE + LANE_SLOTS * lanes) * 8));
    if (slots === undefined) {
      for (let lane = 0; lane < lanes; lane++) {
        this.oldest(lane, Number.POSITIVE_INFINITY);
      }
    }
  }

  get held(): number {
    let arrived = 0;
    for (let slot = FIRST_LANE; slot < this.slots.length; slot += LANE_SLOTS) {
      arrived += this.slots[slot]!;
    }
    return arrived - this.slots[SETTLED]!;
  }

  get isOver(): boolean {
    return this.held > this.limit;
  }

  get somePaused(): boolean {
    return this.slots[PAUSED] === 1;
  }

  get pausedBodies(): number {
    let paused = 0;
    for (let slot = FIRST_LANE + 2; slot < this.slots.length; slot += LANE_SLOTS) {
      paused += this.slots[slot]!;
    }
    return paused;
  }

  get oldestOfAll(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (let slot = FIRST_LANE + 1; slot < this.slots.length; slot += LANE_SLOTS) {
      oldest = Math.min(oldest, this.slots[slot]!);
    }
    return oldest;
  }

  arrived(lane: number, bytes: number): void {
    this.slots[FIRST_LANE + LANE_SLOTS * lane]! += bytes;
  }

  oldest(lane: number, sequence: number): void {
    this.slots[FIRST_LANE + LANE_SLOTS * lane + 1] = sequence;
  }

  paused(lane: number, bodies: number): void {
    this.slots[FIRST_LANE + LANE_SLOTS * lane + 2] = bodies;
    if (bodies > 0) {
      this.slots[PAUSED] = 1;
    }
  }

  settled(bytes: number): void {
    this.slots[SETTLED]! += bytes;
  }

  /** Counts settled bytes. Returns whether lanes have to look at their paused bodies again. */
  letsBodiesFlow(): boolean {
    const hadPaused = this.somePaused;
    if (hadPaused && !this.isOver) {
      this.slots[PAUSED] = 0;
    }
    return hadPaused;
  }

  /** Bytes that a lane gave back and that are settled later. Only the coordinator knows them. */
  returned(lane: number, bytes: number): void {
    this.#returned[lane] = (this.#returned[lane] ?? 0) + bytes;
  }

  /** A lane died: the bytes that it had read and not given back are gone with it. */
  laneGone(lane: number): void {
    const arrived = this.slots[FIRST_LANE + LANE_SLOTS * lane]!;
    this.settled(arrived - (this.#returned[lane] ?? 0));
    this.#returned[lane] = arrived;
    this.oldest(lane, Number.POSITIVE_INFINITY);
    this.paused(lane, 0);
  }
}
