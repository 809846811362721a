import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs';
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

/** Makes the names in a folder last, as syncing a file makes its bytes last. Windows has no such call. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') {
    return;
  }
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
