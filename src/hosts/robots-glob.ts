import type { RobotsRule } from './robots-parse.js';

/** A rule with `*`, cut at each of them. */
export interface Glob {
  readonly rule: RobotsRule;
  readonly pieces: readonly string[];
  /** Whether the last piece has to be the end of the path. */
  readonly isAnchored: boolean;
  readonly minLength: number;
}

/** Characters that may still be compared. Below zero, the answer means nothing. */
export interface StepBudget {
  steps: number;
}

export function compileGlob(rule: RobotsRule): Glob {
  const isAnchored = rule.pattern.endsWith('$');
  const pieces = (isAnchored ? rule.pattern.slice(0, -1) : rule.pattern)
    .split('*')
    .filter((piece, index, all) => piece !== '' || index === 0 || index === all.length - 1);
  const minLength = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return { rule, pieces, isAnchored, minLength };
}

/**
 * The first piece at the start, each next one as far to the left as it goes: with no wildcard but `*`, a piece further to the
 * right never helps, so nothing is ever tried twice.
 */
export function globMatches(glob: Glob, path: string, budget: StepBudget): boolean {
  budget.steps--;
  if (glob.minLength > path.length || !isAt(path, glob.pieces[0]!, 0, budget)) return false;
  let at = glob.pieces[0]!.length;
  const last = glob.pieces.length - 1;
  for (let index = 1; index < last; index++) {
    const found = findPiece(path, glob.pieces[index]!, at, budget);
    if (found < 0) return false;
    at = found + glob.pieces[index]!.length;
  }
  const lastPiece = glob.pieces[last]!;
  if (!glob.isAnchored) return findPiece(path, lastPiece, at, budget) >= 0;
  const lastAt = path.length - lastPiece.length;
  return lastAt >= at && isAt(path, lastPiece, lastAt, budget);
}

function findPiece(path: string, piece: string, from: number, budget: StepBudget): number {
  const lastStart = path.length - piece.length;
  for (let start = from; start <= lastStart && budget.steps >= 0; start++) {
    if (isAt(path, piece, start, budget)) return start;
  }
  return -1;
}

function isAt(path: string, piece: string, start: number, budget: StepBudget): boolean {
  let same = 0;
  while (same < piece.length && path.charCodeAt(start + same) === piece.charCodeAt(same)) same++;
  budget.steps -= same + 1;
  return same === piece.length;
}
