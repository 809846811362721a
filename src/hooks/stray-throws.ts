import { fileURLToPath } from 'node:url';
import { ownUrl } from '../base/own-url.js';
import { printable } from '../base/text.js';

/** A frame of a stack that stands in a file, not in Node itself. */
const FRAME = /\((?:file:\/\/)?(\/[^)]+|[A-Za-z]:\\[^)]+)\)|at (?:async )?(?:file:\/\/)?(\/\S+|[A-Za-z]:\\\S+)/;
const MOST_CHARACTERS = 20_000;

/**
 * A hook module may throw when none of its hooks is running: from a timer, or by a promise that nobody waits for. Such a throw belongs to no page,
 * so it is told and the lane goes on. Anything that may come from our own code still ends the thread.
 */
export function tellStrayThrows(tell: (words: string) => void): void {
  process.on('uncaughtException', (error) => {
    if (!isOnlyOfUser(error)) {
      throw error;
    }
    tell(printable(error.message || error.name).slice(0, 500));
  });
}

/** Whether the stack names files, and none of them is ours. Frames of Node alone say nothing: a socket of ours fails like that. */
export function isOnlyOfUser(error: unknown, ownFolder = ownFolderPath()): error is Error {
  try {
    const stack =
      error instanceof Error && typeof error.stack === 'string' ? error.stack.slice(0, MOST_CHARACTERS) : '';
    const files = stack.split('\n').flatMap((line) => {
      const found = /^\s+at /.test(line) ? FRAME.exec(line) : null;
      return found === null ? [] : [decoded(found[1] ?? found[2]!)];
    });
    const own = comparable(ownFolder);
    return files.length > 0 && !files.some((file) => comparable(file).startsWith(own));
  } catch {
    return false;
  }
}

const ownFolderPath = (): string => fileURLToPath(new URL('.', ownUrl(import.meta.url)));

/** On Windows a module of ES stands in a stack as `file:///C:/…` and one of CommonJS as `C:\…`; no case counts there. */
function comparable(file: string): string {
  const path = /^\/?([a-z]:[/\\].*)$/is.exec(file)?.[1];
  return path === undefined ? file : path.replaceAll('\\', '/').toLowerCase();
}

const decoded = (file: string): string => (file.includes('%') ? decodeURIComponent(file) : file);
