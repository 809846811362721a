import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StateError, UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { DirectoryLock } from '../store/lock.js';
import { documentBefore, loadBefore } from './before.js';
import { FEWEST_CHUNK_TOKENS, sha256 } from './chunks.js';
import type { CorpusOptions, CorpusReport } from './corpus-options.js';
import { type CorpusDocument, type CorpusInput, type KnownDocument, writable } from './document.js';
import { Finish } from './finish.js';
import { isCorpus, readIndexHead } from './index-file.js';
import { partialOf, STATE_FILE } from './layout.js';
import { renderPage } from './page-file.js';
import { PathBook } from './path-book.js';
import { State } from './state.js';
import { prepareFolders, refuseOccupied, refuseUnwritable, removeUnused, repairCorpus, swapIn } from './swap.js';
import { placeFile } from './tree.js';

/**
 * Writes the corpus of a site, or brings the one in `dir` up to date. Pages are taken into DIR.partial as they come; when the last has come,
 * the corpus is made there and takes the place of the one in `dir`. Whatever goes wrong before that leaves `dir` as it was, and what was taken
 * in: a next call goes on with it, and names those pages with `isKnown`.
 */
export async function writeCorpus(
  dir: string,
  inputs: AsyncIterable<CorpusInput> | Iterable<CorpusInput>,
  options: CorpusOptions,
): Promise<CorpusReport> {
  if (!Number.isInteger(options.chunkTokens) || options.chunkTokens < FEWEST_CHUNK_TOKENS) {
    throw new UsageError(`chunkTokens is a whole number from ${FEWEST_CHUNK_TOKENS} on, not ${options.chunkTokens}`);
  }
  await refuseOtherCorpus(dir, options.source);
  await repairCorpus(dir);
  const report = await locked(dir, async (state) => {
    await loadBefore(state, dir);
    const intake = new Intake(dir, state, options);
    for await (const input of inputs) await intake.take(input);
    if (options.isComplete === false) for (const url of state.unnamed()) await intake.take({ url, isKnown: true });
    state.dropUnnamed();
    if (intake.taken === 0) return null;
    const run = isCorpus(dir) ? (await readIndexHead(dir)).run + 1 : 1;
    return new Finish(dir, state, options).run(run);
  });
  if (report === null) {
    removeUnused(dir);
    throw new StateError('empty_corpus', `there is no page to write to ${dir}`);
  }
  await swapIn(dir, options.onSwapStep);
  return report;
}

/** The run was stopped: what there is stands in DIR.partial, page by page, until another run finishes it. Returns how many pages that are. */
export async function writePartial(
  dir: string,
  inputs: AsyncIterable<CorpusInput> | Iterable<CorpusInput>,
  options: CorpusOptions,
): Promise<number> {
  await refuseOtherCorpus(dir, options.source);
  await repairCorpus(dir);
  return locked(dir, async (state) => {
    await loadBefore(state, dir);
    const intake = new Intake(dir, state, options);
    for await (const input of inputs) await intake.take(input);
    return intake.taken;
  });
}

/** Refuses a folder in which the corpus of something else stands, or files that are none, or that cannot be written. */
export async function refuseOtherCorpus(dir: string, source: string): Promise<void> {
  refuseOccupied(dir);
  refuseUnwritable(dir);
  if (!isCorpus(dir)) return;
  const { source: other } = await readIndexHead(dir);
  if (other !== source) {
    throw new StateError(
      'occupied',
      `${dir} holds the corpus of ${printable(other)}: name another folder with --output`,
    );
  }
}

/** Pages that an interrupted run has taken in, which a next one need not hand over again. */
export async function takenPages(dir: string): Promise<string[]> {
  if (!existsSync(join(partialOf(dir), STATE_FILE))) return [];
  return locked(dir, async (state) => state.urls());
}

/** One process at a time writes the corpus of a folder. */
async function locked<T>(dir: string, work: (state: State) => Promise<T>): Promise<T> {
  prepareFolders(dir);
  const lock = DirectoryLock.take(partialOf(dir));
  let state: State | null = null;
  try {
    state = State.open(join(partialOf(dir), STATE_FILE));
    return await work(state);
  } finally {
    state?.close();
    lock.release();
  }
}

class Intake {
  taken = 0;
  readonly #dir: string;
  readonly #state: State;
  readonly #options: CorpusOptions;
  readonly #names: PathBook;

  constructor(dir: string, state: State, options: CorpusOptions) {
    this.#dir = dir;
    this.#state = state;
    this.#options = options;
    this.#names = new PathBook(options.origin, state.claims());
  }

  async take(input: CorpusInput): Promise<void> {
    if ('isKnown' in input) await this.#takeKnown(input);
    else this.#takeNew(writable(input));
    this.taken++;
  }

  /** Its file stands complete at once, with links as they are on the site. */
  #takeNew(page: CorpusDocument): void {
    const { markdown, crawledAt: crawled } = page;
    const tokens = this.#options.tokens.count(markdown);
    this.#state.put(page, tokens);
    const content = { ...page, crawled, hash: sha256(markdown), tokens };
    placeFile(
      partialOf(this.#dir),
      this.#names.assign(page.url),
      renderPage(content, markdown, this.#options.tokens.isEstimate),
    );
  }

  async #takeKnown(known: KnownDocument): Promise<void> {
    if (this.#state.renew(known)) return;
    const before = this.#state.before(known.url);
    if (before === null) throw new StateError('unknown_page', `nothing is known of ${known.url}: it has to be fetched`);
    const page = await documentBefore(this.#dir, before);
    const validators = { etag: known.etag ?? page.etag, lastModified: known.lastModified ?? page.lastModified };
    this.#state.put({ ...page, ...validators }, this.#options.tokens.count(page.markdown));
  }
}
