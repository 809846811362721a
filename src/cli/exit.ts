import { causeChain, GossamerError } from '../base/errors.js';

/** What the program ends with. `findings` belongs to commands that answer a question, such as `robots`. */
export const EXIT = {
  ok: 0,
  findings: 1,
  usage: 2,
  state: 3,
  noSeed: 4,
  interrupted: 130,
  terminated: 143,
} as const;

/** The exit code for anything thrown. What was not thrown on purpose is a defect and counts as a failure of state. */
export function exitCodeOf(error: unknown): number {
  return error instanceof GossamerError ? error.exitCode : EXIT.state;
}

/** With `--exit-simple` every failure is 1. */
export function simplified(exitCode: number, exitSimple: boolean): number {
  return exitSimple && exitCode !== EXIT.ok ? 1 : exitCode;
}

/** Whether failures are to be simplified, known before the rest of the command line is understood or found wrong. */
export function wantsExitSimple(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  config: Readonly<Record<string, unknown>> = {},
): boolean {
  const end = argv.indexOf('--');
  const flags = (end === -1 ? argv : argv.slice(0, end)).filter((arg) => /^--(no-)?exit-simple$/.test(arg));
  const last = flags.at(-1);
  return last === undefined
    ? (switchIn(env.GOSSAMER_EXIT_SIMPLE) ?? config.exitSimple === true)
    : last === '--exit-simple';
}

/** What a variable says of a switch; null where it says nothing. */
export function switchIn(variable: string | undefined): boolean | null {
  const word = (variable ?? '').trim().toLowerCase();
  return word === '' ? null : ['true', '1', 'yes', 'on'].includes(word);
}

const ADVICE = new WeakMap<object, string>();

/** The error, to be shown with what to type next. */
export function advised(error: unknown, advice: string): unknown {
  if (typeof error === 'object' && error !== null) {
    ADVICE.set(error, advice);
  }
  return error;
}

/** What went wrong, for `Terminal.error`: a sentence that ends with what to do, then its causes when they are asked for; a defect with its stack. */
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
  const causes = verboseNetwork ? causeChain(error.cause).map((line) => `caused by ${line}`) : [];
  return [advice === undefined ? error.message : `${error.message}; ${advice}`, ...causes];
}
