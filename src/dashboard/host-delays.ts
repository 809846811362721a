import { baseDelayMs } from '../config/base-delay.js';
import { completeOptionsOf } from '../config/resolve.js';
import type { StoredOptions } from '../config/stored.js';
import type { HostDelay, StoredHost } from '../store/watch-rows.js';

/** The delays that somebody set while a run went on, by host; `all` is for hosts that have none of their own. */
export interface SetDelays {
  readonly all: number | null;
  readonly hosts: Readonly<Record<string, number>>;
}

/** How long a host is left alone between two requests, and by whose word, as the frontier works it out. */
export class HostDelays {
  readonly #delayMs: number;
  readonly #isDefault: boolean;
  readonly #ignoresRobots: boolean;

  /** @param meta what the store says of how it was made */
  constructor(meta: Readonly<Record<string, string>>) {
    const { values = {} } = JSON.parse(meta.inForce ?? meta.options ?? '{}') as Partial<StoredOptions>;
    const { options, sources } =
      meta.command === 'check' || meta.command === 'docs'
        ? completeOptionsOf(meta.command, values)
        : completeOptionsOf('crawl', values);
    this.#delayMs = options.delayMs;
    this.#isDefault = sources.delayMs === 'default';
    this.#ignoresRobots = options.ignoreRobots;
  }

  of({ name, crawlDelayMs, learnedDelayMs }: StoredHost, set: SetDelays): HostDelay {
    const told = (Object.hasOwn(set.hosts, name) ? set.hosts[name] : undefined) ?? set.all;
    const base = told ?? baseDelayMs(name, this.#delayMs, this.#isDefault);
    const asked = this.#ignoresRobots ? 0 : (crawlDelayMs ?? 0);
    const delayMs = Math.max(base, asked, learnedDelayMs);
    // What a user said comes first where it asks for as much.
    const delayFrom =
      delayMs === base ? (told === null ? 'option' : 'user') : delayMs === asked ? 'robots.txt' : 'refusals';
    return { delayMs, delayFrom };
  }
}
