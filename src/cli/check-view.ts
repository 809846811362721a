import type { CheckEvents } from '../check/check-run.js';
import type { OptionsOf } from '../config/options.js';
import type { SessionEvents } from '../crawl/session-plan.js';
import { CrawlView } from './crawl-view.js';
import { formatCount, type Terminal } from './terminal.js';

/** What a person sees of a check while it runs. */
export class CheckView {
  readonly #terminal: Terminal;
  readonly #crawl: CrawlView;

  constructor(terminal: Terminal, options: OptionsOf<'check'>) {
    this.#terminal = terminal;
    this.#crawl = new CrawlView(terminal, options);
  }

  get events(): CheckEvents & { session: SessionEvents } {
    return {
      session: this.#crawl.events,
      notice: (text) => this.#terminal.line(text),
      began: (session, plan, round) => {
        if (round === 0) {
          this.#crawl.started(session, plan);
        } else {
          const { open = 0 } = session.snapshot.counts;
          if (open > 0) {
            this.#terminal.line(`second look: asks again for ${formatCount(open)}`);
          }
        }
      },
    };
  }
}
