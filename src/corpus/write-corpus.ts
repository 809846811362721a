import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StateError, UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { CorpusState } from '../store/corpus-state.js';
import { DirectoryLock } from '../store/lock.js';
import { FEWEST_CHUNK_TOKENS } from './chunks.js';
import type { CorpusOptions, CorpusReport } from './corpus-options.js';
import type {
  CorpusDocument,
  CorpusInput,
  KnownDocument,
  KnownPages,
  Measurement,
  PreparedDocument,
} from './document.js';
import { earlierDocument, earlierMeasurement, loadEarlierCorpus } from './earlier-corpus.js';
import { CorpusFinisher } from './finish.js';
import type { IndexEntry, IndexHead, RemovedEntry, State } from './index-entry.js';
import { isCorpus, readIndexHead } from './index-file.js';
import { partialOf, STATE_FILE } from './layout.js';
import { renderPage } from './page-file.js';
import { PagePaths } from './page-paths.js';
import { measureKey, measurePage, preparePage } from './prepare.js';
import { prepareFolders, refuseOccupied, refuseUnwritable, removeUnused, repairCorpus, swapIn } from './swap.js';
import { writePageFile } from './tree.js';

/**
 * Writes the corpus of a site, or brings the one in `dir` up to date. Pages are taken into DIR.partial as they come; when the last has come,
 * the corpus is made there and takes the place of the one in `dir`. Whatever goes wrong before that leaves `dir` as it was, and what was taken
 * in: a next call goes on with it, and names those pages with `isKnown`.
 */
export async function writeCorpus(
  dir: string,
  inputs: CorpusInputs | ((known: KnownPages) => CorpusInputs),
  options: CorpusOptions,
): Promise<CorpusReport> {
  if (!Number.isInteger(options.chunkTokens) || options.chunkTokens < FEWEST_CHUNK_TOKENS) {
    throw new UsageError(`chunkTokens must be a whole number from ${FEWEST_CHUNK_TOKENS}, got ${options.chunkTokens}`);
  }
  await refuseOtherCorpus(dir, options.source);
  await repairCorpus(dir);
  const report = await locked(dir, async (state) => {
    const { intake, head } = await takeAll(dir, state, inputs, options);
    await options.breaks?.take();
    if (options.isComplete === false) {
      for (const url of state.unnamed()) {
        await intake.take({ url, isKnown: true });
      }
    }
    state.dropUnnamed();
    return intake.taken === 0 ? null : new CorpusFinisher(dir, state, options).run((head?.run ?? 0) + 1);
  });
  if (report === null) {
    removeUnused(dir);
    throw new StateError('empty_corpus', `there is no page to write to ${dir}`);
  }
  await swapIn(dir, options.onSwapStep);
  return report;
}

export type CorpusInputs = AsyncIterable<CorpusInput> | Iterable<CorpusInput>;

/** The run was stopped: what there is stands in DIR.partial, page by page, until another run finishes it. Returns how many pages that are. */
export async function writePartial(
  dir: string,
  inputs: CorpusInputs | ((known: KnownPages) => CorpusInputs),
  options: CorpusOptions,
): Promise<number> {
  await refuseOtherCorpus(dir, options.source);
  await repairCorpus(dir);
  return locked(dir, async (state) => {
    return (await takeAll(dir, state, inputs, options)).intake.taken;
  });
}

async function takeAll(
  dir: string,
  state: State,
  inputs: CorpusInputs | ((known: KnownPages) => CorpusInputs),
  options: CorpusOptions,
): Promise<{ intake: Intake; head: IndexHead | null }> {
  const head = isCorpus(dir) ? await readIndexHead(dir) : null;
  await loadEarlierCorpus(state, dir);
  const intake = new Intake(dir, state, options, head);
  for await (const input of typeof inputs === 'function' ? inputs(intake) : inputs) {
    await intake.take(input);
  }
  return { intake, head };
}

/** Refuses a folder in which the corpus of something else stands, or files that are none, or that cannot be written. */
export async function refuseOtherCorpus(dir: string, source: string): Promise<void> {
  refuseOccupied(dir);
  refuseUnwritable(dir);
  if (!isCorpus(dir)) {
    return;
  }
  const { source: other } = await readIndexHead(dir);
  if (other !== source) {
    throw new StateError(
      'occupied',
      `${dir} holds the corpus of ${printable(other)}: name another folder with --output`,
    );
  }
}

/** Pages that an interrupted run has taken in, which a next one need not hand over again. */
export async function pagesInPartial(dir: string): Promise<string[]> {
  if (!existsSync(join(partialOf(dir), STATE_FILE))) {
    return [];
  }
  return locked(dir, async (state) => state.urls());
}

/** One process at a time writes the corpus of a folder. */
async function locked<T>(dir: string, work: (state: State) => Promise<T>): Promise<T> {
  prepareFolders(dir);
  const lock = DirectoryLock.take(partialOf(dir));
  let state: State | null = null;
  try {
    state = CorpusState.open<IndexEntry, RemovedEntry>(join(partialOf(dir), STATE_FILE));
    return await work(state);
  } finally {
    state?.close();
    lock.release();
  }
}

class Intake implements KnownPages {
  taken = 0;
  readonly #dir: string;
  readonly #state: State;
  readonly #options: CorpusOptions;
  readonly #names: PagePaths;
  readonly #measure: string;
  /** Whether the existing corpus was measured with the same options, so that its figures can be used. */
  readonly #isMeasuredAlike: boolean;

  constructor(dir: string, state: State, options: CorpusOptions, before: IndexHead | null) {
    this.#dir = dir;
    this.#state = state;
    this.#options = options;
    this.#names = new PagePaths(options.origin, state.claims());
    this.#measure = measureKey(options.chunkTokens, options.tokens.isEstimate);
    this.#isMeasuredAlike = before !== null && measureKey(before.chunkTokens, before.tokensEstimated) === this.#measure;
  }

  has(url: string): boolean {
    return this.#state.before(url) !== null;
  }

  hashOf(url: string): string | null {
    return this.#isMeasuredAlike ? (this.#state.before(url)?.entry.hash ?? null) : null;
  }

  async take(input: CorpusInput): Promise<void> {
    if ('isKnown' in input) {
      await this.#takeKnown(input);
    } else {
      await this.#takeNew('prepared' in input ? input : this.#prepared(input));
    }
    this.taken++;
  }

  /** Writes the file of the page at once, with links as they are on the site. */
  async #takeNew(page: PreparedDocument): Promise<void> {
    const { markdown, crawledAt: crawled, prepared } = page;
    const measures = await this.#measured(page);
    this.#state.put(page, measures, this.#measure);
    const content = { ...page, crawled, hash: prepared.hash, tokens: measures.tokens };
    writePageFile(
      partialOf(this.#dir),
      this.#names.assign(page.url),
      renderPage(content, markdown, this.#options.tokens.isEstimate),
    );
  }

  async #takeKnown(known: KnownDocument): Promise<void> {
    if (this.#state.renew(known, this.#measure)) {
      return;
    }
    const before = this.#state.before(known.url);
    const isAsBefore = known.hash !== undefined && known.hash === before?.entry.hash;
    const page =
      (isAsBefore ? null : this.#state.taken(known.url)) ??
      (before === null ? null : await earlierDocument(this.#dir, before));
    if (page === null) {
      throw new StateError('unknown_page', `nothing is known of ${known.url}: it has to be fetched`);
    }
    const { etag = page.etag, lastModified = page.lastModified } = known;
    const validators = { etag, lastModified };
    const prepared = this.#prepared({ ...page, ...validators });
    this.#state.put(prepared, await this.#measured(prepared), this.#measure);
  }

  /** Content that the existing corpus already has is not measured again. */
  #prepared(page: CorpusDocument): PreparedDocument {
    return preparePage(page, this.#options, this.#options.linksOf, this.hashOf(page.url));
  }

  async #measured(page: PreparedDocument): Promise<Measurement> {
    if (page.prepared.measured !== null) {
      return page.prepared.measured;
    }
    const before = this.#state.before(page.url);
    // The lines of its chunks name the title.
    const hasChunks = before?.entry.kind === undefined || this.#options.indexPages !== true;
    const known = hasChunks && before?.entry.title === page.title ? await earlierMeasurement(this.#dir, before) : null;
    return known ?? measurePage(page, this.#options);
  }
}
