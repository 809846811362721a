import { pipeline } from 'node:stream/promises';
import { systemClock } from '../base/clock.js';
import { GossamerError, StateError } from '../base/errors.js';
import type { Command } from '../config/commands.js';
import type { ConfigFile } from '../config/config-file.js';
import type { CrawlOptions, OptionsOf } from '../config/options.js';
import { printConfig, printConfigJson } from '../config/print.js';
import { type Environment, type RawFlags, type ResolvedOptions, resolveOptions } from '../config/resolve.js';
import type { StoredOptions } from '../config/stored.js';
import { jsonLines } from '../report/output.js';
import { isReaderGone } from './streams.js';
import { Terminal } from './terminal.js';

/** What a command is given. */
export interface CommandInput {
  positionals: readonly string[];
  flags: RawFlags;
  env: Environment;
  configFile: ConfigFile | null;
}

/** The options in force and a terminal that follows them; null when only the configuration was asked for. */
export function prepare<C extends Command>(
  command: C,
  input: CommandInput,
  stored?: StoredOptions,
  inherited?: Partial<CrawlOptions>,
): { resolved: ResolvedOptions<C>; terminal: Terminal } | null {
  const resolved = resolveOptions({
    command,
    flags: input.flags,
    env: input.env,
    configFile: input.configFile,
    ...(stored === undefined ? {} : { stored }),
    inherited,
  });
  const options = resolved.options as Partial<OptionsOf<'crawl'>>;
  const terminal = new Terminal({
    stream: process.stderr,
    clock: systemClock,
    color: options.color ?? null,
    quiet: options.quiet ?? false,
    progress: options.progress ?? 'auto',
    env: input.env,
  });
  if (options.printConfig) {
    const named = [...input.positionals, ...(options.startUrls ?? [])];
    process.stdout.write((options.json ? printConfigJson : printConfig)(command, resolved, named));
    return null;
  }
  for (const notice of resolved.notices) {
    terminal.warn(notice);
  }
  return { resolved, terminal };
}

export const writeJson = (value: unknown): void => {
  process.stdout.write(jsonLines(value));
};

/** Waits for writing to end; a reader of stdout who stops before all is written is no error. */
export async function untilReaderLeaves<T>(writing: Promise<T>): Promise<T | null> {
  try {
    return await writing;
  } catch (error) {
    if (!isReaderGone(error)) {
      throw error instanceof GossamerError
        ? error
        : new StateError('output', `cannot write to stdout: ${(error as Error).message}`, { cause: error });
    }
    return null;
  }
}

/** Writes an answer of any length to a reader who may be slow, or who may stop reading. */
export async function writePieces(pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
  await untilReaderLeaves(pipeline(pieces, process.stdout, { end: false }));
}
