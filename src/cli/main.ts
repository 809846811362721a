import { systemClock } from '../base/clock.js';
import { UsageError } from '../base/errors.js';
import type { Command } from '../config/commands.js';
import { type ConfigFile, loadConfigFile } from '../config/config-file.js';
import { presetColor } from '../config/presets.js';
import { type ParsedArgs, parseArgs } from './args.js';
import { runCheck } from './check-command.js';
import type { CommandInput } from './command.js';
import { runCrawl, runResume } from './crawl-command.js';
import { runDelete } from './delete-command.js';
import { runDocs } from './docs-command.js';
import { describeFailure, EXIT, exitCodeOf, simplified, switchIn, wantsExitSimple } from './exit.js';
import { runExplain } from './explain-command.js';
import { runExport } from './export-command.js';
import { commandHelp, programHelp, versionText } from './help.js';
import { runList } from './list-command.js';
import { runMcp } from './mcp-command.js';
import { runPreviewCommand } from './preview-command.js';
import { runRobots } from './robots-command.js';
import { runSearch } from './search-command.js';
import { runShow } from './show-command.js';
import { runStatus } from './status-command.js';
import { Terminal } from './terminal.js';

const COMMANDS: Readonly<Record<Command, (input: CommandInput) => Promise<number>>> = {
  crawl: runCrawl,
  check: runCheck,
  docs: runDocs,
  resume: runResume,
  export: runExport,
  explain: runExplain,
  preview: runPreviewCommand,
  robots: runRobots,
  status: runStatus,
  list: runList,
  search: runSearch,
  show: runShow,
  mcp: runMcp,
  delete: runDelete,
};

/** Runs one command line; the exit code is the answer. Nothing that is thrown gets past it. */
export async function main(argv: readonly string[]): Promise<number> {
  const { env } = process;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever reads the answer has seen enough.
    if (error.code !== 'EPIPE') {
      throw error;
    }
  });
  let args: ParsedArgs | null = null;
  let configFile: ConfigFile | null = null;
  try {
    args = parseArgs(argv);
    const { command, flags, help, version } = args;
    configFile = command === null || help || version ? null : await loadConfigFile({ flags, env });
    return simplified(await run(args, configFile), wantsExitSimple(argv, env, configFile?.values));
  } catch (error) {
    const said = (key: 'color' | 'verboseNetwork', variable: string): boolean | null => {
      const [flag, kept] = [args?.flags[key], configFile?.values[key]];
      return typeof flag === 'boolean' ? flag : (switchIn(env[variable]) ?? (typeof kept === 'boolean' ? kept : null));
    };
    const preset = presetColor(args?.flags.preset, env.GOSSAMER_PRESET, configFile?.values.preset);
    const color = said('color', 'GOSSAMER_COLOR') ?? preset;
    const terminal = new Terminal({ stream: process.stderr, clock: systemClock, color, quiet: false, env });
    terminal.error(...describeFailure(error, said('verboseNetwork', 'GOSSAMER_VERBOSE_NETWORK') ?? false));
    return simplified(exitCodeOf(error), wantsExitSimple(argv, env, configFile?.values));
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
      throw new UsageError('no command given; `gossamer crawl <url>` is the usual one');
    }
    return EXIT.ok;
  }
  return COMMANDS[command]({ positionals, flags, env: process.env, configFile });
}
