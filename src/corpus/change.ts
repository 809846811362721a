import { jsonLine } from '../report/json-line.js';
import type { Chunk } from './chunks.js';
import type { IndexEntry } from './index-entry.js';

export type Change = 'added' | 'changed' | 'rewritten' | 'removed' | 'unchanged';

/** By how many runs a page that is gone is still named. */
export const TOMBSTONE_RUNS = 10;

type Content = Pick<IndexEntry, 'hash' | 'title' | 'description' | 'lang'>;

export const isSameContent = (a: Content, b: Content): boolean =>
  a.hash === b.hash && a.title === b.title && a.description === b.description && a.lang === b.lang;

/** Ids of chunks to write to a vector store, and to delete from it. */
export interface ChunkChanges {
  upsert: string[];
  delete: string[];
}

/** An id stands for URL, headings and text; only the title of the page can have changed beside it. */
export function chunkChanges(
  before: Pick<IndexEntry, 'title' | 'chunks'> | null,
  title: string,
  now: readonly Pick<Chunk, 'id'>[],
): ChunkChanges {
  const ids = now.map(({ id }) => id);
  const known = new Set(before === null || before.title !== title ? [] : before.chunks);
  const kept = new Set(ids);
  return { upsert: ids.filter((id) => !known.has(id)), delete: (before?.chunks ?? []).filter((id) => !kept.has(id)) };
}

/** A line of changes.jsonl. */
export const changeLine = (
  change: Exclude<Change, 'unchanged'>,
  { url, path }: { url: string; path: string },
  chunks: ChunkChanges,
  duplicateOf: string | null = null,
): string => jsonLine({ change, url, path, ...chunks, ...(duplicateOf === null ? {} : { duplicateOf }) });
