import { isForeignTo, type Seat, slotOf } from '../url/slots.js';
import { MailKind } from './outbox-tables.js';
import type { Database, Row, Statement } from './sqlite.js';
import { isListedElsewhere, type Standing, standingOf } from './standing.js';
import type { Gift } from './transaction.js';
import type { UrlKind, UrlState } from './url-state.js';
import { UrlFlag } from './url-state.js';

/** A URL that somebody else is to list: all that is known of the ways that lead there from here. The owner judges it by its own scope. */
export interface MailedOffer {
  url: string;
  kind: UrlKind;
  standing: Standing;
  depth: number;
  class: number;
  seed: number;
  hops: number;
  /** Of seed, added, candidate and who named it. */
  flags: number;
  data?: string;
}

/** One piece of mail: a URL, a scope that counts more URLs than before, or so many URLs of a shared limit that the sender has given up. */
export type Mail = { offer: MailedOffer } | { widened: { seed: number; scopeUrls: string[] } } | { grant: number };

/** How far the mail to one slot is. */
export interface Peer {
  slot: number;
  /** The store that its numbers are for; null until the slot has been held. */
  incarnation: string | null;
  /** Number of the last that was written, and of the last that is acknowledged. */
  last: number;
  acked: number;
}

/** What is true of a URL wherever it is asked for. */
const TRAVELLING_FLAGS =
  UrlFlag.seed | UrlFlag.added | UrlFlag.candidate | UrlFlag.fromCertificates | UrlFlag.fromCommonCrawl | UrlFlag.asset;

/**
 * What a part of a crawl on several machines has to tell the others. It is written in the transaction that finds it, so none is lost and none is
 * told that did not happen; it goes when its receiver has acknowledged that it is durable there. A scope that has grown stands before all that was
 * judged by it.
 */
export class Outbox {
  readonly #database: Database;
  readonly #seat: Seat;
  readonly #statements: Record<
    'add' | 'take' | 'next' | 'grow' | 'forget' | 'acked' | 'peers' | 'url' | 'scope' | 'given',
    Statement
  >;
  /** Of this transaction. */
  #widened = new Set<number>();
  #offers = new Map<number, number>();
  #gifts: Gift[] = [];

  constructor(database: Database, seat: Seat) {
    this.#database = database;
    this.#seat = seat;
    const enter = database.prepare('INSERT OR IGNORE INTO peers (slot) VALUES (?)');
    for (const slot of this.#others()) {
      enter.run(slot);
    }
    this.#statements = {
      add: database.prepare('INSERT INTO outbox (slot, seq, what, ref) VALUES (?, ?, ?, ?)'),
      take: database.prepare('SELECT seq, what, ref FROM outbox WHERE slot = ? AND seq >= ? ORDER BY seq LIMIT ?'),
      next: database.prepare('SELECT next_seq FROM peers WHERE slot = ?'),
      grow: database.prepare('UPDATE peers SET next_seq = ? WHERE slot = ?'),
      forget: database.prepare('DELETE FROM outbox WHERE slot = ? AND seq <= ?'),
      acked: database.prepare('UPDATE peers SET acked = max(acked, ?) WHERE slot = ?'),
      peers: database.prepare('SELECT slot, incarnation, next_seq - 1 AS last, acked FROM peers ORDER BY slot'),
      url: database.prepare('SELECT * FROM urls WHERE id = ?'),
      scope: database.prepare('SELECT scope_urls FROM seeds WHERE seed = ?'),
      given: database.prepare('SELECT data FROM given WHERE url = ?'),
    };
  }

  isForeign(url: string): boolean {
    return isForeignTo(this.#seat, url);
  }

  /** A URL of somebody else's was found, or found nearer. */
  offer(id: number, url: string): void {
    this.#offers.set(id, slotOf(url, this.#seat.nodes));
  }

  /** The scope of a seed counts more URLs: everybody is told. */
  widened(seed: number): void {
    this.#widened.add(seed);
  }

  /** A part of this machine's grant is another's from now on. */
  give(gift: Gift): void {
    this.#gifts.push(gift);
  }

  /** What was to be told in a transaction that is rolled back. */
  forget(): void {
    this.#widened.clear();
    this.#offers.clear();
    this.#gifts = [];
  }

  /** At the end of a transaction: what it has found is written. */
  post(): { slot: number; last: number }[] {
    if (this.#widened.size + this.#offers.size + this.#gifts.length === 0) {
      return [];
    }
    const lasts = new Map<number, number>();
    for (const seed of this.#widened) {
      for (const slot of this.#others()) {
        this.#add(slot, MailKind.widened, seed, lasts);
      }
    }
    for (const [id, slot] of this.#offers) {
      this.#add(slot, MailKind.offer, id, lasts);
    }
    for (const { slot, urls } of this.#gifts) {
      this.#add(slot, MailKind.grant, urls, lasts);
    }
    this.#keep(lasts);
    this.forget();
    return [...lasts].map(([slot, last]) => ({ slot, last }));
  }

  peers(): Peer[] {
    return this.#statements.peers.all().map((row) => row as unknown as Peer);
  }

  /** The mail to a slot from this number on, as long as it is about so many characters; one piece at least. */
  take(slot: number, from: number, size: number): Mail[] {
    const mail: Mail[] = [];
    let length = 0;
    for (const row of this.#statements.take.all(slot, from, MOST_PIECES)) {
      const piece = this.#read(row);
      length += 'offer' in piece ? 120 + piece.offer.url.length + (piece.offer.data?.length ?? 0) : lengthOf(piece);
      if (mail.length > 0 && length > size) {
        break;
      }
      mail.push(piece);
    }
    return mail;
  }

  /** All up to this number is durable where it was sent to. */
  acknowledged(slot: number, seq: number): void {
    this.#database.exec('BEGIN IMMEDIATE');
    this.#statements.forget.run(slot, seq);
    this.#statements.acked.run(seq, slot);
    this.#database.exec('COMMIT');
  }

  /**
   * The slot is held by another store than the one that the numbers are for: it is told from the first on. Of a store that took the place of a
   * lost one that is all that was ever listed for it. `after`: that store has so many already, from a time that this one has begun anew since.
   */
  begin(slot: number, incarnation: string, after = 0): Peer {
    const { incarnation: before } = this.peers().find((peer) => peer.slot === slot)!;
    this.#database.exec('BEGIN IMMEDIATE');
    this.#database.prepare('UPDATE peers SET incarnation = ? WHERE slot = ?').run(incarnation, slot);
    if (before !== null && before !== incarnation) {
      this.#tellAll(slot);
    }
    if (after > 0) {
      this.#renumber(slot, after);
    }
    this.#database.exec('COMMIT');
    return this.peers().find((peer) => peer.slot === slot)!;
  }

  #renumber(slot: number, after: number): void {
    // By way of negative ones: no two are ever the same.
    this.#database.prepare('UPDATE outbox SET seq = -(seq + ?) WHERE slot = ?').run(after, slot);
    this.#database.prepare('UPDATE outbox SET seq = -seq WHERE slot = ?').run(slot);
    this.#database
      .prepare('UPDATE peers SET next_seq = next_seq + ?, acked = ? WHERE slot = ?')
      .run(after, after, slot);
  }

  /** A grant that the store before may have taken, and used, is not given once more. */
  #tellAll(slot: number): void {
    this.#database.prepare('DELETE FROM outbox WHERE slot = ?').run(slot);
    this.#database.prepare('UPDATE peers SET next_seq = 1, acked = 0 WHERE slot = ?').run(slot);
    const lasts = new Map<number, number>();
    for (const { seed } of this.#database.prepare('SELECT seed FROM seeds').all()) {
      this.#add(slot, MailKind.widened, seed, lasts);
    }
    const urls = this.#database.prepare("SELECT id, url, reason FROM urls WHERE reason LIKE 'foreign%' ORDER BY id");
    for (const { id, url, reason } of urls.iterate()) {
      if (isListedElsewhere(reason) && slotOf(url, this.#seat.nodes) === slot) {
        this.#add(slot, MailKind.offer, id, lasts);
      }
    }
    this.#keep(lasts);
  }

  #add(slot: number, what: number, ref: number, lasts: Map<number, number>): void {
    const seq = (lasts.get(slot) ?? this.#statements.next.get(slot)!.next_seq - 1) + 1;
    this.#statements.add.run(slot, seq, what, ref);
    lasts.set(slot, seq);
  }

  #keep(lasts: ReadonlyMap<number, number>): void {
    for (const [slot, last] of lasts) {
      this.#statements.grow.run(last + 1, slot);
    }
  }

  #read({ what, ref }: Row): Mail {
    if (what === MailKind.grant) {
      return { grant: ref };
    }
    if (what === MailKind.widened) {
      return { widened: { seed: ref, scopeUrls: JSON.parse(this.#statements.scope.get(ref)!.scope_urls) } };
    }
    const row = this.#statements.url.get(ref)! as {
      url: string;
      kind: UrlKind;
      depth: number;
      class: number;
      seed: number;
      hops: number;
      flags: number;
      state: UrlState;
      reason: string | null;
    };
    const { url, kind, depth, class: place, seed, hops, flags } = row;
    const data = this.#statements.given.get(ref)?.data;
    return {
      offer: {
        ...{ url, kind, depth, class: place, seed, hops, flags: flags & TRAVELLING_FLAGS, standing: standingOf(row) },
        ...(data === undefined ? {} : { data }),
      },
    };
  }

  *#others(): IterableIterator<number> {
    for (let slot = 0; slot < this.#seat.nodes; slot++) {
      if (slot !== this.#seat.slot) {
        yield slot;
      }
    }
  }
}

/** So many are read at once; what is sent at once is also bounded by its length. */
const MOST_PIECES = 500;
const lengthOf = (piece: Mail): number => JSON.stringify(piece).length;
