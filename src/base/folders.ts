import { readdirSync } from 'node:fs';
import { StateError } from './errors.js';

/** The names of the folders in a folder; none where there is no such folder. */
export function foldersIn(root: string): string[] {
  try {
    const entries = readdirSync(root, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') {
      return [];
    }
    const why = code === 'ENOTDIR' ? 'is no folder' : `cannot be read (${code})`;
    throw new StateError('no_folder', `${root} ${why}`, { cause: error });
  }
}
