import { resolve } from 'node:path';
import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { type CrawlStatus, statusOf } from '../store/directory.js';
import { hostForPeople, unicodeHost } from '../url/host-display.js';
import { type CommandInput, prepare, writeJson } from './command.js';
import { EXIT } from './exit.js';
import { formatCount } from './terminal.js';

/** gossamer status <dir> */
export async function runStatus(input: CommandInput): Promise<number> {
  const ready = prepare('status', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const [directory, ...rest] = input.positionals;
  if (directory === undefined || rest.length > 0) {
    throw new UsageError('`gossamer status` takes one directory');
  }
  const status = statusOf(resolve(directory));
  if (ready.resolved.options.json) {
    writeJson(status);
  } else {
    process.stdout.write(statusLine(status));
  }
  return EXIT.ok;
}

export function statusLine({ directory, state, reason, counts, seeds }: CrawlStatus): string {
  const parts = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${formatCount(count)} ${name}`);
  const names = [...new Set(seeds.flatMap(unicodeNames))].map((name) => `; ${name}`);
  return `${printable(directory)}: ${state}${reason === null ? '' : ` (${reason})`}; ${parts.join(', ') || 'nothing yet'}${names.slice(0, 3).join('')}\n`;
}

/** Directories are named by the ASCII form of a host; where it has a Unicode form, people see both. */
function unicodeNames(seed: string): string[] {
  const url = URL.canParse(seed) ? new URL(seed) : URL.canParse(`https://${seed}`) ? new URL(`https://${seed}`) : null;
  return url === null || unicodeHost(url.hostname) === null ? [] : [hostForPeople(url.hostname)];
}
