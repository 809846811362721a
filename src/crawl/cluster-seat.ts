import type { StateError } from '../base/errors.js';
import type { Offer } from '../frontier/outcome.js';
import type { CrawlScope } from '../lane/crawl-scope.js';
import type { Mail, Peer } from '../store/outbox.js';
import type { Gift } from '../store/transaction.js';
import type { Seat } from '../url/slots.js';
import type { ClusterSnapshot } from '../watch/live.js';

export type ClusterEnd = 'complete' | 'stopped' | 'error' | 'max_urls' | 'max_bytes' | 'duration';

/** What a crawl on several machines asks of the engine of one of them. */
export interface ClusterDoors {
  store: {
    peers(): Promise<Peer[]>;
    takeMail(slot: number, from: number, size: number): Promise<Mail[]>;
    acknowledgedMail(slot: number, seq: number): Promise<void>;
    beginMail(slot: number, incarnation: string, after: number): Promise<Peer>;
    keep(meta: Record<string, string>): Promise<void>;
  };
  /** What the store has kept beside the crawl. */
  readonly meta: Readonly<Record<string, string>>;
  /** The scope as it is now. */
  scope(): CrawlScope;
  /** Grows with the scope. */
  scopeVersion(): number;
  readonly sitemapsAreBeyond: boolean;
  /** Scopes that count more URLs than before; durable when it resolves. */
  widen(widened: readonly { seed: number; scopeUrls: readonly string[] }[]): Promise<void>;
  /** Durable, with `meta` and what is granted, when it resolves. */
  admit(offers: Offer[], meta: Record<string, string>, granted: number): Promise<unknown>;
  /** Gives up so much of what this machine may ask for, as far as it is there; durable, with the mail, when it resolves. */
  give(gifts: readonly Gift[]): Promise<void>;
  /** Of a limit on URLs that all machines share: what this one may still ask for, and how many wait; null where there is no such limit. */
  grant(): { unused: number; waiting: number } | null;
  /** The crawl's time is over then, by the monotonic clock of this machine. */
  endsAt(at: number): void;
  /** What is shown of this node. */
  figures(): Record<string, number>;
  wake(): void;
  /** Every store has put the end down, a limit on the whole crawl is reached, or somebody has ordered it. */
  stop(reason: ClusterEnd, error: StateError | null): void;
  notice(text: string): void;
}

/** The part of a crawl on several machines that this one has, as its engine sees it. Where there is none, nothing of this is asked. */
export interface ClusterSeat {
  readonly seat: Seat;
  /** Until when requests may go out: lanes read it right before they write one. */
  readonly sendUntil: Float64Array;
  /** Whether anything may be leased now. */
  readonly mayLease: boolean;
  /** All of them have come to the end. */
  readonly isOver: boolean;
  begin(doors: ClusterDoors): Promise<void>;
  /** Mail was written, durably. */
  posted(mail: readonly { slot: number; last: number }[]): void;
  /** Whether there is nothing left to do here, as far as this machine goes, or nothing that it may do. Told whenever the loop has come to rest. */
  rests(isAtRest: boolean): void;
  /** All of them, as this one last heard; null before it has. */
  view(): ClusterSnapshot | null;
  close(): Promise<void>;
}
