import type { Command } from './commands.js';
import type { OptionSpec, ValueOf } from './option-spec.js';
import { CLUSTER_OPTIONS } from './options-cluster.js';
import {
  ADD_OPTIONS,
  CHECK_OPTIONS,
  DOCS_OPTIONS,
  GRAPH_OPTIONS,
  LIST_OPTIONS,
  SHOW_OPTIONS,
  SPLIT_OPTIONS,
} from './options-commands.js';
import { DASHBOARD_OPTIONS } from './options-dashboard.js';
import { DIFF_OPTIONS } from './options-diff.js';
import { FETCH_OPTIONS } from './options-fetch.js';
import { HOOK_OPTIONS } from './options-hooks.js';
import { HOST_OPTIONS } from './options-hosts.js';
import { INPUT_OPTIONS, SEEDING_OPTIONS, TRAP_OPTIONS } from './options-input.js';
import { KEEP_OPTIONS } from './options-keep.js';
import { LAYER_OPTIONS } from './options-layers.js';
import { OUTPUT_OPTIONS } from './options-output.js';
import { POLITENESS_OPTIONS } from './options-politeness.js';
import { WATCH_OPTIONS } from './options-watch.js';

/** Every option, once. Flags, variables, config keys, help, docs, validation and the types below come from here. */
export const OPTIONS = {
  ...INPUT_OPTIONS,
  ...SEEDING_OPTIONS,
  ...TRAP_OPTIONS,
  ...LAYER_OPTIONS,
  ...POLITENESS_OPTIONS,
  ...HOST_OPTIONS,
  ...FETCH_OPTIONS,
  ...HOOK_OPTIONS,
  ...CHECK_OPTIONS,
  ...DOCS_OPTIONS,
  ...LIST_OPTIONS,
  ...SHOW_OPTIONS,
  ...ADD_OPTIONS,
  ...GRAPH_OPTIONS,
  ...SPLIT_OPTIONS,
  ...DIFF_OPTIONS,
  ...CLUSTER_OPTIONS,
  ...OUTPUT_OPTIONS,
  ...KEEP_OPTIONS,
  ...WATCH_OPTIONS,
  ...DASHBOARD_OPTIONS,
} as const satisfies Record<string, OptionSpec>;

type Table = typeof OPTIONS;
export type OptionKey = keyof Table;

/** The options of a command, by key and in normal units. `resume` has those of the crawl that it goes on with. */
export type OptionsOf<C extends Command> = {
  readonly [K in OptionKey as (C extends 'resume' ? 'crawl' : C) extends Table[K]['commands'][number]
    ? K
    : never]: ValueOf<Table[K]>;
};
export type CrawlOptions = OptionsOf<'crawl'>;

export const OPTION_KEYS = Object.keys(OPTIONS) as OptionKey[];
/** A config file that names another one would be a second way to choose it. */
export const CONFIG_FILE_KEYS = OPTION_KEYS.filter((key) => key !== 'config');

export function specOf(key: OptionKey): OptionSpec {
  return OPTIONS[key];
}

/** The option as a command takes it: only with the values that mean something to the command. */
export function specFor(command: Command, key: OptionKey): OptionSpec {
  const spec = specOf(key);
  const name = command === 'resume' ? 'crawl' : command;
  const values = 'valuesFor' in spec ? spec.valuesFor?.[name] : undefined;
  const check = 'checkFor' in spec ? spec.checkFor?.[name] : undefined;
  return {
    ...spec,
    ...(values === undefined ? {} : { values }),
    ...(check === undefined ? {} : { check }),
  } as OptionSpec;
}

/** Whether a user may give the option to the command. */
export function acceptsOption(command: Command, spec: OptionSpec): boolean {
  return (
    spec.commands.includes(command) ||
    (command === 'resume' && spec.resumable) ||
    // It crawls, whatever else can be resumed.
    (command === 'join' && acceptsOption('resume', spec) && spec.commands.includes('crawl'))
  );
}

/** Whether the command works with the option; `resume` works with all options of a crawl. */
export function usesOption(command: Command, spec: OptionSpec): boolean {
  return spec.commands.includes(command === 'resume' ? 'crawl' : command);
}

export function variableOf(spec: OptionSpec): string {
  return spec.variable ?? `GOSSAMER_${spec.flag.replaceAll('-', '_').toUpperCase()}`;
}

export function configKeyOf(spec: OptionSpec): string {
  return spec.configKey ?? spec.flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
