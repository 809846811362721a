import type { ClusterState, Phase } from './bus.js';

/** What a node shows of itself; all zero before it has begun. */
export interface SlotFigures {
  done: number;
  failed: number;
  outstanding: number;
  inFlight: number;
  bytes: number;
  pagesPerSecond: number;
  /** Pieces of mail that are written and not acknowledged. */
  outbox: number;
  mailIn: number;
  mailOut: number;
}

export interface SlotView {
  slot: number;
  /** `free`: nobody has had it. `missing`: its lease is over, and what waits for it waits. */
  state: 'free' | 'active' | 'idle' | 'ended' | 'missing';
  host: string;
  pid: number;
  leaseLeftMs: number;
  /** Entries in its stream; null where nobody has looked. */
  mailWaiting: number | null;
  figures: SlotFigures | null;
}

/** A crawl on several machines, as one moment of it looks. */
export interface ClusterView {
  crawlId: string;
  nodes: number;
  phase: Phase;
  reason: string | null;
  redisBytes: number | null;
  slots: SlotView[];
}

interface Seen {
  crawlId: string;
  leaseLeftMs(until: number): number;
  mailWaiting: ReadonlyMap<number, number>;
}

export function viewOf(state: ClusterState, { crawlId, leaseLeftMs, mailWaiting }: Seen): ClusterView {
  const slots = Array.from({ length: state.nodes }, (_, slot): SlotView => {
    const held = state.slots[slot];
    const waiting = mailWaiting.get(slot) ?? null;
    if (held === undefined || held.incarnation === '') {
      return { slot, state: 'free', host: '', pid: 0, leaseLeftMs: 0, mailWaiting: waiting, figures: null };
    }
    const {
      host = '',
      pid = 0,
      ...figures
    } = JSON.parse(held.figures) as { host?: string; pid?: number } & SlotFigures;
    const left = Math.max(0, Math.round(leaseLeftMs(held.until)));
    const isHere = left > 0 && held.generation === state.generation;
    return {
      ...{ slot, host, pid, leaseLeftMs: left, mailWaiting: waiting },
      state: state.phase === 'ended' ? 'ended' : isHere ? held.standing : 'missing',
      figures: Object.keys(figures).length === 0 ? null : figures,
    };
  });
  return { crawlId, nodes: state.nodes, phase: state.phase, reason: state.reason || null, redisBytes: null, slots };
}
