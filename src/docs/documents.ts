import { systemClock } from '../base/clock.js';
import type { CorpusInput, KnownPages, PreparedDocument } from '../corpus/document.js';
import type { Measure } from '../corpus/prepare.js';
import type { RedirectChains } from '../store/redirect-chains.js';
import type { Database, Statement } from '../store/sqlite.js';
import { UrlFlag, UrlState } from '../store/url-state.js';
import type { Conversion, Job, Problem, Step, Task } from './convert/conversion.js';
import { ConversionPool } from './convert/conversion-pool.js';
import { Converter } from './convert/converter.js';
import { ConverterThread } from './convert/converter-thread.js';
import { InlineConversion } from './convert/inline-conversion.js';
import { LinkedIds } from './linked-ids.js';

/** So few pages are converted before a thread has started. */
const FEW_PAGES = 50;
export const NOINDEX = /(?:^|[\s,])(?:noindex|none)(?:[\s,]|$)/i;
/** What a server says of a page that is gone. */
const GONE: ReadonlySet<number | null> = new Set([404, 410]);
const COULD_NOT_BE_HAD: ReadonlySet<UrlState> = new Set([UrlState.failed, UrlState.deferred]);

const PAGE = `SELECT urls.url AS url, urls.state AS state, urls.flags AS flags, pages.status AS status, pages.bytes AS bytes,
    pages.redirect_to AS redirectTo, pages.robots_meta AS robots, bodies.page IS NOT NULL AS isKept
  FROM urls LEFT JOIN pages ON pages.id = urls.id LEFT JOIN bodies ON bodies.page = urls.id WHERE urls.id = ?`;

export interface DocumentsOptions extends Measure {
  /** The store's file, for threads. */
  store: string;
  threads: number;
  /** Of all sites: few are converted in this thread. */
  pages: number;
  /** Where a link leads in the end. */
  linkEnd(url: string): string;
  /** Where redirects end. */
  redirects: Pick<RedirectChains, 'endOf'>;
  /** Told of each page that could not be converted. */
  onProblem?(url: string, sentence: string): void;
}

export interface SiteWishes {
  /** Asked before each page: what is then left is left out. */
  isOver?(task: Task): boolean;
  /** Told once of each page that could not be had or converted. */
  onFailed?(): void;
}

/** The pages of a crawl that kept them, ready for a corpus each site. Sites share the threads that convert. */
export class Documents {
  readonly #page: Statement;
  readonly #options: DocumentsOptions;
  readonly #conversion: Conversion;
  readonly #linked: LinkedIds;
  #sites = 0;

  constructor(database: Database, options: DocumentsOptions) {
    this.#page = database.prepare(PAGE);
    this.#options = options;
    this.#linked = new LinkedIds(database, options.linkEnd);
    const { store, threads, chunkTokens } = options;
    this.#conversion =
      options.pages < FEW_PAGES
        ? new InlineConversion(new Converter(database, options))
        : new ConversionPool(threads, (listener) => new ConverterThread({ store, chunkTokens }, listener), systemClock);
  }

  /**
   * The pages of one site, in the order in which they are named; the same documents, however many threads there are.
   * @param known the corpus that is there: pages that could not be had this time stay as they are
   */
  async *inOrder(
    ids: readonly number[],
    known: KnownPages,
    { isOver = () => false, onFailed = () => {} }: SiteWishes = {},
  ): AsyncIterableIterator<CorpusInput> {
    const site = ++this.#sites;
    const conversion = this.#conversion.site();
    try {
      const toLearn = until(() => isOver('learn'), this.#bodies(ids));
      await conversion.learn(toLearn, (facts) => this.#linked.add(site, facts.linked));
      const steps = until(() => isOver('convert'), this.#steps(ids, known, site, onFailed));
      for await (const { step, result } of conversion.convert(steps)) {
        const input =
          'input' in step
            ? step.input
            : 'problem' in result!
              ? this.#failedPage(step.job.url, result, known, onFailed)
              : (result as PreparedDocument);
        if (input !== null) {
          yield input;
        }
      }
    } finally {
      this.#linked.forget(site);
    }
  }

  async close(): Promise<void> {
    await this.#conversion.close();
  }

  /** What there is to learn from. */
  *#bodies(ids: readonly number[]): IterableIterator<Job> {
    for (const id of ids) {
      const { url, state, bytes, isKept } = this.#page.get(id)!;
      if (state === UrlState.done && isKept === 1) {
        yield { id, url, bytes: bytes ?? 0, knownHash: null, linkedIds: [] };
      }
    }
  }

  *#steps(ids: readonly number[], known: KnownPages, site: number, onFailed: () => void): IterableIterator<Step> {
    for (const id of ids) {
      const { url, state, flags, status, bytes, redirectTo, robots, isKept } = this.#page.get(id)!;
      if ((flags & UrlFlag.external) !== 0) {
        continue;
      }
      if (redirectTo !== null) {
        const isKnown = known.has(url);
        const end = this.#endOf(id);
        // Where redirects end in a page that could not be had, that one counts; but what was here before has failed as well.
        if (end === 'none' || (end === 'failed' && isKnown)) {
          onFailed();
          if (isKnown) yield { input: { url, isKnown: true } };
        }
      } else if (COULD_NOT_BE_HAD.has(state)) {
        onFailed();
        if (known.has(url) && !GONE.has(status)) {
          yield { input: { url, isKnown: true } };
        }
      } else if (state === UrlState.done && isKept === 1 && !NOINDEX.test(robots ?? '')) {
        const linkedIds = this.#linked.of(site, url);
        yield { job: { id, url, bytes: bytes ?? 0, knownHash: known.hashOf(url), linkedIds } };
      }
    }
  }

  /** What redirects of a page end in; `none` where they go round in circles or are too many. */
  #endOf(id: number): 'page' | 'failed' | 'none' {
    const end = this.#options.redirects.endOf(id);
    if (end.problem !== null) return 'none';
    const { state, status } = this.#page.get(end.id)!;
    return COULD_NOT_BE_HAD.has(state) && !GONE.has(status) ? 'failed' : 'page';
  }

  #failedPage(url: string, { problem }: Problem, known: KnownPages, onFailed: () => void): CorpusInput | null {
    onFailed();
    this.#options.onProblem?.(url, problem);
    return known.has(url) ? { url, isKnown: true } : null;
  }
}

function* until<T>(isOver: () => boolean, items: Iterable<T>): IterableIterator<T> {
  for (const item of items) {
    if (isOver()) return;
    yield item;
  }
}
