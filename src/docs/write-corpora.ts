import { availableParallelism } from 'node:os';
import { StateError } from '../base/errors.js';
import { printable } from '../base/text.js';
import type { OptionsOf } from '../config/options.js';
import type { CorpusOptions, CorpusReport } from '../corpus/corpus-options.js';
import type { CorpusInput, KnownPages } from '../corpus/document.js';
import { loadTokenCounter } from '../corpus/tokens.js';
import { writeCorpus, writePartial } from '../corpus/write-corpus.js';
import { storePath } from '../store/directory.js';
import { Reader } from '../store/reader.js';
import type { Database } from '../store/sqlite.js';
import { openStoreFile } from '../store/store.js';
import type { SeedRow } from '../store/transaction.js';
import { originOf } from '../url/host.js';
import { Documents } from './documents.js';
import { linkEnds, otherSlash } from './link-ends.js';
import { linkPlaces } from './link-places.js';
import { PageOrder } from './page-order.js';
import { FEW_PAGES, scopeHint } from './scope-hint.js';

export interface CorporaOrders {
  directory: string;
  options: OptionsOf<'docs'>;
  /** One folder a seed. */
  outputs: readonly string[];
  /** False where a limit cut the crawl: pages that it did not get to stay as they are. */
  isComplete: boolean;
  /** The crawl was stopped: what there is goes to DIR.partial, and nothing is finished. */
  isPartial: boolean;
  /** ISO 8601. */
  now: string;
  /** Asked between pages: whether what is left is for another run. */
  isStopped(): boolean;
  notice(text: string): void;
}

export interface SavedCorpus {
  seed: string;
  output: string;
  failed: number;
  /** False where the run was stopped before it was done. */
  isFinished: boolean;
  /** Null where the run was stopped, or nothing was found to write. */
  report: CorpusReport | null;
  /** What a wider scope would give, where this one gives next to nothing. */
  hint: string | null;
}

/** The pages of a crawl as Markdown, one corpus a seed. */
export async function writeCorpora(orders: CorporaOrders): Promise<SavedCorpus[]> {
  const database = openStoreFile(storePath(orders.directory), { create: false, readOnly: true });
  try {
    const order = new PageOrder(database, orders.options);
    const ends = linkEnds(database, orders.options);
    const tokens = await loadTokenCounter();
    const saved: SavedCorpus[] = [];
    for (const [place, seed] of new Reader(database).seeds().entries()) {
      const output = orders.outputs[place]!;
      const documents = new Documents(database, {
        ...{ store: storePath(orders.directory), chunkTokens: orders.options.chunkTokens, tokens },
        threads: orders.options.parseWorkers ?? Math.max(1, availableParallelism() - 1),
        linkEnd: ends,
        onProblem: (url, sentence) => orders.notice(printable(`${url}: ${sentence}`, 300)),
      });
      const ids = [...order.ofSeed(seed.seed)];
      const options: CorpusOptions = {
        title: titleOf(database, ids, seed),
        summary: null,
        source: seed.url,
        origin: originOf(seed.url),
        chunkTokens: orders.options.chunkTokens,
        tokens,
        linksOf: linkPlaces,
        linkEnds: (url) => [ends(url), otherSlash(ends(url))],
        isComplete: orders.isComplete,
        now: orders.now,
      };
      const which = ids.length === 1 ? '1 page becomes' : `${ids.length.toLocaleString('en-US')} pages become`;
      orders.notice(`${which} Markdown`);
      const { report, isFinished } = await write(output, (known) => documents.inOrder(ids, known), options, orders);
      const hint = (report?.pages ?? FEW_PAGES) < FEW_PAGES ? scopeHint(database, seed, ids, orders.options) : null;
      saved.push({ seed: seed.url, output, failed: documents.failed, isFinished, report, hint });
    }
    return saved;
  } finally {
    database.close();
  }
}

type Written = Pick<SavedCorpus, 'report' | 'isFinished'>;

class Stopped extends Error {}

/** Nothing is reported where the run was stopped, or where there is nothing of one of several sites. */
async function write(
  output: string,
  inputs: (known: KnownPages) => AsyncIterable<CorpusInput>,
  options: CorpusOptions,
  { isPartial, isStopped, outputs }: CorporaOrders,
): Promise<Written> {
  if (isPartial) {
    await writePartial(output, inputs, options);
    return { report: null, isFinished: false };
  }
  try {
    const report = await writeCorpus(output, (known) => untilStopped(inputs(known), isStopped), options);
    return { report, isFinished: true };
  } catch (error) {
    if (error instanceof Stopped) {
      return { report: null, isFinished: false };
    }
    if (outputs.length > 1 && error instanceof StateError && error.code === 'empty_corpus') {
      return { report: null, isFinished: true };
    }
    throw error;
  }
}

/** Pages that were taken in stand in DIR.partial. */
async function* untilStopped<T>(inputs: AsyncIterable<T>, isStopped: () => boolean): AsyncIterableIterator<T> {
  for await (const input of inputs) {
    if (isStopped()) {
      throw new Stopped();
    }
    yield input;
  }
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
