import { createReadStream, existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { StateError } from '../base/errors.js';
import { sha256 } from './chunks.js';
import type { CorpusDocument } from './document.js';
import type { IndexEntry } from './index-entry.js';
import { isCorpus, readIndex } from './index-file.js';
import { FILES } from './layout.js';
import type { PageLine } from './page-lines.js';
import type { BeforePage, State } from './state.js';
import { isTreePath } from './tree.js';

/** What to ask a server with, so that it can answer "not modified". */
export interface Validators {
  url: string;
  etag: string | null;
  lastModified: string | null;
  /** When its content was first seen. */
  crawled: string;
}

/** Of each page of a corpus; nothing where there is none yet. A duplicate has none: its text is not kept, so it has to be fetched. */
export async function* corpusValidators(dir: string): AsyncGenerator<Validators> {
  if (!isCorpus(dir)) return;
  for await (const { list, entry } of readIndex(dir)) {
    if (list === 'documents')
      yield { url: entry.url, etag: entry.etag, lastModified: entry.lastModified, crawled: entry.crawled };
  }
}

/** Takes what the corpus in `dir` says of its pages into the state. */
export async function loadBefore(state: State, dir: string): Promise<void> {
  if (!isCorpus(dir)) return;
  const spans = lineSpans(join(dir, FILES.pages));
  state.database.exec('BEGIN');
  for await (const { list, entry } of readIndex(dir)) {
    if (list === 'removed') state.setTombstone(entry);
    if (list !== 'documents') continue;
    // The lines of corpus.jsonl have the order of index.json.
    const span = (await spans.next()).value;
    if (isTreePath(entry.path)) state.setBefore({ entry, lineStart: span?.start ?? 0, lineLength: span?.length ?? 0 });
  }
  state.database.exec('COMMIT');
  await spans.return(undefined);
}

/** A page as it was handed over when it was taken into that corpus. */
export async function documentBefore(
  dir: string,
  { entry, lineStart, lineLength }: BeforePage,
): Promise<CorpusDocument> {
  const line = await lineAt(join(dir, FILES.pages), lineStart, lineLength);
  if (line?.url !== entry.url || sha256(line.markdown) !== entry.hash) {
    throw new StateError(
      'corpus_damaged',
      `${FILES.pages} in ${dir} is not the one that ${FILES.index} tells of: move ${dir} away and write the corpus anew`,
    );
  }
  return { ...fieldsOf(entry), finalUrl: entry.url, markdown: line.markdown, text: line.text };
}

function fieldsOf({ url, title, description, lang, canonical, etag, lastModified, crawled }: IndexEntry) {
  return { url, title, description, lang, canonical, etag, lastModified, crawledAt: crawled };
}

async function lineAt(path: string, start: number, length: number): Promise<PageLine | null> {
  const handle = await open(path).catch(() => null);
  if (handle === null) return null;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, start);
    return JSON.parse(buffer.toString('utf8', 0, bytesRead));
  } catch {
    return null;
  } finally {
    await handle.close();
  }
}

const LINE_FEED = 0x0a;

/** Where each line of a file begins and how many bytes it has, without its end. */
async function* lineSpans(path: string): AsyncGenerator<{ start: number; length: number }, undefined> {
  if (!existsSync(path)) return;
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
