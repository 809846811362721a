import type { Contestant } from './contestant.js';
import { type Build, crawlOf, durable, OURS, otherBuilds, ownBuild } from './ours.js';
import { PEERS } from './peers/index.js';
import type { Peer } from './peers/peer.js';
import { WishError, type Wishes } from './scenario.js';
import { whyAbsent } from './setup.js';

export interface Absent {
  readonly name: string;
  readonly reason: string;
}

/** Thrown where a name on the command line is no contestant's. */
export class UnknownContestantError extends WishError {
  constructor(unknown: readonly string[], known: readonly string[]) {
    super(`no contestant ${unknown.join(', ')}; there are ${known.join(', ')}`);
  }
}

/** Who runs: the durable crawl first and always, since the others are compared with its pages, and then its other builds. */
export async function lineUp(
  ours: readonly Contestant[],
  peers: readonly Peer[],
  wishes: Pick<Wishes, 'only' | 'previous' | 'nodes'>,
): Promise<{ contestants: Contestant[]; absent: readonly Absent[] }> {
  const { only } = wishes;
  const builds = (await otherBuilds(wishes)).map(crawlOf);
  refuseUnknown(only ?? [], builds);
  const wanted = ({ name }: { name: string }) => only === null || only.includes(name);
  const contestants = [durable, ...[...builds, ...ours].filter((each) => each !== durable && wanted(each))];
  const absent: Absent[] = [];
  for (const peer of peers) {
    const entries = peer.entries.filter(wanted);
    if (entries.length === 0) {
      continue;
    }
    const version = await peer.find();
    if (version === null) {
      absent.push({ name: peer.name, reason: whyAbsent(peer) });
    } else {
      contestants.push(
        ...entries.map((entry) => ({ ...entry, kind: 'peer', language: peer.language, version }) as const),
      );
    }
  }
  return { contestants, absent };
}

/** The builds of ours where nobody else takes part; this one first and always. */
export async function wantedBuilds(wishes: Pick<Wishes, 'only' | 'previous' | 'nodes'>): Promise<Build[]> {
  const builds = await otherBuilds(wishes);
  refuseUnknown(wishes.only ?? [], builds);
  return [ownBuild, ...builds.filter(({ name }) => wishes.only === null || wishes.only.includes(name))];
}

function refuseUnknown(names: readonly string[], builds: readonly { readonly name: string }[]): void {
  const known = [...OURS, ...builds, ...PEERS.flatMap(({ entries }) => entries)].map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new UnknownContestantError(unknown, known);
  }
}
