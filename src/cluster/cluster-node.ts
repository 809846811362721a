import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import { StateError } from '../base/errors.js';
import type { ClusterDoors, ClusterSeat } from '../crawl/cluster-seat.js';
import type { CrawlScope } from '../lane/crawl-scope.js';
import type { Mail } from '../store/outbox.js';
import type { Seat } from '../url/slots.js';
import type { ClusterSnapshot } from '../watch/live.js';
import type { Answer, Bus, Caller, ClusterState, Founding, Report, Standing } from './bus.js';
import { giftsOf } from './grants.js';
import { offerOf } from './mail-offers.js';
import { Membership } from './membership.js';
import { PostOffice } from './post-office.js';
import { SendRight } from './send-right.js';
import { type ToldFigures, viewOf } from './view.js';

export interface ClusterNodeParts {
  bus: Bus;
  clock: Clock;
  /** Its name for people. */
  crawlId?: string;
  founding: Omit<Founding, 'generation' | 'ranMs' | 'isSure'>;
  /** Id of this machine's store. */
  incarnation: string;
  /** That has been part of the crawl before. */
  goesOn: boolean;
  /** This process has begun the crawl. */
  isFounder: boolean;
  leaseMs: number;
  /** See MembershipParts; left out: 0. */
  quietMs?: number;
  quietUntil?: number;
  /** Where it runs, for those who look. */
  place: { host: string; pid: number };
}

/** Key of the cursor of what came from a store, among what this machine's store keeps. */
export const CURSOR = 'mail:';
const PAUSE_MS = 500;
const RATE_OVER_MS = 3_000;

/** One machine of a crawl on several: it holds a slot, carries mail between its store and the others', and knows when all have come to the end. */
export class ClusterNode implements ClusterSeat {
  readonly #parts: ClusterNodeParts;
  readonly #right: SendRight;
  readonly #membership: Membership;
  #doors: ClusterDoors | null = null;
  #post: PostOffice | null = null;
  #scope: { version: number; scope: CrawlScope } | null = null;
  #isAtRest = false;
  /** The others may believe that nothing is to be done here. */
  #saidIdle = false;
  #isOver = false;
  #isClosed = false;
  #beatAt = 0;
  #kept: Record<string, string> = {};
  #generation = 0;
  #isStopped = false;
  #reading: Promise<void> = Promise.resolve();
  #meeting: Promise<void> = Promise.resolve();
  #cancelPause: (() => void) | null = null;
  #failure: StateError | null = null;
  /** By slot: number of the mail by which it was given a part of the grant last, and of the call that had asked for it. */
  readonly #gifts = new Map<number, { seq: number; count: number }>();
  #giving: Promise<void> | null = null;
  #saidWant = false;
  #rateFrom = { at: Number.NEGATIVE_INFINITY, pages: 0 };
  #pagesPerSecond = 0;

  constructor(parts: ClusterNodeParts) {
    const { bus, clock, founding, incarnation, goesOn, isFounder, leaseMs, quietMs = 0, quietUntil = 0 } = parts;
    this.#parts = parts;
    this.#right = new SendRight(clock, () => this.#doors?.wake());
    this.#membership = new Membership({
      ...{ bus, clock, founding, incarnation, goesOn, isFounder, leaseMs, quietMs, quietUntil },
      right: this.#right,
      token: randomUUID(),
      standing: () => this.#standing(),
      figures: () => {
        const report = this.#report();
        this.#saidWant = report.wants > 0;
        return report;
      },
      confirm: (end) => this.#confirm(end),
      nextEnd: randomUUID,
      changed: () => this.#changed(),
      away: (isAway) => this.#away(isAway),
      failed: (error) => this.#fail(error),
    });
  }

  /** Takes a slot: this one, or (null) any that is free. */
  async join(slot: number | null): Promise<number> {
    await this.#membership.join(slot);
    this.#membership.begin();
    return this.#membership.slot;
  }

  /** Wall time before which nothing is asked for, for the clocks of its hosts are lost; 0 where they are not. */
  get quietUntil(): number {
    return this.#membership.quietUntil;
  }

  /** What the store is to keep of this; a new one does so from its beginning. */
  keeps(meta: Record<string, string>): void {
    this.#kept = meta;
  }

  get seat(): Seat {
    return { slot: this.#membership.slot, nodes: this.#parts.founding.nodes };
  }

  get sendUntil(): Float64Array {
    return this.#right.cells;
  }

  get mayLease(): boolean {
    return this.#right.isOpen && !this.#saidIdle && this.#membership.state?.phase !== 'paused';
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async begin(doors: ClusterDoors): Promise<void> {
    const { bus, founding, incarnation, leaseMs } = this.#parts;
    const { store } = doors;
    const post = new PostOffice({
      bus,
      store: {
        peers: () => store.peers(),
        take: (slot, from, size) => store.takeMail(slot, from, size),
        acknowledged: (slot, seq) => store.acknowledgedMail(slot, seq),
        begin: (slot, store_, after) => store.beginMail(slot, store_, after),
      },
      id: founding.id,
      slot: this.#membership.slot,
      incarnation,
      cursors: new Map(
        Object.entries(doors.meta)
          .filter(([key]) => key.startsWith(CURSOR))
          .map(([key, value]) => [key.slice(CURSOR.length), Number(value)]),
      ),
      call: (run: (caller: Caller) => Promise<Answer>) => this.#membership.call(run),
      admit: (mail, cursors) => this.#admit(mail, cursors),
      changed: () => this.#nudge(),
      woken: () => this.#membership.report(),
    });
    // From now on it hears what is written: the crawl is under way.
    this.#post = post;
    await store.keep(this.#kept);
    await post.open();
    this.#doors = doors;
    if (this.#failure !== null) {
      doors.stop('error', this.#failure);
    }
    this.#changed();
    this.#reading = post
      .read(leaseMs / 3, () => this.#pause())
      .catch((error: Error) =>
        this.#fail(error instanceof StateError ? error : new StateError('cluster', error.message)),
      );
  }

  posted(mail: readonly { slot: number; last: number }[]): void {
    this.#post?.posted(mail);
  }

  rests(isAtRest: boolean): void {
    this.#isAtRest = isAtRest;
    this.#nudge();
  }

  /** Says it to the others where that is another thing than they have heard. */
  #nudge(): void {
    const isIdle = this.#standing() === 'idle';
    const wants = this.#purse().wants > 0;
    if ((isIdle !== this.#saidIdle || (wants && !this.#saidWant)) && !this.#isOver) {
      this.#membership.report();
    }
  }

  #standing(): Standing {
    // While it gives, the mail that says so may not be written yet.
    const isIdle = this.#isAtRest && (this.#post?.isQuiet ?? false) && this.#giving === null;
    // Before it is said: from now on nothing is asked for until the others have heard that there is something to do.
    this.#saidIdle ||= isIdle;
    return isIdle ? 'idle' : 'active';
  }

  /** All have come to rest: that is put down, and all the same it is only over when every store has it. */
  async #confirm(end: string): Promise<boolean> {
    await this.#doors!.store.keep({ clusterEnd: end });
    return this.#standing() === 'idle';
  }

  /** The state of all is known anew. */
  #changed(): void {
    const { state } = this.#membership;
    const [doors, post] = [this.#doors, this.#post];
    if (state === null || doors === null || post === null || this.#isClosed) {
      return;
    }
    if (this.#standing() === 'active') {
      this.#saidIdle = state.slots[this.#membership.slot]?.standing === 'idle';
    }
    const stores = new Map(Object.entries(state.slots).map(([slot, { incarnation }]) => [Number(slot), incarnation]));
    this.#meeting = this.#meeting
      .then(() => post.meet(stores))
      .catch((error: Error) => this.#fail(new StateError('cluster', error.message)));
    if (state.generation !== this.#generation) {
      this.#generation = state.generation;
      post.startOver();
    }
    if (this.#parts.clock.now() >= this.#beatAt) {
      this.#beatAt = this.#parts.clock.now() + this.#parts.leaseMs / 3;
      post.beat();
    }
    if (state.durationMs > 0) {
      doors.endsAt(this.#parts.clock.now() + this.#membership.leftMs(state.startedAt + state.durationMs));
    }
    if (state.phase === 'ended' && !this.#isOver) {
      this.#isOver = true;
      if (state.reason === 'max_urls' || !this.#isAtRest) {
        doors.stop(state.reason === 'max_urls' ? 'max_urls' : 'complete', null);
      }
    } else if (state.phase === 'stopping' && !this.#isStopped) {
      this.#isStopped = true;
      doors.stop(isLimit(state.reason) ? state.reason : 'stopped', null);
    }
    this.#give(state, doors, post);
    doors.wake();
  }

  /** Others may ask for URLs in the place of this machine where they have used up what they may ask for, and this one has not. */
  #give(state: ClusterState, doors: ClusterDoors, post: PostOffice): void {
    const own = doors.grant();
    if (own === null || own.unused <= 0 || this.#giving !== null || state.phase === 'ended') {
      return;
    }
    const others = Object.entries(state.slots)
      .map(([slot, { wants = 0, unused = 0, count }]) => ({ slot: Number(slot), wants, unused, count }))
      .filter(({ slot, count }) => slot !== this.#membership.slot && this.#mayGive(slot, count, post));
    const gifts = giftsOf(own, others);
    if (gifts.length === 0) {
      return;
    }
    this.#giving = doors
      .give(gifts)
      .then(() => {
        for (const { slot } of gifts) {
          this.#gifts.set(slot, { seq: post.lastTo(slot), count: state.slots[slot]!.count });
        }
      })
      // The run is over, or its store has failed and says so.
      .catch(() => {})
      .finally(() => {
        this.#giving = null;
        this.#nudge();
      });
  }

  /** What it was given last has arrived there, and it has asked again since. */
  #mayGive(slot: number, count: number, post: PostOffice): boolean {
    const last = this.#gifts.get(slot);
    return post.knows(slot) && (last === undefined || (post.hasAcknowledged(slot, last.seq) && count !== last.count));
  }

  async #admit(mail: readonly Mail[], cursors: ReadonlyMap<string, number>): Promise<void> {
    const doors = this.#doors!;
    const widened = mail.flatMap((piece) => ('widened' in piece ? [piece.widened] : []));
    if (widened.length > 0) {
      await doors.widen(widened);
    }
    const scope = this.#scopeNow(doors);
    const offers = mail.flatMap((piece) =>
      'offer' in piece ? [offerOf(piece.offer, scope, doors.sitemapsAreBeyond)] : [],
    );
    const meta = Object.fromEntries([...cursors].map(([store, seq]) => [CURSOR + store, String(seq)]));
    const granted = mail.reduce((sum, piece) => sum + ('grant' in piece ? piece.grant : 0), 0);
    await doors.admit(offers, meta, granted);
  }

  #scopeNow(doors: ClusterDoors): CrawlScope {
    const version = doors.scopeVersion();
    if (this.#scope?.version !== version) {
      this.#scope = { version, scope: doors.scope() };
    }
    return this.#scope.scope;
  }

  #purse(): { unused: number; wants: number } {
    const { unused, waiting } = this.#doors?.grant() ?? { unused: 0, waiting: 0 };
    return { unused, wants: Math.max(0, waiting - unused) };
  }

  #report(): Pick<Report, 'figures' | 'unused' | 'wants' | 'bytes'> {
    const figures = this.#figures();
    return {
      figures: JSON.stringify({ ...this.#parts.place, ...figures }),
      bytes: figures.bytes ?? 0,
      ...this.#purse(),
    };
  }

  #figures(): ToldFigures {
    const outbox = Object.fromEntries([...(this.#post?.outstanding() ?? [])].filter(([, pieces]) => pieces > 0));
    const { in: mailIn = 0, out: mailOut = 0, bytesOut: mailBytes = 0 } = this.#post?.use ?? {};
    const { done = 0, failed = 0, ...others } = this.#doors?.figures() ?? {};
    const pagesPerSecond = this.#rate(done + failed);
    return { ...others, done, failed, pagesPerSecond, outbox, mailIn, mailOut, mailBytes };
  }

  /** Pages a second, since a moment of some seconds ago. */
  #rate(settled: number): number {
    const now = this.#parts.clock.now();
    const { at, pages } = this.#rateFrom;
    if (now - at >= RATE_OVER_MS) {
      this.#pagesPerSecond = Math.max(0, Math.round(((settled - pages) * 10_000) / (now - at)) / 10);
      this.#rateFrom = { at: now, pages: settled };
    }
    return this.#pagesPerSecond;
  }

  /** All slots as this node last heard of them, and itself as it is now. */
  view(): ClusterSnapshot | null {
    const { state, slot: own } = this.#membership;
    const held = state?.slots[own];
    if (state === null || held === undefined) {
      return null;
    }
    const now = { ...state, slots: { ...state.slots, [own]: { ...held, ...this.#report() } } };
    return viewOf(now, {
      ...{ crawlId: this.#parts.crawlId ?? this.#parts.founding.id, own, inRedis: null },
      leftMs: (until) => this.#membership.leftMs(until),
    });
  }

  #away(isAway: boolean): void {
    this.#doors?.notice(
      isAway
        ? 'Redis cannot be reached: requests go on until the lease ends, then this machine pauses and tries again'
        : 'Redis can be reached again',
    );
  }

  #fail(error: StateError): void {
    if (this.#isClosed) {
      return;
    }
    this.#failure ??= error;
    this.#right.end();
    this.#doors?.stop('error', error);
  }

  #pause(): Promise<void> {
    const { clock } = this.#parts;
    return new Promise((resolve) => {
      const cancel = clock.at(clock.now() + PAUSE_MS, resolve);
      this.#cancelPause = () => {
        cancel();
        resolve();
      };
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) {
      return;
    }
    this.#isClosed = true;
    this.#post?.close();
    this.#membership.close();
    this.#cancelPause?.();
    await this.#parts.bus.close();
    await this.#reading;
    await this.#meeting;
  }
}

const isLimit = (reason: string): reason is 'max_bytes' | 'duration' => reason === 'max_bytes' || reason === 'duration';
