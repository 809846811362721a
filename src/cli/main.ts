import { setFlagsFromString } from 'node:v8';
import { systemClock } from '../base/clock.js';
import { UsageError } from '../base/errors.js';
import type { Command } from '../config/commands.js';
import { type ConfigFile, loadConfigFile } from '../config/config-file.js';
import { presetColor } from '../config/presets.js';
import { StoreThread } from '../crawl/store-thread.js';
import { type ParsedArgs, parseArgs } from './args.js';
import type { CommandInput } from './command.js';
import { damageBehind } from './damaged-store.js';
import { describeFailure, EXIT, exitCodeOf, exitNow, readSwitch, simplifiedExitCode, wantsExitSimple } from './exit.js';
import { commandHelp, programHelp, versionText } from './help.js';
import { Streams } from './streams.js';
import { Terminal } from './terminal.js';

/** Each command loads only what it needs: a small one is done in the time that the large ones take to load. */
const COMMANDS: Readonly<Record<Command, () => Promise<(input: CommandInput) => Promise<number>>>> = {
  crawl: async () => (await import('./crawl-command.js')).runCrawl,
  check: async () => (await import('./check-command.js')).runCheck,
  docs: async () => (await import('./docs-command.js')).runDocs,
  md: async () => (await import('./md-command.js')).runMd,
  resume: async () => (await import('./resume-command.js')).runResume,
  join: async () => (await import('./join-command.js')).runJoin,
  cluster: async () => (await import('./cluster-command.js')).runCluster,
  add: async () => (await import('./add-command.js')).runAdd,
  export: async () => (await import('./export-command.js')).runExport,
  graph: async () => (await import('./graph-command.js')).runGraph,
  diff: async () => (await import('./diff-command.js')).runDiff,
  audit: async () => (await import('./audit-command.js')).runAudit,
  explain: async () => (await import('./explain-command.js')).runExplain,
  preview: async () => (await import('./preview-command.js')).runPreviewCommand,
  robots: async () => (await import('./robots-command.js')).runRobots,
  status: async () => (await import('./status-command.js')).runStatus,
  list: async () => (await import('./list-command.js')).runList,
  search: async () => (await import('./search-command.js')).runSearch,
  show: async () => (await import('./show-command.js')).runShow,
  serve: async () => (await import('./serve-command.js')).runServe,
  mcp: async () => (await import('./mcp-command.js')).runMcp,
  split: async () => (await import('./split-command.js')).runSplit,
  merge: async () => (await import('./merge-command.js')).runMerge,
  delete: async () => (await import('./delete-command.js')).runDelete,
  completions: async () => (await import('./completions-command.js')).runCompletions,
};

/** An error that is thrown outside of the command's own promise is a defect. Node would exit with 1, which means findings. */
export function reportCrash(error: unknown): void {
  const said = describeFailure(error, false).join('\n  ');
  process.stderr.write(`error: ${said}\n`, () => void exitNow(EXIT.state));
}

/** Commands that write a store. */
const HAS_STORE_THREAD: ReadonlySet<Command> = new Set(['crawl', 'join', 'check', 'docs', 'resume', 'preview']);

/**
 * V8 lets a heap grow to up to four times what is alive in it before it looks through it. Three such heaps are most of the memory of a crawl of many hosts;
 * with twice as much as is alive it is a third less, and a large site costs no more. Only here: a program that uses the library has heaps of its own.
 */
const HEAP_GROWTH = '--heap-growing-percent=100';

/** Runs one command line and returns the exit code. It never throws. */
export async function main(argv: readonly string[]): Promise<number> {
  const { env } = process;
  const streams = new Streams(process.stdout, process.stderr);
  let args: ParsedArgs | null = null;
  let configFile: ConfigFile | null = null;
  try {
    args = parseArgs(argv);
    const { command, flags, help, version } = args;
    configFile = command === null || help || version ? null : await loadConfigFile({ flags, env });
    const exitCode = await run(args, configFile);
    await streams.flush();
    return simplifiedExitCode(exitCode, wantsExitSimple(argv, env, configFile?.values));
  } catch (thrown) {
    const error = await damageBehind(thrown, args?.positionals ?? []);
    const said = (key: 'color' | 'verboseNetwork', variable: string): boolean | null => {
      const [flag, kept] = [args?.flags[key], configFile?.values[key]];
      return typeof flag === 'boolean'
        ? flag
        : (readSwitch(env[variable]) ?? (typeof kept === 'boolean' ? kept : null));
    };
    const preset = presetColor(args?.flags.preset, env.GOSSAMER_PRESET, configFile?.values.preset);
    const color = said('color', 'GOSSAMER_COLOR') ?? preset;
    const terminal = new Terminal({ stream: process.stderr, clock: systemClock, color, quiet: false, env });
    terminal.error(...describeFailure(error, said('verboseNetwork', 'GOSSAMER_VERBOSE_NETWORK') ?? false));
    return simplifiedExitCode(exitCodeOf(error), wantsExitSimple(argv, env, configFile?.values));
  }
}

async function run(
  { command, positionals, flags, help, version }: ParsedArgs,
  configFile: ConfigFile | null,
): Promise<number> {
  if (version) {
    process.stdout.write(versionText());
    return EXIT.ok;
  }
  if (help || command === null) {
    process.stdout.write(command === null ? programHelp() : commandHelp(command));
    if (command === null && !help) {
      throw new UsageError('no command given; you may want `gossamer crawl <url>`');
    }
    return EXIT.ok;
  }
  if (HAS_STORE_THREAD.has(command)) {
    setFlagsFromString(HEAP_GROWTH);
    StoreThread.startEarly();
  }
  const runCommand = await COMMANDS[command]();
  return runCommand({ positionals, flags, env: process.env, configFile });
}
