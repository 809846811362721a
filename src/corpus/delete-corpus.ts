import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StateError } from '../base/errors.js';
import { isCorpusState } from '../store/corpus-state.js';
import { refuseLink } from '../store/directory.js';
import { DirectoryLock } from '../store/lock.js';
import { isCorpus, noCorpus } from './index-file.js';
import { asideOf, FILES, fileOf, LOCK_FILE, partialOf, STATE_FILE } from './layout.js';
import { filesOf } from './swap.js';
import { filesBelow, removeEmptyFolders } from './tree.js';

/** Whether there is a corpus of this name, complete or begun. */
export const hasCorpus = (dir: string): boolean =>
  [dir, partialOf(dir), asideOf(dir)].some(isCorpus) || isBegun(partialOf(dir));

/** Deletes a corpus that nobody is writing. Returns how many files of others stand in its folder, which then stays. */
export async function deleteCorpus(dir: string): Promise<number> {
  if (!hasCorpus(dir)) {
    throw noCorpus(dir);
  }
  for (const folder of [dir, partialOf(dir), asideOf(dir)]) {
    refuseLink(folder);
  }
  const partial = partialOf(dir);
  const isNew = !existsSync(partial);
  if (isNew) {
    mkdirSync(partial);
  } else if (!isCorpus(partial) && !isBegun(partial) && !readdirSync(partial).every(isLock)) {
    throw new StateError('occupied', `${partial} is in the way: move it away`);
  }
  // A process that writes the corpus holds the lock in this folder.
  const lock = DirectoryLock.take(partial);
  try {
    let others = 0;
    for (const folder of [dir, asideOf(dir)]) {
      if (isCorpus(folder)) {
        others += await clear(folder);
      }
    }
    return others;
  } finally {
    lock.release();
    rmSync(partial, { recursive: true, force: true });
  }
}

/** Whether the folder is that of a corpus that is being written. The whole folder is ours: finishing removes everything in it. */
function isBegun(partial: string): boolean {
  const path = join(partial, STATE_FILE);
  return existsSync(path) && isCorpusState(path);
}

const isLock = (name: string): boolean => name.startsWith(LOCK_FILE);

/** index.json goes last: as long as it is there, the folder is known as ours. */
async function clear(folder: string): Promise<number> {
  const ours = await filesOf(folder);
  let others = 0;
  for (const path of filesBelow(folder)) {
    if (!ours.has(path)) {
      others++;
    } else if (path !== FILES.index) {
      rmSync(fileOf(folder, path));
    }
  }
  removeEmptyFolders(folder);
  rmSync(join(folder, FILES.index));
  if (others === 0) {
    rmdirSync(folder);
  }
  return others;
}
