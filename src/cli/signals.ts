import { type Clock, systemClock } from '../base/clock.js';
import type { EndReason } from '../crawl/limits.js';
import { EXIT } from './exit.js';
import { exitNow } from './exit-now.js';
import type { Terminal } from './terminal.js';

const STOPPING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type StoppingSignal = (typeof STOPPING_SIGNALS)[number];

/** timeout(1) sends its signal to the process and to its group, so that it comes twice. */
const ONE_SIGNAL_MS = 100;

/** What signals come from and who is ended by them; the process is one. */
export interface SignalHost {
  on(signal: StoppingSignal, listener: () => void): unknown;
  off(signal: StoppingSignal, listener: () => void): unknown;
  exit(code: number): void;
}

const PROCESS: SignalHost = {
  on: (signal, listener) => process.on(signal, listener),
  off: (signal, listener) => process.off(signal, listener),
  exit: (code) => void exitNow(code),
};

/** Whoever is told to stop. */
export const signalExit = (signal: StoppingSignal): number =>
  signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;

/** Calls back on each signal that asks the program to stop. Returns what takes it back. */
export function onStopSignals(told: (signal: StoppingSignal) => void, host: SignalHost = PROCESS): () => void {
  const listeners = STOPPING_SIGNALS.map((signal) => [signal, () => told(signal)] as const);
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
  /** What holds after a stop at once: the line to type, or that nothing is kept. */
  afterwards: string;
}

/** First signal: finish what is under way. Second: at once; what was committed is consistent. Returns what takes it back. */
export function stopOnSignals(
  { run, graceMs, terminal, afterwards }: StoppableRun,
  { clock = systemClock, host = PROCESS }: { clock?: Clock; host?: SignalHost } = {},
): () => void {
  let stoppedAt: number | null = null;
  return onStopSignals((signal) => {
    if (stoppedAt !== null && clock.now() - stoppedAt < ONE_SIGNAL_MS) {
      return;
    }
    if (stoppedAt !== null) {
      terminal.line(`stopped at once; ${afterwards}`);
      host.exit(signalExit(signal));
      return;
    }
    stoppedAt = clock.now();
    const again = signal === 'SIGINT' ? 'press Ctrl+C again' : 'send the signal again';
    terminal.line(`stopping: waiting for what is under way; ${again} to quit now`);
    run.stop(signal === 'SIGINT' ? 'interrupted' : 'terminated', graceMs);
  }, host);
}
