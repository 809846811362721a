import nodePath, { type PlatformPath } from 'node:path';
import { UsageError } from '../base/errors.js';

/** Where files and folders lie to each other. The paths are absolute, of this system or of the one that a test names. */

/** The place of a path below a folder, with `/`; `` for the folder itself, null where it is not below it, as on another drive. */
function placeIn(folder: string, path: string, system: PlatformPath): string | null {
  const place = system.relative(folder, path);
  return place === '..' || place.startsWith(`..${system.sep}`) || system.isAbsolute(place)
    ? null
    : place.split(system.sep).join('/');
}

export const isBelow = (folder: string, path: string, system: PlatformPath = nodePath): boolean =>
  Boolean(placeIn(folder, path, system));

/** The place of a folder below another, with a slash at its end; `` for the same one, null where it is not below it. */
export function placeBelow(path: string, folder: string, system: PlatformPath = nodePath): string | null {
  const place = placeIn(folder, path, system);
  return place === null || place === '' ? place : `${place}/`;
}

/** The deepest folder that all of these files lie below. Files of several drives of Windows have none. */
export function commonFolder(paths: readonly string[], system: PlatformPath = nodePath): string {
  let folder = system.dirname(paths[0]!);
  while (!paths.every((path) => isBelow(folder, path, system))) {
    const above = system.dirname(folder);
    if (above === folder) {
      throw new UsageError('these files are on several drives: check those of each drive by themselves');
    }
    folder = above;
  }
  return folder;
}
