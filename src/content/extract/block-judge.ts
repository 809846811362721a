import { type BlockTable, FEATURES } from './block-features.js';
import { TREES } from './block-model.js';
import { ASKS_CONSENT } from './guess.js';

/** A block is kept from this score on. Scores are thousandths of the logarithm of odds. */
const ENOUGH = 405;
/** On pages like those of a manual the rough guess counts more: there is little around the text, and much in it looks like labels. */
const ENOUGH_IN_MANUAL = { keptByGuess: -2200, leftByGuess: 1800 };
/** Newspapers and shops tell networks what to show of a page, have pictures around the text. */
const FEW_SHARED = 3;
const FEW_IMAGES = 8;
const SOME_CODE = 6;

const place = (name: string): number => FEATURES.indexOf(name);
const GUESS = place('guess');
const SHARED = place('pageShared');
const IMAGES = place('pageImages');
const CODE = place('pageCode');

/** Why a block is kept or not. Scores are thousandths. */
export type Verdict = { by: 'title' } | { by: 'consent' } | { by: 'score'; score: number; enough: number };

/** Which blocks are part of the text; `told` hears why. */
export function judge(table: BlockTable, told?: (block: number, verdict: Verdict) => void): Uint8Array {
  const { rows, width, blocks, title } = table;
  const kept = new Uint8Array(blocks.length);
  const isManual = blocks.length > 0 && looksLikeManual(rows);
  for (let b = 0; b < blocks.length; b++) {
    if (rows[b * width + GUESS] === ASKS_CONSENT) {
      told?.(b, { by: 'consent' });
      continue;
    }
    const { keptByGuess, leftByGuess } = ENOUGH_IN_MANUAL;
    const enough = isManual ? (rows[b * width + GUESS] === 0 ? keptByGuess : leftByGuess) : ENOUGH;
    if (told === undefined) {
      kept[b] = isEnough(rows, b * width, enough) ? 1 : 0;
      continue;
    }
    const score = scoreOf(rows, b * width);
    kept[b] = score >= enough ? 1 : 0;
    told(b, { by: 'score', score, enough });
  }
  if (title !== -1) {
    kept[title] = 1;
    told?.(title, { by: 'title' });
  }
  return kept;
}

const looksLikeManual = (row: Int16Array): boolean =>
  row[SHARED]! <= FEW_SHARED && (row[IMAGES]! <= FEW_IMAGES || row[CODE]! > SOME_CODE);

/** The table holds tree after tree: of a fork the feature, the bound and where it goes on above that; of a leaf -1 and what it adds. */
function scoreOf(rows: Int16Array, row: number): number {
  let sum = 0;
  for (let at = 0; at < TREES.length; at = TREES[at]!) {
    sum += TREES[leafOf(rows, row, at + 1) + 1]!;
  }
  return sum;
}

/** Whether `scoreOf` comes to so much. Most blocks need not ask all trees: what the rest may add no longer matters. */
function isEnough(rows: Int16Array, row: number, enough: number): boolean {
  let sum = 0;
  for (let tree = 0, at = 0; at < TREES.length; tree++, at = TREES[at]!) {
    if ((tree & 15) === 0 && (sum + LEAST_OF_REST[tree]! >= enough || sum + MOST_OF_REST[tree]! < enough)) {
      return sum + LEAST_OF_REST[tree]! >= enough;
    }
    sum += TREES[leafOf(rows, row, at + 1) + 1]!;
  }
  return sum >= enough;
}

function leafOf(rows: Int16Array, row: number, from: number): number {
  let at = from;
  for (let feature = TREES[at]!; feature >= 0; feature = TREES[at]!) {
    at = rows[row + feature]! <= TREES[at + 1]! ? at + 3 : TREES[at + 2]!;
  }
  return at;
}

/** Of each tree what it and those behind it add at the least and at the most. */
const [LEAST_OF_REST, MOST_OF_REST] = ([Math.min, Math.max] as const).map((pick) => {
  const rest: number[] = [];
  for (let at = 0; at < TREES.length; at = TREES[at]!) {
    rest.push(extreme(at + 1, pick));
  }
  for (let tree = rest.length - 2; tree >= 0; tree--) {
    rest[tree]! += rest[tree + 1]!;
  }
  return rest;
}) as [number[], number[]];

function extreme(at: number, pick: (...values: number[]) => number): number {
  return TREES[at]! < 0 ? TREES[at + 1]! : pick(extreme(at + 3, pick), extreme(TREES[at + 2]!, pick));
}

/** What a feature has to do with a score. */
export interface Share {
  feature: string;
  /** What the block has. */
  value: number;
  /** Thousandths that it adds to the score. */
  adds: number;
}

/**
 * What each feature adds to the score of a block, beside what any block has: at each fork, how far the way that is taken lies from the middle of
 * both. Together with `scoreOfAny` that is the score.
 */
export function sharesOf({ rows, width }: BlockTable, b: number): Share[] {
  const adds = new Float64Array(width);
  for (let at = 0; at < TREES.length; ) {
    const end = TREES[at++]!;
    while (TREES[at]! >= 0) {
      const feature = TREES[at]!;
      const next = rows[b * width + feature]! <= TREES[at + 1]! ? at + 3 : TREES[at + 2]!;
      adds[feature]! += middle(next) - middle(at);
      at = next;
    }
    at = end;
  }
  return FEATURES.map((feature, i) => ({ feature, value: rows[b * width + i]!, adds: adds[i]! }));
}

export function scoreOfAny(): number {
  let sum = 0;
  for (let at = 0; at < TREES.length; at = TREES[at]!) {
    sum += middle(at + 1);
  }
  return sum;
}

/** Of all that a tree may add from a fork on. They are small, and asked for again and again. */
function middle(at: number): number {
  let known = middles.get(at);
  if (known === undefined) {
    known = TREES[at]! < 0 ? TREES[at + 1]! : (middle(at + 3) + middle(TREES[at + 2]!)) / 2;
    middles.set(at, known);
  }
  return known;
}
const middles = new Map<number, number>();
