/** What the machines of a crawl say to each other, whatever carries it. Nothing here is ever the only copy of anything. */

/** Who calls: a script does nothing for a node whose slot somebody else holds, or that has missed a generation. */
export interface Caller {
  slot: number;
  /** Of this process. */
  token: string;
  generation: number;
  /** Number of this call. A doubled one is done once more, which changes nothing; where one is missing, what carries them has lost something. */
  count: number;
  /** The calls of others that this node knows of, by slot: what it has acted upon must not be undone unnoticed. */
  seen: Record<string, { token: string; count: number }>;
}

export type Phase = 'running' | 'paused' | 'stopping' | 'ending' | 'ended';

/** What a node is at. */
export type Standing = 'active' | 'idle';

/** A slot as all nodes see it. */
export interface SlotState {
  token: string;
  /** The id of its store; '' when the slot is to be given to a new one. */
  incarnation: string;
  generation: number;
  /** Of the clock of what carries the calls: its lease is over then. */
  until: number;
  count: number;
  standing: Standing;
  /** The end that its store has put down; '' for none. */
  confirmed: string;
  /** Text of JSON: what is shown of it. */
  figures: string;
  /** Of `--max-urls`: what it may still ask for, and how many of its URLs wait beyond that. Left out before it has reported. */
  unused?: number;
  wants?: number;
  /** That it has fetched. */
  bytes?: number;
}

/** The whole of what is kept between the machines, mail aside. */
export interface ClusterState {
  protocol: number;
  /** Of the crawl: an emptied and refounded one under the same name is another. */
  id: string;
  hash: string;
  nodes: number;
  generation: number;
  /** What it was founded in, and who leads there: another one may have an older state. '' where that is not known. */
  server: string;
  phase: Phase;
  /** The limit that ends it, or has: `max_urls`, `max_bytes` or `duration`; '' for none. */
  reason: string;
  /** When the crawl was begun, or was let go on after a stop, by the clock of what carries the calls. */
  startedAt: number;
  /** Limits on the whole of it; 0 for none. */
  durationMs: number;
  maxBytes: number;
  /** That stores have fetched which are lost. */
  lostBytes: number;
  /** Names the end that is under way, or has come. */
  end: string;
  slots: Record<string, SlotState>;
}

/** Why a script has done nothing. `gone`: nothing is there. `other`: another crawl is. `generation`: report anew. `lost`: somebody else holds the slot. `stale`: an earlier call came late. */
export type Refusal = 'gone' | 'other' | 'generation' | 'lost' | 'stale';

export type Answer =
  /** `turned`: this call has brought the end about, or its beginning. */
  | { ok: true; state: ClusterState; now: number; full?: boolean; turned?: boolean }
  | { ok: false; refused: Refusal; generation?: number };

export interface Founding {
  id: string;
  hash: string;
  nodes: number;
  generation: number;
  /** Options and seeds, for those who join. */
  config: string;
  durationMs: number;
  maxBytes: number;
  /** So long it has run before, as far as the founder knows. */
  ranMs: number;
  /** No earlier call can have put it there. */
  isSure: boolean;
}

/** What a node says when it renews its lease. */
export interface Report {
  id: string;
  leaseMs: number;
  standing: Standing;
  confirmed: string;
  figures: string;
  /** A name for an end that this report may be the one to propose. */
  end: string;
  unused: number;
  wants: number;
  bytes: number;
}

export interface Claim {
  id: string;
  /** Null: any that is free. */
  slot: number | null;
  incarnation: string;
  token: string;
  leaseMs: number;
}

export type Claimed =
  /**
   * `isFirst`: as far as is known nobody else has had the slot. `isSure`: and nothing can have been forgotten since the crawl was founded.
   * `isReplaced`: an operator has given the slot away, and its hosts' clocks may be lost with the disk of whoever had it.
   */
  | { ok: true; slot: number; isFirst: boolean; isSure: boolean; isReplaced: boolean; state: ClusterState; now: number }
  /** `held`: by another process, until then. `other_store`: the slot is another store's. `full`: none is free. `replace`: only an operator gives it away. */
  | {
      ok: false;
      refused: 'gone' | 'other' | 'held' | 'other_store' | 'full' | 'replace';
      until?: number;
      token?: string;
      now?: number;
    };

/** A piece of the stream of a slot. */
export interface Entry {
  id: string;
  body: string;
}

export type Order = 'pause' | 'go' | 'stop' | 'replace';

/** Carries calls and mail. What it cannot carry now it rejects; the caller tries again. */
export interface Bus {
  /** Puts a crawl where there is none. Answers with what is there. */
  found(founding: Founding): Promise<ClusterState>;
  /** What is there, and the clock; null: nothing. */
  look(): Promise<{ state: ClusterState; config: string; now: number } | null>;
  claim(claim: Claim): Promise<Claimed>;
  /** Renews the lease, says what the node is at, and learns what all are at. */
  report(caller: Caller, report: Report): Promise<Answer>;
  /** Adds to the stream of a slot, where that has room. */
  send(caller: Caller, id: string, to: number, body: string): Promise<Answer>;
  /** What came from `to` is durable: the entries go, their sender learns it, and this node is active, in one step. */
  acknowledge(caller: Caller, id: string, to: number, body: string, taken: readonly string[]): Promise<Answer>;
  /** Has the nodes of these slots look at the state now. Where it is lost, they do so when they renew their leases. */
  wake(slots: readonly number[]): Promise<void>;
  order(order: Order, slot: number | null): Promise<ClusterState | null>;
  /** Waits for what stands in the stream of a slot behind this entry; empty where nothing came in time. */
  read(slot: number, after: string, waitMs: number): Promise<Entry[]>;
  /** These entries of the stream are of no more use. */
  drop(slot: number, entries: readonly string[]): Promise<void>;
  /** Takes away all that is there of the crawl; false while somebody holds a slot. */
  forget(nodes: number): Promise<boolean>;
  /** How many entries wait in each stream, and what all of it takes in memory; null if nobody may ask. */
  use(nodes: number): Promise<{ entries: number[]; bytes: number | null }>;
  close(): Promise<void>;
}
