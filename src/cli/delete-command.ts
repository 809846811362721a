import { resolve } from 'node:path';
import { UsageError } from '../base/errors.js';
import { deleteCrawl } from '../store/kept-crawls.js';
import { type CommandInput, prepare } from './command.js';
import { EXIT } from './exit.js';

/** gossamer delete <dir…> */
export async function runDelete(input: CommandInput): Promise<number> {
  const ready = prepare('delete', input);
  if (ready === null) {
    return EXIT.ok;
  }
  if (input.positionals.length === 0) {
    throw new UsageError('`gossamer delete` takes the directories of the crawls to delete');
  }
  for (const directory of input.positionals.map((path) => resolve(path))) {
    const others = deleteCrawl(directory);
    ready.terminal.line(
      others === 0
        ? `deleted ${directory}`
        : `deleted the crawl in ${directory}; ${others} other files were left there`,
    );
  }
  return EXIT.ok;
}
