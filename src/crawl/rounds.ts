import { systemClock } from '../base/clock.js';
import { RunWatch } from '../watch/run-watch.js';
import type { EndReason } from './ending.js';
import type { CrawlProfile, SessionResult } from './profile.js';
import { CrawlSession } from './session.js';
import type { SessionPlan } from './session-plan.js';

export interface RoundsPlan
  extends Pick<SessionPlan, 'resolved' | 'directory' | 'badSeeds' | 'credentials' | 'events' | 'clock'> {
  /** Seeds of a new crawl; null goes on with the one that is in the directory. */
  seeds: SessionPlan['seeds'];
  /** The seeds of a crawl that goes on. */
  storedSeeds(): NonNullable<SessionPlan['storedSeeds']>;
  /** Called when the store of a round is open and nothing is fetched yet. */
  began?(session: CrawlSession, plan: SessionPlan): void;
}

/** Runs the rounds of a command on one store, one session after the other. A stop holds for the round under way and for all that follow. */
export class Rounds {
  readonly #plan: RoundsPlan;
  #session: CrawlSession | null = null;
  #stopped: { reason: EndReason; graceMs: number } | null = null;
  #watch: RunWatch | null = null;

  constructor(plan: RoundsPlan) {
    this.#plan = plan;
  }

  /** The view of the whole run; null before the first round. The caller says when the run has ended. */
  get watch(): RunWatch | null {
    return this.#watch;
  }

  /** The session of the round under way, or of the last one; null before the first. */
  get session(): CrawlSession | null {
    return this.#session;
  }

  /** Why someone has asked it to stop, or null. */
  get stoppedBy(): EndReason | null {
    return this.#stopped?.reason ?? null;
  }

  stop(reason: EndReason, graceMs: number): void {
    this.#stopped = { reason, graceMs };
    this.#session?.stop(reason, graceMs);
  }

  /** Runs this round and all that follow from it; gives the result of the last. */
  async run(first: CrawlProfile): Promise<SessionResult> {
    let { seeds } = this.#plan;
    for (let profile = first; ; ) {
      const session = await this.#open(profile, seeds);
      const result = await session.run();
      seeds = null;
      const next = (await profile.next?.({ result, session })) ?? null;
      if (next === null) {
        return result;
      }
      profile = next;
    }
  }

  async #open(profile: CrawlProfile, seeds: SessionPlan['seeds']): Promise<CrawlSession> {
    const { began, storedSeeds, ...rest } = this.#plan;
    const { options } = rest.resolved;
    const isFirst = this.#watch === null;
    this.#watch ??= new RunWatch({
      command: profile.command,
      directory: rest.directory,
      clock: rest.clock ?? systemClock,
      maxUrls: options.maxUrls,
      stop: () => this.stop('interrupted', options.graceMs),
    });
    const watch = this.#watch;
    if (isFirst) {
      rest.events.watched?.(watch);
    }
    const plan: SessionPlan = {
      ...rest,
      profile,
      seeds,
      watch,
      ...(seeds === null ? { storedSeeds: storedSeeds() } : {}),
    };
    const session = await CrawlSession.open(plan);
    this.#session = session;
    began?.(session, plan);
    if (this.#stopped !== null) {
      session.stop(this.#stopped.reason, this.#stopped.graceMs);
    }
    return session;
  }
}
