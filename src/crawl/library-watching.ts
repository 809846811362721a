import { checkFunction } from '../config/arguments.js';
import type { RunEvent } from '../watch/events.js';
import type { LiveSnapshot } from '../watch/live.js';
import type { RunWatch } from '../watch/run-watch.js';
import type { SessionEvents } from './session-plan.js';
import type { UserFunctions } from './user-functions.js';

/** What a program is told about a run that it awaits as a whole. */
export interface WatchingOptions {
  /** Called with the progress once a second while it runs, and at the end. */
  onProgress?: (live: LiveSnapshot) => void;
  /** Called with each event and its code; for single pages only if they fail. */
  onEvent?: (event: RunEvent) => void;
}

export function checkWatching(onProgress: unknown, onEvent: unknown): void {
  checkFunction('onProgress', onProgress);
  checkFunction('onEvent', onEvent);
}

/** Calls a program's functions. */
export class LibraryWatching {
  readonly #options: WatchingOptions;
  readonly #functions: UserFunctions;
  #watch: RunWatch | null = null;

  constructor(options: WatchingOptions, functions: UserFunctions) {
    this.#options = options;
    this.#functions = functions;
  }

  get events(): Pick<SessionEvents, 'watched' | 'tick'> {
    const { onEvent } = this.#options;
    return {
      watched: (watch) => {
        this.#watch = watch;
        if (onEvent !== undefined) {
          watch.events.on('info', (event) => this.#functions.call(onEvent, event));
        }
      },
      tick: () => this.#progress(),
    };
  }

  /** The run is over. */
  end(): void {
    this.#progress();
  }

  #progress(): void {
    const { onProgress } = this.#options;
    if (onProgress !== undefined && this.#watch !== null) {
      this.#functions.call(onProgress, this.#watch.live());
    }
  }
}
