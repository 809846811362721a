import type { Contestant } from './contestant.js';
import { durable, OURS } from './ours.js';
import { PEERS } from './peers/index.js';
import { whyAbsent } from './setup.js';

export interface Absent {
  readonly name: string;
  readonly reason: string;
}

/** Thrown where a name on the command line is no contestant's. */
export class UnknownContestantError extends Error {
  constructor(unknown: readonly string[], known: readonly string[]) {
    super(`no contestant ${unknown.join(', ')}; there are ${known.join(', ')}`);
    this.name = 'UnknownContestantError';
  }
}

/** Who runs: the durable crawl first and always, since the others are compared with its pages. */
export async function lineUp(
  ours: readonly Contestant[],
  only: readonly string[] | null,
): Promise<{ contestants: Contestant[]; absent: readonly Absent[] }> {
  refuseUnknown(only ?? []);
  const wanted = ({ name }: { name: string }) => only === null || only.includes(name);
  const contestants = ours.filter((each) => each === durable || wanted(each));
  const absent: Absent[] = [];
  for (const peer of PEERS) {
    const entries = peer.entries.filter(wanted);
    if (entries.length === 0) continue;
    const version = await peer.find();
    if (version === null) absent.push({ name: peer.name, reason: whyAbsent(peer) });
    else
      contestants.push(
        ...entries.map((entry) => ({ ...entry, kind: 'peer', language: peer.language, version }) as const),
      );
  }
  return { contestants, absent };
}

function refuseUnknown(names: readonly string[]): void {
  const known = [...OURS, ...PEERS.flatMap(({ entries }) => entries)].map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new UnknownContestantError(unknown, known);
}
