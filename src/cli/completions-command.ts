import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { type CommandInput, prepare, writePieces } from './command.js';
import { completionScript, isShell, SHELLS } from './completions.js';
import { EXIT } from './exit.js';

/** gossamer completions <shell> */
export async function runCompletions(input: CommandInput): Promise<number> {
  if (prepare('completions', input) === null) {
    return EXIT.ok;
  }
  const [shell = ''] = input.positionals;
  if (!isShell(shell)) {
    throw new UsageError(`there are completions for ${SHELLS.join(', ')}, and none for ${printable(shell)}`);
  }
  await writePieces([completionScript(shell)]);
  return EXIT.ok;
}
