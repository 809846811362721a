import type { Socket } from 'node:net';
import type { Place } from '../base/chain.js';
import type { Watched } from '../base/clock.js';
import { FetchError } from '../base/errors.js';

const ignore = (): void => {};

/** One try to get a connection: a name, perhaps several addresses, TLS. It has one deadline and can be called off at any time. */
export class Attempt implements Watched {
  watchPlace: Place<Watched> | null = null;
  readonly #host: string;
  readonly #startedAt: number;
  readonly #deadlineAt: number;
  readonly #cancelled: Promise<never>;
  #reject: (reason: FetchError) => void = ignore;
  #reason: FetchError | null = null;
  #socket: Socket | null = null;
  #socketDeadlineAt = Number.POSITIVE_INFINITY;

  constructor(host: string, startedAt: number, timeoutMs: number) {
    this.#host = host;
    this.#startedAt = startedAt;
    this.#deadlineAt = startedAt + timeoutMs;
    this.#cancelled = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.#cancelled.catch(ignore);
  }

  check(now: number): void {
    if (now >= this.#deadlineAt) {
      this.cancel(this.#timeout(this.#deadlineAt));
    } else if (now >= this.#socketDeadlineAt) {
      this.#socket?.destroy(this.#timeout(this.#socketDeadlineAt));
    }
  }

  cancel(reason: FetchError): void {
    this.#reason ??= reason;
    this.#socket?.destroy();
    this.#reject(this.#reason);
  }

  get isCancelled(): boolean {
    return this.#reason !== null;
  }

  throwIfCancelled(): void {
    if (this.#reason !== null) {
      throw this.#reason;
    }
  }

  /** Waits for a step, but not beyond the end of the attempt. */
  during<T>(step: Promise<T>): Promise<T> {
    return Promise.race([step, this.#cancelled]);
  }

  /**
   * Waits until a socket is connected or secure. `share` is the part of the time that is left which it may take: an address
   * that never answers must leave some to the next one.
   */
  established(socket: Socket, event: 'connect' | 'secureConnect', now: number, share = 1): Promise<void> {
    return this.within(socket, emitted(socket, event), now, share);
  }

  /** Waits for a step that a socket takes, and for no longer than that part of the time that is left. Then, or if it fails, the socket is gone. */
  async within<T>(socket: Socket, step: Promise<T>, now: number, share: number): Promise<T> {
    step.catch(ignore);
    this.throwIfCancelled();
    this.#socket = socket;
    this.#socketDeadlineAt = now + (this.#deadlineAt - now) * share;
    try {
      return await this.during(step);
    } catch (error) {
      const isOverdue = socket.errored instanceof FetchError;
      socket.destroy();
      throw isOverdue ? socket.errored : error;
    } finally {
      this.#socketDeadlineAt = Number.POSITIVE_INFINITY;
    }
  }

  #timeout(at: number): FetchError {
    return new FetchError('timeout', `No connection to ${this.#host} within ${Math.round(at - this.#startedAt)} ms.`);
  }
}

function emitted(socket: Socket, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve());
    // The listener stays: until the HTTP client takes over the socket, an error must not end the process.
    socket.on('error', reject);
    socket.once('close', () =>
      reject(Object.assign(new Error('the connection was closed while it was set up'), { code: 'ECONNRESET' })),
    );
  });
}
