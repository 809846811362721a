import { StateError } from '../base/errors.js';

/** The part of process.stdout and process.stderr that matters here. */
export interface ProcessStream {
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
  write(text: string, written: () => void): unknown;
}

/**
 * Handles a stdout or stderr that cannot be written to. The command still goes on to its end, because its store and its files do not depend on
 * readers. A reader who has left is no error; any other failure of stdout is one of the command.
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
    // There is nowhere left to report it.
    stderr.on('error', () => {});
  }

  /** Resolves when all of stdout has been written; rejects if it could not be. */
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
