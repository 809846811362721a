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
  for await (const { list, entry } of readIndex(corpusFolder(dir))) if (list === 'documents') yield entry;
}

/** What was said of a corpus when it was written. */
export async function readReport(dir: string): Promise<CorpusReport> {
  const { pages, bytes, tokens, tokensEstimated, chunks, changes } = await readIndexHead(dir);
  let duplicates = 0;
  for await (const { list } of readIndex(dir)) if (list === 'duplicates') duplicates++;
  return { pages, bytes, tokens, tokensEstimated, chunks, duplicates, changes };
}

export interface CorpusFile {
  entry: IndexEntry;
  /** The whole file, front matter included. */
  content: string;
}

/** A page of the corpus by its path in the tree or by its URL; a duplicate's gives the copy that is kept. Nothing but pages is ever read. */
export async function readDocument(dir: string, asked: string): Promise<CorpusFile> {
  const folder = corpusFolder(dir);
  const entry = await findEntry(folder, asked);
  if (entry === null) throw new StateError('no_page', `there is no page ${printable(asked)} in ${dir}`);
  const content = await readInside(folder, entry.path);
  if (content === null) throw new StateError('no_page', `the file of ${printable(entry.path)} is missing in ${dir}`);
  return { entry, content };
}

async function findEntry(folder: string, asked: string, isCopy = false): Promise<IndexEntry | null> {
  const isUrl = /^https?:/i.test(asked);
  const url = isUrl ? (normaliseUrl(asked)?.url ?? asked) : null;
  const path = asked.replace(/^(?:\.?\/)+/, '');
  for await (const { list, entry } of readIndex(folder)) {
    if (list === 'documents' && (isUrl ? entry.url === url : [path, `${path}.md`].includes(entry.path))) return entry;
    // A copy names a page that is kept, never another copy.
    if (list === 'duplicates' && entry.url === url && !isCopy) return findEntry(folder, entry.duplicateOf, true);
  }
  return null;
}

/** null where the path leads out of the folder, by a link too, or to no file. */
async function readInside(folder: string, path: string): Promise<string | null> {
  if (!isTreePath(path)) return null;
  try {
    const [root, file] = [await realpath(folder), await realpath(fileOf(folder, path))];
    if (!file.startsWith(root + sep) || !(await stat(file)).isFile()) return null;
    return await readFile(file, 'utf8');
  } catch {
    return null;
  }
}
