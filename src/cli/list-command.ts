import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemClock } from '../base/clock.js';
import { StateError, UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { type IndexEntry, isLow } from '../corpus/index-entry.js';
import type { CorpusStatus } from '../corpus/list-corpora.js';
import { findCorpus } from '../docs/corpus-place.js';
import { listCorpora, listCorpus } from '../docs/kept-corpus.js';
import { listCrawls, statusOf } from '../store/directory.js';
import { storePath } from '../store/store-file.js';
import { type CommandInput, prepare, writeJson, writePieces } from './command.js';
import { EXIT } from './exit.js';
import { statusLine } from './status-command.js';
import { counted, formatCount, formatDuration, type Terminal } from './terminal.js';

const DEFAULT_ROOT = 'gossamer-data';

/** gossamer list [root] */
export async function runList(input: CommandInput): Promise<number> {
  const ready = prepare('list', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const [asked] = input.positionals;
  const { json, low } = ready.resolved.options;
  const corpus = asked === undefined ? null : findCorpus(asked);
  if (corpus !== null) {
    const pages = low ? lowPages(listCorpus(corpus)) : listCorpus(corpus);
    await writePieces(json ? jsonPieces(pages) : textPieces(pages, low));
    return EXIT.ok;
  }
  if (low) {
    throw new UsageError('--low is for the pages of a corpus: name its folder');
  }
  await listRoot(asked ?? null, json, ready.terminal);
  return EXIT.ok;
}

async function listRoot(asked: string | null, json: boolean, terminal: Terminal): Promise<void> {
  const root = resolve(asked ?? DEFAULT_ROOT);
  if (asked !== null && !existsSync(root)) {
    throw new StateError('no_folder', `there is no folder ${root}`);
  }
  const onUnreadable = (name: string, error: Error) => terminal.warn(`${printable(name)}: ${error.message}`);
  const crawls = existsSync(storePath(root)) ? [statusOf(root)] : listCrawls(root, onUnreadable);
  // A run of docs keeps its crawl in the data directory and writes its corpus to the current folder.
  const roots = asked === null ? [resolve('.'), root] : [root];
  const corpora = (await Promise.all(roots.map((each) => listCorpora(each, onUnreadable)))).flat();
  if (crawls.length + corpora.length === 0) {
    terminal.line(
      existsSync(root) ? `there is no crawl and no corpus in ${root}` : `no crawls yet (there is no ${root})`,
    );
  }
  if (json) {
    writeJson([...crawls, ...corpora.map((corpus) => ({ kind: 'corpus', ...corpus }))]);
  } else {
    const now = systemClock.wall();
    await writePieces([...crawls.map(statusLine), ...corpora.map((corpus) => corpusText(corpus, now))]);
  }
}

function corpusText({ directory, title, pages, tokens, tokensEstimated, written }: CorpusStatus, now: number): string {
  const counts = `${counted(pages, 'page')}, ${tokensEstimated ? '~' : ''}${counted(tokens, 'token')}`;
  return `${printable(directory)}: corpus, ${formatDuration(Math.max(0, now - Date.parse(written)))} old; ${counts}; ${printable(title, 100)}\n`;
}

async function* lowPages(pages: AsyncIterable<IndexEntry>): AsyncGenerator<IndexEntry> {
  for await (const page of pages) {
    if (isLow(page)) {
      yield page;
    }
  }
}

async function* textPieces(pages: AsyncIterable<IndexEntry>, withShare: boolean): AsyncGenerator<string> {
  for await (const { path, title, tokens, kept = 1 } of pages) {
    const share = withShare ? `${Math.floor(kept * 100)} %`.padStart(5) : '';
    yield `${share}${formatCount(tokens).padStart(9)}  ${printable(path)}  ${printable(title, 200)}\n`;
  }
}

/** Writes one array, and holds only one of its entries in memory. */
async function* jsonPieces(pages: AsyncIterable<IndexEntry>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const page of pages) {
    yield `${before}  ${JSON.stringify(page)}`;
    before = ',\n';
  }
  yield `${before === '[\n' ? '[' : ''}\n]\n`;
}
