import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { foldersIn } from '../base/folders.js';
import type { IndexHead } from './index-entry.js';
import { isCorpus, readIndexHead } from './index-file.js';
import { asideOf, FILES, partialOf } from './layout.js';
import { corpusFolder } from './swap.js';

/** A corpus seen from outside. */
export interface CorpusStatus extends Omit<IndexHead, 'schema' | 'changes'> {
  /** The folder of the corpus. */
  directory: string;
  /** When it was last written, ISO 8601. */
  written: string;
}

export async function corpusStatus(dir: string): Promise<CorpusStatus> {
  const folder = corpusFolder(dir);
  const { schema: _schema, changes: _changes, ...head } = await readIndexHead(folder);
  const { mtime } = await stat(join(folder, FILES.index));
  return { directory: dir, written: mtime.toISOString(), ...head };
}

/** The corpora in the folders of `root`. One that cannot be read is reported and left out. */
export async function listCorpora(
  root: string,
  onUnreadable: (name: string, error: Error) => void,
): Promise<CorpusStatus[]> {
  const folders = foldersIn(root).filter((name) => isCorpus(join(root, name)));
  // One that a kill left between two names is known by the name that it will have.
  const names = new Set(folders.map((name) => name.replace(BESIDE, '')));
  const found: CorpusStatus[] = [];
  for (const name of names) {
    try {
      found.push(await corpusStatus(join(root, name)));
    } catch (error) {
      onUnreadable(name, error as Error);
    }
  }
  return found;
}

const suffixOf = (beside: (dir: string) => string): string => beside('').replace('.', '\\.');
const BESIDE = new RegExp(`(?:${suffixOf(partialOf)}|${suffixOf(asideOf)})$`);
