import { Stopped } from '../base/breaks.js';
import type { Clock } from '../base/clock.js';
import { StateError } from '../base/errors.js';
import type { ResolvedOptions } from '../config/resolve.js';
import { AUTO } from '../config/seeding.js';
import { isCorpus } from '../corpus/index-file.js';
import { refuseOtherCorpus } from '../corpus/write-corpus.js';
import type { EndReason } from '../crawl/limits.js';
import { browserFor } from '../crawl/open-renderer.js';
import { CrawlSession } from '../crawl/session.js';
import type { DocsWishes, SessionEvents, SessionPlan, SessionResult } from '../crawl/session-plan.js';
import { atStore } from '../store/between-runs.js';
import { openForReading, storePath } from '../store/directory.js';
import { openStoreFile } from '../store/store.js';
import type { SeedRow } from '../store/transaction.js';
import { asMeta, type DocsProgress, saveProgress } from './progress.js';
import { beginRenewal, endSurvey } from './rounds.js';
import { SitemapPages } from './sitemap-pages.js';
import { type SavedCorpus, writeCorpora } from './write-corpora.js';

export interface DocsPlan {
  resolved: ResolvedOptions<'docs'>;
  /** Where the crawl is kept. */
  directory: string;
  seeds: SeedRow[];
  /** It begins; else the one that is kept in the directory goes on, or is brought up to date where it is finished. */
  isNew: boolean;
  progress: DocsProgress;
  badSeeds?: SessionPlan['badSeeds'];
  credentials?: SessionPlan['credentials'];
  events: SessionEvents;
  began?(session: CrawlSession, plan: SessionPlan): void;
  clock: Clock;
}

export interface DocsOutcome {
  /** Of the last session. */
  result: SessionResult;
  /** Empty where no page could be had. */
  corpora: SavedCorpus[];
  /** By whom it was stopped, or null. What is done stands in DIR.partial then. */
  stopped: EndReason | null;
}

/** A corpus of a site: a look at what there is, a crawl that keeps its pages, then the pages as Markdown. */
export class DocsRun {
  readonly #plan: DocsPlan;
  #progress: DocsProgress;
  /** Of the limits of the run. */
  readonly #spent = { ms: 0, bytes: 0 };
  readonly #browser: DocsWishes['browser'];
  #session: CrawlSession | null = null;
  #stopped: { reason: EndReason; graceMs: number; timeUpAt: number } | null = null;

  constructor(plan: DocsPlan) {
    this.#plan = plan;
    this.#progress = plan.progress;
    this.#browser = browserFor(plan.resolved.options, plan.clock);
  }

  stop(reason: EndReason, graceMs: number): void {
    this.#stopped = { reason, graceMs, timeUpAt: this.#plan.clock.now() + graceMs };
    this.#session?.stop(reason, graceMs);
  }

  async run(): Promise<DocsOutcome> {
    try {
      return await this.#rounds();
    } finally {
      await this.#browser.close();
    }
  }

  async #rounds(): Promise<DocsOutcome> {
    const { directory, seeds, isNew } = this.#plan;
    for (const [place, output] of this.#progress.outputs.entries()) {
      await refuseOtherCorpus(output, seeds[place]!.url);
    }
    if (this.#progress.isWritten) {
      this.#progress = await beginRenewal(directory, this.#progress);
    }
    if (this.#progress.round === 'survey') {
      const result = await this.#crawl(isNew);
      if (stoppedBy(result) !== null) {
        return { result, corpora: [], stopped: stoppedBy(result) };
      }
      if (result.allSeedsFailed) {
        return this.#giveUp(result);
      }
      try {
        this.#progress = await this.#endSurvey();
      } catch (error) {
        if (!(error instanceof Stopped)) throw error;
        return { result, corpora: [], stopped: this.#stoppedBy(result) };
      }
    }
    const result = await this.#crawl(false);
    const hasNothing = result.summary.done === 0 && !this.#progress.outputs.some(isCorpus);
    if (result.allSeedsFailed || hasNothing) {
      const stopped = this.#stoppedBy(result);
      return stopped === null ? this.#giveUp(result) : { result, corpora: [], stopped };
    }
    const corpora = await this.#write(result);
    // The stop may have come while pages were written.
    return { result, corpora, stopped: this.#progress.isWritten ? null : this.#stoppedBy(result) };
  }

  #stoppedBy(result: SessionResult): EndReason | null {
    return stoppedBy(result) ?? this.#stopped?.reason ?? null;
  }

  async #giveUp(result: SessionResult): Promise<DocsOutcome> {
    await this.#settle();
    return { result, corpora: [], stopped: null };
  }

  async #crawl(isNew: boolean): Promise<SessionResult> {
    const { directory, seeds, badSeeds, credentials, clock, events } = this.#plan;
    const sitemaps = this.#progress.widened.length === 0 ? null : this.#openSitemaps();
    try {
      const plan: SessionPlan = {
        resolved: this.#asCrawl(),
        directory,
        seeds: isNew ? seeds : null,
        ...(isNew ? {} : { storedSeeds: openForReading(directory, (reader) => reader.seeds()) }),
        ...(badSeeds === undefined ? {} : { badSeeds }),
        ...(credentials === undefined ? {} : { credentials }),
        events,
        docs: this.#wishes(sitemaps?.urls ?? []),
        clock,
      };
      const session = new CrawlSession(plan);
      await session.open();
      this.#session = session;
      this.#plan.began?.(session, plan);
      if (this.#stopped !== null) {
        session.stop(this.#stopped.reason, this.#stopped.graceMs);
      }
      const result = await session.run();
      const { elapsedMs, bytes } = session.stats();
      this.#spent.ms += elapsedMs;
      this.#spent.bytes += bytes;
      return result;
    } finally {
      sitemaps?.close();
    }
  }

  #wishes(named: Iterable<string>): DocsWishes {
    const { round, renews, unfollowed, widened } = this.#progress;
    const isSurvey = round === 'survey';
    return {
      surveys: isSurvey,
      renews,
      render: this.#plan.resolved.options.render,
      browser: this.#browser,
      unfollowed: isSurvey ? [] : unfollowed,
      widened: new Map(isSurvey ? [] : widened),
      named: isSurvey ? [] : named,
      spent: { ...this.#spent },
      meta: asMeta(this.#progress),
    };
  }

  /** What the survey found in sitemaps; read while the crawl takes it in. */
  #openSitemaps(): { urls: Iterable<string>; close(): void } {
    const database = openStoreFile(storePath(this.#plan.directory), { create: false, readOnly: true });
    const pages = new SitemapPages(database, this.#plan.resolved.options);
    function* urls(): IterableIterator<string> {
      for (const { url } of pages.all()) {
        yield url;
      }
    }
    return { urls: urls(), close: () => database.close() };
  }

  /** The engine's options: what a corpus has no use for is not up to the user. */
  #asCrawl(): ResolvedOptions<'crawl'> {
    const { options, sources, notices } = this.#plan.resolved;
    const own = { anchorText: false, assets: false, external: false, reports: [] };
    return {
      options: { ...options, ...own },
      sources: { ...sources, anchorText: 'default', assets: 'default', external: 'default', reports: 'default' },
      notices,
    };
  }

  get #isAuto(): boolean {
    return this.#plan.resolved.options.seedingStrategy === AUTO;
  }

  async #endSurvey(): Promise<DocsProgress> {
    const { options } = this.#plan.resolved;
    return endSurvey({
      directory: this.#plan.directory,
      progress: this.#progress,
      patterns: { include: [...options.include], exclude: [...options.exclude] },
      identity: options,
      isAuto: this.#isAuto,
      isStopped: () => this.#stopped !== null,
    });
  }

  async #write(result: SessionResult): Promise<SavedCorpus[]> {
    const { directory, resolved, clock, events } = this.#plan;
    try {
      const corpora = await writeCorpora({
        directory,
        options: resolved.options,
        outputs: this.#progress.outputs,
        isComplete: result.end.truncated === null,
        isPartial: stoppedBy(result) !== null,
        written: this.#progress.written ?? null,
        now: new Date(clock.wall()).toISOString().slice(0, 10),
        isStopped: () => this.#stopped !== null,
        isTimeUp: () => this.#stopped !== null && clock.now() >= this.#stopped.timeUpAt,
        onWritten: (written) => this.#save({ ...this.#progress, written }),
        notice: (text) => events.notice?.(text),
      });
      if (corpora.every(({ isFinished }) => isFinished)) {
        await this.#settle();
      }
      return corpora;
    } catch (error) {
      if (error instanceof StateError && error.code === 'empty_corpus') {
        await this.#settle();
      }
      throw error;
    }
  }

  /** There is nothing to go on with: the next run asks anew. */
  async #settle(): Promise<void> {
    const { written: _, ...progress } = this.#progress;
    await this.#save({ ...progress, isWritten: true });
  }

  async #save(progress: DocsProgress): Promise<void> {
    this.#progress = progress;
    await atStore(this.#plan.directory, async (database) => saveProgress(database, progress));
  }
}

const STOPPED: ReadonlySet<EndReason> = new Set(['interrupted', 'terminated', 'stopped']);

const stoppedBy = ({ end }: SessionResult): EndReason | null => (STOPPED.has(end.reason) ? end.reason : null);
