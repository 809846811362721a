import { resolve } from 'node:path';
import { UsageError } from '../base/errors.js';
import { type OptionKey, specOf, works } from '../config/options.js';
import type { RawFlags } from '../config/resolve.js';
import { resumePlan } from '../crawl/resume-plan.js';
import { NOUNS, openForReading } from '../store/directory.js';
import type { KeptCommand } from '../store/reader.js';
import type { CommandInput } from './command.js';
import { goOn } from './crawl-command.js';

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
      return goOn(resumePlan(place, null), input, false);
  }
}

/** `resume` takes options of all: what the kept one has no use for is refused, not passed over. */
function refuseForeign(flags: RawFlags, kept: KeptCommand, directory: string): void {
  const foreign = (Object.keys(flags) as OptionKey[]).map(specOf).find((spec) => !works(kept, spec));
  if (foreign !== undefined) {
    throw new UsageError(
      `${directory} holds a ${NOUNS[kept]}, and --${foreign.flag} is no option of \`gossamer ${kept}\``,
    );
  }
}
