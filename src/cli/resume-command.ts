import { resolve } from 'node:path';
import { StateError, UsageError } from '../base/errors.js';
import { isCommand, nounOf } from '../config/commands.js';
import { type OptionKey, specOf, usesOption } from '../config/options.js';
import type { RawFlags } from '../config/resolve.js';
import { resumePlan } from '../crawl/resume-plan.js';
import { openForReading } from '../store/directory.js';
import type { CommandInput } from './command.js';
import { resumeCrawl } from './crawl-command.js';

/** gossamer resume <dir> */
export async function runResume(input: CommandInput): Promise<number> {
  const [directory, ...rest] = input.positionals;
  if (directory === undefined || rest.length > 0) {
    throw new UsageError('`gossamer resume` takes one directory');
  }
  const place = resolve(directory);
  const kept = openForReading(place, (reader) => reader.command());
  refuseForeign(input.flags, kept, place);
  switch (kept) {
    case 'check':
      return (await import('./check-command.js')).resumeCheck(place, input);
    case 'docs':
      return (await import('./docs-command.js')).resumeDocs(place, input);
    case 'crawl':
      return resumeCrawl(resumePlan(place, 'crawl'), input, false);
    default:
      throw new StateError(
        'other_command',
        `${place} holds a ${nounOf(kept)}, and no command of this version goes on with it`,
      );
  }
}

/** `resume` takes the options of all commands: one that the kept command does not have is refused, not ignored. */
function refuseForeign(flags: RawFlags, kept: string, directory: string): void {
  const foreign = (Object.keys(flags) as OptionKey[])
    .map(specOf)
    .find((spec) => isCommand(kept) && !usesOption(kept, spec));
  if (foreign !== undefined) {
    throw new UsageError(
      `${directory} holds a ${nounOf(kept)}, and --${foreign.flag} is no option of \`gossamer ${kept}\``,
    );
  }
}
