import type { Writable } from 'node:stream';
import { StateError, UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { checkSignal, stoppedBy } from '../config/abort.js';
import {
  checkFunction,
  checkKeys,
  describeValue,
  hasMethod,
  type OutputStream,
  readDirectory,
  readOptions,
  readOutputStream,
  readTextArgument,
  readTexts,
} from '../config/arguments.js';
import { VERSION } from '../config/version.js';
import { deleteCorpus as deleteIn } from '../corpus/delete-corpus.js';
import { type FrontMatter, readFrontMatter } from '../corpus/front-matter.js';
import type { IndexEntry } from '../corpus/index-entry.js';
import { type CorpusStatus, listCorpora as listIn, corpusStatus as statusOf } from '../corpus/list-corpora.js';
import { serveMcp as serveIn } from '../corpus/mcp/server.js';
import { nearestPages, listCorpus as pagesIn, readDocument as readIn } from '../corpus/read-corpus.js';
import {
  correctQuery as correctIn,
  type SearchHit,
  type SearchOptions,
  searchCorpus as searchIn,
} from '../corpus/search.js';
import { corpusPlace } from './corpus-place.js';

/**
 * Corpora on disk. A directory is the folder of a corpus, or the data directory of the run that writes it; each call reads what stands there
 * now, also beside a run that is about to replace it.
 */

/** A page of a corpus: what its front matter says, and the text behind it. */
export interface CorpusPage extends FrontMatter {
  /** Its file in the tree. */
  path: string;
  /** As in the tree: links between pages of the corpus are relative. */
  markdown: string;
}

/** Pages that have some of the words, the best first. */
export function searchCorpus(directory: string, query: string, options: SearchOptions = {}): SearchHit[] {
  const call = "searchCorpus('example.com-docs', 'thread pool', { limit: 5 })";
  const path = readDirectory(call, directory);
  const words = readTextArgument(call, query, 'query');
  const given = readOptions(call, options);
  checkKeys('searchCorpus', given, ['limit', 'prefix']);
  if (given.prefix !== undefined) {
    readTextArgument(call, given.prefix, 'prefix');
  }
  return searchIn(corpusPlace(path), words, given);
}

/** The same query with words of the corpus in the place of those that none of its pages has; null if nothing is spelt like them. */
export function correctQuery(directory: string, query: string): string | null {
  const call = "correctQuery('example.com-docs', 'thraed pool')";
  return correctIn(corpusPlace(readDirectory(call, directory)), readTextArgument(call, query, 'query'));
}

/** The pages of a corpus in its order. */
export async function* listCorpus(directory: string): AsyncGenerator<IndexEntry> {
  yield* pagesIn(corpusPlace(readDirectory("listCorpus('example.com-docs')", directory)));
}

/** What a corpus is: its pages, tokens and bytes, and when it was written. */
export const corpusStatus = async (directory: string): Promise<CorpusStatus> =>
  statusOf(corpusPlace(readDirectory("corpusStatus('example.com-docs')", directory)));

/** The corpora in the folders of `root`. One that cannot be read throws, unless `onUnreadable` takes it. */
export async function listCorpora(
  root: string,
  onUnreadable: (name: string, error: Error) => void = rethrow,
): Promise<CorpusStatus[]> {
  checkFunction('onUnreadable', onUnreadable);
  return listIn(readDirectory("listCorpora('.')", root, 'root'), onUnreadable);
}

const rethrow = (_name: string, error: Error): never => {
  throw error;
};

/** A page by its path in the tree or by its URL. Of one that is not there the error names those that may be meant. */
export async function readDocument(directory: string, page: string): Promise<CorpusPage> {
  const call = "readDocument('example.com-docs', 'guide/index.md')";
  const dir = corpusPlace(readDirectory(call, directory));
  readTextArgument(call, page, 'page');
  const { entry, content } = await readIn(dir, page).catch(async (error) => {
    const near = error instanceof StateError && error.code === 'no_page' ? await nearestPages(dir, page) : [];
    if (near.length === 0) {
      throw error;
    }
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
export const deleteCorpus = async (directory: string): Promise<number> =>
  deleteIn(readDirectory("deleteCorpus('example.com-docs')", directory));

/** What coding assistants are answered with, and how that ends. */
export interface McpOptions {
  /** What is asked; stdin unless given. */
  input?: AsyncIterable<Uint8Array>;
  /** Where the answers go; stdout unless given. */
  output?: OutputStream;
  /** Ends it as the end of the input does. */
  signal?: AbortSignal;
}

/** Answers coding assistants by the Model Context Protocol until `input` ends. Nothing but messages goes to `output`. */
export async function serveMcp(directories: string | readonly string[], given: McpOptions = {}): Promise<void> {
  const call = "serveMcp(['example.com-docs'], { input, output })";
  const places = readTexts(call, directories, 'directories').map((directory) => readDirectory(call, directory));
  const options = readOptions(call, given);
  checkKeys('serveMcp', options, ['input', 'output', 'signal']);
  const { input = process.stdin, output = process.stdout, signal } = options;
  checkSignal(signal);
  if (!hasMethod(input, Symbol.asyncIterator)) {
    throw new UsageError(`input of serveMcp must be a stream to read from, got ${describeValue(input)}`);
  }
  const answers = readOutputStream('output of serveMcp', output) as Writable;
  const ended = new AbortController();
  await stoppedBy(
    signal,
    () => ended.abort(),
    () => serveIn(places.map(corpusPlace), VERSION, untilAborted(input, ended.signal), answers),
  );
}

/** What comes in until the signal is aborted, also while nothing does. */
async function* untilAborted<T>(input: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const aborted = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  const items = input[Symbol.asyncIterator]();
  while (!signal.aborted) {
    const next = await Promise.race([items.next(), aborted]);
    if (next === null || next.done) {
      break;
    }
    yield next.value;
  }
  // Not awaited: a generator that is asked for its end while it waits for input answers only when that comes.
  items.return?.()?.catch(() => {});
}
