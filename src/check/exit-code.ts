import type { EndReason } from '../crawl/limits.js';

/** What a check ends with. A program that stops one is told what the command ends with when it is stopped. */
export function checkExitCode(found: 0 | 1, nothingReached: boolean, reason: EndReason): number {
  if (reason === 'interrupted' || reason === 'stopped') {
    return 130;
  }
  if (reason === 'terminated') {
    return 143;
  }
  return nothingReached ? 4 : found;
}
