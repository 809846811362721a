import { serveMcp } from '../docs/kept-corpus.js';
import { type CommandInput, prepare } from './command.js';
import { EXIT } from './exit.js';
import { onStopSignals, signalExit } from './signals.js';

/** gossamer mcp <dir…> */
export async function runMcp(input: CommandInput): Promise<number> {
  if (prepare('mcp', input) === null) {
    return EXIT.ok;
  }
  let exitCode: number = EXIT.ok;
  onStopSignals((signal) => {
    if (exitCode !== EXIT.ok) {
      process.exit(exitCode);
    }
    exitCode = signalExit(signal);
    process.stdin.destroy();
  });
  await serveMcp(input.positionals).catch((error) => {
    // After a signal has closed stdin, reading from it fails: that is no error.
    if (exitCode === EXIT.ok) {
      throw error;
    }
  });
  return exitCode;
}
