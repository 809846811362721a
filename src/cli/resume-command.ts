import { resolve } from 'node:path';
import { UsageError } from '../base/errors.js';
import { type OptionKey, specOf, works } from '../config/options.js';
import type { RawFlags } from '../config/resolve.js';
import { openForReading } from '../store/directory.js';
import type { CommandInput } from './command.js';
import { goOn } from './crawl-command.js';

/** gossamer resume <dir> */
export async function runResume(input: CommandInput): Promise<number> {
  const [directory, ...rest] = input.positionals;
  if (directory === undefined || rest.length > 0) {
    throw new UsageError('`gossamer resume` takes one directory');
  }
  const place = resolve(directory);
  const kept = openForReading(place, (reader) => reader.meta().command);
  if (kept === 'check' || kept === 'docs') {
    refuseForeign(input.flags, kept, place);
    return kept === 'check'
      ? (await import('./check-command.js')).resumeCheck(place, input)
      : (await import('./docs-command.js')).resumeDocs(place, input);
  }
  refuseForeign(input.flags, 'crawl', place);
  return goOn(place, input, null);
}

/** `resume` takes options of all: what the kept one has no use for is refused, not passed over. */
function refuseForeign(flags: RawFlags, kept: 'crawl' | 'check' | 'docs', directory: string): void {
  const foreign = (Object.keys(flags) as OptionKey[]).map(specOf).find((spec) => !works(kept, spec));
  if (foreign !== undefined) {
    throw new UsageError(
      `${directory} holds a ${kept === 'docs' ? 'corpus' : kept}, and --${foreign.flag} is no option of \`gossamer ${kept}\``,
    );
  }
}
