import { systemClock } from '../base/clock.js';
import { UsageError } from '../base/errors.js';
import type { Command } from '../config/commands.js';
import { loadConfigFile } from '../config/config-file.js';
import { parseArgs, type ParsedArgs } from './args.js';
import { runCrawl, runResume } from './crawl-command.js';
import { runDelete } from './delete-command.js';
import { describeFailure, EXIT, exitCodeOf, simplified, wantsExitSimple } from './exit.js';
import { runExport } from './export-command.js';
import { commandHelp, programHelp, versionText } from './help.js';
import { runList } from './list-command.js';
import { runRobots } from './robots-command.js';
import { runStatus } from './status-command.js';
import { Terminal } from './terminal.js';
import type { CommandInput } from './command.js';

const COMMANDS: Readonly<Record<Command, (input: CommandInput) => Promise<number>>> = {
  crawl: runCrawl,
  resume: runResume,
  export: runExport,
  robots: runRobots,
  status: runStatus,
  list: runList,
  delete: runDelete,
};

/** Runs one command line; the exit code is the answer. Nothing that is thrown gets past it. */
export async function main(argv: readonly string[]): Promise<number> {
  const exitSimple = wantsExitSimple(argv, process.env);
  let args: ParsedArgs | null = null;
  try {
    args = parseArgs(argv);
    return simplified(await run(args), exitSimple);
  } catch (error) {
    const verbose = args?.flags.verboseNetwork === true;
    const terminal = new Terminal({ stream: process.stderr, clock: systemClock, color: null, quiet: false, env: process.env });
    terminal.error(...describeFailure(error, verbose));
    return simplified(exitCodeOf(error), exitSimple);
  }
}

async function run({ command, positionals, flags, help, version }: ParsedArgs): Promise<number> {
  if (version) {
    process.stdout.write(`${versionText()}\n`);
    return EXIT.ok;
  }
  if (help || command === null) {
    process.stdout.write(command === null ? programHelp() : commandHelp(command));
    if (command === null && !help) {
      throw new UsageError('no command given; `gossamer crawl <url>` is the usual one');
    }
    return EXIT.ok;
  }
  const configFile = await loadConfigFile({ flags, env: process.env });
  return COMMANDS[command]({ positionals, flags, env: process.env, configFile });
}
