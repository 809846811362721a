import { UsageError } from '../base/errors.js';
import { explain } from '../explain/explain.js';
import { type CommandInput, prepare, writeJson } from './command.js';
import { EXIT } from './exit.js';
import { explanationText } from './explain-text.js';

/** gossamer explain <dir> <url> */
export async function runExplain(input: CommandInput): Promise<number> {
  const ready = prepare('explain', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const [directory, url, ...rest] = input.positionals;
  if (directory === undefined || url === undefined || rest.length > 0) {
    throw new UsageError('`gossamer explain` takes a directory and a URL');
  }
  const explanation = explain(directory, url);
  if (ready.resolved.options.json) {
    writeJson(explanation);
  } else {
    process.stdout.write(explanationText(explanation));
  }
  return EXIT.ok;
}
