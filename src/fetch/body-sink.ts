import type { Transform } from 'node:stream';
import { streamDecoder } from './decode.js';

/** Hands a body on as it comes: decoded, one piece at a time, the next when the last was taken. */
export class BodySink {
  readonly #encodings: readonly string[];
  readonly #take: (piece: Buffer) => void | Promise<void>;
  #decoder: Transform | null = null;
  #isDamaged = false;
  #ended: Promise<void> | null = null;
  /** The stream may end while its last piece is still being taken. */
  #taking: void | Promise<void> = undefined;

  constructor(encodings: readonly string[], take: (piece: Buffer) => void | Promise<void>) {
    this.#encodings = encodings;
    this.#take = take;
  }

  /** Calls `drained` later where it returns false: no more should come before that. */
  write(piece: Buffer, drained: () => void): boolean {
    const decoder = this.#decoder ?? this.#open(piece);
    if (decoder.destroyed || decoder.write(piece)) return true;
    decoder.once('drain', drained);
    return false;
  }

  /** Resolves when all has been taken; true where the end was missing or damaged. */
  async end(): Promise<boolean> {
    this.#decoder?.end();
    await this.#ended;
    await this.#taking;
    return this.#isDamaged;
  }

  destroy(): void {
    this.#decoder?.destroy();
  }

  #open(first: Buffer): Transform {
    const decoder = streamDecoder(this.#encodings, first);
    this.#decoder = decoder;
    decoder.on('data', (piece: Buffer) => {
      this.#taking = this.#take(piece);
      if (this.#taking instanceof Promise) {
        decoder.pause();
        void this.#taking.then(() => decoder.resume());
      }
    });
    this.#ended = new Promise((resolve) => {
      decoder.on('error', () => {
        this.#isDamaged = true;
      });
      decoder.on('close', resolve);
    });
    return decoder;
  }
}
