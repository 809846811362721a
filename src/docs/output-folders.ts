import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { folderNameOf } from '../store/directory.js';
import type { SeedRow } from '../store/transaction.js';
import { barePathOf, hostKeyOf } from '../url/host.js';

/** Where the corpus of each seed goes: one folder each, named after its host, and its path where hosts are the same. */
export function outputFolders(seeds: readonly SeedRow[], output: string | null): string[] {
  if (seeds.length === 1 && output !== null) {
    return [realPlace(resolve(output))];
  }
  const root = resolve(output ?? '.');
  const hosts = seeds.map(({ url }) => hostKeyOf(url));
  const taken = new Set<string>();
  return seeds.map(({ url }, place) => {
    const host = hosts[place]!;
    const isAlone = hosts.indexOf(host) === place && hosts.lastIndexOf(host) === place;
    const path = isAlone
      ? ''
      : barePathOf(url)
          .replace(/^\/+|\/+$/g, '')
          .replaceAll('/', '-');
    const name = folderNameOf(path === '' ? `${host}-docs` : `${host}-${path}-docs`);
    let free = name;
    for (let number = 2; taken.has(free.toLowerCase()); number++) {
      free = `${name}-${number}`;
    }
    taken.add(free.toLowerCase());
    return realPlace(join(root, free));
  });
}

/** A corpus takes its place by its name: where that is a link, the folder that it leads to is meant. */
function realPlace(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
