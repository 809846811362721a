import { randomUUID } from 'node:crypto';
import { StateError } from '../base/errors.js';
import type { Mail, Peer } from '../store/outbox.js';
import type { Answer, Bus, Caller, Entry } from './bus.js';

/** The store as mail needs it. */
export interface MailStore {
  peers(): Promise<Peer[]>;
  take(slot: number, from: number, size: number): Promise<Mail[]>;
  acknowledged(slot: number, seq: number): Promise<void>;
  begin(slot: number, incarnation: string, after: number): Promise<Peer>;
}

export interface PostOfficeParts {
  bus: Bus;
  store: MailStore;
  /** Id of the crawl. */
  id: string;
  slot: number;
  incarnation: string;
  /** By the store that sent it: the number of the last piece that is durable here. */
  cursors: Map<string, number>;
  call(run: (caller: Caller) => Promise<Answer>): Promise<(Answer & { ok: true }) | null>;
  /** Takes mail up; durable, with the cursors, when it resolves. */
  admit(mail: Mail[], cursors: ReadonlyMap<string, number>): Promise<void>;
  /** Nothing waits any more, or something does. */
  changed(): void;
  /** The state of all is to be looked at. */
  woken(): void;
}

interface Route extends Peer {
  sent: number;
  /** Number of the last piece that may have been sent: where the receiver has more, this store is an old copy. */
  told: number;
  /** The receiver has told this process how far it is. Until then nothing is sent that is newer than this process: the store may be an old copy. */
  isKnown: boolean;
  /** What its receiver's answer to this process has in it, since the receiver was met. */
  by: string;
  /** The numbers have begun anew in this process: the receiver may have some from before. */
  isReset: boolean;
  hasAsked: boolean;
  /** Grows when what was sent has to be sent again. */
  turn: number;
  isBusy: boolean;
  ackedAtBeat: number;
  /** Beats without an acknowledgement, and after how many what was sent is sent again: each time twice as many, or a slow Redis would be flooded. */
  beats: number;
  patience: number;
}

type Letter =
  /** `have`: so far the receiver has acknowledged, as the sender knows; its store is behind that only where it is an old copy. `by`: the process that asks; its answer has the same. Without mail it only asks. */
  | { from: number; store: string; to: string; first: number; mail: Mail[]; have: number; by: string }
  | { from: number; store: string; to: string; acked: number; isGap: boolean; have: number; by: string };

/** Characters of one entry. */
const ENTRY_SIZE = 48 * 1024;
const LEAST_PATIENCE = 2;
const MOST_PATIENCE = 32;

/**
 * Mail between the stores of a crawl. Each piece has a number, counted for its sender's and its receiver's store; a receiver takes only the next one,
 * and acknowledges it when it is durable. So mail may be lost, doubled and reordered on its way: what is not acknowledged is sent again.
 */
export class PostOffice {
  readonly #parts: PostOfficeParts;
  readonly #routes = new Map<number, Route>();
  /** Written before the store has said how far the mail is, by slot. */
  readonly #early = new Map<number, number>();
  #isOpen = false;
  #turns: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** Where the stream is read on from. */
  #after = '0';
  /** What came, and what went, since the beginning. */
  readonly use = { in: 0, out: 0, bytesOut: 0 };

  constructor(parts: PostOfficeParts) {
    this.#parts = parts;
  }

  async open(): Promise<void> {
    for (const peer of await this.#parts.store.peers()) {
      const last = Math.max(peer.last, this.#early.get(peer.slot) ?? 0);
      this.#routes.set(peer.slot, {
        ...peer,
        last,
        sent: peer.acked,
        told: peer.last,
        isKnown: false,
        by: newName(),
        isReset: false,
        hasAsked: false,
        turn: 0,
        isBusy: false,
        ackedAtBeat: -1,
        beats: 0,
        patience: LEAST_PATIENCE,
      });
    }
    this.#isOpen = true;
  }

  /** All that was written is acknowledged. */
  get isQuiet(): boolean {
    return this.#isOpen && [...this.#routes.values()].every(({ last, acked, isKnown }) => isKnown && acked >= last);
  }

  /** A store holds the slot that mail can be written to. */
  knows(slot: number): boolean {
    return (this.#routes.get(slot)?.incarnation ?? null) !== null;
  }

  /** Number of the last piece that was written to a slot. */
  lastTo(slot: number): number {
    return this.#routes.get(slot)?.last ?? 0;
  }

  /** Whether a piece of mail has arrived. Numbers that begin anew for another store are lower. */
  hasAcknowledged(slot: number, seq: number): boolean {
    const { last = 0, acked = 0 } = this.#routes.get(slot) ?? {};
    return acked >= Math.min(seq, last);
  }

  /** Pieces that are written and not acknowledged, by slot. */
  outstanding(): Map<number, number> {
    return new Map([...this.#routes].map(([slot, { last, acked }]) => [slot, last - acked]));
  }

  /** These were written to the outbox, durably. */
  posted(mail: readonly { slot: number; last: number }[]): void {
    for (const { slot, last } of mail) {
      const route = this.#routes.get(slot);
      if (route === undefined) {
        this.#early.set(slot, last);
      } else {
        route.last = Math.max(route.last, last);
        this.#pump(route);
      }
    }
  }

  /** Which store holds each slot, as far as is known; '' where none does. */
  meet(incarnations: ReadonlyMap<number, string>): Promise<void> {
    return this.#inTurn(() => this.#meet(incarnations));
  }

  /** Numbers count for one receiver: while the store turns to another one, no acknowledgement of the last is taken for the next. */
  #inTurn(run: () => Promise<void>): Promise<void> {
    const mine = this.#turns.then(run);
    this.#turns = mine.catch(() => {});
    return mine;
  }

  async #meet(incarnations: ReadonlyMap<number, string>): Promise<void> {
    for (const [slot, incarnation] of incarnations) {
      const route = this.#routes.get(slot);
      if (route !== undefined && incarnation !== '' && route.incarnation !== incarnation && !this.#isClosed) {
        const isReset = route.incarnation !== null;
        const peer = await this.#parts.store.begin(slot, incarnation, 0);
        // This store has told that one nothing yet.
        Object.assign(route, peer, { sent: peer.acked, told: peer.acked, isKnown: false, isReset, by: newName() });
        this.#rewind(route);
        this.#pump(route);
        this.#parts.changed();
      }
    }
  }

  /** From time to time: what should have been acknowledged by now is sent again, and the stream is looked through from its beginning. */
  beat(): void {
    this.#after = '0';
    for (const route of this.#routes.values()) {
      const isStill = route.acked === route.ackedAtBeat && (route.sent > route.acked || !route.isKnown);
      route.ackedAtBeat = route.acked;
      route.beats = isStill ? route.beats + 1 : 0;
      if (!isStill) {
        route.patience = LEAST_PATIENCE;
      } else if (route.beats >= route.patience) {
        route.beats = 0;
        route.patience = Math.min(MOST_PATIENCE, route.patience * 2);
        this.#rewind(route);
      }
      this.#pump(route);
    }
  }

  /** What carries the mail has forgotten some of it: all that is not acknowledged is sent again. */
  startOver(): void {
    this.#after = '0';
    for (const route of this.#routes.values()) {
      Object.assign(route, { beats: 0, patience: LEAST_PATIENCE });
      this.#rewind(route);
      this.#pump(route);
    }
  }

  #rewind(route: Route): void {
    route.sent = route.acked;
    route.hasAsked = false;
    route.turn++;
  }

  #pump(route: Route): void {
    if (!route.isBusy && !this.#isClosed && route.incarnation !== null && hasToSay(route)) {
      route.isBusy = true;
      void this.#sendAll(route)
        .catch(() => {})
        .finally(() => {
          route.isBusy = false;
        });
    }
  }

  async #sendAll(route: Route): Promise<void> {
    const { bus, store, id, slot, incarnation, call } = this.#parts;
    while (hasToSay(route) && !this.#isClosed) {
      const { turn, sent } = route;
      const most = mostOf(route) - sent;
      const mail = most > 0 ? (await store.take(route.slot, sent + 1, ENTRY_SIZE)).slice(0, most) : [];
      if (turn !== route.turn || sent !== route.sent) {
        // While the store was asked, some of it was acknowledged, or all is to be sent again: these are not the next ones any more.
        continue;
      }
      if (mail.length === 0 && most > 0) {
        return;
      }
      route.told = Math.max(route.told, sent + mail.length);
      const letter: Letter = {
        ...{ from: slot, store: incarnation, to: route.incarnation!, first: sent + 1, mail },
        ...{ have: route.acked, by: route.by },
      };
      const body = JSON.stringify(letter);
      const answer = await call((caller) => bus.send(caller, id, route.slot, body));
      if (answer === null || answer.full) {
        return;
      }
      this.use.out += mail.length;
      this.use.bytesOut += body.length;
      if (turn === route.turn) {
        // It may have been acknowledged before it was known to be sent.
        route.sent = Math.max(route.sent, sent + mail.length);
        route.hasAsked = true;
      }
    }
  }

  /** Reads what comes until it is closed. @param wait when nothing can be read */
  async read(waitMs: number, wait: () => Promise<void>): Promise<void> {
    const { bus, slot } = this.#parts;
    while (!this.#isClosed) {
      const after = this.#after;
      let entries: Entry[];
      try {
        entries = await bus.read(slot, after, waitMs);
      } catch {
        await wait();
        continue;
      }
      if (entries.length > 0 && !this.#isClosed) {
        if (this.#after === after) {
          this.#after = entries.at(-1)!.id;
        }
        await this.#take(entries);
      }
    }
  }

  /** What came together is one commit. */
  async #take(entries: readonly Entry[]): Promise<void> {
    const { bus, id, slot, incarnation, cursors, call } = this.#parts;
    const mail: Mail[] = [];
    const news = new Map<string, number>();
    const senders = new Map<string, { slot: number; taken: string[]; isGap: boolean; by: string }>();
    const read: string[] = [];
    for (const { id: entry, body } of entries) {
      if (body === '') {
        read.push(entry);
        this.#parts.woken();
        continue;
      }
      const letter = JSON.parse(body) as Letter;
      if (letter.to !== incarnation) {
        // For a store that had the slot before, or that is to come no more.
        read.push(entry);
      } else if ('acked' in letter) {
        read.push(entry);
        await this.#inTurn(() => this.#acknowledged(letter));
      } else {
        this.#checkCursor(letter);
        const cursor = news.get(letter.store) ?? cursors.get(letter.store) ?? 0;
        const sender = senders.get(letter.store) ?? { slot: letter.from, taken: [], isGap: false, by: '' };
        senders.set(letter.store, sender);
        sender.taken.push(entry);
        sender.by = letter.by;
        if (letter.first > cursor + 1) {
          sender.isGap = true;
        } else if (letter.first + letter.mail.length > cursor + 1) {
          mail.push(...letter.mail.slice(cursor + 1 - letter.first));
          news.set(letter.store, letter.first + letter.mail.length - 1);
        }
      }
    }
    if (mail.length > 0) {
      await this.#parts.admit(mail, news);
      this.use.in += mail.length;
      for (const [store, seq] of news) {
        cursors.set(store, seq);
      }
    }
    for (const [store, sender] of senders) {
      const letter: Letter = {
        from: slot,
        store: incarnation,
        to: store,
        acked: cursors.get(store) ?? 0,
        isGap: sender.isGap,
        have: this.#haveOf(sender.slot, store),
        by: sender.by,
      };
      await call((caller) => bus.acknowledge(caller, id, sender.slot, JSON.stringify(letter), sender.taken));
    }
    if (read.length > 0) {
      await bus.drop(slot, read).catch(() => {});
    }
  }

  /** What this store has told of itself to that one, as far as it has answered. */
  #haveOf(slot: number, store: string): number {
    const route = this.#routes.get(slot);
    return route?.incarnation === store ? route.acked : 0;
  }

  /** Whoever wrote it knows what was acknowledged from here: by this store, unless it is an old copy. */
  #checkCursor({ store, have }: Letter): void {
    if (have > (this.#parts.cursors.get(store) ?? 0)) {
      throw restored(this.#parts.slot);
    }
  }

  async #acknowledged(letter: Extract<Letter, { acked: number }>): Promise<void> {
    const { from, store, acked, isGap, by } = letter;
    this.#checkCursor(letter);
    const route = this.#routes.get(from);
    if (route === undefined || route.incarnation !== store) {
      return;
    }
    if (acked > route.told && route.isReset && !route.isKnown) {
      // It had the slot before another one did, and what it was told then had the same numbers.
      if (by === route.by) {
        const peer = await this.#parts.store.begin(from, store, acked);
        Object.assign(route, peer, { told: acked, isKnown: true });
        this.#rewind(route);
        this.#pump(route);
        this.#parts.changed();
      }
      return;
    }
    if (acked > route.told) {
      throw restored(this.#parts.slot);
    }
    if (!route.isKnown && by === route.by) {
      route.isKnown = true;
      this.#parts.changed();
    }
    if (acked > route.acked) {
      route.acked = acked;
      route.sent = Math.max(route.sent, acked);
      await this.#parts.store.acknowledged(from, acked);
      this.#parts.changed();
    } else if (isGap && route.sent > acked) {
      this.#rewind(route);
    }
    this.#pump(route);
  }

  close(): void {
    this.#isClosed = true;
  }
}

const newName = (): string => randomUUID().slice(0, 8);

/** Number of the last piece that may be sent now. */
const mostOf = ({ isKnown, last, told }: Route): number => (isKnown ? last : Math.min(last, told));
const hasToSay = (route: Route): boolean => route.sent < mostOf(route) || (!route.isKnown && !route.hasAsked);

const restored = (slot: number): StateError =>
  new StateError(
    'cluster_restored',
    `the store of slot ${slot} is older than what it has told the others, as one restored from a copy is: \`gossamer cluster replace ${slot}\` when its lease is over, then \`gossamer join\` with an empty --data-dir, fetches its pages again`,
  );
