import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '../base/clock.js';
import { SiteMemory } from '../content/extract/site-memory.js';
import type { WhyBlock } from '../content/extract/why.js';
import type { CorpusInput, KnownPages, PreparedDocument } from '../corpus/document.js';
import type { MeasureOptions } from '../corpus/prepare.js';
import type { DocsReader, PageFate } from '../store/docs-reader.js';
import type { LinkedIds } from '../store/docs-tables.js';
import type { PageMemory } from '../store/page-memory.js';
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
import { pageShapes, type ShapeOptions } from './convert/page-shape.js';
import { KnownConversions } from './known-conversions.js';
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
  /** What an earlier run has made of the same pages; without it all of them are converted. */
  memory?: PageMemory;
  /** What the user says is the text of a page. */
  shape?: ShapeOptions;
  /** What else decides what comes out of a page beside the page and its site. */
  settings?: string;
  /** Told of each page that could not be converted. */
  onProblem?(url: string, sentence: string): void;
}

export interface SiteOptions {
  /** Asked before each page: once it is true, the remaining pages are left out. */
  isOver?(task: Task): boolean;
  /** Told once of each page that could not be had or converted. */
  onFailed?(): void;
}

const NO_SHAPE: ShapeOptions = { content: [], remove: [] };

/** A site of one run, while its pages are converted. */
interface Site {
  site: number;
  memory: SiteMemory;
  onFailed: () => void;
}

/** What the documents of a site are made of. */
export interface SiteKey {
  key: string;
  /** Pages that could not be had. */
  failed: number;
}

/** The pages of a crawl that kept them, ready for a corpus each site. Sites share the threads that convert. */
export class Documents {
  readonly #store: DocsReader;
  readonly #options: DocumentsOptions;
  readonly #linked: LinkedIds;
  readonly #known: KnownConversions;
  #conversion: Conversion | null = null;
  #sites = 0;

  constructor(pages: DocsReader, options: DocumentsOptions) {
    this.#store = pages;
    this.#options = options;
    this.#linked = pages.newLinkedIds();
    this.#known = new KnownConversions(
      pages,
      options.memory ?? null,
      JSON.stringify([options.shape ?? NO_SHAPE, options.settings ?? '']),
    );
  }

  /**
   * The pages of one site, in the order in which they are named; the same documents, however many threads there are. A page of which
   * nothing has changed, nor what its site says around it, is named as known and not converted again.
   * @param known the corpus that is there: pages that could not be had this time stay as they are
   */
  async *inOrder(
    ids: readonly number[],
    known: KnownPages,
    { isOver = () => false, onFailed = () => {} }: SiteOptions = {},
  ): AsyncIterableIterator<CorpusInput> {
    const site = ++this.#sites;
    const memory = new SiteMemory();
    const conversion = new LazySite(() => this.#opened().site(memory));
    try {
      const toLearn = until(() => isOver('learn'), this.#bodies(ids, site, memory));
      await conversion.learn(toLearn, ({ fingerprints, linked }, { id }) => {
        this.#noteLinked(site, linked);
        this.#known.learned(id, fingerprints, linked);
      });
      const steps = until(() => isOver('convert'), this.#steps(ids, known, { site, memory, onFailed }));
      for await (const { step, result } of conversion.convert(steps)) {
        const input =
          'input' in step
            ? step.input
            : 'problem' in result!
              ? this.#failedPage(step.job.url, result, known, onFailed)
              : this.#converted(step.job, result as PreparedDocument);
        if (input !== null) {
          yield input;
        }
      }
    } finally {
      this.#linked.forget(site);
    }
  }

  /** What `inOrder` keeps of each block of one page of the site, and why, with the memory of the whole site. */
  async whyOf(ids: readonly number[], id: number): Promise<WhyBlock[] | null> {
    const site = ++this.#sites;
    const memory = new SiteMemory();
    await new LazySite(() => this.#opened().site(memory)).learn(this.#bodies(ids, site, memory), () => {});
    return new Converter(this.#store, this.#options, pageShapes(this.#options.shape ?? NO_SHAPE)).why(id, memory);
  }

  /**
   * Stands for all that the documents of a site are made of: while it is the same, so are they. Null if that cannot be said, because what
   * becomes of some page depends on the corpus that is there.
   */
  keyOf(ids: readonly number[]): SiteKey | null {
    const parts = createHash('sha256').update(`${this.#known.settings}\0`);
    let failed = 0;
    for (const step of this.#fates(ids, { has: () => true, hashOf: () => null }, () => failed++)) {
      if ('input' in step) {
        return null;
      }
      const key = this.#known.pageKey(step.fate.id);
      if (key === null) {
        return null;
      }
      parts.update(`${key}\0`);
    }
    return { key: parts.digest('hex'), failed };
  }

  /** Threads are started for the first page that has to be converted. */
  #opened(): Conversion {
    const { directory, threads, chunkTokens, shape = NO_SHAPE } = this.#options;
    this.#conversion ??=
      this.#options.pages < FEW_PAGES
        ? new InlineConversion(new Converter(this.#store, this.#options, pageShapes(shape)))
        : new ConversionPool(
            threads,
            (listener) => new ConverterThread({ directory, chunkTokens, shape }, listener),
            systemClock,
          );
    return this.#conversion;
  }

  async close(): Promise<void> {
    await this.#conversion?.close();
  }

  /** Places are known by the URL where redirects end. */
  #noteLinked(site: number, places: Learned['linked']): void {
    for (const { url, id } of places) {
      this.#linked.add(site, this.#options.linkEnd(url), id);
    }
  }

  /** The pages from which the site's repeated parts have to be learned; those that were read before say again what they said. */
  *#bodies(ids: readonly number[], site: number, memory: SiteMemory): IterableIterator<Job> {
    for (const id of ids) {
      const { url, state, bytes, isKept } = this.#store.fateOf(id);
      if (state !== UrlState.done || !isKept) {
        continue;
      }
      const facts = this.#known.factsOf(id);
      if (facts === null) {
        yield { id, url, bytes: bytes ?? 0, knownHash: null, linkedIds: [] };
      } else {
        memory.learn(facts.fingerprints);
        this.#noteLinked(site, facts.linked);
      }
    }
  }

  *#steps(ids: readonly number[], known: KnownPages, { site, memory, onFailed }: Site): IterableIterator<Step> {
    for (const step of this.#fates(ids, known, onFailed)) {
      if ('input' in step) {
        yield step;
        continue;
      }
      const { id, url, bytes } = step.fate;
      const linkedIds = this.#linked.of(site, url, otherSlash(url));
      const key = this.#known.keyOf(id, memory, linkedIds);
      const input = key === null ? null : this.#known.inputOf(id, key, known);
      yield input === null
        ? { job: { id, url, bytes: bytes ?? 0, knownHash: known.hashOf(url), linkedIds, key } }
        : { input };
    }
  }

  /** What becomes of each page: it is to be converted, or stays as the corpus has it. */
  *#fates(
    ids: readonly number[],
    known: KnownPages,
    onFailed: () => void,
  ): IterableIterator<{ input: CorpusInput } | { fate: PageFate & { id: number } }> {
    for (const id of ids) {
      const fate = this.#store.fateOf(id);
      const { url, state, flags, status, redirectTo, robots, isKept } = fate;
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
        yield { fate: { ...fate, id } };
      }
    }
  }

  #converted({ key = null }: Job, document: PreparedDocument): PreparedDocument {
    if (key !== null) {
      this.#known.converted(document.url, key, document.prepared.hash);
    }
    return document;
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
/** A site of which no page has to be converted starts nothing. */
class LazySite {
  readonly #open: () => SiteConversion;
  #site: SiteConversion | null = null;

  constructor(open: () => SiteConversion) {
    this.#open = open;
  }

  async learn(jobs: IterableIterator<Job>, learned: (facts: Learned, job: Job) => void): Promise<void> {
    for (const job of jobs) {
      await this.#opened().learn(behind(job, jobs), learned);
    }
  }

  async *convert(steps: IterableIterator<Step>): AsyncIterableIterator<{ step: Step; result: Result }> {
    for (const step of steps) {
      if ('job' in step) {
        yield* this.#opened().convert(behind(step, steps));
        return;
      }
      yield { step, result: null };
      await setImmediate();
    }
  }

  #opened(): SiteConversion {
    this.#site ??= this.#open();
    return this.#site;
  }
}

function* behind<T>(first: T, rest: IterableIterator<T>): IterableIterator<T> {
  yield first;
  yield* rest;
}

class InlineConversion implements Conversion {
  readonly #converter: Converter;

  constructor(converter: Converter) {
    this.#converter = converter;
  }

  site(memory: SiteMemory): SiteConversion {
    return new InlineSite(this.#converter, memory);
  }

  async close(): Promise<void> {}
}

class InlineSite implements SiteConversion {
  readonly #converter: Converter;
  readonly #memory: SiteMemory;

  constructor(converter: Converter, memory: SiteMemory) {
    this.#converter = converter;
    this.#memory = memory;
  }

  async learn(jobs: Iterable<Job>, learned: (facts: Learned, job: Job) => void): Promise<void> {
    for (const job of jobs) {
      const facts = resultOf(() => this.#converter.learn(job.id, this.#memory));
      if (isLearned(facts)) {
        learned(facts, job);
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
