import { resolve } from 'node:path';
import { UsageError } from '../base/errors.js';
import { openForReading, stateOf } from '../store/directory.js';
import { DirectoryLock } from '../store/lock.js';
import { type CommandInput, prepare, writeJson } from './command.js';
import { EXIT } from './exit.js';
import { formatCount } from './terminal.js';

/** A crawl seen from outside, running or not. */
export interface CrawlStatus {
  directory: string;
  state: 'running' | 'unfinished' | 'finished';
  reason: string | null;
  truncated: string | null;
  counts: Record<string, number>;
  seeds: string[];
}

export function statusOf(directory: string): CrawlStatus {
  const kept = stateOf(directory);
  return openForReading(directory, (reader) => {
    const ended = reader.ended();
    const running = isRunning(directory);
    const { open: _open, ...counts } = reader.counts();
    return {
      directory,
      state: running ? 'running' : kept === 'finished' ? 'finished' : 'unfinished',
      reason: running ? null : (ended?.reason ?? null),
      truncated: ended?.truncated ?? null,
      counts,
      seeds: reader.seeds().map(({ label }) => label),
    };
  });
}

function isRunning(directory: string): boolean {
  try {
    DirectoryLock.take(directory).release();
    return false;
  } catch (error) {
    return (error as { code?: string }).code === 'in_use';
  }
}

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
    process.stdout.write(describe(status));
  }
  return EXIT.ok;
}

export function describe({ directory, state, reason, counts }: CrawlStatus): string {
  const parts = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${formatCount(count)} ${name}`);
  return `${directory}: ${state}${reason === null ? '' : ` (${reason})`}; ${parts.join(', ') || 'nothing yet'}\n`;
}
