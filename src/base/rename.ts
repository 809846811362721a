import { renameSync } from 'node:fs';
import { rename } from 'node:fs/promises';

/**
 * Renames files and folders. On Windows that fails while anything has the file open, or one in the folder, and a virus scanner or an indexer opens
 * whatever is new for a moment. So it is tried again there, a few times.
 */

/** How long each try waits for the next, in ms. Together it is what a program may stand still for once. */
const PAUSES_MS = [5, 20, 50, 100, 200];
const HELD = new Set(['EACCES', 'EBUSY', 'EPERM']);

/** What renames, waits, and says where; the system in all but tests. */
export interface RenameHost {
  readonly platform: NodeJS.Platform;
  rename(from: string, to: string): void;
  pause(ms: number): void;
}

const SYSTEM: RenameHost = {
  platform: process.platform,
  rename: renameSync,
  pause: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
};

/** `to` may be a file that is there, and is replaced. */
export function renameNow(from: string, to: string, host: RenameHost = SYSTEM): void {
  for (let tries = 0; ; tries++) {
    try {
      host.rename(from, to);
      return;
    } catch (error) {
      const pause = isHeld(error, host.platform) ? PAUSES_MS[tries] : undefined;
      if (pause === undefined) {
        throw error;
      }
      host.pause(pause);
    }
  }
}

/** The same, while the thread does other things. */
export async function renameMeanwhile(from: string, to: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      const pause = isHeld(error) ? PAUSES_MS[tries] : undefined;
      if (pause === undefined) {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** Whether it may be that another program has it open. Elsewhere than on Windows these codes only ever mean rights. */
export const isHeld = (error: unknown, platform: NodeJS.Platform = process.platform): boolean =>
  platform === 'win32' && HELD.has((error as NodeJS.ErrnoException).code ?? '');

/** Why it could not be done, as the end of a sentence. */
export const whyNotRenamed = (error: unknown, platform: NodeJS.Platform = process.platform): string =>
  isHeld(error, platform)
    ? `a program has it open, or you may not write there: close what uses it and try again (${(error as NodeJS.ErrnoException).code})`
    : (error as Error).message;
