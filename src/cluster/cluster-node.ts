import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import { StateError } from '../base/errors.js';
import type { ClusterDoors, ClusterSeat } from '../crawl/cluster-seat.js';
import type { CrawlScope } from '../lane/crawl-scope.js';
import type { Mail } from '../store/outbox.js';
import type { Seat } from '../url/slots.js';
import type { Answer, Bus, Caller, Founding, Standing } from './bus.js';
import { offerOf } from './mail-offers.js';
import { Membership } from './membership.js';
import { PostOffice } from './post-office.js';
import { SendRight } from './send-right.js';
import { type ClusterView, viewOf } from './view.js';

export interface ClusterNodeParts {
  bus: Bus;
  clock: Clock;
  /** Its name for people. */
  crawlId?: string;
  founding: Omit<Founding, 'generation' | 'isSure'>;
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

  constructor(parts: ClusterNodeParts) {
    const { bus, clock, founding, incarnation, goesOn, isFounder, leaseMs, place, quietMs = 0, quietUntil = 0 } = parts;
    this.#parts = parts;
    this.#right = new SendRight(clock, () => this.#doors?.wake());
    this.#membership = new Membership({
      ...{ bus, clock, founding, incarnation, goesOn, isFounder, leaseMs, quietMs, quietUntil },
      right: this.#right,
      token: randomUUID(),
      standing: () => this.#standing(),
      figures: () => JSON.stringify({ ...place, ...this.#figures() }),
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
    if (isIdle !== this.#saidIdle && !this.#isOver) {
      this.#membership.report();
    }
  }

  #standing(): Standing {
    const isIdle = this.#isAtRest && (this.#post?.isQuiet ?? false);
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
    if (state.phase === 'ended' && !this.#isOver) {
      this.#isOver = true;
      if (!this.#isAtRest) {
        doors.stop('complete', null);
      }
    } else if (state.phase === 'stopping' && !this.#isStopped) {
      this.#isStopped = true;
      doors.stop('stopped', null);
    }
    doors.wake();
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
    await doors.admit(offers, meta);
  }

  #scopeNow(doors: ClusterDoors): CrawlScope {
    const version = doors.scopeVersion();
    if (this.#scope?.version !== version) {
      this.#scope = { version, scope: doors.scope() };
    }
    return this.#scope.scope;
  }

  #figures(): Record<string, number> {
    const outbox = [...(this.#post?.outstanding().values() ?? [])].reduce((sum, n) => sum + n, 0);
    return { ...this.#doors?.figures(), outbox, mailIn: this.#post?.use.in ?? 0, mailOut: this.#post?.use.out ?? 0 };
  }

  /** All slots as this node last heard of them, and itself as it is now. */
  view(): ClusterView | null {
    const { state } = this.#membership;
    return state === null
      ? null
      : viewOf(state, {
          crawlId: this.#parts.crawlId ?? this.#parts.founding.id,
          leaseLeftMs: (until) => this.#membership.leaseLeftMs(until),
          mailWaiting: new Map(),
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
