import { setImmediate } from 'node:timers/promises';
import { systemClock } from '../base/clock.js';
import { SiteMemory } from '../content/extract/site-memory.js';
import type { CorpusInput, KnownPages, PreparedDocument } from '../corpus/document.js';
import type { MeasureOptions } from '../corpus/prepare.js';
import type { DocsReader } from '../store/docs-reader.js';
import type { LinkedIds } from '../store/docs-tables.js';
import type { RedirectChains } from '../store/redirect-chains.js';
import { UrlFlag, UrlState } from '../store/url-state.js';
import {
  type Conversion,
  isLearned,
  type Job,
  type Learned,
  type Problem,
  type Result,
  resultOf,
  type SiteConversion,
  type Step,
  type Task,
} from './convert/conversion.js';
import { ConversionPool } from './convert/conversion-pool.js';
import { Converter } from './convert/converter.js';
import { ConverterThread } from './convert/converter-thread.js';
import { otherSlash } from './link-ends.js';

/** Fewer pages than this are converted in this thread, which takes less time than starting another. */
const FEW_PAGES = 50;
export const NOINDEX = /(?:^|[\s,])(?:noindex|none)(?:[\s,]|$)/i;
/** What a server says of a page that is gone. */
const GONE: ReadonlySet<number | null> = new Set([404, 410]);
const COULD_NOT_BE_HAD: ReadonlySet<UrlState> = new Set([UrlState.failed, UrlState.deferred]);

export interface DocumentsOptions extends MeasureOptions {
  /** Where the crawl is kept: each thread opens its store. */
  directory: string;
  threads: number;
  /** How many pages all sites have; few are converted in this thread. */
  pages: number;
  /** Where a link leads in the end. */
  linkEnd(url: string): string;
  /** Where redirects end. */
  redirects: Pick<RedirectChains, 'endOf'>;
  /** Told of each page that could not be converted. */
  onProblem?(url: string, sentence: string): void;
}

export interface SiteOptions {
  /** Asked before each page: once it is true, the remaining pages are left out. */
  isOver?(task: Task): boolean;
  /** Told once of each page that could not be had or converted. */
  onFailed?(): void;
}

/** The pages of a crawl that kept them, ready for a corpus each site. Sites share the threads that convert. */
export class Documents {
  readonly #store: DocsReader;
  readonly #options: DocumentsOptions;
  readonly #conversion: Conversion;
  readonly #linked: LinkedIds;
  #sites = 0;

  constructor(pages: DocsReader, options: DocumentsOptions) {
    this.#store = pages;
    this.#options = options;
    this.#linked = pages.newLinkedIds();
    const { directory, threads, chunkTokens } = options;
    this.#conversion =
      options.pages < FEW_PAGES
        ? new InlineConversion(new Converter(pages, options))
        : new ConversionPool(
            threads,
            (listener) => new ConverterThread({ directory, chunkTokens }, listener),
            systemClock,
          );
  }

  /**
   * The pages of one site, in the order in which they are named; the same documents, however many threads there are.
   * @param known the corpus that is there: pages that could not be had this time stay as they are
   */
  async *inOrder(
    ids: readonly number[],
    known: KnownPages,
    { isOver = () => false, onFailed = () => {} }: SiteOptions = {},
  ): AsyncIterableIterator<CorpusInput> {
    const site = ++this.#sites;
    const conversion = this.#conversion.site();
    try {
      const toLearn = until(() => isOver('learn'), this.#bodies(ids));
      await conversion.learn(toLearn, ({ linked }) => this.#noteLinked(site, linked));
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

  /** Places are known by the URL where redirects end. */
  #noteLinked(site: number, places: Learned['linked']): void {
    for (const { url, id } of places) {
      this.#linked.add(site, this.#options.linkEnd(url), id);
    }
  }

  /** The pages from which the site's repeated parts are learned. */
  *#bodies(ids: readonly number[]): IterableIterator<Job> {
    for (const id of ids) {
      const { url, state, bytes, isKept } = this.#store.fateOf(id);
      if (state === UrlState.done && isKept) {
        yield { id, url, bytes: bytes ?? 0, knownHash: null, linkedIds: [] };
      }
    }
  }

  *#steps(ids: readonly number[], known: KnownPages, site: number, onFailed: () => void): IterableIterator<Step> {
    for (const id of ids) {
      const { url, state, flags, status, bytes, redirectTo, robots, isKept } = this.#store.fateOf(id);
      if ((flags & UrlFlag.external) !== 0) {
        continue;
      }
      if (redirectTo !== null) {
        const isKnown = known.has(url);
        const end = this.#endOf(id);
        // A failed page at the end of redirects is counted itself. This one counts too where the corpus has it, and then it stays as it is.
        if (end === 'none' || (end === 'failed' && isKnown)) {
          onFailed();
          if (isKnown) {
            yield { input: { url, isKnown: true } };
          }
        }
      } else if (COULD_NOT_BE_HAD.has(state)) {
        onFailed();
        if (known.has(url) && !GONE.has(status)) {
          yield { input: { url, isKnown: true } };
        }
      } else if (state === UrlState.done && isKept && !NOINDEX.test(robots ?? '')) {
        const linkedIds = this.#linked.of(site, url, otherSlash(url));
        yield { job: { id, url, bytes: bytes ?? 0, knownHash: known.hashOf(url), linkedIds } };
      }
    }
  }

  /** What the redirects of a page end in: a page, one that failed, or `none` where they go round in circles or are too many. */
  #endOf(id: number): 'page' | 'failed' | 'none' {
    const end = this.#options.redirects.endOf(id);
    if (end.problem !== null) {
      return 'none';
    }
    const { state, status } = this.#store.fateOf(end.id);
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
    if (isOver()) {
      return;
    }
    yield item;
  }
}

/** Converts in this thread, one page a turn: a few pages are done before a thread has started. */
class InlineConversion implements Conversion {
  readonly #converter: Converter;

  constructor(converter: Converter) {
    this.#converter = converter;
  }

  site(): SiteConversion {
    return new InlineSite(this.#converter);
  }

  async close(): Promise<void> {}
}

class InlineSite implements SiteConversion {
  readonly #converter: Converter;
  readonly #memory = new SiteMemory();

  constructor(converter: Converter) {
    this.#converter = converter;
  }

  async learn(jobs: Iterable<Job>, learned: (facts: Learned) => void): Promise<void> {
    for (const { id } of jobs) {
      const facts = resultOf(() => this.#converter.learn(id, this.#memory));
      if (isLearned(facts)) {
        learned(facts);
      }
      await setImmediate();
    }
  }

  async *convert(steps: Iterable<Step>): AsyncIterableIterator<{ step: Step; result: Result }> {
    for (const step of steps) {
      yield {
        step,
        result: 'input' in step ? null : resultOf(() => this.#converter.convert(step.job, this.#memory)),
      };
      await setImmediate();
    }
  }
}
