import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StateError } from '../base/errors.js';
import { hasCorpus } from '../corpus/delete-corpus.js';
import { isCorpus, noCorpus } from '../corpus/index-file.js';
import { asideOf, partialOf } from '../corpus/layout.js';
import { folderNameOf, openForReading, resumeCommand } from '../store/directory.js';
import { storePath } from '../store/store-file.js';
import type { SeedRow } from '../store/transaction.js';
import { barePathOf, hostKeyOf } from '../url/host.js';
import { progressOf } from './progress.js';

/** The folder of the corpus that is meant: it itself, or the one that a run of docs with this data directory writes. */
export function corpusPlace(asked: string): string {
  const dir = resolve(asked);
  if (isReadable(dir)) {
    return dir;
  }
  if (!existsSync(storePath(dir))) {
    throw missing(dir);
  }
  const { command, outputs } = openForReading(dir, (reader) => ({
    command: reader.meta().command ?? 'crawl',
    outputs: outputsOf(reader.meta()),
  }));
  const [output] = outputs;
  if (output === undefined) {
    throw new StateError('other_command', `${dir} holds a ${command}, not a corpus: \`gossamer docs\` makes one`);
  }
  if (outputs.length > 1) {
    throw new StateError('several_corpora', `${dir} has several corpora, name one of them: ${outputs.join(', ')}`);
  }
  if (!isReadable(output)) {
    throw new StateError(
      'no_corpus',
      `${output}, the corpus of ${dir}, is not complete: \`${resumeCommand(dir)}\` goes on with it`,
    );
  }
  return output;
}

/** The folders of the corpora that a kept run writes; none where it is a crawl or a check. */
export const outputsOf = (meta: Readonly<Record<string, string>>): string[] => progressOf(meta)?.outputs ?? [];

const isReadable = (dir: string): boolean => [dir, partialOf(dir), asideOf(dir)].some(isCorpus);

function missing(dir: string): StateError {
  if (hasCorpus(dir)) {
    return new StateError(
      'no_corpus',
      `the corpus ${dir} is not complete: it is being written, or its run was stopped`,
    );
  }
  return existsSync(dir) ? noCorpus(dir) : new StateError('no_folder', `there is no folder ${dir}`);
}

/** The same, or null if there is none. */
export function findCorpus(asked: string): string | null {
  try {
    return corpusPlace(asked);
  } catch (error) {
    if (error instanceof StateError) {
      return null;
    }
    throw error;
  }
}

/** Where the corpus of each seed goes: one folder each, named after its host, and its path where hosts are the same. */
export function outputFolders(seeds: readonly SeedRow[], output: string | null): string[] {
  if (seeds.length === 1 && output !== null) {
    return [realPlace(resolve(output))];
  }
  const root = resolve(output ?? '.');
  const hosts = seeds.map(({ url }) => hostKeyOf(url));
  const seedsOf = new Map<string, number>();
  for (const host of hosts) {
    seedsOf.set(host, (seedsOf.get(host) ?? 0) + 1);
  }
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
