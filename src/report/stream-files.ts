import type { Writable } from 'node:stream';
import { StateError, UsageError } from '../base/errors.js';
import { outputFailure } from './atomic-file.js';
import { type OutputFile, type OutputFiles, PIECE_LENGTH } from './output.js';

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
        `this output is more than one file and cannot go to ${this.#name}: give it a file with --output`,
      );
    }
    this.#file = new StreamFile(this.#stream, this.#name);
    return this.#file;
  }

  async commit(): Promise<void> {
    await this.#file?.close();
  }

  discard(): void {}
}

class StreamFile implements OutputFile {
  readonly #stream: Writable;
  readonly #name: string;
  #pieces: string[] = [];
  #pendingLength = 0;

  constructor(stream: Writable, name: string) {
    this.#stream = stream;
    this.#name = name;
  }

  write(text: string): void | Promise<void> {
    this.#pieces.push(text);
    this.#pendingLength += text.length;
    return this.#pendingLength >= PIECE_LENGTH ? this.#flush() : undefined;
  }

  async close(): Promise<void> {
    if (this.#pendingLength > 0) {
      await this.#flush();
    }
  }

  place(): string {
    return this.#name;
  }

  #flush(): Promise<void> {
    const text = this.#pieces.join('');
    this.#pieces = [];
    this.#pendingLength = 0;
    return new Promise((resolve, reject) => {
      const stream = this.#stream;
      const fail = (error: Error) => reject(streamFailure(this.#name, error));
      // The event comes besides the callback, and nobody listening for it would end the process.
      stream.once('error', fail);
      stream.write(text, (error) => {
        if (error) {
          fail(error);
        } else {
          stream.off('error', fail);
          resolve();
        }
      });
    });
  }
}

function streamFailure(name: string, error: Error): StateError {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EPIPE'
    ? new StateError('output_closed', `${name} was closed by its reader`, { cause: error })
    : outputFailure(name, error);
}
