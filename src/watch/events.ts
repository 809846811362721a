/** What happens in a run, each under a code that never changes its meaning. */

/** How grave an event is. */
export type EventLevel = 'error' | 'warn' | 'info' | 'debug';

/** From the gravest to the least. */
export const EVENT_LEVELS: readonly EventLevel[] = ['error', 'warn', 'info', 'debug'];

/** Every code, with its level and what it says. A code may be added; none is taken for something else. */
export const EVENT_CODES = {
  run_began: ['info', 'The run begins, or goes on: `command`, `directory`, `isResumed`.'],
  round_began: ['info', 'Another round of the same run begins: a check looks again, or `docs` fetches pages.'],
  run_ended: ['info', 'The run is over: `reason` and the figures of its end.'],
  run_failed: ['error', 'The run broke off: `error` (its name), `errorCode`.'],
  page_done: ['debug', 'A page is fetched and kept: `url`, `status`, `depth`, `ttfbMs`, `bytes`.'],
  page_skipped: ['debug', 'A page was not asked for after all: `url`, `reason`.'],
  page_failed: ['warn', 'A page has failed for good: `url`, `reason` (its error class), `status`, `cause`.'],
  retry: ['info', 'A page is asked for again: `url`, `status`, `why`, `afterMs`.'],
  sitemap_read: ['info', 'A sitemap was read: `url`, `urls`.'],
  seed_redirected: ['info', 'A seed redirects, and its scope counts where.'],
  host_deferred: ['warn', 'All that waits for a host is put off.'],
  crawl_delay_long: ['warn', 'A host asks for a longer Crawl-delay than --max-crawl-delay.'],
  robots_unanswered: ['warn', 'A robots.txt cannot be reached, and its pages are asked for all the same.'],
  sitemaps_cut: ['warn', 'A host has more sitemap files than are read.'],
  trap_cut: ['warn', 'URLs of a pattern are cut as a trap.'],
  thread_died: ['error', 'A thread died and was replaced.'],
  governed: ['info', 'The governor changed how much may be in flight: `limit`, `cause`.'],
  told: [
    'info',
    'Someone told the run something while it ran: `what`, with what `values`, and whether it was obeyed (`isDone`).',
  ],
  dashboard_failed: ['error', 'The dashboard could not answer a question: `error` (its name).'],
  notice: ['info', 'Anything else that a user should see.'],
  log_dropped: ['warn', 'Lines of the log were left out because the disk was too slow: `lines`.'],
} as const satisfies Record<string, readonly [EventLevel, string]>;

/** The code of an event. */
export type EventCode = keyof typeof EVENT_CODES;

/** Something that happened in a run. Its texts may come from a page: whoever shows them makes them safe. */
export interface RunEvent {
  /** Wall time, in milliseconds. */
  readonly at: number;
  /** How grave it is. Each code has one level. */
  readonly level: EventLevel;
  /** What it is; it never changes its meaning. */
  readonly code: EventCode;
  /** A sentence for people. */
  readonly message: string;
  /** What the sentence is about, by name. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Tells events to those who listen. Where nobody does, an event costs a comparison. */
export class EventHub {
  readonly #wall: () => number;
  readonly #listeners: { most: number; listener: (event: RunEvent) => void }[] = [];
  #most = -1;

  constructor(wall: () => number) {
    this.#wall = wall;
  }

  /** @param least the least grave level that is told */
  on(least: EventLevel, listener: (event: RunEvent) => void): void {
    const most = EVENT_LEVELS.indexOf(least);
    this.#listeners.push({ most, listener });
    this.#most = Math.max(this.#most, most);
  }

  wants(code: EventCode): boolean {
    return rankOf(code) <= this.#most;
  }

  tell(code: EventCode, message: string, fields: RunEvent['fields'] = {}): void {
    const rank = rankOf(code);
    if (rank > this.#most) {
      return;
    }
    const event: RunEvent = { at: this.#wall(), level: EVENT_CODES[code][0], code, message, fields };
    for (const { most, listener } of this.#listeners) {
      if (rank <= most) {
        listener(event);
      }
    }
  }
}

const RANKS = Object.fromEntries(
  Object.entries(EVENT_CODES).map(([code, [level]]) => [code, EVENT_LEVELS.indexOf(level)]),
) as Record<EventCode, number>;

const rankOf = (code: EventCode): number => RANKS[code];
