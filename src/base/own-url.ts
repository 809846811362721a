import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { StateError } from './errors.js';

/** The URL of a module's own file. A module that somebody bundled as CommonJS has no `import.meta.url`, but it has a file name. */
export const ownUrl = (url: string | undefined): string => url ?? pathToFileURL(__filename).href;

/** The file of a thread. Whoever bundles the library has to bring it along, and bundlers may have changed its extension. */
export function threadFile(url: URL): URL {
  const found = ['.js', '.mjs', '.cjs'].map((end) => new URL(url.href.replace(/\.js$/, end))).find(existsSync);
  if (found === undefined) {
    throw new StateError(
      'no_thread',
      `there is no ${fileURLToPath(url)}: leave gossamer out of the bundle (external: ['gossamer']), or bundle gossamer/store-worker, gossamer/lane-worker, gossamer/converter-worker and gossamer/module-hooks into the same folder; docs/LIBRARY.md says how`,
    );
  }
  return found;
}
