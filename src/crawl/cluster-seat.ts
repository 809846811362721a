import type { StateError } from '../base/errors.js';
import type { Offer } from '../frontier/outcome.js';
import type { CrawlScope } from '../lane/crawl-scope.js';
import type { Mail, Peer } from '../store/outbox.js';
import type { Gift } from '../store/transaction.js';
import type { Seat } from '../url/slots.js';
import type { ClusterSnapshot } from '../watch/live.js';

export type ClusterEnd = 'complete' | 'stopped' | 'error' | 'max_urls' | 'max_bytes' | 'duration';

/** What a crawl on several machines asks of the engine on one of them. */
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
  /** When it resolves, the mail, `meta` and what is granted are durable. */
  admit(offers: Offer[], meta: Record<string, string>, granted: number): Promise<unknown>;
  /** Gives up that much of what this machine may ask for, or as much as it has; durable, with the mail, when it resolves. */
  give(gifts: readonly Gift[]): Promise<void>;
  /** What this machine may still ask for under a limit that all machines share, and how many URLs wait; null without such a limit. */
  grant(): { unused: number; waiting: number } | null;
  /** When the crawl's time is over, by the monotonic clock of this machine. */
  endsAt(at: number): void;
  /** What is shown of this node. */
  figures(): Record<string, number>;
  wake(): void;
  /** Ends the run: every store has recorded the end, a limit on the whole crawl is reached, or somebody has ordered it. */
  stop(reason: ClusterEnd, error: StateError | null): void;
  notice(text: string): void;
}

/** This machine's part of a crawl on several machines, as its engine sees it. A crawl on one machine has none. */
export interface ClusterSeat {
  readonly seat: Seat;
  /** The time until which requests may go out: lanes read it right before they write one. */
  readonly sendUntil: Float64Array;
  /** Whether anything may be leased now. */
  readonly mayLease: boolean;
  /** Whether all machines have come to the end. */
  readonly isOver: boolean;
  begin(doors: ClusterDoors): Promise<void>;
  /** Called when mail has been written durably. */
  posted(mail: readonly { slot: number; last: number }[]): void;
  /** Whether there is nothing left to do here, as far as this machine goes, or nothing that it may do. Told whenever the loop has come to rest. */
  rests(isAtRest: boolean): void;
  /** All machines, as this one last heard from them; null before it has. */
  view(): ClusterSnapshot | null;
  close(): Promise<void>;
}
