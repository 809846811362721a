import { serveMcp } from '../docs/kept-corpus.js';
import { type CommandInput, prepare } from './command.js';
import { EXIT } from './exit.js';

/** gossamer mcp <dir…> */
export async function runMcp(input: CommandInput): Promise<number> {
  if (prepare('mcp', input) === null) {
    return EXIT.ok;
  }
  let exitCode: number = EXIT.ok;
  const on = (code: number) => () => {
    exitCode = code;
    process.stdin.destroy();
  };
  process.once('SIGINT', on(EXIT.interrupted));
  process.once('SIGTERM', on(EXIT.terminated));
  await serveMcp(input.positionals).catch((error) => {
    // What was to come no longer comes.
    if (exitCode === EXIT.ok) {
      throw error;
    }
  });
  return exitCode;
}
