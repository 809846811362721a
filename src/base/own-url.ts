import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { StateError } from './errors.js';

/** The URL of the file that a module is in. Bundled as CommonJS by somebody a module has no `import.meta.url`, but it has a file name. */
export const ownUrl = (url: string | undefined): string => url ?? pathToFileURL(__filename).href;

/** The file of a thread. Who bundles the library has to bring it along, and may have named it as bundlers do. */
export function threadFile(url: URL): URL {
  const found = ['.js', '.mjs', '.cjs'].map((end) => new URL(url.href.replace(/\.js$/, end))).find(existsSync);
  if (found === undefined) {
    throw new StateError(
      'no_thread',
      `there is no ${fileURLToPath(url)}: leave gossamer out of the bundle (external: ['gossamer']), or bundle gossamer/store-worker, gossamer/lane-worker and gossamer/converter-worker into the same folder; docs/LIBRARY.md says how`,
    );
  }
  return found;
}
