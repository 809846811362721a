import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A run that breaks from inside leaves word of what it was settling: by then the store may be what broke, so the word stands in a file
 * beside it. The next run takes it up and removes it.
 */
const noteOf = (directory: string): string => join(directory, 'crashed.json');

export function leaveCrashNote(directory: string, ids: readonly number[]): void {
  try {
    writeFileSync(noteOf(directory), JSON.stringify(ids));
  } catch {
    // The run ends with another error, and that one is told.
  }
}

/** Ids of the URLs that were being settled when the last run broke; none where it did not. */
export function takeCrashNote(directory: string): number[] {
  try {
    const ids: unknown = JSON.parse(readFileSync(noteOf(directory), 'utf8'));
    rmSync(noteOf(directory));
    return Array.isArray(ids) ? ids.filter(Number.isSafeInteger) : [];
  } catch {
    return [];
  }
}
