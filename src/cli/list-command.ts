import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { StateError, UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { listCrawls } from '../store/kept-crawls.js';
import { type CommandInput, prepare, writeJson } from './command.js';
import { EXIT } from './exit.js';
import { describe } from './status-command.js';

/** gossamer list [root] */
export async function runList(input: CommandInput): Promise<number> {
  const ready = prepare('list', input);
  if (ready === null) {
    return EXIT.ok;
  }
  if (input.positionals.length > 1) {
    throw new UsageError('`gossamer list` takes one folder at most');
  }
  const root = resolve(input.positionals[0] ?? 'gossamer-data');
  if (!existsSync(root)) {
    if (input.positionals.length > 0) {
      throw new StateError('no_folder', `there is no folder ${root}`);
    }
    ready.terminal.line(`no crawls yet (there is no ${root})`);
  }
  const statuses = listCrawls(root, (name, error) => ready.terminal.warn(`${printable(name)}: ${error.message}`));
  if (ready.resolved.options.json) {
    writeJson(statuses);
  } else {
    process.stdout.write(statuses.map(describe).join(''));
  }
  return EXIT.ok;
}
