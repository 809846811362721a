import type { Clock } from '../base/clock.js';
import type { ResolvedOptions } from '../config/resolve.js';
import { corpusValidators } from '../corpus/before.js';
import type { CorpusReport } from '../corpus/corpus-options.js';
import { isCorpus } from '../corpus/index-file.js';
import { loadTokenCounter } from '../corpus/tokens.js';
import { writeCorpus } from '../corpus/write-corpus.js';
import type { EndReason } from '../crawl/limits.js';
import { CrawlSession } from '../crawl/session.js';
import type { SessionEvents, SessionPlan, SessionResult } from '../crawl/session-plan.js';
import { storePath } from '../store/directory.js';
import type { Database } from '../store/sqlite.js';
import { openStoreFile } from '../store/store.js';
import type { SeedRow } from '../store/transaction.js';
import { originOf } from '../url/host.js';
import { Documents } from './documents.js';
import { linkEnds } from './link-ends.js';
import { relink } from './relink.js';

export interface DocsPlan {
  resolved: ResolvedOptions<'docs'>;
  /** Where the crawl is kept, and where the corpus goes. */
  directory: string;
  output: string;
  seeds: SeedRow[];
  isNew: boolean;
  /** The crawl in the directory is finished: it is brought up to date. */
  renews: boolean;
  badSeeds?: SessionPlan['badSeeds'];
  credentials?: SessionPlan['credentials'];
  events: SessionEvents;
  began?(session: CrawlSession, plan: SessionPlan): void;
  clock: Clock;
}

export interface DocsOutcome {
  result: SessionResult;
  /** Null where the run was stopped: what is done waits to be finished. */
  corpus: (CorpusReport & { failed: number }) | null;
}

const STOPPED: ReadonlySet<EndReason> = new Set(['interrupted', 'terminated', 'stopped']);

/** A corpus of a site: a crawl that keeps its pages, then the pages as Markdown. */
export class DocsRun {
  readonly #plan: DocsPlan;
  #session: CrawlSession | null = null;

  constructor(plan: DocsPlan) {
    this.#plan = plan;
  }

  stop(reason: EndReason, graceMs: number): void {
    this.#session?.stop(reason, graceMs);
  }

  async run(): Promise<DocsOutcome> {
    const result = await this.#crawl();
    const isStopped = STOPPED.has(result.end.reason) || result.allSeedsFailed;
    return { result, corpus: isStopped ? null : await this.#write(result.end.truncated === null) };
  }

  async #crawl(): Promise<SessionResult> {
    const { directory, seeds, isNew, renews, badSeeds, credentials, clock, events, output } = this.#plan;
    const { options, sources, notices } = this.#plan.resolved;
    const plan: SessionPlan = {
      resolved: {
        options: { ...options, anchorText: false, assets: false, json: false, reports: [] },
        sources: { ...sources, anchorText: 'default', assets: 'default', json: 'default', reports: 'default' },
        notices,
      },
      directory,
      seeds: isNew ? seeds : null,
      ...(isNew ? {} : { storedSeeds: seeds }),
      ...(badSeeds === undefined ? {} : { badSeeds }),
      ...(credentials === undefined ? {} : { credentials }),
      events,
      docs: { renews, meta: { output } },
      clock,
    };
    const session = new CrawlSession(plan);
    await session.open();
    this.#session = session;
    this.#plan.began?.(session, plan);
    return session.run();
  }

  async #write(isComplete: boolean): Promise<CorpusReport & { failed: number }> {
    const { directory, output, resolved, clock, seeds } = this.#plan;
    const database = openStoreFile(storePath(directory), { create: false, readOnly: true });
    try {
      const ends = linkEnds(database, resolved.options);
      const documents = new Documents(database, await knownUrls(output), ends);
      const report = await writeCorpus(output, documents.all(), {
        title: titleOf(database, seeds[0]!),
        summary: null,
        origin: originOf(seeds[0]!.url),
        chunkTokens: resolved.options.chunkTokens,
        tokens: await loadTokenCounter(),
        relink: (markdown, target) => relink(markdown, (url) => target(ends(url))),
        isComplete,
        now: new Date(clock.wall()).toISOString(),
      });
      return { ...report, failed: documents.failed };
    } finally {
      database.close();
    }
  }
}

async function knownUrls(output: string): Promise<Set<string>> {
  const known = new Set<string>();
  if (isCorpus(output)) {
    for await (const { url } of corpusValidators(output)) {
      known.add(url);
    }
  }
  return known;
}

const titleOf = (database: Database, seed: SeedRow): string =>
  database
    .prepare('SELECT pages.title AS title FROM urls JOIN pages ON pages.id = urls.id WHERE urls.url = ?')
    .get(seed.url)?.title ?? seed.label;
