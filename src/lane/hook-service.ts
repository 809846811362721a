import type { Clock } from '../base/clock.js';
import type { AnyFetcher } from '../fetch/http-cache.js';
import { type HooksSetup, LaneHooks } from '../hooks/lane-hooks.js';
import { PoliteFetch } from '../hooks/polite-fetch.js';
import { StartCookies } from '../hooks/start-cookies.js';
import { tellStrayThrows } from '../hooks/stray-throws.js';
import type { StartedHooks } from './messages.js';

/** The user's hooks in a lane, including those that belong to the run and not to a page. */
export interface HookService {
  readonly hooks: LaneHooks;
  /** Resolves when the crawl may send requests to the hosts that the hook has used. */
  start(): Promise<StartedHooks>;
  end(summary: string): Promise<void>;
  /** From now on an error that the module throws while none of its hooks runs does not end the thread. */
  onStrayThrow(tell: (words: string) => void): void;
}

/** Rejects, and so ends the thread, if the module cannot be loaded: the run begins with `start`, and ends without it. */
export async function openHooks(
  setup: HooksSetup,
  lane: number,
  source: AnyFetcher,
  clock: Clock,
): Promise<HookService> {
  const hooks = await LaneHooks.load(setup, lane, clock);
  return {
    hooks,
    async start() {
      const cookies = new StartCookies(() => clock.wall());
      let asked: PoliteFetch | null = null;
      let isOver = false;
      const started = await hooks.start((open, cells) => {
        asked = new PoliteFetch({
          ...{ source, clock, cookies, manners: setup.manners, tools: hooks.tools },
          waits: (isWaiting) => {
            if (isWaiting) {
              cells.pause(open);
            } else if (!isOver) {
              cells.resume(open);
            }
          },
        });
        return { fetch: asked.fetch, cookies };
      });
      isOver = true;
      await (asked as PoliteFetch | null)?.rest();
      return { started, cookies: cookies.lines };
    },
    end: (summary) => hooks.end(JSON.parse(summary)),
    onStrayThrow: tellStrayThrows,
  };
}
