import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { StateError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { VERSION } from '../config/version.js';
import { deleteCorpus as deleteIn } from '../corpus/delete-corpus.js';
import { type FrontMatter, readFrontMatter } from '../corpus/front-matter.js';
import type { IndexEntry } from '../corpus/index-entry.js';
import { type CorpusStatus, listCorpora as listIn, corpusStatus as statusOf } from '../corpus/list-corpora.js';
import { serveMcp as serveIn } from '../corpus/mcp/stdio.js';
import { nearestPages } from '../corpus/nearest-pages.js';
import { listCorpus as pagesIn, readDocument as readIn } from '../corpus/read-corpus.js';
import { type SearchHit, searchCorpus as searchIn } from '../corpus/search.js';
import { corpusPlace } from './corpus-place.js';

/**
 * Corpora on disk. A directory is the folder of a corpus, or the data directory of the run that writes it; each call reads what stands there
 * now, also beside a run that is about to replace it.
 */

/** A page of a corpus: what its front matter says, and the text behind it. */
export interface CorpusPage extends FrontMatter {
  path: string;
  /** As in the tree: links between pages of the corpus are relative. */
  markdown: string;
}

/** Pages that have all the words, the best first. */
export const searchCorpus = (directory: string, query: string, options: { limit?: number } = {}): SearchHit[] =>
  searchIn(corpusPlace(directory), query, options);

/** The pages of a corpus in its order. */
export async function* listCorpus(directory: string): AsyncGenerator<IndexEntry> {
  yield* pagesIn(corpusPlace(directory));
}

export const corpusStatus = async (directory: string): Promise<CorpusStatus> => statusOf(corpusPlace(directory));

/** The corpora in the folders of `root`. One that cannot be read throws, unless `onUnreadable` takes it. */
export const listCorpora = (
  root: string,
  onUnreadable: (name: string, error: Error) => void = rethrow,
): Promise<CorpusStatus[]> => listIn(resolve(root), onUnreadable);

const rethrow = (_name: string, error: Error): never => {
  throw error;
};

/** A page by its path in the tree or by its URL. Of one that is not there the error names those that may be meant. */
export async function readDocument(directory: string, page: string): Promise<CorpusPage> {
  const dir = corpusPlace(directory);
  const { entry, content } = await readIn(dir, page).catch(async (error) => {
    const near = error instanceof StateError && error.code === 'no_page' ? await nearestPages(dir, page) : [];
    if (near.length === 0) throw error;
    throw new StateError(
      'no_page',
      `${error.message}; did you mean ${near.map((path) => printable(path)).join(', ')}?`,
    );
  });
  const { path, url: source, title, description, crawled, hash, tokens, lang } = entry;
  const front = readFrontMatter(content);
  const estimated = front?.fields.tokensEstimated === true ? { tokensEstimated: true as const } : {};
  const markdown = front === null ? content : front.body.replace(/^\n/, '');
  return { path, source, title, description, crawled, hash, tokens, ...estimated, lang, markdown };
}

/** Deletes a corpus that nobody is writing; files of others stay, and so then does the folder. Returns how many those are. */
export const deleteCorpus = (directory: string): Promise<number> => deleteIn(resolve(directory));

/** Answers coding assistants by the Model Context Protocol until `input` ends. Nothing but messages goes to `output`. */
export const serveMcp = async (
  directories: readonly string[],
  { input = process.stdin, output = process.stdout }: { input?: AsyncIterable<Uint8Array>; output?: Writable } = {},
): Promise<void> => serveIn(directories.map(corpusPlace), VERSION, input, output);
