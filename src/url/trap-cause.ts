import { shellQuoted } from '../base/text.js';
import type { TrapRulesOptions } from './trap-rules.js';
import type { TrapWatchOptions } from './trap-watch.js';

/** Where each kind of trap is cut. */
export type TrapLimits = Omit<TrapRulesOptions, 'allow'> & Omit<TrapWatchOptions, 'allow'>;

const REPEATS = /… repeats "(.*)"$/;
const figure = (count: number): string => count.toLocaleString('en-US');

/** Why URLs of a pattern are cut, in words. The name of a pattern says which rule it is of; no URL in normal form can look like another. */
export function trapCause(pattern: string, limits: TrapLimits): string {
  if (isTooLong(pattern)) return `longer than ${figure(limits.maxUrlLength)} characters`;
  if (pattern.startsWith('segments>')) return `more than ${figure(limits.maxPathSegments)} path segments`;
  const repeated = REPEATS.exec(pattern)?.[1];
  if (repeated !== undefined) return `"${repeated}" stands ${figure(limits.maxSegmentRepeats)} times in the path`;
  const many = pattern.endsWith('?*')
    ? `${figure(limits.maxQueryVariants)} or more queries of this path`
    : `${figure(limits.maxShapeVariants)} or more URLs of this shape`;
  return `${many}; nine of the last ten that were fetched brought no URL of another shape and no new text`;
}

export const isTooLong = (pattern: string): boolean => pattern.startsWith('length>');

/** Whether single URLs of the pattern show it, or only many of them together. */
export const isTrapByLooks = (pattern: string): boolean =>
  isTooLong(pattern) || pattern.startsWith('segments>') || REPEATS.test(pattern);

/** What lets the URLs of a pattern through, as a shell takes it. */
export const allowTrapFlag = (pattern: string): string => `--allow-trap ${shellQuoted(pattern)}`;
