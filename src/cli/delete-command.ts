import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from '../base/errors.js';
import { openForReading } from '../store/directory.js';
import { DirectoryLock } from '../store/lock.js';
import { type CommandInput, prepare } from './command.js';
import { EXIT } from './exit.js';

/** Files that a crawl makes. Nothing else in its directory is ever touched. */
const OURS =
  /^(?:crawl\.sqlite(?:-wal|-shm|-journal)?|lock\.sqlite(?:-journal|-wal|-shm)?|pages\.jsonl|summary\.json|sitemap[\w.-]*\.xml)$/;

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

/** Deletes a crawl that is not running. Returns how many files of others stand in its directory, which then stays. */
export function deleteCrawl(directory: string): number {
  // Only a directory with a store of ours, and none that is being written.
  openForReading(directory, () => null);
  DirectoryLock.take(directory).release();
  const others = readdirSync(directory).filter((name) => !OURS.test(name));
  for (const name of readdirSync(directory)) {
    if (OURS.test(name)) {
      rmSync(join(directory, name));
    }
  }
  if (others.length === 0) {
    rmdirSync(directory);
  }
  return others.length;
}
