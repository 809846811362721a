import type { Lease } from '../frontier/outcome.js';
import type { LanePort } from './lane-port.js';
import type { WirePlaces } from './stock.js';

/** A host that lanes hold leases of, and how many each. */
interface Stocked {
  readonly place: number;
  readonly held: Map<LanePort, number>;
}

/**
 * The hosts without a delay that lanes hold leases of. Each has a place on the wire as long as that is so, with the number of requests that may be
 * out at once. Where lanes share a host, one that leaves room for a request lets the others know.
 */
export class StockedHosts {
  readonly #wire: WirePlaces;
  readonly #hosts = new Map<string, Stocked>();
  readonly #freePlaces: number[] = [];
  #nextPlace = 0;
  readonly #toWake = new Set<LanePort>();

  constructor(wire: WirePlaces) {
    this.#wire = wire;
  }

  /** The lane gets a lease of the host. Returns the place of the host. */
  taken({ host, wireLimit }: Lease, lane: LanePort): number {
    let stocked = this.#hosts.get(host);
    if (stocked === undefined) {
      stocked = { place: this.#freePlaces.pop() ?? this.#nextPlace++, held: new Map() };
      this.#hosts.set(host, stocked);
      this.#wire.limit(stocked.place, wireLimit);
    }
    stocked.held.set(lane, (stocked.held.get(lane) ?? 0) + 1);
    return stocked.place;
  }

  /** A lease of the host has come back. Where lanes share the host, the others may send now what this one has left a place for. */
  returned(host: string, lane: LanePort): void {
    const stocked = this.#hosts.get(host)!;
    const left = stocked.held.get(lane)! - 1;
    if (left > 0) {
      stocked.held.set(lane, left);
    } else {
      stocked.held.delete(lane);
    }
    if (stocked.held.size === 0) {
      this.#hosts.delete(host);
      this.#freePlaces.push(stocked.place);
    }
    for (const other of stocked.held.keys()) {
      if (other !== lane) {
        this.#wakeSoon(other);
      }
    }
  }

  /** So many requests of the host may be on the wire from now on; where `mayRise` is false and that is more than before, its stock comes back. */
  retune(host: string, limit: number, mayRise: boolean): void {
    const place = this.#hosts.get(host)?.place;
    if (place === undefined) {
      return;
    }
    if (mayRise || limit < this.#wire.limitOf(place)) {
      this.#wire.limit(place, limit);
    } else {
      this.recall(host);
    }
  }

  /** Nothing more may be sent to the host for now. */
  recall(host: string): void {
    const stocked = this.#hosts.get(host);
    for (const lane of stocked?.held.keys() ?? []) {
      lane.recall(stocked!.place);
    }
  }

  #wakeSoon(lane: LanePort): void {
    if (this.#toWake.size === 0) {
      queueMicrotask(() => {
        const lanes = [...this.#toWake];
        this.#toWake.clear();
        for (const each of lanes) {
          each.flow();
        }
      });
    }
    this.#toWake.add(lane);
  }
}
