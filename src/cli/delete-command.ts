import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { StateError } from '../base/errors.js';
import { shellWord } from '../base/text.js';
import { hasCorpus } from '../corpus/delete-corpus.js';
import { outputsOf } from '../docs/corpus-place.js';
import { deleteCorpus } from '../docs/kept-corpus.js';
import { deleteCrawl, isUnbegun, openForReading } from '../store/directory.js';
import { storePath } from '../store/store-file.js';
import { type CommandInput, prepare } from './command.js';
import { EXIT } from './exit.js';
import type { Terminal } from './terminal.js';

/** gossamer delete <dir…> */
export async function runDelete(input: CommandInput): Promise<number> {
  const ready = prepare('delete', input);
  if (ready === null) {
    return EXIT.ok;
  }
  for (const directory of input.positionals.map((path) => resolve(path))) {
    await deleteOne(directory, ready.terminal);
  }
  return EXIT.ok;
}

async function deleteOne(directory: string, terminal: Terminal): Promise<void> {
  const isCrawl = existsSync(storePath(directory));
  if (!isCrawl && !hasCorpus(directory)) {
    throw new StateError('no_store', `there is no crawl in ${directory} (no crawl.sqlite), and no corpus`);
  }
  const outputs =
    isCrawl && !isUnbegun(directory) ? openForReading(directory, (reader) => outputsOf(reader.meta())) : [];
  const others = isCrawl ? deleteCrawl(directory) : await deleteCorpus(directory);
  const what = isCrawl ? 'crawl' : 'corpus';
  terminal.line(
    others === 0
      ? `deleted ${directory}`
      : `deleted the ${what} in ${directory}; ${others} other ${others === 1 ? 'file was' : 'files were'} left there`,
  );
  for (const output of outputs.filter(hasCorpus)) {
    terminal.line(`its corpus is kept: \`gossamer delete ${shellWord(output)}\` deletes that too`);
  }
}
