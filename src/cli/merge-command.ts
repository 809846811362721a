import { UsageError } from '../base/errors.js';
import { mergeCrawls } from '../split/merge.js';
import { resumeCommand, stateOf } from '../store/directory.js';
import { type CommandInput, prepare, writeJson } from './command.js';
import { EXIT } from './exit.js';
import { stoppable } from './stoppable.js';
import { formatCount } from './terminal.js';

/** gossamer merge <dir…> -o <dir> */
export async function runMerge(input: CommandInput): Promise<number> {
  const ready = prepare('merge', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const { output, json } = ready.resolved.options;
  if (output === null || output === '-') {
    throw new UsageError('`gossamer merge` needs --output, a new folder for the whole crawl');
  }
  return stoppable(ready.terminal, async (signal) => {
    const merged = await mergeCrawls(input.positionals, { output, signal });
    if (json) {
      writeJson(merged);
      return;
    }
    const { directory, urls, pages } = merged;
    ready.terminal.line(`${formatCount(urls)} URLs, ${formatCount(pages)} of them settled, in ${directory}`);
    if (stateOf(directory) === 'unfinished') {
      ready.terminal.line(`\`${resumeCommand(directory)}\` goes on with it`);
    }
  });
}
