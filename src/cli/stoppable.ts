import { EXIT } from './exit.js';
import { onStopSignals, signalExit } from './signals.js';
import type { Terminal } from './terminal.js';

/** Runs what leaves nothing behind when a signal stops it, and returns the exit code. */
export async function stoppable(terminal: Terminal, work: (signal: AbortSignal) => Promise<void>): Promise<number> {
  const stop = new AbortController();
  let code: number | null = null;
  const forget = onStopSignals((signal) => {
    code ??= signalExit(signal);
    stop.abort();
  });
  try {
    await work(stop.signal);
    return EXIT.ok;
  } catch (error) {
    if (code === null) {
      throw error;
    }
    terminal.line('stopped: nothing was written, and nothing that was read has changed');
    return code;
  } finally {
    forget();
  }
}
