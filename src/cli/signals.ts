import { type Clock, systemClock } from '../base/clock.js';
import type { EndReason } from '../crawl/ending.js';
import { EXIT, exitNow } from './exit.js';
import type { Terminal } from './terminal.js';

/** Windows has Ctrl+Break (SIGBREAK) and a window that is closed (SIGHUP), and sends no SIGTERM. Elsewhere nobody sends SIGBREAK. */
const STOPPING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const;
type StoppingSignal = (typeof STOPPING_SIGNALS)[number];

/** timeout(1) sends its signal to the process and to its group, so that it comes twice. */
const ONE_SIGNAL_MS = 100;

/** The source of signals, and what is ended by them; the process in all but tests. */
export interface SignalHost {
  on(signal: StoppingSignal | 'SIGTSTP', listener: () => void): unknown;
  off(signal: StoppingSignal | 'SIGTSTP', listener: () => void): unknown;
  /** Returns when the process goes on. */
  suspend(): void;
  exit(code: number): void;
}

const PROCESS: SignalHost = {
  on: (signal, listener) => process.on(signal, listener),
  off: (signal, listener) => process.off(signal, listener),
  // Nobody listens any more, so the system does what it always does; where there is no shell to come back from, that is nothing.
  suspend: () => void process.kill(process.pid, 'SIGTSTP'),
  exit: (code) => void exitNow(code),
};

/** The exit code of a command that a signal stopped. */
export const signalExit = (signal: StoppingSignal): number =>
  signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;

/** Calls back on each signal that asks the program to stop. Returns a function that removes the listeners. */
export function onStopSignals(onSignal: (signal: StoppingSignal) => void, host: SignalHost = PROCESS): () => void {
  const listeners = STOPPING_SIGNALS.map((signal) => [signal, () => onSignal(signal)] as const);
  for (const [signal, listener] of listeners) {
    host.on(signal, listener);
  }
  return () => {
    for (const [signal, listener] of listeners) {
      host.off(signal, listener);
    }
  };
}

export interface StoppableRun {
  run: { stop(reason: EndReason, graceMs: number): void };
  graceMs: number;
  terminal: Terminal;
  /** What to tell after stopping at once: the command that resumes the run, or that nothing is kept. */
  afterwards: string;
}

/**
 * The first signal finishes what is under way. The second stops at once; what was committed is consistent. Ctrl+Z takes the view away until
 * the program goes on. Returns a function that removes the listeners.
 */
export function stopOnSignals(
  { run, graceMs, terminal, afterwards }: StoppableRun,
  { clock = systemClock, host = PROCESS }: { clock?: Clock; host?: SignalHost } = {},
): () => void {
  let stoppedAt: number | null = null;
  const suspend = (): void => {
    terminal.pauseProgress();
    host.off('SIGTSTP', suspend);
    host.suspend();
    host.on('SIGTSTP', suspend);
    terminal.showProgress();
  };
  host.on('SIGTSTP', suspend);
  const removeListeners = onStopSignals((signal) => {
    if (stoppedAt !== null && clock.now() - stoppedAt < ONE_SIGNAL_MS) {
      return;
    }
    if (stoppedAt !== null) {
      terminal.endProgress();
      terminal.line(`stopped at once; ${afterwards}`);
      host.exit(signalExit(signal));
      return;
    }
    stoppedAt = clock.now();
    const again = signal === 'SIGINT' ? 'press Ctrl+C again' : 'send the signal again';
    terminal.line(`stopping: waiting for what is under way; ${again} to quit now`);
    run.stop(signal === 'SIGINT' ? 'interrupted' : 'terminated', graceMs);
  }, host);
  return () => {
    host.off('SIGTSTP', suspend);
    removeListeners();
  };
}
