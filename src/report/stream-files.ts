import type { Writable } from 'node:stream';
import { StateError, UsageError } from '../base/errors.js';
import { outputFailure } from './atomic-file.js';
import type { OutputFile, OutputFiles } from './output.js';

/** One output into a stream: stdout, a pipe or a device. Waits for a slow reader. The stream is left open. */
export class StreamFiles implements OutputFiles {
  readonly several = false;
  readonly #stream: Writable;
  readonly #name: string;
  #file: StreamFile | null = null;

  constructor(stream: Writable, name: string) {
    this.#stream = stream;
    this.#name = name;
  }

  create(): OutputFile {
    if (this.#file !== null) {
      throw new UsageError(
        `this output is more than one file and cannot go to ${this.#name}: name a file with --output`,
      );
    }
    this.#file = new StreamFile(this.#stream, this.#name);
    return this.#file;
  }

  async synced(): Promise<void> {}

  commit(): void {}

  discard(): void {}
}

class StreamFile implements OutputFile {
  readonly #stream: Writable;
  readonly #name: string;

  constructor(stream: Writable, name: string) {
    this.#stream = stream;
    this.#name = name;
  }

  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      const stream = this.#stream;
      const fail = (error: Error) => reject(streamFailure(this.#name, error));
      // The event comes besides the callback, and nobody listening for it would end the process.
      stream.once('error', fail);
      stream.write(bytes, (error) => {
        if (error) {
          fail(error);
        } else {
          stream.off('error', fail);
          resolve();
        }
      });
    });
  }

  close(): void {}

  place(): string {
    return this.#name;
  }
}

function streamFailure(name: string, error: Error): StateError {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EPIPE'
    ? new StateError('output_closed', `${name} was closed by its reader`, { cause: error })
    : outputFailure(name, error);
}
