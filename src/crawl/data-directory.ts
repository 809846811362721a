import { join } from 'node:path';
import { StateError } from '../base/errors.js';
import type { CrawlOptions } from '../config/options.js';
import { type DirectoryState, folderNameOf, moveAside, stateOf } from '../store/directory.js';
import { hostKeyOf } from '../url/host.js';

export type DirectoryChoice = { directory: string; what: 'new' | 'resume' | 'finished'; movedTo: string | null };

type DirectoryOptions = Pick<CrawlOptions, 'dataDir' | 'fresh' | 'resume'>;

/** Where a crawl is kept, and whether it begins, goes on, or has nothing left to do. */
export function chooseDirectory(options: DirectoryOptions, firstSeed: string): DirectoryChoice {
  return options.dataDir === null ? chooseDefault(options, firstSeed) : chooseGiven(options, options.dataDir);
}

/** What the directory holds. One that is to be moved aside may be damaged, or of another version; what is not ours is never moved. */
function lookInto(directory: string, fresh: boolean): DirectoryState {
  try {
    return stateOf(directory);
  } catch (error) {
    if (fresh && error instanceof StateError && ['store_corrupt', 'store_version'].includes(error.code)) {
      return 'unfinished';
    }
    throw error;
  }
}

function chooseGiven(options: DirectoryOptions, directory: string): DirectoryChoice {
  const state = lookInto(directory, options.fresh);
  if (state === 'empty') {
    return { directory, what: 'new', movedTo: null };
  }
  if (options.fresh) {
    return { directory, what: 'new', movedTo: moveAside(directory) };
  }
  if (options.resume) {
    return { directory, what: state === 'finished' ? 'finished' : 'resume', movedTo: null };
  }
  throw occupied(directory, state);
}

/** `<host>`, and `<host>-2`, `-3` … where the earlier ones are finished. */
function chooseDefault(options: DirectoryOptions, firstSeed: string): DirectoryChoice {
  const base = join(process.cwd(), 'gossamer-data', folderNameOf(hostKeyOf(firstSeed)));
  let last: DirectoryChoice | null = null;
  for (let number = 1; ; number++) {
    const directory = number === 1 ? base : `${base}-${number}`;
    const state = lookInto(directory, options.fresh);
    if (state === 'empty') {
      return last !== null && options.resume ? last : { directory, what: 'new', movedTo: null };
    }
    if (state === 'unfinished') {
      if (options.resume) {
        return { directory, what: 'resume', movedTo: null };
      }
      if (!options.fresh) {
        throw occupied(directory, state);
      }
      return { directory, what: 'new', movedTo: moveAside(directory) };
    }
    last = { directory, what: 'finished', movedTo: null };
  }
}

function occupied(directory: string, state: 'unfinished' | 'finished'): StateError {
  const advice =
    state === 'unfinished'
      ? `\`gossamer resume ${directory}\` goes on with it, --fresh moves it aside and begins anew`
      : '--fresh moves it aside and begins anew';
  return new StateError(
    'occupied',
    `${directory} holds ${state === 'unfinished' ? 'an unfinished' : 'a finished'} crawl: ${advice}`,
  );
}
