import { join } from 'node:path';

/** The files of a corpus beside its tree of pages. */
export const FILES = {
  index: 'index.json',
  llms: 'llms.txt',
  llmsFull: 'llms-full.txt',
  pages: 'corpus.jsonl',
  chunks: 'chunks.jsonl',
  changes: 'changes.jsonl',
  search: 'search.db',
} as const;

/** These files exist only while a corpus is written. SQLite keeps files of its own beside each. */
export const STATE_FILE = 'state.db';
export const LOCK_FILE = 'lock.sqlite';
export const isWorkFile = (name: string): boolean => /^(?:state\.db|lock\.sqlite)(?:-wal|-shm|-journal)?$/.test(name);

/** Where a corpus is written before it takes its name, and where the earlier one stands for a moment. */
export const partialOf = (dir: string): string => `${dir}.partial`;
export const asideOf = (dir: string): string => `${dir}.replaced`;

/** @param path of a page, with `/` between names */
export const fileOf = (dir: string, path: string): string => join(dir, ...path.split('/'));
