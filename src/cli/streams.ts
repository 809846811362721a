import { StateError } from '../base/errors.js';

/** The part of process.stdout and process.stderr that matters here. */
export interface ProcessStream {
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
  write(text: string, written: () => void): unknown;
}

/**
 * What becomes of a command whose stdout or stderr cannot be written to. It goes on to its end: what it keeps and the files that it writes
 * do not depend on who listens. A reader who has left has seen enough; any other failure of stdout is one of the command.
 */
export class Streams {
  readonly #stdout: ProcessStream;
  #failure: StateError | null = null;

  constructor(stdout: ProcessStream, stderr: ProcessStream) {
    this.#stdout = stdout;
    stdout.on('error', (error) => {
      if (!isReaderGone(error)) {
        this.#failure ??= new StateError('output', `cannot write to stdout: ${error.message}`, { cause: error });
      }
    });
    // There is nowhere left to say it.
    stderr.on('error', () => {});
  }

  /** Resolves when all that was written to stdout has gone; rejects if it could not go. */
  async flush(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#stdout.write('', () => resolve());
    });
    if (this.#failure !== null) {
      throw this.#failure;
    }
  }
}

/** Whether a write failed because nobody reads any more. */
export const isReaderGone = (error: unknown): boolean =>
  ['EPIPE', 'output_closed', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  );
