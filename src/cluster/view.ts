import type { ClusterSnapshot, SlotSnapshot } from '../watch/live.js';
import type { ClusterState, SlotState } from './bus.js';

/** What a node says of itself. Members that it has not said are left out: it has not begun. */
export interface SlotFigures {
  done: number;
  failed: number;
  outstanding: number;
  inFlight: number;
  bytes: number;
  pagesPerSecond: number;
  /** By slot, pieces of mail that are written and not acknowledged. */
  outbox: Record<string, number>;
  /** Pieces that were taken and sent by this process. */
  mailIn: number;
  mailOut: number;
  /** Length of what was sent. */
  mailBytes: number;
}

export type ToldFigures = Partial<SlotFigures> & { host?: string; pid?: number };

interface Seen {
  crawlId: string;
  /** Of whoever looks; null if it is none of them. */
  own: number | null;
  /** Milliseconds until a time that the state names. */
  leftMs(until: number): number;
  /** Entries in the stream of each slot, and bytes in Redis; null if nobody has looked. */
  inRedis: { entries: readonly number[]; bytes: number | null } | null;
}

/** A crawl on several machines, as one moment of it looks. */
export function viewOf(state: ClusterState, { crawlId, own, leftMs, inRedis }: Seen): ClusterSnapshot {
  const told = new Map(
    Object.entries(state.slots).map(([slot, { figures }]) => [Number(slot), JSON.parse(figures) as ToldFigures]),
  );
  const slots = Array.from({ length: state.nodes }, (_, slot): SlotSnapshot => {
    const held = state.slots[slot];
    const { host = '', pid = 0, outbox = {}, ...figures } = told.get(slot) ?? {};
    const {
      done = 0,
      failed = 0,
      outstanding = 0,
      inFlight = 0,
      pagesPerSecond = 0,
      mailIn = 0,
      mailOut = 0,
      mailBytes = 0,
    } = figures;
    const isHeld = held !== undefined && held.incarnation !== '';
    const left = isHeld ? Math.round(leftMs(held.until)) : 0;
    return {
      ...{ slot, state: isHeld ? standingOf(state, held, left) : 'free', host, pid },
      leaseLeftMs: Math.max(0, left),
      missingForMs: Math.max(0, -left),
      ...{ done, failed, outstanding, inFlight, pagesPerSecond, mailIn, mailOut, mailBytes },
      unusedGrant: isHeld ? (held.unused ?? 0) : 0,
      mailFrom: Object.values(outbox).reduce((sum, pieces) => sum + pieces, 0),
      mailTo: [...told.values()].reduce((sum, each) => sum + (each.outbox?.[slot] ?? 0), 0),
      entriesInRedis: inRedis?.entries[slot] ?? null,
    };
  });
  const { nodes, phase, reason, durationMs, startedAt } = state;
  return {
    ...{ crawlId, own, nodes, phase, reason: reason || null },
    leftMs: durationMs === 0 ? null : Math.max(0, Math.round(leftMs(startedAt + durationMs))),
    redisBytes: inRedis?.bytes ?? null,
    slots,
  };
}

function standingOf(state: ClusterState, held: SlotState, leftMs: number): SlotSnapshot['state'] {
  const isHere = leftMs > 0 && held.generation === state.generation;
  return state.phase === 'ended' ? 'ended' : isHere ? held.standing : 'missing';
}
