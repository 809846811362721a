import type { EndReason } from '../crawl/limits.js';
import { EXIT } from './exit.js';
import type { Terminal } from './terminal.js';

/** First signal: finish what is under way. Second: at once; what was committed is consistent. Returns what takes it back. */
export function stopOnSignals(
  run: { stop(reason: EndReason, graceMs: number): void },
  graceMs: number,
  terminal: Terminal,
): () => void {
  let stopping = false;
  const on = (signal: 'SIGINT' | 'SIGTERM') => () => {
    if (stopping) {
      process.exit(signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated);
    }
    stopping = true;
    terminal.line('stopping: waiting for what is under way; once more to stop at once');
    run.stop(signal === 'SIGINT' ? 'interrupted' : 'terminated', graceMs);
  };
  const interrupt = on('SIGINT');
  const terminate = on('SIGTERM');
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', terminate);
  return () => {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', terminate);
  };
}
