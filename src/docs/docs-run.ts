import { Stopped } from '../base/breaks.js';
import type { Clock } from '../base/clock.js';
import { StateError } from '../base/errors.js';
import { ON_ONE_MACHINE } from '../config/options-cluster.js';
import { WITHOUT_HOOKS } from '../config/options-hooks.js';
import { WITHOUT_KEEPING } from '../config/options-keep.js';
import type { ResolvedOptions } from '../config/resolve.js';
import { AUTO_SEEDING, ONLY_SITEMAPS } from '../config/seeding.js';
import { isCorpus } from '../corpus/index-file.js';
import { refuseOtherCorpus } from '../corpus/write-corpus.js';
import type { EndReason } from '../crawl/ending.js';
import { answeredFrom, type KeptPages, withoutWaiting } from '../crawl/kept-pages.js';
import type { CrawlProfile, EndedRound, RunningSession, SessionResult } from '../crawl/profile.js';
import type { Browser } from '../crawl/render/browser.js';
import { browserFor } from '../crawl/renderer.js';
import { Rounds } from '../crawl/rounds.js';
import type { SessionEvents, SessionPlan } from '../crawl/session-plan.js';
import type { RenderMode } from '../lane/reading.js';
import { openForReading } from '../store/directory.js';
import { betweenDocsRounds } from '../store/docs-queue.js';
import { DocsReader } from '../store/docs-reader.js';
import type { SeedRow } from '../store/transaction.js';
import { scopePatterns } from '../url/scope.js';
import { imageUrls } from './corpus-images.js';
import { asMeta, type DocsProgress } from './progress.js';
import { beginRenewal, endSurvey, type SurveyEnd } from './rounds.js';
import { SitemapPages } from './sitemap-pages.js';
import { type SavedCorpus, writeCorpora } from './write-corpora.js';

export interface DocsPlan {
  resolved: ResolvedOptions<'docs'>;
  /** Where the crawl is kept. */
  directory: string;
  seeds: SeedRow[];
  /** Whether the run begins; otherwise the one in the directory goes on, or is brought up to date where it is finished. */
  isNew: boolean;
  progress: DocsProgress;
  /** The crawl whose pages are taken, instead of asking for them. */
  kept?: KeptPages | undefined;
  badSeeds?: SessionPlan['badSeeds'];
  credentials?: SessionPlan['credentials'];
  events: SessionEvents;
  began?(session: RunningSession, plan: SessionPlan): void;
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

const TICK_MS = 1_000;

/** A corpus of a site: a look at what there is, a crawl that keeps its pages, then the pages as Markdown. */
export class DocsRun {
  readonly #plan: DocsPlan;
  readonly #rounds: Rounds;
  readonly #browser: Browser;
  #progress: DocsProgress;
  /** What the rounds have used of the limits of the run. */
  readonly #spent = { ms: 0, bytes: 0 };
  /** When writing has to end; Infinity until someone asks the run to stop. */
  #timeUpAt = Number.POSITIVE_INFINITY;
  #nextTickAt = 0;

  constructor(plan: DocsPlan) {
    const { directory, seeds, isNew, badSeeds, credentials, events, began, clock } = plan;
    this.#plan = plan;
    this.#progress = plan.progress;
    this.#browser = browserFor(plan.resolved.options, clock);
    this.#rounds = new Rounds({
      ...{ resolved: this.#asCrawl(), directory, events, clock, seeds: isNew ? seeds : null },
      storedSeeds: () => openForReading(directory, (reader) => reader.seeds()),
      ...(badSeeds === undefined ? {} : { badSeeds }),
      ...(credentials === undefined ? {} : { credentials }),
      ...(began === undefined ? {} : { began }),
    });
  }

  stop(reason: EndReason, graceMs: number): void {
    this.#timeUpAt = this.#plan.clock.now() + graceMs;
    this.#rounds.stop(reason, graceMs);
  }

  async run(): Promise<DocsOutcome> {
    try {
      const outcome = await this.#run();
      this.#rounds.watch?.ended(outcome.stopped ?? outcome.result.end.reason);
      return outcome;
    } finally {
      await this.#browser.close();
    }
  }

  async #run(): Promise<DocsOutcome> {
    const { directory, seeds } = this.#plan;
    for (const [place, output] of this.#progress.outputs.entries()) {
      await refuseOtherCorpus(output, seeds[place]!.url);
    }
    if (this.#progress.isWritten) {
      this.#progress = await beginRenewal(directory, this.#progress);
    }
    const result = await this.#rounds.run(this.#profile());
    const isSurveyed = isFetching(this.#progress);
    const stopped = stoppedBy(result) ?? this.#rounds.stoppedBy;
    const hasNothing = isSurveyed && result.summary.done === 0 && !this.#progress.outputs.some(isCorpus);
    if (!isSurveyed || result.allSeedsFailed || hasNothing) {
      return stopped === null ? this.#giveUp(result) : { result, corpora: [], stopped };
    }
    const corpora = await this.#write(result);
    // The stop may have come while pages were written.
    const writing = stoppedBy(result) ?? this.#rounds.stoppedBy;
    return { result, corpora, stopped: this.#progress.isWritten ? null : writing };
  }

  async #giveUp(result: SessionResult): Promise<DocsOutcome> {
    await this.#settle();
    return { result, corpora: [], stopped: null };
  }

  #profile(): CrawlProfile {
    return docsProfile({
      progress: this.#progress,
      render: this.#render,
      browser: this.#browser,
      named: this.#progress.widened.length === 0 ? [] : this.#named(),
      images: this.#progress.round === 'images' ? this.#images() : [],
      spent: this.#spent,
      next: (ended) => this.#next(ended),
      kept: this.#plan.kept,
    });
  }

  /** After the survey come the pages, unless there is nothing to be had or someone has stopped the run. */
  async #next({ result, session }: EndedRound): Promise<CrawlProfile | null> {
    const { elapsedMs, bytes } = session.stats();
    this.#spent.ms += elapsedMs;
    this.#spent.bytes += bytes;
    if (stoppedBy(result) !== null || result.allSeedsFailed) {
      return null;
    }
    if (isFetching(this.#progress)) {
      return this.#wantsImages(result) ? this.#imagesProfile() : null;
    }
    try {
      this.#progress = await this.#endSurvey();
    } catch (error) {
      if (error instanceof Stopped) {
        return null;
      }
      throw error;
    }
    return this.#profile();
  }

  /** Of a run that a limit has cut there is nothing more to ask for. */
  #wantsImages({ end }: SessionResult): boolean {
    const isDownload = this.#plan.resolved.options.images === 'download';
    return isDownload && this.#progress.round === 'pages' && end.truncated === null;
  }

  async #imagesProfile(): Promise<CrawlProfile> {
    await this.#save({ ...this.#progress, round: 'images' });
    return this.#profile();
  }

  *#images(): IterableIterator<string> {
    const store = DocsReader.open(this.#plan.directory);
    try {
      yield* imageUrls(store, this.#plan.resolved.options);
    } finally {
      store.close();
    }
  }

  /** The URLs that the survey found in sitemaps. They are read from the store while the crawl admits them. */
  *#named(): IterableIterator<string> {
    const store = DocsReader.open(this.#plan.directory);
    try {
      for (const { url } of new SitemapPages(store, this.#plan.resolved.options).all()) {
        yield url;
      }
    } finally {
      store.close();
    }
  }

  /** The options for the engine. Outputs that a corpus does not use are off, whatever the user has set. */
  #asCrawl(): ResolvedOptions<'crawl'> {
    const { options, sources, notices } = this.#plan.resolved;
    const own = {
      anchorText: false,
      facts: 'basic',
      extract: [],
      assets: false,
      external: false,
      hashRoutes: false,
      reports: [],
      render: this.#render,
    } as const;
    const none = {
      anchorText: 'default',
      facts: 'default',
      extract: 'default',
      assets: 'default',
      external: 'default',
      hashRoutes: 'default',
      reports: 'default',
    } as const;
    return {
      options: { ...options, ...ON_ONE_MACHINE.options, ...WITHOUT_HOOKS.options, ...WITHOUT_KEEPING.options, ...own },
      sources: { ...sources, ...ON_ONE_MACHINE.sources, ...WITHOUT_HOOKS.sources, ...WITHOUT_KEEPING.sources, ...none },
      notices,
    };
  }

  /** An archive has not what a browser would ask for: there, pages are rendered only where the user says so, and that is refused. */
  get #render(): RenderMode {
    const { options, sources } = this.#plan.resolved;
    return options.from.length > 0 && sources.render === 'default' ? 'never' : options.render;
  }

  get #way(): SurveyEnd['way'] {
    const { seedingStrategy } = this.#plan.resolved.options;
    return seedingStrategy === AUTO_SEEDING || seedingStrategy === ONLY_SITEMAPS ? seedingStrategy : null;
  }

  async #endSurvey(): Promise<DocsProgress> {
    const { options } = this.#plan.resolved;
    return endSurvey({
      directory: this.#plan.directory,
      progress: this.#progress,
      patterns: scopePatterns(options),
      identity: options,
      way: this.#way,
      obeyNofollow: options.nofollow === 'obey',
      isStopped: () => this.#rounds.stoppedBy !== null,
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
        incomplete: this.#progress.incomplete ?? [],
        written: this.#progress.written ?? null,
        now: new Date(this.#plan.kept?.startedAt ?? clock.wall()).toISOString().slice(0, 10),
        isStopped: () => this.#rounds.stoppedBy !== null,
        isTimeUp: () => clock.now() >= this.#timeUpAt,
        onWritten: (written) => this.#save({ ...this.#progress, written }),
        notice: (text) => {
          this.#rounds.watch?.notice(text);
          events.notice?.(text);
        },
        converted: (pages, of) => this.#converted(pages, of),
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

  /** No session runs any more that would say each second how it goes. */
  #converted(pages: number, of: number): void {
    const { clock, events } = this.#plan;
    const { watch, session } = this.#rounds;
    watch?.works('pages as Markdown', pages, of);
    if (session !== null && (clock.now() >= this.#nextTickAt || pages === of)) {
      this.#nextTickAt = clock.now() + TICK_MS;
      events.tick?.(session);
    }
  }

  /** Notes that the run is complete, so that the next one requests the pages again. */
  async #settle(): Promise<void> {
    const { written: _, ...progress } = this.#progress;
    await this.#save({ ...progress, isWritten: true });
  }

  async #save(progress: DocsProgress): Promise<void> {
    this.#progress = progress;
    await betweenDocsRounds(this.#plan.directory, (_store, change) => change((queue) => queue.note(asMeta(progress))));
  }
}

const isFetching = ({ round }: DocsProgress): boolean => round === 'pages' || round === 'images';

const STOPPED: ReadonlySet<EndReason> = new Set(['interrupted', 'terminated', 'stopped']);

const stoppedBy = ({ end }: SessionResult): EndReason | null => (STOPPED.has(end.reason) ? end.reason : null);

interface DocsProfileParts {
  progress: DocsProgress;
  /** Which pages are seen by a browser. */
  render: RenderMode;
  browser: Browser;
  /** The URLs that sitemaps name. */
  named: Iterable<string>;
  /** The URLs of images that are asked for. */
  images: Iterable<string>;
  /** What earlier rounds of the same run have used of its limits. */
  spent: { ms: number; bytes: number };
  next: NonNullable<CrawlProfile['next']>;
  kept: KeptPages | undefined;
}

/** One round of a corpus: a survey of robots.txt, sitemaps and seeds, or the pages, which are kept. */
function docsProfile({ progress, render, browser, named, images, spent, next, kept }: DocsProfileParts): CrawlProfile {
  const surveys = !isFetching(progress);
  return {
    command: 'docs',
    meta: asMeta(progress),
    writesOutputs: false,
    scope: { surveys },
    ...(kept === undefined ? {} : { fetch: (options) => answeredFrom(options, kept.directory) }),
    scheduler: (options) => ({
      ...(kept === undefined ? options : withoutWaiting(options)),
      renews: progress.renews,
      surveyOnly: surveys,
      surveysSeeds: surveys,
    }),
    reader: (options) => ({
      ...options,
      // A feed is no list of all pages: it must not be taken for the sitemap of a corpus.
      feeds: false,
      keepsBodies: true,
      unfollowed: new Set(surveys ? [] : progress.unfollowed),
      render,
    }),
    beginsWith: progress.round === 'survey' ? {} : { widened: new Map(progress.widened), named, assets: images },
    limits: { spent: { ...spent } },
    browser,
    next,
  };
}
