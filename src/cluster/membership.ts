import type { Clock } from '../base/clock.js';
import { Alarm } from '../base/clock.js';
import { StateError } from '../base/errors.js';
import type { Answer, Bus, Caller, ClusterState, Founding, Report, Standing } from './bus.js';
import type { SendRight } from './send-right.js';

export interface MembershipParts {
  bus: Bus;
  clock: Clock;
  right: SendRight;
  /** To put the crawl back where what carries it has forgotten it. */
  founding: Omit<Founding, 'generation' | 'ranMs' | 'isSure'>;
  incarnation: string;
  /** The store has been part of the crawl before: what carries the calls may have forgotten it meanwhile. */
  goesOn: boolean;
  /** This process has begun the crawl: nobody else can have had its slot. */
  isFounder: boolean;
  token: string;
  leaseMs: number;
  /** What a host may have to be left alone for, at most, where nobody knows when it was last asked. */
  quietMs: number;
  /** Wall time until which this store's slot is quiet; 0 where the clocks of its hosts are known. */
  quietUntil: number;
  /** What this node is at now. */
  standing(): Standing;
  figures(): Pick<Report, 'figures' | 'unused' | 'wants' | 'bytes'>;
  /** Puts an end down in the store; true once that is durable and nothing has come since. */
  confirm(end: string): Promise<boolean>;
  /** A name for an end that this node may be the one to propose. */
  nextEnd(): string;
  /** The state of all is another one, as far as is known. */
  changed(): void;
  /** Nothing can be reached, or it can be again. */
  away(isAway: boolean): void;
  failed(error: StateError): void;
}

/** Beyond the lease: what clocks may differ by while one runs. */
const marginOf = (leaseMs: number): number => Math.ceil(leaseMs / 8);
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/**
 * A node's place among the others: it holds a slot by a lease, renews it, and says what it is at. Its calls go one after the other, each with a
 * number; one that was not answered is made again under the same number.
 */
export class Membership {
  readonly #parts: MembershipParts;
  readonly #alarm: Alarm;
  #slot = -1;
  #quietUntil = 0;
  #generation = 0;
  #count = 0;
  #seen: Caller['seen'] = {};
  #turn: Promise<unknown> = Promise.resolve();
  #confirmed = '';
  #state: ClusterState | null = null;
  /** What the state's times are counted from, less our own clock. */
  #skewMs = 0;
  #isClosed = false;
  #isAway = false;
  #isReporting = false;
  /** Something changed while a report was under way. */
  #isDue = false;
  #wakePause: (() => void) | null = null;

  constructor(parts: MembershipParts) {
    this.#parts = parts;
    this.#alarm = new Alarm(parts.clock, () => this.report());
    this.#beQuiet(parts.quietUntil - parts.clock.wall());
  }

  get slot(): number {
    return this.#slot;
  }

  /** Wall time before which nothing is asked for, whoever holds the slot: to be kept with the store. 0 where there is no such time. */
  get quietUntil(): number {
    return this.#quietUntil;
  }

  get state(): ClusterState | null {
    return this.#state;
  }

  /** Milliseconds until a time that the state names. */
  leftMs(until: number): number {
    return until - this.#skewMs - this.#parts.clock.now();
  }

  /** For how long the crawl has run, as far as is known. */
  get #ranMs(): number {
    return this.#state === null ? 0 : Math.max(0, Math.round(-this.leftMs(this.#state.startedAt)));
  }

  /** Until the time of the crawl is over: that is seen at once. */
  get #untilEndMs(): number {
    const { startedAt = 0, durationMs = 0 } = this.#state ?? {};
    const left = durationMs === 0 ? 0 : this.leftMs(startedAt + durationMs);
    return left > 0 ? left + 1 : Number.POSITIVE_INFINITY;
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  /** Takes the slot (null: any that is free). Throws where it is not to be had; waits while a lease of the same store runs out. */
  async join(slot: number | null): Promise<number> {
    await this.#claim(slot);
    if (this.#isClosed) {
      throw new StateError('cluster', 'the crawl was left before it was joined');
    }
    return this.#slot;
  }

  /** From now on the lease is renewed. */
  begin(): void {
    this.report();
  }

  /** Says at once what this node is at, and learns what the others are at. */
  report(): void {
    if (this.#isClosed) {
      return;
    }
    if (this.#isReporting) {
      this.#isDue = true;
      return;
    }
    this.#isReporting = true;
    void this.#report()
      .catch((error: Error) => this.#fail(error))
      .finally(() => {
        this.#isReporting = false;
        if (this.#isDue) {
          this.#isDue = false;
          this.report();
        } else if (!this.#isClosed) {
          this.#alarm.set(this.#parts.clock.now() + Math.min(this.#parts.leaseMs / 3, this.#untilEndMs));
        }
      });
  }

  async #report(): Promise<void> {
    const { bus, founding, leaseMs, right, clock } = this.#parts;
    let sentAt = { now: 0, wall: 0 };
    const answer = await this.call((caller) => {
      sentAt = { now: clock.now(), wall: clock.wall() };
      const standing = this.#parts.standing();
      const confirmed = standing === 'idle' ? this.#confirmed : '';
      return bus.report(caller, {
        ...{
          id: founding.id,
          leaseMs,
          standing,
          confirmed,
          ...this.#parts.figures(),
          end: this.#parts.nextEnd(),
        },
      });
    });
    if (answer === null) {
      return;
    }
    right.renewed(sentAt, leaseMs, marginOf(leaseMs));
    if (answer.turned === true) {
      this.#wakeOthers();
    }
    const { phase, end } = answer.state;
    if (phase === 'ending' && this.#confirmed !== end && this.#parts.standing() === 'idle') {
      if (await this.#parts.confirm(end)) {
        this.#confirmed = end;
        this.#isDue = true;
      }
    }
  }

  /** Makes a call in its turn, until it is answered; null if the node has left meanwhile. */
  call(run: (caller: Caller) => Promise<Answer>): Promise<(Answer & { ok: true }) | null> {
    const mine = this.#turn.then(() => this.#callNow(run));
    this.#turn = mine.catch(() => {});
    return mine;
  }

  async #callNow(run: (caller: Caller) => Promise<Answer>): Promise<(Answer & { ok: true }) | null> {
    for (let pauseMs = FIRST_PAUSE_MS; !this.#isClosed; ) {
      const { token } = this.#parts;
      const caller = {
        slot: this.#slot,
        token,
        generation: this.#generation,
        count: this.#count + 1,
        seen: this.#seen,
      };
      let answer: Answer;
      try {
        answer = await run(caller);
      } catch {
        pauseMs = await this.#pause(pauseMs);
        continue;
      }
      this.#reached();
      if (answer.ok) {
        this.#count = caller.count;
        this.#learn(answer.state, answer.now);
        return answer;
      }
      if (answer.refused === 'other') {
        throw otherCrawl();
      }
      // Lost: to a process that runs, or to one that is dead and is remembered again. Whoever does not renew it gives it back.
      this.#generation = Math.max(this.#generation, answer.generation ?? 0);
      await this.#claim(this.#slot);
    }
    return null;
  }

  /** What is reached is what it was before, or has forgotten all: then the crawl is put back, as another generation. */
  async #claim(slot: number | null): Promise<void> {
    const { bus, clock, founding, incarnation, token, leaseMs, quietMs, right } = this.#parts;
    let heldBy: { token: string; until: number } | null = null;
    for (let pauseMs = FIRST_PAUSE_MS; !this.#isClosed; ) {
      try {
        const sentAt = { now: clock.now(), wall: clock.wall() };
        const claimed = await bus.claim({ id: founding.id, slot, incarnation, token, leaseMs });
        this.#reached();
        if (claimed.ok) {
          this.#slot = claimed.slot;
          this.#generation = claimed.state.generation;
          this.#count = 0;
          this.#confirmed = '';
          this.#learn(claimed.state, claimed.now);
          // Elsewhere what carries the calls may have forgotten who had the slot, and may still send.
          const isFree = claimed.isFirst && (claimed.isSure || this.#parts.isFounder);
          const waitMs = isFree ? 0 : leaseMs + marginOf(leaseMs);
          if (claimed.isReplaced && !this.#parts.goesOn && this.#quietUntil === 0) {
            // Whoever had the slot may ask until its lease is over.
            this.#beQuiet(waitMs + quietMs);
          }
          right.claimed(sentAt, leaseMs, waitMs);
          // There is mail for it.
          this.#wakeOthers();
          return;
        }
        if (claimed.refused === 'gone' && this.#generation === 0 && this.#parts.isFounder) {
          // Nobody sends yet by what this process has begun.
          await bus.found({ ...founding, generation: 1, ranMs: this.#ranMs, isSure: false });
        } else if (claimed.refused === 'gone' && (this.#generation > 0 || this.#parts.goesOn)) {
          const generation = Math.max(1, this.#generation) + 1;
          await bus.found({ ...founding, generation, ranMs: this.#ranMs, isSure: false });
        } else if (claimed.refused === 'held') {
          // Its process may be dead: then nobody renews the lease.
          if (heldBy !== null && (heldBy.token !== claimed.token || heldBy.until < claimed.until!)) {
            throw refusedClaim('held', slot);
          }
          heldBy = { token: claimed.token!, until: claimed.until! };
          await this.#wait(Math.max(20, Math.min(leaseMs / 3, claimed.until! - claimed.now!)));
        } else {
          throw refusedClaim(claimed.refused, slot);
        }
      } catch (error) {
        if (error instanceof StateError) {
          throw error;
        }
        pauseMs = await this.#pause(pauseMs);
      }
    }
  }

  /** Wall clocks jump: it is never longer than it could have been. */
  #beQuiet(forMs: number): void {
    const { clock, leaseMs, quietMs, right } = this.#parts;
    if (forMs > 0) {
      const ms = Math.min(forMs, leaseMs + marginOf(leaseMs) + quietMs);
      this.#quietUntil = clock.wall() + ms;
      right.notBefore(clock.now() + ms);
    }
  }

  #learn(state: ClusterState, now: number): void {
    this.#state = state;
    this.#skewMs = now - this.#parts.clock.now();
    this.#seen = Object.fromEntries(
      Object.entries(state.slots)
        .filter(([slot]) => Number(slot) !== this.#slot)
        .map(([slot, { token, count }]) => [slot, { token, count }]),
    );
    this.#parts.changed();
  }

  /** What they do not hear of now they learn when they renew their leases. */
  #wakeOthers(): void {
    const slots = Array.from({ length: this.#parts.founding.nodes }, (_, slot) => slot);
    void this.#parts.bus.wake(slots.filter((slot) => slot !== this.#slot)).catch(() => {});
  }

  #reached(): void {
    if (this.#isAway) {
      this.#isAway = false;
      this.#parts.away(false);
    }
  }

  async #pause(pauseMs: number): Promise<number> {
    if (!this.#isAway) {
      this.#isAway = true;
      this.#parts.away(true);
    }
    await this.#wait(pauseMs);
    return Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const { clock } = this.#parts;
      const cancel = clock.at(clock.now() + ms, resolve);
      this.#wakePause = () => {
        cancel();
        resolve();
      };
    });
  }

  #fail(error: Error): void {
    if (!this.#isClosed) {
      this.#parts.failed(error instanceof StateError ? error : new StateError('cluster', error.message));
    }
  }

  /** Leaves: nothing is renewed any more, and the slot's lease runs out. */
  close(): void {
    this.#isClosed = true;
    this.#parts.right.end();
    this.#alarm.clear();
    this.#wakePause?.();
  }
}

const otherCrawl = (): StateError =>
  new StateError('cluster_lost', 'another crawl now has the same --crawl-id: this machine sends no more requests');

function refusedClaim(why: string, slot: number | null): StateError {
  const which = slot === null ? 'a slot' : `slot ${slot}`;
  const words: Record<string, string> = {
    gone: 'there is no such crawl: begin it with `gossamer crawl … --redis-url … --crawl-id …`',
    other: 'another crawl has this --crawl-id',
    held: `${which} is held by another process that runs: two processes cannot crawl one part, and a copied directory does not make a second machine`,
    other_store: `${which} has another store than this directory; \`gossamer cluster replace\` gives a lost one away`,
    full: 'all slots are held: --nodes says how many there are',
    replace: 'Redis has forgotten which stores held the free slots: `gossamer cluster replace SLOT` frees one of them',
  };
  return new StateError(
    why === 'gone' ? 'cluster_gone' : 'cluster_refused',
    words[why] ?? `${which} cannot be taken: ${why}`,
  );
}
