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
  const seedsOf = new Map<string, number>();
  for (const host of hosts) seedsOf.set(host, (seedsOf.get(host) ?? 0) + 1);
  const taken = new Set<string>();
  const tried = new Map<string, number>();
  return seeds.map(({ url }, place) => {
    const host = hosts[place]!;
    const path =
      seedsOf.get(host) === 1
        ? ''
        : barePathOf(url)
            .replace(/^\/+|\/+$/g, '')
            .replaceAll('/', '-');
    const name = folderNameOf(path === '' ? `${host}-docs` : `${host}-${path}-docs`);
    let free = name;
    for (let number = tried.get(name) ?? 2; taken.has(free.toLowerCase()); number++) {
      free = `${name}-${number}`;
      tried.set(name, number);
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
