import { causeChain, GossamerError } from '../base/errors.js';
import { StoreThread } from '../crawl/store-thread.js';

/** The exit codes. `findings` belongs to commands that answer a question, such as `robots`. */
export const EXIT = {
  ok: 0,
  findings: 1,
  usage: 2,
  state: 3,
  noSeed: 4,
  interrupted: 130,
  terminated: 143,
} as const;

/** The exit code for anything thrown. An error that was not thrown on purpose is a defect and counts as a failure of state. */
export function exitCodeOf(error: unknown): number {
  return error instanceof GossamerError ? error.exitCode : EXIT.state;
}

/** With `--exit-simple` every failure is 1. */
export function simplifiedExitCode(exitCode: number, exitSimple: boolean): number {
  return exitSimple && exitCode !== EXIT.ok ? 1 : exitCode;
}

/** Whether --exit-simple is set. It has to be known before the rest of the command line is read, or found wrong. */
export function wantsExitSimple(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  config: Readonly<Record<string, unknown>> = {},
): boolean {
  const end = argv.indexOf('--');
  const flags = (end === -1 ? argv : argv.slice(0, end)).filter((arg) => /^--(no-)?exit-simple$/.test(arg));
  const last = flags.at(-1);
  return last === undefined
    ? (readSwitch(env.GOSSAMER_EXIT_SIMPLE) ?? config.exitSimple === true)
    : last === '--exit-simple';
}

/** The value of a switch in a variable; null if the variable does not set it. */
export function readSwitch(variable: string | undefined): boolean | null {
  const word = (variable ?? '').trim().toLowerCase();
  return word === '' ? null : ['true', '1', 'yes', 'on'].includes(word);
}

const ADVICE = new WeakMap<object, string>();

/** Adds what to type next to the error, for `describeFailure`. */
export function withAdvice(error: unknown, advice: string): unknown {
  if (typeof error === 'object' && error !== null) {
    ADVICE.set(error, advice);
  }
  return error;
}

/** Describes an error for `Terminal.error`: a sentence that ends with what to do, then its causes when they are asked for; a defect with its stack. */
export function describeFailure(error: unknown, verboseNetwork: boolean): [string, ...string[]] {
  const advice = typeof error === 'object' && error !== null ? ADVICE.get(error) : undefined;
  if (!(error instanceof GossamerError)) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return [
      'this is a defect of gossamer, please report it',
      ...stack.split('\n').map((line) => line.trim()),
      ...(advice === undefined ? [] : [advice]),
    ];
  }
  const causes = verboseNetwork ? causeChain(error.cause, error.message).map((line) => `caused by ${line}`) : [];
  return [advice === undefined ? error.message : `${error.message}; ${advice}`, ...causes];
}

/** Ends the process with this code and without waiting for its work; what was committed is consistent. */
export async function exitNow(code: number): Promise<never> {
  await StoreThread.haltAll();
  process.exit(code);
}
