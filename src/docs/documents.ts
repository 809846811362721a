import { systemClock } from '../base/clock.js';
import { SiteMemory } from '../content/extract/site-memory.js';
import type { CorpusInput, KnownPages, PreparedDocument } from '../corpus/document.js';
import type { Measure } from '../corpus/prepare.js';
import type { Database, Statement } from '../store/sqlite.js';
import { UrlFlag, UrlState } from '../store/url-state.js';
import type { Conversion, Job, Problem, Step } from './convert/conversion.js';
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

const PAGE = `SELECT urls.url AS url, urls.state AS state, urls.flags AS flags, pages.status AS status, pages.bytes AS bytes,
    pages.redirect_to AS redirectTo, pages.robots_meta AS robots, bodies.page IS NOT NULL AS isKept
  FROM urls LEFT JOIN pages ON pages.id = urls.id LEFT JOIN bodies ON bodies.page = urls.id WHERE urls.id = ?`;

export interface DocumentsOptions extends Measure {
  /** The store's file, for threads. */
  store: string;
  threads: number;
  /** Where a link leads in the end. */
  linkEnd(url: string): string;
  /** Told of each page that could not be converted. */
  onProblem?(url: string, sentence: string): void;
}

/** The pages of a crawl that kept them, ready for a corpus. */
export class Documents {
  failed = 0;
  readonly #database: Database;
  readonly #page: Statement;
  readonly #options: DocumentsOptions;

  constructor(database: Database, options: DocumentsOptions) {
    this.#database = database;
    this.#page = database.prepare(PAGE);
    this.#options = options;
  }

  /**
   * The pages of one site, in the order in which they are named; the same documents, however many threads there are.
   * @param known the corpus that is there: pages that could not be had this time stay as they are
   */
  async *inOrder(ids: Iterable<number>, known: KnownPages): AsyncIterableIterator<CorpusInput> {
    const all = Int32Array.from(ids);
    const conversion = this.#conversion(all);
    try {
      const linked = new LinkedIds(this.#database, this.#options.linkEnd);
      await conversion.learn(this.#bodies(all), (facts) => linked.add(facts.linked));
      for await (const { step, result } of conversion.convert(this.#steps(all, known, linked))) {
        const input =
          'input' in step
            ? step.input
            : 'problem' in result!
              ? this.#failedPage(step.job.url, result, known)
              : (result as PreparedDocument);
        if (input !== null) {
          yield input;
        }
      }
    } finally {
      await conversion.close();
    }
  }

  #conversion(ids: Int32Array): Conversion {
    const { store, threads, chunkTokens } = this.#options;
    const memory = new SiteMemory();
    const few = this.#bodies(ids);
    for (let i = 0; i < FEW_PAGES; i++) {
      if (few.next().done === true) {
        return new InlineConversion(new Converter(this.#database, memory, this.#options));
      }
    }
    const setup = { store, chunkTokens, memory: memory.shared };
    return new ConversionPool(threads, (listener) => new ConverterThread(setup, listener), systemClock);
  }

  /** What there is to learn from. */
  *#bodies(ids: Int32Array): IterableIterator<Job> {
    for (const id of ids) {
      const { url, state, bytes, isKept } = this.#page.get(id)!;
      if (state === UrlState.done && isKept === 1) {
        yield { id, url, bytes: bytes ?? 0, knownHash: null, linkedIds: [] };
      }
    }
  }

  *#steps(ids: Int32Array, known: KnownPages, linked: LinkedIds): IterableIterator<Step> {
    for (const id of ids) {
      const { url, state, flags, status, bytes, redirectTo, robots, isKept } = this.#page.get(id)!;
      if ((flags & UrlFlag.external) !== 0 || redirectTo !== null) {
        continue;
      }
      if (state === UrlState.failed || state === UrlState.deferred) {
        this.failed++;
        if (known.has(url) && !GONE.has(status)) {
          yield { input: { url, isKnown: true } };
        }
      } else if (state === UrlState.done && isKept === 1 && !NOINDEX.test(robots ?? '')) {
        yield { job: { id, url, bytes: bytes ?? 0, knownHash: known.hashOf(url), linkedIds: linked.of(url) } };
      }
    }
  }

  #failedPage(url: string, { problem }: Problem, known: KnownPages): CorpusInput | null {
    this.failed++;
    this.#options.onProblem?.(url, problem);
    return known.has(url) ? { url, isKnown: true } : null;
  }
}
