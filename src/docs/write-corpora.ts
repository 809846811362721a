import { availableParallelism } from 'node:os';
import { Breaks, Stopped } from '../base/breaks.js';
import { StateError } from '../base/errors.js';
import { printable } from '../base/text.js';
import type { OptionsOf } from '../config/options.js';
import type { CorpusOptions, CorpusReport } from '../corpus/corpus-options.js';
import { isCorpus } from '../corpus/index-file.js';
import { readReport } from '../corpus/read-corpus.js';
import { HOW_TO_COUNT, loadTokenCounter } from '../corpus/tokens.js';
import { writeCorpus, writePartial } from '../corpus/write-corpus.js';
import { storePath } from '../store/directory.js';
import { Reader } from '../store/reader.js';
import { RedirectChains } from '../store/redirect-chains.js';
import type { Database } from '../store/sqlite.js';
import { openStoreFile } from '../store/store.js';
import type { SeedRow } from '../store/transaction.js';
import { UrlKind, UrlState } from '../store/url-state.js';
import { originOf } from '../url/host.js';
import type { Task } from './convert/conversion.js';
import { Documents } from './documents.js';
import { linkEnds, otherSlash } from './link-ends.js';
import { linkPlaces } from './link-places.js';
import { PageOrder } from './page-order.js';
import type { WrittenCorpora } from './progress.js';
import { FEW_PAGES, ScopeHints } from './scope-hint.js';

export interface CorporaOrders {
  directory: string;
  options: OptionsOf<'docs'>;
  /** One folder a seed. */
  outputs: readonly string[];
  /** False where a limit cut the crawl: pages that it did not get to stay as they are. */
  isComplete: boolean;
  /** The crawl was stopped: what there is goes to DIR.partial, and nothing is finished. */
  isPartial: boolean;
  /** What a run that was stopped has finished; null where that says nothing. */
  written: WrittenCorpora | null;
  /** ISO 8601. */
  now: string;
  /** Asked between pages and between sites: whether what is left is for another run. */
  isStopped(): boolean;
  /** Whether the time is up that there is after a stop. */
  isTimeUp(): boolean;
  /** Told now and then, and at the end, how far it has come. */
  onWritten(written: WrittenCorpora): Promise<void>;
  notice(text: string): void;
}

/** A corpus that a run wrote. */
export interface SavedCorpus {
  /** The site that it is made of. */
  seed: string;
  /** The folder of the corpus. */
  output: string;
  /** Pages that failed, were put off or could not be converted; 0 where an earlier run wrote it. */
  failed: number;
  /** False where the run was stopped before it was done. */
  isFinished: boolean;
  /** Null where the run was stopped, or where one of several sites gave nothing to write. */
  report: CorpusReport | null;
  /** What a wider scope would give, where this one gives next to nothing. */
  hint: string | null;
}

/** While the files of one become durable, pages of others are converted. */
const SITES_AT_ONCE = 4;
/** How many corpora may have to be written again after a kill. */
const SITES_UNTOLD = 32;
/** Of pages that a run which was stopped has fetched, so many are written to DIR.partial, however little time there is. */
const FEWEST_PARTIAL = 50;

/** The pages of a crawl as Markdown, one corpus a seed. Seeds that a stop leaves for another run are not finished. */
export async function writeCorpora(orders: CorporaOrders): Promise<SavedCorpus[]> {
  const database = openStoreFile(storePath(orders.directory), { create: false, readOnly: true });
  const seeds = new Reader(database).seeds();
  try {
    const corpora = await Corpora.prepare(database, orders);
    return await corpora.write(seeds);
  } catch (error) {
    if (error instanceof Stopped) {
      return seeds.map((seed, place) => unfinished(seed, orders.outputs[place]!));
    }
    throw error;
  } finally {
    database.close();
  }
}

/** Those that were answered with something to read: what failed or leads elsewhere becomes nothing. */
function countPages(database: Database, seeds: number[]): number {
  return database
    .prepare(
      `SELECT count(*) AS n FROM urls JOIN pages ON pages.id = urls.id WHERE urls.kind = ${UrlKind.page} AND urls.state = ${UrlState.done}
         AND pages.redirect_to IS NULL AND urls.seed IN (SELECT value FROM json_each(?))`,
    )
    .get(JSON.stringify(seeds))!.n;
}

const unfinished = ({ url }: SeedRow, output: string): SavedCorpus => ({
  ...{ seed: url, output, failed: 0, isFinished: false, report: null, hint: null },
});

interface Parts {
  order: PageOrder;
  ends: (url: string) => string;
  hints: ScopeHints;
  tokens: Awaited<ReturnType<typeof loadTokenCounter>>;
  documents: Documents;
}

/** The corpora of one run. What can be made once is made once for all of them. */
class Corpora {
  readonly #database: Database;
  readonly #orders: CorporaOrders;
  readonly #parts: Parts;
  readonly #asOf: string;
  readonly #saved: SavedCorpus[] = [];
  /** Of pages that go to DIR.partial. */
  readonly #begun: Record<Task, number> = { learn: 0, convert: 0 };
  /** The first that is not done; what a later run goes on from. */
  #done = 0;
  #told = 0;
  #telling: Promise<void> = Promise.resolve();
  #failure: { error: unknown } | null = null;

  private constructor(database: Database, orders: CorporaOrders, parts: Parts) {
    this.#database = database;
    this.#orders = orders;
    this.#parts = parts;
    this.#asOf = asOf(database, orders);
  }

  /** Throws `Stopped`. */
  static async prepare(database: Database, orders: CorporaOrders): Promise<Corpora> {
    const { options, directory } = orders;
    const breaks = new Breaks(orders.isPartial ? orders.isTimeUp : orders.isStopped);
    const order = await PageOrder.of(database, options, breaks);
    const redirects = new RedirectChains(database, options.maxRedirects);
    const ends = await linkEnds(database, redirects, options, breaks);
    const tokens = await loadTokenCounter();
    if (tokens.isEstimate) orders.notice(HOW_TO_COUNT);
    const documents = new Documents(database, {
      ...{ store: storePath(directory), chunkTokens: options.chunkTokens, tokens, pages: order.pages, linkEnd: ends },
      redirects,
      threads: options.parseWorkers ?? Math.max(1, availableParallelism() - 1),
      onProblem: (url, sentence) => orders.notice(printable(`${url}: ${sentence}`, 300)),
    });
    const hints = new ScopeHints(database, options, breaks);
    return new Corpora(database, orders, { order, ends, hints, tokens, documents });
  }

  async write(seeds: readonly SeedRow[]): Promise<SavedCorpus[]> {
    const { documents } = this.#parts;
    const from = this.#orders.written?.asOf === this.#asOf ? this.#orders.written.seeds : 0;
    const pages = countPages(
      this.#database,
      seeds.slice(from).map(({ seed }) => seed),
    );
    const which = pages === 1 ? '1 page becomes' : `${pages.toLocaleString('en-US')} pages become`;
    this.#orders.notice(`${which} Markdown`);
    const waiting = seeds.entries();
    try {
      await Promise.all(
        Array.from({ length: Math.min(SITES_AT_ONCE, seeds.length) }, () => this.#writeSome(waiting, from)),
      );
      if (this.#done < seeds.length) this.#tell();
      await this.#telling;
      if (this.#failure !== null) throw this.#failure.error;
      return this.#saved;
    } finally {
      await documents.close();
    }
  }

  async #writeSome(waiting: Iterator<[number, SeedRow]>, from: number): Promise<void> {
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
      const [place, seed] = next.value;
      const output = this.#orders.outputs[place]!;
      if (this.#isOver('convert')) {
        this.#saved[place] = unfinished(seed, output);
        continue;
      }
      try {
        const isDone = place < from && isCorpus(output);
        this.#saved[place] = isDone ? await this.#kept(seed, output) : await this.#writeOne(seed, output);
        this.#advance();
      } catch (error) {
        this.#failure ??= { error };
      }
    }
  }

  /** A run that was stopped has written it, of the same pages. */
  async #kept(seed: SeedRow, output: string): Promise<SavedCorpus> {
    const report = await readReport(output);
    return { seed: seed.url, output, failed: 0, isFinished: true, report, hint: null };
  }

  async #writeOne(seed: SeedRow, output: string): Promise<SavedCorpus> {
    const { options, isPartial, isComplete, now } = this.#orders;
    const { order, ends, hints, tokens, documents } = this.#parts;
    const ids = order.ofSeed(seed.seed);
    const saved = unfinished(seed, output);
    const corpus: CorpusOptions = {
      ...{ title: titleOf(this.#database, ids, seed), summary: null, source: seed.url, origin: originOf(seed.url) },
      ...{ chunkTokens: options.chunkTokens, tokens, linksOf: linkPlaces, isComplete, now },
      ignoredRobots: options.ignoreRobots,
      linkEnds: (url) => [ends(url), otherSlash(ends(url))],
      breaks: new Breaks(() => this.#failure !== null || (!isPartial && this.#orders.isStopped())),
    };
    const inputs = (known: Parameters<Documents['inOrder']>[1]) =>
      documents.inOrder(ids, known, { isOver: (task) => this.#isOver(task, 1), onFailed: () => saved.failed++ });
    if (isPartial) {
      await writePartial(output, inputs, corpus);
      return saved;
    }
    try {
      const report = await writeCorpus(output, inputs, corpus);
      const hint = report.pages < FEW_PAGES ? await hints.of(seed, ids).catch(nullIfStopped) : null;
      return { ...saved, isFinished: true, report, hint };
    } catch (error) {
      if (error instanceof Stopped) return saved;
      const isEmpty = error instanceof StateError && error.code === 'empty_corpus';
      // There is nothing of one of several sites.
      if (isEmpty && this.#orders.outputs.length > 1) return { ...saved, isFinished: true };
      throw error;
    }
  }

  /** Whether the next page is left for another run. What one site fails with ends the others too. */
  #isOver(task: Task, pages = 0): boolean {
    if (this.#failure !== null) return true;
    if (!this.#orders.isPartial) return this.#orders.isStopped();
    const begun = this.#begun[task];
    this.#begun[task] += pages;
    return begun >= FEWEST_PARTIAL && this.#orders.isTimeUp();
  }

  #advance(): void {
    while (this.#saved[this.#done]?.isFinished === true) this.#done++;
    if (this.#done - this.#told >= SITES_UNTOLD) this.#tell();
  }

  #tell(): void {
    if (this.#done === this.#told) return;
    this.#told = this.#done;
    const written = { seeds: this.#done, asOf: this.#asOf };
    this.#telling = this.#telling
      .then(() => this.#orders.onWritten(written))
      .catch((error) => {
        this.#failure ??= { error };
      });
  }
}

/** Two runs that find the same here would write the same. */
function asOf(database: Database, { options, isComplete }: CorporaOrders): string {
  const { seq } = database.prepare('SELECT max(seq) AS seq FROM pages').get()!;
  return JSON.stringify({ seq, chunkTokens: options.chunkTokens, isComplete });
}

function nullIfStopped(error: unknown): null {
  if (error instanceof Stopped) return null;
  throw error;
}

/** That of the seed's own page, or of what it redirects to; else that of the first page. */
function titleOf(database: Database, ids: readonly number[], seed: SeedRow): string {
  const select = database.prepare(
    'SELECT urls.url AS url, pages.title AS title FROM urls JOIN pages ON pages.id = urls.id WHERE urls.id = ?',
  );
  let first: string | null = null;
  for (const id of ids) {
    const { url, title = null } = select.get(id) ?? {};
    first ??= title;
    if (title !== null && seed.scopeUrls.includes(url)) {
      return title;
    }
  }
  return first ?? seed.label;
}
