import { closeSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { StateError } from '../base/errors.js';
import { jsonLine, type TextWriter } from '../report/output.js';
import type { Duplicate } from '../store/corpus-duplicates.js';
import type { IndexEntry, IndexHead, RemovedEntry } from './index-entry.js';
import { FILES } from './layout.js';

export const CORPUS_SCHEMA = 'https://github.com/gossamer-crawler/gossamer/schema/corpus-1.json';

/** Lists of index.json, in their order. */
export interface IndexLists {
  documents: IndexEntry;
  duplicates: Duplicate;
  removed: RemovedEntry;
}
const LISTS = ['documents', 'duplicates', 'removed'] as const;

/** One JSON object, with each key of the head and each entry of a list on a line of its own: it can be read as it was written, line by line. */
export async function writeIndex(
  file: TextWriter,
  head: IndexHead,
  lists: { [Name in keyof IndexLists]: Iterable<IndexLists[Name]> },
): Promise<void> {
  await file.write('{\n');
  for (const [key, value] of Object.entries(head)) {
    await file.write(`"${key}": ${jsonLine(value).trimEnd()},\n`);
  }
  for (const name of LISTS) {
    await file.write(`"${name}": [`);
    let separator = '\n';
    for (const entry of lists[name]) {
      await file.write(`${separator}${jsonLine(entry).trimEnd()}`);
      separator = ',\n';
    }
    await file.write(`\n]${name === LISTS.at(-1) ? '' : ','}\n`);
  }
  await file.write('}\n');
}

export type IndexLine = { [Name in keyof IndexLists]: { list: Name; entry: IndexLists[Name] } }[keyof IndexLists];

/** The entries of a corpus's index.json as they stand in it, never all at once. */
export async function* readIndex(dir: string): AsyncGenerator<IndexLine> {
  let list: keyof IndexLists | null = null;
  for await (const line of indexLines(dir)) {
    if (line.startsWith('{"') && list !== null) {
      yield { list, entry: parsed(dir, line) } as IndexLine;
    } else {
      list = LISTS.find((name) => line.startsWith(`"${name}": [`)) ?? (line.startsWith(']') ? null : list);
    }
  }
}

/** The same index, but for what its head and its tombstones say now; never all of it at once. */
export async function rewriteIndex(
  dir: string,
  file: TextWriter,
  now: Pick<IndexHead, 'run' | 'changes'> & { removed: (before: RemovedEntry) => RemovedEntry | null },
): Promise<void> {
  const head = new Map<string, unknown>(Object.entries({ run: now.run, changes: now.changes }));
  let list: string | null = null;
  let separator = '';
  for await (const line of indexLines(dir)) {
    const name = /^"(\w+)": (\[)?/.exec(line);
    if (list === 'removed' && line.startsWith('{')) {
      const tomb = now.removed(parsed<RemovedEntry>(dir, line));
      if (tomb !== null) {
        await file.write(`${separator}\n${jsonLine(tomb).trimEnd()}`);
        separator = ',';
      }
    } else if (list === 'removed') {
      await file.write(`\n${line}\n`);
      list = null;
    } else if (line === '"removed": [') {
      await file.write(line);
      list = 'removed';
    } else if (list === null && name !== null && head.has(name[1]!)) {
      await file.write(`"${name[1]}": ${jsonLine(head.get(name[1]!)).trimEnd()},\n`);
    } else {
      list = line.endsWith(': [') ? name![1]! : line.startsWith(']') ? null : list;
      await file.write(`${line}\n`);
    }
  }
}

export async function readIndexHead(dir: string): Promise<IndexHead> {
  const lines: string[] = [];
  for await (const line of indexLines(dir)) {
    if (line.startsWith('"documents": [')) {
      break;
    }
    if (line.startsWith('"')) {
      lines.push(line.replace(/,$/, ''));
    }
  }
  const head: IndexHead = parsed(dir, `{${lines.join(',')}}`);
  if (head.schema !== CORPUS_SCHEMA) {
    throw unreadable(dir, 'was not written by this version');
  }
  return head;
}

/** The beginning of every index.json that this program has ever written. */
const BEGINNING = /^\{\s*"schema":\s*"https:\/\/github\.com\/gossamer-crawler\/gossamer\/schema\/corpus-/;

/** Whether a folder holds a corpus that is complete: index.json is the last file to be written. That of another program is none. */
export function isCorpus(dir: string): boolean {
  let file: number | null = null;
  try {
    file = openSync(join(dir, FILES.index), 'r');
    const head = Buffer.alloc(200);
    return BEGINNING.test(head.toString('latin1', 0, readSync(file, head)));
  } catch {
    return false;
  } finally {
    if (file !== null) {
      closeSync(file);
    }
  }
}

export const noCorpus = (dir: string): StateError =>
  new StateError('no_corpus', `there is no corpus in ${dir} (no ${FILES.index} of one)`);

async function* indexLines(dir: string): AsyncGenerator<string> {
  if (!isCorpus(dir)) {
    throw noCorpus(dir);
  }
  const handle = await open(join(dir, FILES.index));
  try {
    for await (const line of handle.readLines()) {
      yield line.trim();
    }
  } finally {
    await handle.close();
  }
}

function parsed<T>(dir: string, line: string): T {
  try {
    return JSON.parse(line.replace(/,$/, ''));
  } catch {
    throw unreadable(dir, 'is damaged');
  }
}

const unreadable = (dir: string, what: string): StateError =>
  new StateError('corpus_index', `${join(dir, FILES.index)} ${what}: move ${dir} away and write the corpus again`);
