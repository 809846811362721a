import { resolve } from 'node:path';
import { StateError, UsageError } from '../base/errors.js';
import {
  crawlIdOf,
  hooksHashOf,
  joinCluster,
  type KeptPart,
  redisOf,
  type SharedConfig,
  seatIn,
} from '../cluster/start.js';
import type { ResolvedOptions } from '../config/resolve.js';
import { openForReading, stateOf } from '../store/directory.js';
import { type CommandInput, prepare } from './command.js';
import { runSession } from './crawl-command.js';
import { EXIT } from './exit.js';
import { withOutlets } from './outlets.js';
import { differingOption } from './shared-options.js';
import type { Terminal } from './terminal.js';

/** gossamer join --redis-url URL --crawl-id ID --data-dir DIR */
export async function runJoin(input: CommandInput): Promise<number> {
  const ready = prepare('join', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const { dataDir } = ready.resolved.options;
  const url = redisOf(ready.resolved.options);
  if (url === null) {
    throw new UsageError('`gossamer join` needs --redis-url URL');
  }
  if (dataDir === null) {
    throw new UsageError('`gossamer join` needs --data-dir DIR, where its part of the crawl is kept');
  }
  const crawlId = crawlIdOf(ready.resolved.options);
  const directory = resolve(dataDir);
  const kept = keptIn(directory);
  let own: ReturnType<typeof ownOptions> = null;
  const { profile, shared, slot, node } = await joinCluster(url, crawlId, kept, (all) => {
    own = ownOptions(input, all, crawlId);
  });
  try {
    if (own === null) {
      return EXIT.ok;
    }
    const { terminal, resolved } = own as NonNullable<ReturnType<typeof ownOptions>>;
    const seeds = kept === null ? { seeds: shared.seeds } : { seeds: null, storedSeeds: kept.seeds };
    const plan = { resolved, directory, ...seeds, profile, events: {} };
    return await withOutlets(resolved.options, terminal, plan, (outlets) =>
      runSession(plan, terminal, outlets, `slot ${slot} of ${crawlId}`),
    );
  } finally {
    await node.close();
  }
}

/** What all machines share, and what this one is told beside it; throws where that must be the same on all. */
function ownOptions(
  input: CommandInput,
  shared: SharedConfig,
  crawlId: string,
): { resolved: ResolvedOptions<'crawl'>; terminal: Terminal } | null {
  const own = prepare('resume', input, shared.options);
  if (own === null) {
    return null;
  }
  const resolved = own.resolved as unknown as ResolvedOptions<'crawl'>;
  const differing = differingOption(shared.options, resolved);
  if (differing !== null) {
    throw new StateError('cluster_options', `--${differing} is different here from the other machines of ${crawlId}`);
  }
  if (hooksHashOf(resolved.options) !== shared.hooksHash) {
    throw new StateError(
      'cluster_options',
      `--hooks has a different text here than on the other machines of ${crawlId}: all need the same module`,
    );
  }
  return { resolved, terminal: own.terminal };
}

/** The part of a crawl that the directory has; null if it is empty. */
function keptIn(directory: string): KeptPart | null {
  if (stateOf(directory) === 'empty') {
    return null;
  }
  return openForReading(directory, (reader) => {
    const meta = reader.meta();
    const seat = seatIn(meta);
    if (seat === null) {
      throw new StateError('occupied', `${directory} holds a crawl of one machine: name another --data-dir`);
    }
    return { seat, options: JSON.parse(meta.options!), seeds: reader.seeds() };
  });
}
