/**
 * Calls the user's functions whose answer nobody waits for. Some are called from timers, where a throw would take the process down, and
 * some are async although they need not be: the first error or rejection ends the run instead.
 */
export class UserFunctions {
  readonly #stop: () => void;
  #failure: { error: unknown } | null = null;
  #isOver = false;

  constructor(stop: () => void) {
    this.#stop = stop;
  }

  call<Event>(listener: (event: Event) => unknown, event: Event): void {
    try {
      const answer = listener(event);
      if (answer instanceof Promise) {
        answer.catch((error: unknown) => this.#failedLater(error));
      }
    } catch (error) {
      this.failed(error);
    }
  }

  failed(error: unknown): void {
    this.#failure ??= { error };
    this.#stop();
  }

  /** The run is over: it ends with the error of the user's function, where there was one. */
  end(): void {
    this.#isOver = true;
    if (this.#failure !== null) {
      throw this.#failure.error;
    }
  }

  #failedLater(error: unknown): void {
    if (this.#isOver) {
      // No run is left that could end with this error, so it stays an unhandled rejection.
      throw error;
    }
    this.failed(error);
  }
}
