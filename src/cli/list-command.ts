import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StateError, UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { storePath } from '../store/directory.js';
import { type CommandInput, prepare, writeJson } from './command.js';
import { EXIT } from './exit.js';
import { type CrawlStatus, describe, statusOf } from './status-command.js';

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

/** The crawls kept in the folders of `root`; those that cannot be read are told and left out. */
export function listCrawls(root: string, onUnreadable: (name: string, error: Error) => void): CrawlStatus[] {
  const entries = existsSync(root) ? readdirSync(root, { withFileTypes: true }) : [];
  const crawls = entries.filter((entry) => entry.isDirectory() && existsSync(storePath(join(root, entry.name))));
  return crawls.flatMap(({ name }) => {
    try {
      return [statusOf(join(root, name))];
    } catch (error) {
      onUnreadable(name, error as Error);
      return [];
    }
  });
}
