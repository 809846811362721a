import { StateError } from '../base/errors.js';
import type { Mail, Peer } from '../store/outbox.js';
import type { Answer, Bus, Caller, Entry } from './bus.js';

/** The store as mail needs it. */
export interface MailStore {
  peers(): Promise<Peer[]>;
  take(slot: number, from: number, size: number): Promise<Mail[]>;
  acknowledged(slot: number, seq: number): Promise<void>;
  begin(slot: number, incarnation: string): Promise<Peer>;
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
}

interface Route extends Peer {
  sent: number;
  /** Grows when what was sent has to be sent again. */
  turn: number;
  isBusy: boolean;
  ackedAtBeat: number;
  /** Beats without an acknowledgement, and after how many what was sent is sent again: each time twice as many, or a slow Redis would be flooded. */
  beats: number;
  patience: number;
}

type Letter =
  | { from: number; store: string; to: string; first: number; mail: Mail[] }
  | { from: number; store: string; to: string; acked: number; isGap: boolean };

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
      this.#routes.set(peer.slot, {
        ...peer,
        sent: peer.acked,
        turn: 0,
        isBusy: false,
        ackedAtBeat: -1,
        beats: 0,
        patience: LEAST_PATIENCE,
      });
    }
  }

  /** All that was written is acknowledged. */
  get isQuiet(): boolean {
    return [...this.#routes.values()].every(({ last, acked }) => acked >= last);
  }

  /** Pieces that are written and not acknowledged, by slot. */
  outstanding(): Map<number, number> {
    return new Map([...this.#routes].map(([slot, { last, acked }]) => [slot, last - acked]));
  }

  /** These were written to the outbox, durably. */
  posted(mail: readonly { slot: number; last: number }[]): void {
    for (const { slot, last } of mail) {
      const route = this.#routes.get(slot)!;
      route.last = Math.max(route.last, last);
      this.#pump(route);
    }
  }

  /** Which store holds each slot, as far as is known; '' where none does. */
  async meet(incarnations: ReadonlyMap<number, string>): Promise<void> {
    for (const [slot, incarnation] of incarnations) {
      const route = this.#routes.get(slot);
      if (route !== undefined && incarnation !== '' && route.incarnation !== incarnation && !this.#isClosed) {
        const peer = await this.#parts.store.begin(slot, incarnation);
        Object.assign(route, peer, { sent: peer.acked, turn: route.turn + 1 });
        this.#pump(route);
        this.#parts.changed();
      }
    }
  }

  /** From time to time: what should have been acknowledged by now is sent again, and the stream is looked through from its beginning. */
  beat(): void {
    this.#after = '0';
    for (const route of this.#routes.values()) {
      const isStill = route.acked === route.ackedAtBeat && route.sent > route.acked;
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
    route.turn++;
  }

  #pump(route: Route): void {
    if (!route.isBusy && !this.#isClosed && route.incarnation !== null && route.sent < route.last) {
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
    while (route.sent < route.last && !this.#isClosed) {
      const { turn } = route;
      const mail = await store.take(route.slot, route.sent + 1, ENTRY_SIZE);
      if (turn !== route.turn) {
        continue;
      }
      if (mail.length === 0) {
        return;
      }
      const letter: Letter = { from: slot, store: incarnation, to: route.incarnation!, first: route.sent + 1, mail };
      const body = JSON.stringify(letter);
      const answer = await call((caller) => bus.send(caller, id, route.slot, body));
      if (answer === null || answer.full) {
        return;
      }
      this.use.out += mail.length;
      this.use.bytesOut += body.length;
      if (turn === route.turn) {
        route.sent += mail.length;
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
    const senders = new Map<string, { slot: number; taken: string[]; isGap: boolean }>();
    const read: string[] = [];
    for (const { id: entry, body } of entries) {
      const letter = JSON.parse(body) as Letter;
      if (letter.to !== incarnation) {
        // For a store that had the slot before, or that is to come no more.
        read.push(entry);
      } else if ('acked' in letter) {
        read.push(entry);
        await this.#acknowledged(letter);
      } else {
        const cursor = news.get(letter.store) ?? cursors.get(letter.store) ?? 0;
        const sender = senders.get(letter.store) ?? { slot: letter.from, taken: [], isGap: false };
        senders.set(letter.store, sender);
        sender.taken.push(entry);
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
      };
      await call((caller) => bus.acknowledge(caller, id, sender.slot, JSON.stringify(letter), sender.taken));
    }
    if (read.length > 0) {
      await bus.drop(slot, read).catch(() => {});
    }
  }

  async #acknowledged({ from, store, acked, isGap }: Extract<Letter, { acked: number }>): Promise<void> {
    const route = this.#routes.get(from);
    if (route === undefined || route.incarnation !== store) {
      return;
    }
    if (acked > route.last) {
      throw restored(this.#parts.slot);
    }
    if (isGap && acked < route.acked) {
      throw restored(from);
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

const restored = (slot: number): StateError =>
  new StateError(
    'cluster_restored',
    `the store of slot ${slot} is older than what it has told the others, as one restored from a copy is: \`gossamer cluster replace ${slot}\` begins it anew`,
  );
