import { StateError, UsageError } from '../base/errors.js';
import { describeValue, hasMethod } from './arguments.js';

/** What a signal of the caller's is to the library: a way to stop. */

export function checkSignal(signal: unknown): void {
  if (signal !== undefined && !(hasMethod(signal, 'addEventListener') && 'aborted' in signal)) {
    throw new UsageError(`signal must be an AbortSignal, got ${describeValue(signal)}`);
  }
}

/** Runs `work`; `stop` is called once where the signal is or gets aborted before it has ended. No listener is left. */
export async function stoppedBy<T>(
  signal: AbortSignal | undefined,
  stop: () => void,
  work: () => Promise<T>,
): Promise<T> {
  signal?.addEventListener('abort', stop, { once: true });
  try {
    if (signal?.aborted) {
      stop();
    }
    return await work();
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** Of a function that answers a question: half an answer is none. */
export function throwIfStopped(what: string, signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw new StateError('stopped', `${what} was stopped by its signal`, { cause: signal.reason });
  }
}
