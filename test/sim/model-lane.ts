import { KeyTableView, type SegmentUpdate } from '../../src/frontier/key-table.js';
import {
  failure,
  type Lease,
  type Offer,
  type Order,
  type Outcome,
  pageOffer as offerOf,
  QueuePlaces,
} from '../../src/frontier/outcome.js';
import { isHostTrouble } from '../../src/frontier/pace.js';
import type { Job } from '../../src/lane/lane.js';
import type { LaneListener, LanePort } from '../../src/lane/lane-port.js';
import { Stock, type WirePlaces } from '../../src/lane/stock.js';
import { QueueClass } from '../../src/store/url-state.js';
import type { VirtualClock } from './virtual-clock.js';
import type { Reply, VirtualWeb } from './virtual-web.js';

/** Told of everything that goes over the wire, as it happens. */
export interface WireListener {
  /** The lane has it. */
  taken(lane: number, lease: Lease): void;
  /** It goes out now, unless it is forbidden. */
  sent(lease: Lease, forbidden: boolean): void;
  /** It goes back unsent. */
  recalled(lease: Lease): void;
  answered(lease: Lease, at: number): void;
  ended(lease: Lease, outcome: Outcome): void;
  /** The lane died while it waited for the headers of this. */
  lost(lease: Lease): void;
}

interface Sent {
  readonly job: Job;
  readonly lease: Lease;
  readonly reply: Reply;
  readonly sentAt: number;
  readonly headersAt: number | null;
}

const LOOK_UP_MS = 5;

/** What is heard at one time. */
interface Moment {
  readonly headers: Sent[];
  readonly ends: Sent[];
}

/** A lane that asks the virtual web. As the real one does, it tells in batches: once a millisecond at most. */
export class ModelLane implements LanePort {
  readonly #lane: number;
  readonly #clock: VirtualClock;
  readonly #web: VirtualWeb;
  readonly #wire: WireListener;
  readonly #listener: LaneListener;
  readonly #view: KeyTableView;
  readonly #places: QueuePlaces;
  readonly #moments = new Map<number, Moment>();
  readonly #stock: Stock<Job>;
  #dead = false;

  constructor(parts: {
    lane: number;
    clock: VirtualClock;
    web: VirtualWeb;
    wire: WireListener;
    listener: LaneListener;
    segments: Uint32Array[];
    order: Order;
    places: WirePlaces;
  }) {
    this.#lane = parts.lane;
    this.#clock = parts.clock;
    this.#web = parts.web;
    this.#wire = parts.wire;
    this.#listener = parts.listener;
    this.#view = new KeyTableView(parts.segments);
    this.#places = new QueuePlaces(parts.order);
    this.#stock = new Stock(parts.lane, parts.places, (job) => this.#send(job));
  }

  take(jobs: Job[], updates: SegmentUpdate[]): void {
    this.#view.update(updates);
    for (const job of jobs) {
      this.#wire.taken(this.#lane, job.lease);
      if (job.place === null) {
        this.#send(job);
      } else {
        this.#stock.add(job);
      }
    }
    this.#stock.sendMore(() => true);
  }

  recall(place: number | null): void {
    const back = this.#stock.takeBack(place);
    if (back.length > 0) {
      const at = this.#clock.now();
      for (const { lease } of back) {
        this.#wire.recalled(lease);
      }
      const outcomes = back.map(({ lease }) => ({ ...failure(lease, at, null, null), unsent: 'returned' as const }));
      this.#clock.at(at, () => this.#dead || this.#listener.outcomes(outcomes));
    }
  }

  /** No page here leads to so much that it comes in pieces. */
  admitted(): void {}

  #send(job: Job): void {
    const { lease } = job;
    const at = this.#clock.now();
    const reply = this.#web.answer(lease, at);
    this.#wire.sent(lease, reply.forbidden === true);
    const headersAt = reply.forbidden || reply.headersMs === null ? null : Math.ceil(at + reply.headersMs);
    const endedAt = reply.forbidden ? at : Math.max(Math.ceil(at + reply.endMs), headersAt ?? 0);
    const sent = { job, lease, reply, sentAt: at, headersAt };
    if (headersAt !== null) {
      this.#moment(headersAt).headers.push(sent);
    }
    this.#moment(endedAt).ends.push(sent);
  }

  #moment(at: number): Moment {
    let moment = this.#moments.get(at);
    if (moment === undefined) {
      moment = { headers: [], ends: [] };
      this.#moments.set(at, moment);
      this.#clock.at(at, () => this.#tell(at));
    }
    return moment;
  }

  #tell(at: number): void {
    const moment = this.#moments.get(at)!;
    this.#moments.delete(at);
    if (this.#dead) {
      return;
    }
    for (const { lease } of moment.headers) {
      this.#wire.answered(lease, at);
    }
    if (moment.headers.length > 0) {
      this.#listener.headers(
        moment.headers.map(({ lease }) => lease.id),
        moment.headers.map(() => at),
      );
    }
    if (moment.ends.length > 0) {
      this.#listener.outcomes(moment.ends.map((sent) => this.#read(sent, at)));
      this.#stock.sendMore(() => true);
    }
  }

  #read(sent: Sent, at: number): Outcome {
    const outcome = outcomeOf(sent, at, this.#places);
    this.#judge(outcome);
    this.#wire.ended(sent.lease, outcome);
    this.#stock.ended(sent.job);
    if (sent.job.place !== null && isHostTrouble(outcome.status, outcome.errorClass)) {
      this.recall(sent.job.place);
    }
    return outcome;
  }

  /** Only when it has come is it read: by then the table may know what it links to. */
  #judge(outcome: Outcome): void {
    if (outcome.offers.length === 0) {
      return;
    }
    const target = outcome.redirect === null ? null : this.#view.find(outcome.offers[0]!.key);
    if (target !== null) {
      outcome.redirect = { id: target.id };
    }
    outcome.offers = outcome.offers.filter((offer) => this.#view.find(offer.key) === null);
  }

  /** A thread that dies: nothing of what it held is ever heard of again. */
  die(): void {
    this.#dead = true;
    const waiting = [...this.#moments.values()];
    const awaiting = new Set(waiting.flatMap(({ headers }) => headers));
    for (const sent of waiting.flatMap(({ ends }) => ends)) {
      if (sent.headersAt === null || awaiting.has(sent)) {
        this.#wire.lost(sent.lease);
      }
    }
    this.#listener.died(this.#lane, new Error('the lane was killed'));
  }

  widenScope(): void {}
  forgetRules(): void {}
  flow(): void {
    this.#stock.sendMore(() => true);
  }

  dropCaches(): void {}
  read(): Promise<never> {
    return Promise.reject(new Error('nothing is rendered here'));
  }

  resolve(host: string): Promise<string> {
    const { lookUps } = this.#web;
    lookUps.peak = Math.max(lookUps.peak, ++lookUps.now);
    return new Promise((resolve, reject) => {
      this.#clock.at(this.#clock.now() + LOOK_UP_MS, () => {
        lookUps.now--;
        const address = this.#web.addressOf(host);
        return address === null ? reject(new Error(`${host} has no address`)) : resolve(address);
      });
    });
  }
  async close(): Promise<void> {}
  peakWaiting(): number {
    return 0;
  }
}

function outcomeOf({ lease, reply, sentAt, headersAt }: Sent, endedAt: number, places: QueuePlaces): Outcome {
  if (reply.forbidden) {
    return { ...failure(lease, endedAt, null, 'Disallow: /'), unsent: 'robots' };
  }
  const outcome = failure(lease, endedAt, reply.errorClass ?? null, null);
  outcome.status = headersAt === null ? null : (reply.status ?? 200);
  outcome.headersAt = headersAt;
  outcome.ttfbMs = headersAt === null ? null : headersAt - sentAt;
  outcome.retryAfterMs = reply.retryAfterMs ?? null;
  outcome.robots = reply.robots ?? null;
  outcome.offers = (reply.links?.() ?? []).map((url) => ({
    ...pageOffer(url, lease.depth + 1),
    class: places.ofLink(url, lease.depth + 1),
  }));
  if (reply.redirect !== undefined) {
    const kind = lease.kind;
    outcome.offers = [
      {
        ...pageOffer(reply.redirect, lease.depth),
        kind,
        class: places.ofRedirect(reply.redirect),
        hops: lease.hops + 1,
      },
    ];
    outcome.redirect = { offer: 0 };
    outcome.redirectUrl = reply.redirect;
  }
  return outcome;
}

/** A page as a lane offers it; those at depth 0 are seeds. */
export const pageOffer = (url: string, depth: number): Offer => ({
  ...offerOf(url, depth),
  class: depth === 0 ? QueueClass.seed : QueueClass.rest,
});
