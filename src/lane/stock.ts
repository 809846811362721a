/** So many hosts can have requests under way at once: each takes a place, and no more requests than this are ever leased. */
const MOST_PLACES = 4096;

/**
 * How many requests of each host are on the wire (layer 2) and how many may be, counted across threads. A place belongs to a host as long as a
 * lane holds a lease of it, and has a cell for what is on the wire over all lanes, one for the limit, which the coordinator writes, and
 * one for each lane, which says what is to be given back when it dies.
 */
export class WirePlaces {
  readonly cells: Int32Array;

  constructor(lanes: number, cells?: Int32Array) {
    this.cells = cells ?? new Int32Array(new SharedArrayBuffer(4 * MOST_PLACES * (2 + lanes)));
  }

  limit(place: number, requests: number): void {
    Atomics.store(this.cells, MOST_PLACES + place, requests);
  }

  limitOf(place: number): number {
    return Atomics.load(this.cells, MOST_PLACES + place);
  }

  /** Whether another request may go out; then it counts from now on. */
  take(lane: number, place: number): boolean {
    const limit = Atomics.load(this.cells, MOST_PLACES + place);
    let taken = Atomics.load(this.cells, place);
    while (taken < limit) {
      const before = Atomics.compareExchange(this.cells, place, taken, taken + 1);
      if (before === taken) {
        this.cells[ownCell(lane, place)]!++;
        return true;
      }
      taken = before;
    }
    return false;
  }

  giveBack(lane: number, place: number): void {
    this.cells[ownCell(lane, place)]!--;
    Atomics.sub(this.cells, place, 1);
  }

  /** A lane died: what it had on the wire is gone with it. */
  laneGone(lane: number): void {
    for (let place = 0; place < MOST_PLACES; place++) {
      const own = this.cells[ownCell(lane, place)]!;
      if (own > 0) {
        Atomics.sub(this.cells, place, own);
        this.cells[ownCell(lane, place)] = 0;
      }
    }
  }
}

const ownCell = (lane: number, place: number): number => MOST_PLACES * (2 + lane) + place;

/**
 * Leases that a lane holds and has not sent. For a host without a delay more is leased than may be on the wire at once, so that the next request
 * goes out when one has ended, and not an exchange with the store later. What is here is durable, and given back unsent when the host
 * is in trouble or the crawl stops.
 */
export class Stock<Job extends { readonly place: number | null }> {
  readonly #lane: number;
  readonly #places: WirePlaces;
  readonly #send: (job: Job) => void;
  /** By place. */
  readonly #lines = new Map<number, Job[]>();
  #size = 0;

  constructor(lane: number, places: WirePlaces, send: (job: Job) => void) {
    this.#lane = lane;
    this.#places = places;
    this.#send = send;
  }

  get size(): number {
    return this.#size;
  }

  /** Takes a lease of a host; it goes out with the next `sendMore` that has a place for it. */
  add(job: Job): void {
    const line = this.#lines.get(job.place!);
    if (line === undefined) {
      this.#lines.set(job.place!, [job]);
    } else {
      line.push(job);
    }
    this.#size++;
  }

  /** A request of the host has ended. */
  ended({ place }: Job): void {
    if (place !== null) {
      this.#places.giveBack(this.#lane, place);
    }
  }

  /** Sends what there is a place for; of one host, or of all. */
  sendMore(mayGo: () => boolean, place: number | null = null): void {
    if (place !== null) {
      this.#sendFrom(place, mayGo);
      return;
    }
    for (const each of [...this.#lines.keys()]) {
      this.#sendFrom(each, mayGo);
    }
  }

  #sendFrom(place: number, mayGo: () => boolean): void {
    const line = this.#lines.get(place);
    while (line !== undefined && line.length > 0 && mayGo()) {
      if (!this.#places.take(this.#lane, place)) {
        return;
      }
      this.#size--;
      this.#send(line.shift()!);
    }
    if (line?.length === 0) {
      this.#lines.delete(place);
    }
  }

  /** Gives up what waits for a host, or for all. */
  takeBack(place: number | null = null): Job[] {
    const places = place === null ? [...this.#lines.keys()] : [place];
    const jobs = places.flatMap((each) => this.#lines.get(each) ?? []);
    for (const each of places) {
      this.#lines.delete(each);
    }
    this.#size -= jobs.length;
    return jobs;
  }
}
