import { accessSync, constants, existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StateError } from '../base/errors.js';
import { renameNow, whyNotRenamed } from '../base/rename.js';
import { DirectoryLock } from '../store/lock.js';
import { isImagePath } from './images.js';
import { isCorpus, noCorpus, readIndex } from './index-file.js';
import { asideOf, FILES, fileOf, isWorkFile, partialOf } from './layout.js';
import { filesBelow, removeEmptyFolders } from './tree.js';

/** What has just been done; a test stops there. */
export type SwapStep = 'state removed' | 'moved aside' | 'moved in' | 'carried' | 'removed';
export type OnSwapStep = (step: SwapStep) => void;

/**
 * DIR.partial is complete as soon as it has an index.json. From then on the new corpus takes the place of the old one, in steps of which each
 * leaves one of them whole:
 *
 *   DIR          DIR.partial    DIR.replaced
 *   old          new            -              `repairCorpus` goes on from here
 *   -            new            old            and from here
 *   new          -              old            and removes what is left here
 *   new          -              -
 */
export async function swapIn(dir: string, onStep: OnSwapStep = () => {}): Promise<void> {
  const [partial, aside] = [partialOf(dir), asideOf(dir)];
  try {
    for (const name of readdirSync(partial)) {
      if (isWorkFile(name)) {
        rmSync(join(partial, name));
      }
    }
    onStep('state removed');
    if (existsSync(dir)) {
      renameNow(dir, aside);
    }
    onStep('moved aside');
    renameNow(partial, dir);
    onStep('moved in');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) {
      throw error;
    }
    throw new StateError(
      'swap',
      `the new corpus is complete in ${partial} but cannot take the place of ${dir}: ${whyNotRenamed(error)}`,
      { cause: error },
    );
  }
  await clearAside(dir, onStep);
}

/** Ends what a kill has left half done. Nothing but files of ours is removed. */
export async function repairCorpus(dir: string): Promise<void> {
  const aside = asideOf(dir);
  if (DirectoryLock.isTaken(partialOf(dir))) {
    throw new StateError('in_use', `another gossamer is at work in ${partialOf(dir)}`);
  }
  if (existsSync(aside)) {
    if (!isOurs(aside)) {
      throw new StateError('occupied', `${aside} is in the way: move it away`);
    }
    if (!existsSync(dir)) {
      renameNow(isCorpus(partialOf(dir)) ? partialOf(dir) : aside, dir);
    }
    if (existsSync(aside)) {
      await clearAside(dir);
    }
  }
  if (isCorpus(partialOf(dir))) {
    await swapIn(dir);
  }
}

/** Where the corpus of DIR stands now: in DIR, or beside it when a kill came between two steps. */
export function corpusFolder(dir: string): string {
  const found = [dir, partialOf(dir), asideOf(dir)].find(isCorpus);
  if (found === undefined) {
    throw noCorpus(dir);
  }
  return found;
}

/** Refuses folders that hold what a corpus would replace. */
export function refuseOccupied(dir: string): void {
  if (existsSync(dir) && !isOurs(dir)) {
    if (!statSync(dir).isDirectory()) {
      throw new StateError('occupied', `${dir} is a file: name a folder with --output`);
    }
    throw new StateError('occupied', `${dir} holds files that are no corpus: name another folder with --output`);
  }
  const partial = partialOf(dir);
  if (existsSync(partial) && !isOurs(partial) && !namesIn(partial).some(isWorkFile)) {
    throw new StateError('occupied', `${partial} holds files that are no corpus: move it away`);
  }
}

/** Refuses a folder that could not be written at the end. */
export function refuseUnwritable(dir: string): void {
  let place = dirname(dir);
  while (!existsSync(place) && dirname(place) !== place) {
    place = dirname(place);
  }
  try {
    accessSync(place, constants.W_OK | constants.X_OK);
    if (!statSync(place).isDirectory()) {
      throw new Error(`${place} is no folder`);
    }
  } catch (error) {
    throw unwritable(dirname(dir), error as Error);
  }
}

const unwritable = (folder: string, cause: Error): StateError =>
  new StateError('unwritable', `cannot write to ${folder}: ${cause.message}`, { cause });

/** Removes DIR.partial after a run without pages, where it holds nothing that a next run could use. */
export function removeUnused(dir: string): void {
  const partial = partialOf(dir);
  if (readdirSync(partial).every(isWorkFile)) {
    rmSync(partial, { recursive: true });
  }
}

/** Makes DIR.partial, unless one of the folders holds something that is no corpus. */
export function prepareFolders(dir: string): void {
  refuseOccupied(dir);
  const partial = partialOf(dir);
  try {
    mkdirSync(partial, { recursive: true });
  } catch (error) {
    throw unwritable(dirname(partial), error as Error);
  }
}

/** None where it is no folder. */
const namesIn = (dir: string): string[] => {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
};

const isOurs = (dir: string): boolean => {
  try {
    return isCorpus(dir) || readdirSync(dir).length === 0;
  } catch {
    return false;
  }
};

/** Files that somebody put into the old corpus move to the new one; index.json goes last, by which the folder is known as ours. */
async function clearAside(dir: string, onStep: OnSwapStep = () => {}): Promise<void> {
  const aside = asideOf(dir);
  if (!existsSync(aside)) {
    return;
  }
  const ours = await filesOf(aside);
  for (const path of filesBelow(aside)) {
    if (!ours.has(path)) {
      moveOver(aside, dir, path);
    } else if (path !== FILES.index) {
      rmSync(fileOf(aside, path));
    }
  }
  onStep('carried');
  removeEmptyFolders(aside);
  rmSync(join(aside, FILES.index), { force: true });
  rmdirSync(aside);
  onStep('removed');
}

/** The files that a corpus is made of, as its index names them. */
export async function filesOf(folder: string): Promise<Set<string>> {
  const ours = new Set<string>(Object.values(FILES));
  if (isCorpus(folder)) {
    for await (const { list, entry } of readIndex(folder)) {
      if (list === 'documents') {
        ours.add(entry.path);
      }
    }
    for (const path of filesBelow(folder)) {
      if (isImagePath(path)) {
        ours.add(path);
      }
    }
  }
  return ours;
}

function moveOver(from: string, to: string, path: string): void {
  let target = fileOf(to, path);
  while (existsSync(target)) {
    target += '.kept';
  }
  mkdirSync(dirname(target), { recursive: true });
  renameNow(fileOf(from, path), target);
}
