import { createWriteStream, openSync, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { StateError } from '../base/errors.js';
import { jsonLine } from '../report/output.js';
import { EVENT_CODES, type RunEvent } from './events.js';

/** More than this is not kept for a disk that does not keep up. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;

/**
 * A log: a line of JSON for each event, at the end of the file. Nobody waits for the disk: lines that it is too slow for are left out, counted,
 * and the count is a line of its own as soon as there is room.
 */
export class LogFile {
  readonly #stream: WriteStream;
  readonly #failed: (error: Error) => void;
  #dropped = 0;
  #isBroken = false;

  /** @param failed told once when it cannot be written any more */
  constructor(path: string, failed: (error: Error) => void) {
    this.#failed = failed;
    this.#stream = createWriteStream(path, { fd: openToAppend(path), highWaterMark: MOST_WAITING_BYTES });
    this.#stream.on('error', (error) => this.#broke(error));
  }

  get dropped(): number {
    return this.#dropped;
  }

  write(event: RunEvent): void {
    if (this.#isBroken) {
      return;
    }
    if (this.#stream.writableLength >= MOST_WAITING_BYTES) {
      this.#dropped++;
      return;
    }
    this.#sayDropped(event.at);
    this.#stream.write(lineOf(event));
  }

  /** Waits until all of it is written. */
  async close(at: number): Promise<void> {
    if (!this.#isBroken) {
      this.#sayDropped(at);
      this.#stream.end();
    }
    await finished(this.#stream).catch(() => {});
  }

  #sayDropped(at: number): void {
    if (this.#dropped > 0) {
      const lines = this.#dropped;
      this.#dropped = 0;
      const [level] = EVENT_CODES.log_dropped;
      this.#stream.write(
        lineOf({
          at,
          level,
          code: 'log_dropped',
          message: `${lines} lines were left out: the disk was too slow`,
          fields: { lines },
        }),
      );
    }
  }

  #broke(error: Error): void {
    this.#isBroken = true;
    this.#failed(error);
  }
}

/** Its folder has to be there: a path with a mistake in it is refused before anything is asked for. */
function openToAppend(path: string): number {
  try {
    return openSync(path, 'a');
  } catch (error) {
    throw new StateError('log', `--log-file cannot be written: ${(error as Error).message}`, { cause: error });
  }
}

function lineOf({ at, level, code, message, fields }: RunEvent): string {
  const event = { time: new Date(at).toISOString(), level, code, message };
  // They stand first, and no field can take their place.
  return jsonLine({ ...event, ...fields, ...event });
}
