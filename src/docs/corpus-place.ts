import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { StateError } from '../base/errors.js';
import { hasCorpus } from '../corpus/delete-corpus.js';
import { isCorpus, noCorpus } from '../corpus/index-file.js';
import { asideOf, partialOf } from '../corpus/layout.js';
import { openForReading, resumeCommand, storePath } from '../store/directory.js';
import { progressOf } from './progress.js';

/** The folder of the corpus that is meant: it itself, or the one that a run of docs with this data directory writes. */
export function corpusPlace(asked: string): string {
  const dir = resolve(asked);
  if (isReadable(dir)) return dir;
  if (!existsSync(storePath(dir))) throw missing(dir);
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

/** The same, or null where there is none. */
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
