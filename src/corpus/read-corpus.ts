import { readFile, realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { StateError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { normaliseUrl } from '../url/identity.js';
import type { CorpusReport } from './corpus-options.js';
import type { IndexEntry } from './index-entry.js';
import { readIndex, readIndexHead } from './index-file.js';
import { fileOf } from './layout.js';
import { corpusFolder } from './swap.js';
import { isTreePath } from './tree.js';

/** The pages of a corpus in its order. */
export async function* listCorpus(dir: string): AsyncGenerator<IndexEntry> {
  for await (const { list, entry } of readIndex(corpusFolder(dir))) {
    if (list === 'documents') {
      yield entry;
    }
  }
}

/** What was said of a corpus when it was written. */
export async function readReport(dir: string): Promise<CorpusReport> {
  const { pages, bytes, tokens, tokensEstimated, chunks, changes, low = 0, indexPages = 0 } = await readIndexHead(dir);
  let duplicates = 0;
  for await (const { list } of readIndex(dir)) {
    if (list === 'duplicates') {
      duplicates++;
    }
  }
  return { pages, bytes, tokens, tokensEstimated, chunks, low, indexPages, duplicates, changes };
}

interface CorpusFile {
  entry: IndexEntry;
  /** The whole file, front matter included. */
  content: string;
}

/** A page of the corpus by its path in the tree or by its URL; a duplicate's gives the copy that is kept. Nothing but pages is ever read. */
export async function readDocument(dir: string, asked: string): Promise<CorpusFile> {
  const folder = corpusFolder(dir);
  const entry = await findEntry(folder, asked);
  if (entry === null) {
    throw new StateError('no_page', `there is no page ${printable(asked)} in ${dir}`);
  }
  const content = await readInside(folder, entry.path);
  if (content === null) {
    throw new StateError('no_page', `the file of ${printable(entry.path)} is missing in ${dir}`);
  }
  return { entry, content };
}

async function findEntry(folder: string, asked: string, isCopy = false): Promise<IndexEntry | null> {
  const isUrl = /^https?:/i.test(asked);
  const url = isUrl ? (normaliseUrl(asked)?.url ?? asked) : null;
  const path = asked.replace(/^(?:\.?\/)+/, '');
  for await (const { list, entry } of readIndex(folder)) {
    if (list === 'documents' && (isUrl ? entry.url === url : [path, `${path}.md`].includes(entry.path))) {
      return entry;
    }
    // A copy names a page that is kept, never another copy.
    if (list === 'duplicates' && entry.url === url && !isCopy) {
      return findEntry(folder, entry.duplicateOf, true);
    }
  }
  return null;
}

/** null if the path leads out of the folder, by a link too, or to no file. */
async function readInside(folder: string, path: string): Promise<string | null> {
  if (!isTreePath(path)) {
    return null;
  }
  try {
    const [root, file] = [await realpath(folder), await realpath(fileOf(folder, path))];
    if (!file.startsWith(root + sep) || !(await stat(file)).isFile()) {
      return null;
    }
    return await readFile(file, 'utf8');
  } catch {
    return null;
  }
}

const MOST_NAMED = 3;
/** Of letter pairs in common; what has less is no slip of the keyboard. */
const FEWEST_COMMON = 0.5;
const LONGEST_ASKED = 300;

/** Paths that were most likely meant, the nearest first. One pass over the index, whatever was asked. */
export async function nearestPages(dir: string, asked: string): Promise<string[]> {
  const wanted = pairsOf(asked.slice(-LONGEST_ASKED));
  let best: { path: string; share: number }[] = [];
  for await (const { path, url, title } of listCorpus(dir)) {
    const names = [path, path.slice(path.lastIndexOf('/') + 1), url, title];
    const share = Math.max(...names.map((name) => inCommon(wanted, pairsOf(name.slice(-LONGEST_ASKED)))));
    if (share >= FEWEST_COMMON) {
      best = [...best, { path, share }].sort((a, b) => b.share - a.share).slice(0, MOST_NAMED);
    }
  }
  return best.map(({ path }) => path);
}

function pairsOf(text: string): Set<string> {
  const plain = text.toLowerCase().replace(/\.(?:md|html?)$/, '');
  return new Set(Array.from({ length: Math.max(0, plain.length - 1) }, (_, at) => plain.slice(at, at + 2)));
}

/** Dice's coefficient. */
function inCommon(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let common = 0;
  for (const pair of one) {
    common += other.has(pair) ? 1 : 0;
  }
  return common === 0 ? 0 : (2 * common) / (one.size + other.size);
}
