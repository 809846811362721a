import { createReadStream, existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { StateError } from '../base/errors.js';
import type { EarlierPage } from '../store/corpus-state.js';
import { type Chunk, sha256 } from './chunks.js';
import type { PageLine } from './corpus-files.js';
import type { CorpusDocument, Measurement } from './document.js';
import type { IndexEntry, State } from './index-entry.js';
import { isCorpus, readIndex } from './index-file.js';
import { FILES } from './layout.js';
import { readChunks } from './prepare.js';
import { isTreePath } from './tree.js';

/** The headers of an earlier answer with which a server can be asked whether the page was modified. */
export interface Validators {
  url: string;
  etag: string | null;
  lastModified: string | null;
  /** When its content was first seen. */
  crawled: string;
}

/** The validators of each page of a corpus; none where there is no corpus yet. A duplicate has none: its text is not kept, so it has to be fetched. */
export async function* corpusValidators(dir: string): AsyncGenerator<Validators> {
  if (!isCorpus(dir)) {
    return;
  }
  for await (const { list, entry } of readIndex(dir)) {
    if (list === 'documents') {
      yield { url: entry.url, etag: entry.etag, lastModified: entry.lastModified, crawled: entry.crawled };
    }
  }
}

/** Reads the pages of the corpus in `dir` into the state. */
export async function loadEarlierCorpus(state: State, dir: string): Promise<void> {
  if (!isCorpus(dir)) {
    return;
  }
  const spans = lineSpans(join(dir, FILES.pages));
  const chunkSpans = lineSpans(join(dir, FILES.chunks));
  state.begin();
  for await (const { list, entry } of readIndex(dir)) {
    if (list === 'removed') {
      state.setTombstone(entry);
    }
    if (list !== 'documents') {
      continue;
    }
    // The lines of corpus.jsonl have the order of index.json.
    const span = (await spans.next()).value;
    const chunks = await severalLines(chunkSpans, entry.chunks.length);
    if (!isTreePath(entry.path)) {
      continue;
    }
    state.setBefore({
      ...{ entry, lineStart: span?.start ?? 0, lineLength: span?.length ?? 0 },
      ...{ chunksStart: chunks.start, chunksLength: chunks.length },
    });
  }
  state.commit();
  await Promise.all([spans.return(undefined), chunkSpans.return(undefined)]);
}

/** A page as it was handed over for that corpus. */
export async function earlierDocument(
  dir: string,
  { entry, lineStart, lineLength }: EarlierPage<IndexEntry>,
): Promise<CorpusDocument> {
  const line = parsedLine(await textAt(join(dir, FILES.pages), lineStart, lineLength));
  if (line?.url !== entry.url || sha256(line.markdown) !== entry.hash) {
    throw new StateError(
      'corpus_damaged',
      `${FILES.pages} in ${dir} is not the one that ${FILES.index} names: move ${dir} away and write the corpus again`,
    );
  }
  return { ...fieldsOf(entry), finalUrl: entry.url, markdown: line.markdown, text: line.text };
}

function fieldsOf({ url, title, description, lang, canonical, etag, lastModified, crawled, kept = 1 }: IndexEntry) {
  return { url, title, description, lang, canonical, etag, lastModified, crawledAt: crawled, kept };
}

/** The tokens and chunks of a page in that corpus; null where its chunks are not those that the index names. */
export async function earlierMeasurement(
  dir: string,
  { entry, chunksStart, chunksLength }: EarlierPage<IndexEntry>,
): Promise<Measurement | null> {
  const chunks = await textAt(join(dir, FILES.chunks), chunksStart, chunksLength);
  try {
    const read = readChunks(chunks);
    const isWhole = (chunk: Chunk, i: number): boolean =>
      chunk.id === entry.chunks[i] && chunk.url === entry.url && chunk.hash === sha256(chunk.text);
    return read.length === entry.chunks.length && read.every(isWhole) ? { tokens: entry.tokens, chunks } : null;
  } catch {
    return null;
  }
}

function parsedLine(line: string): PageLine | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** Empty where the file is not there. */
async function textAt(path: string, start: number, length: number): Promise<string> {
  const handle = await open(path).catch(() => null);
  if (handle === null) {
    return '';
  }
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, start);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The span of so many lines, with their ends. */
async function severalLines(spans: AsyncIterator<Span>, count: number): Promise<Span> {
  let [start, end] = [0, 0];
  for (let i = 0; i < count; i++) {
    const { value, done } = await spans.next();
    if (done === true) {
      return { start: 0, length: 0 };
    }
    if (i === 0) {
      start = value.start;
    }
    end = value.start + value.length + 1;
  }
  return { start, length: end - start };
}

const LINE_FEED = 0x0a;

interface Span {
  start: number;
  length: number;
}

/** Where each line of a file begins and how many bytes it has, without its end. */
async function* lineSpans(path: string): AsyncGenerator<Span, undefined> {
  if (!existsSync(path)) {
    return;
  }
  let start = 0;
  let offset = 0;
  for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
    for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, at + 1)) {
      yield { start, length: offset + at - start };
      start = offset + at + 1;
    }
    offset += piece.length;
  }
}
