import type { Contestant } from './contestant.js';
import { lineUp } from './line-up.js';
import { PEERS } from './peers/index.js';
import type { Peer } from './peers/peer.js';
import { race } from './race.js';
import { publish, type Results } from './results.js';
import type { RunOptions } from './run.js';
import type { Wishes } from './scenario.js';
import { type SiteFolder, serve } from './serve.js';

export const say = (line: string): void => void process.stderr.write(`${line}\n`);

export interface Competition extends Pick<Results, 'word' | 'title' | 'about' | 'measure'> {
  /** Which of ours run beside the peers. */
  readonly ours: readonly Contestant[];
  /** All of them where they are left out. */
  readonly peers?: readonly Peer[];
  readonly nginx: string;
  readonly sites: readonly SiteFolder[];
  readonly rounds: number;
  readonly options?: RunOptions;
}

/** Serves the sites, lets everyone who is installed crawl them in turn, and publishes the figures. */
export async function compete(
  { ours, peers = PEERS, nginx, sites, rounds, options, ...heading }: Competition,
  wishes: Wishes,
): Promise<void> {
  const { contestants, absent } = await lineUp(ours, peers, wishes);
  const field = await serve(nginx, sites);
  try {
    publish({ ...heading, standings: await race(contestants, field, rounds, say, options), absent });
  } finally {
    await field.close();
  }
}
