import { join } from 'node:path';
import { StateError } from '../base/errors.js';
import { nounOf } from '../config/commands.js';
import type { CrawlOptions } from '../config/options.js';
import {
  type DirectoryState,
  folderNameOf,
  moveAside,
  openForReading,
  resumeCommand,
  stateOf,
} from '../store/directory.js';
import { DirectoryLock } from '../store/lock.js';
import type { SeedRow } from '../store/transaction.js';
import { hostKeyOf } from '../url/host.js';
import { sameSeeds } from './seed-input.js';

/** Where a run is kept: a place for a new crawl, or an existing one that may have something left to do. */
export type DirectoryChoice =
  | { what: 'new'; directory: string; movedTo: string | null }
  | { what: 'kept'; directory: string };

type DirectoryOptions = Pick<CrawlOptions, 'dataDir' | 'fresh' | 'resume'>;

interface Wanted {
  command: string;
  seeds: readonly SeedRow[];
}

interface Found {
  directory: string;
  state: DirectoryState;
  /** Null if that cannot be read any more. */
  command: string | null;
  seeds: readonly SeedRow[];
}

/** Finds where a crawl is kept. A directory that another process is working on is refused. */
export function chooseDirectory(options: DirectoryOptions, wanted: Wanted): DirectoryChoice {
  return options.dataDir === null ? chooseDefault(options, wanted) : chooseGiven(options, options.dataDir);
}

/** What the directory holds. One that is to be moved aside may be damaged or of another version; a directory that is not a crawl is never moved. */
function lookInto(directory: string, fresh: boolean): Found {
  try {
    const state = stateOf(directory);
    return state === 'empty'
      ? { directory, state, command: null, seeds: [] }
      : openForReading(directory, (reader) => ({ directory, state, command: reader.command(), seeds: reader.seeds() }));
  } catch (error) {
    if (fresh && error instanceof StateError && ['store_corrupt', 'store_version'].includes(error.code)) {
      return { directory, state: 'unfinished', command: null, seeds: [] };
    }
    throw error;
  }
}

function chooseGiven(options: DirectoryOptions, directory: string): DirectoryChoice {
  DirectoryLock.refuseTaken(directory);
  const found = lookInto(directory, options.fresh);
  return found.state === 'empty' ? { what: 'new', directory, movedTo: null } : take(found, options);
}

/**
 * `<host>`, and `<host>-2`, `-3` … if the earlier ones are finished. Corpora are passed over, and with --resume also finished crawls
 * with other seeds. --fresh takes the place of the last one.
 */
function chooseDefault(options: DirectoryOptions, { command, seeds }: Wanted): DirectoryChoice {
  const base = join(process.cwd(), 'gossamer-data', folderNameOf(hostKeyOf(seeds[0]!.url)));
  let last: Found | null = null;
  for (let number = 1; ; number++) {
    const found = lookInto(number === 1 ? base : `${base}-${number}`, options.fresh);
    if (found.command !== null && found.command !== command) {
      continue;
    }
    DirectoryLock.refuseTaken(found.directory);
    if (found.state === 'unfinished') {
      return take(found, options);
    }
    if (found.state === 'empty') {
      return last !== null && (options.resume || options.fresh)
        ? take(last, options)
        : { what: 'new', directory: found.directory, movedTo: null };
    }
    if (!options.resume || sameSeeds(seeds, found.seeds)) {
      last = found;
    }
  }
}

function take({ directory, state, command }: Found, options: DirectoryOptions): DirectoryChoice {
  if (options.fresh) {
    return { what: 'new', directory, movedTo: moveAside(directory) };
  }
  if (options.resume) {
    return { what: 'kept', directory };
  }
  const goesOn = state === 'unfinished' ? `\`${resumeCommand(directory)}\` goes on with it, ` : '';
  throw new StateError(
    'occupied',
    `${directory} holds ${state === 'unfinished' ? 'an unfinished' : 'a finished'} ${nounOf(command ?? 'crawl')}: ${goesOn}--fresh moves it aside and begins anew`,
  );
}
