import { AllowedTraps } from './allowed-traps.js';
import { queryPatternOf, shapeOf } from './shape.js';

/** 0 switches a limit off. */
export interface TrapWatchOptions {
  /** URLs of one path that differ in their query. */
  maxQueryVariants: number;
  /** URLs of one shape. */
  maxShapeVariants: number;
  /** Patterns of --allow-trap. */
  allow: readonly string[];
}

export interface FetchedPage {
  /** Whether the page brought a URL for which `isNews` holds. */
  newShapes: boolean;
  /** Hash of the text with digits folded; null where it is not known, which counts as new. */
  textHash: number | null;
}

/** Least recently used first; each: pattern, dispatched, barren, stale, text hashes. */
export interface TrapWatchData {
  patterns: [string, number, number, number, number[]][];
}

const MOST_PATTERNS = 20_000;
const MOST_TEXTS_OF_A_PATTERN = 4_096;
const MOST_TEXTS = 500_000;
const MOST_KEPT_PATTERNS = 5_000;
const MOST_KEPT_TEXTS_OF_A_PATTERN = 256;
const MOST_KEPT_TEXTS = 100_000;

/** A pattern is exhausted when this many of the last `WINDOW` pages brought nothing new. */
const WINDOW = 10;
const WINDOW_MASK = (1 << WINDOW) - 1;
const MOST_FRUITFUL = 1;

/** Below this limit the text of every page is wanted, from nine tenths of it on otherwise. */
const SMALL_LIMIT = 20;

interface PatternState {
  dispatched: number;
  /** One bit a page of the last WINDOW, the latest lowest: it brought nothing new. */
  barren: number;
  /** One bit a page, the latest lowest: its text was known. */
  stale: number;
  readonly texts: Set<number>;
}

/**
 * Cuts patterns that go on without bringing anything new. What it forgets for want of room can only make a pattern look
 * younger or a text newer than it is: it delays a cut and never causes one.
 */
export class TrapWatch {
  readonly #maxQueryVariants: number;
  readonly #maxShapeVariants: number;
  readonly #allowed: AllowedTraps;
  /** Least recently dispatched first. */
  readonly #states = new Map<string, PatternState>();
  /** Those that hold texts, least recently fetched first. */
  readonly #withTexts = new Set<PatternState>();
  #textCount = 0;

  constructor(options: TrapWatchOptions) {
    this.#maxQueryVariants = options.maxQueryVariants;
    this.#maxShapeVariants = options.maxShapeVariants;
    this.#allowed = new AllowedTraps(options.allow);
  }

  static fromJSON(data: TrapWatchData, options: TrapWatchOptions): TrapWatch {
    const watch = new TrapWatch(options);
    for (const [pattern, dispatched, barren, stale, texts] of data.patterns) {
      const state: PatternState = { dispatched, barren, stale, texts: new Set(texts) };
      watch.#touch(pattern, state);
      if (state.texts.size > 0) watch.#withTexts.add(state);
      watch.#textCount += state.texts.size;
    }
    return watch;
  }

  /** What is worth keeping across a restart, bounded. */
  toJSON(): TrapWatchData {
    let room = MOST_KEPT_TEXTS;
    const kept = [...this.#states].slice(-MOST_KEPT_PATTERNS).reverse();
    const patterns = kept.map(([pattern, state]): TrapWatchData['patterns'][number] => {
      const most = Math.min(room, MOST_KEPT_TEXTS_OF_A_PATTERN);
      const texts = most === 0 ? [] : [...state.texts].slice(-most);
      room -= texts.length;
      return [pattern, state.dispatched, state.barren, state.stale, texts];
    });
    return { patterns: patterns.reverse() };
  }

  /**
   * To be asked once for a URL, when it is about to be dispatched: the pattern that is cut; or null, and then the URL
   * counts as dispatched.
   */
  cutBy(url: string): string | null {
    const patterns = this.#patternsOf(url);
    for (const pattern of patterns) {
      const state = this.#states.get(pattern.name);
      if (state !== undefined && isDue(state, pattern.limit) && isSpent(state.barren)) {
        if (!this.#allowed.has(pattern.name, url)) return pattern.name;
      }
    }
    for (const { name } of patterns) {
      const state = this.#states.get(name) ?? { dispatched: 0, barren: 0, stale: 0, texts: new Set() };
      state.dispatched++;
      this.#touch(name, state);
    }
    return null;
  }

  /** Whether a pattern of this URL is so near its limit that what the page brings has to be known. */
  wantsText(url: string): boolean {
    return this.#patternsOf(url).some(({ name, limit }) => {
      return limit < SMALL_LIMIT || (this.#states.get(name)?.dispatched ?? 0) >= Math.floor(limit * 0.9);
    });
  }

  /**
   * Whether `to`, first found on `from`, is a URL of another shape. One of a pattern that is over its limit and shows only
   * known texts is none, or months and days, or pages under a session id, could lead to each other for ever.
   */
  isNews(from: string, to: string): boolean {
    if (shapeOf(from) === shapeOf(to)) return false;
    return !this.#patternsOf(to).some(({ name, limit }) => {
      const state = this.#states.get(name);
      return state !== undefined && isDue(state, limit) && isSpent(state.stale);
    });
  }

  /** What the page of a dispatched URL brought. */
  fetched(url: string, page: FetchedPage): void {
    for (const { name } of this.#patternsOf(url)) {
      const state = this.#states.get(name);
      if (state === undefined) continue;
      const isStale = page.textHash !== null && state.texts.has(page.textHash);
      state.stale = shiftIn(state.stale, isStale);
      state.barren = shiftIn(state.barren, isStale && !page.newShapes);
      if (page.textHash !== null && !isStale) this.#remember(state, page.textHash);
    }
  }

  #patternsOf(url: string): { name: string; limit: number }[] {
    const patterns: { name: string; limit: number }[] = [];
    const query = this.#maxQueryVariants > 0 ? queryPatternOf(url) : null;
    if (query !== null) patterns.push({ name: query, limit: this.#maxQueryVariants });
    if (this.#maxShapeVariants > 0) {
      const shape = shapeOf(url);
      // Where nothing was folded there is nothing to count, but for the one URL of a shape that is spelt like it.
      if (shape !== url && shape !== query) patterns.push({ name: shape, limit: this.#maxShapeVariants });
    }
    return patterns;
  }

  #touch(pattern: string, state: PatternState): void {
    this.#states.delete(pattern);
    this.#states.set(pattern, state);
    if (this.#states.size <= MOST_PATTERNS) return;
    const [oldest, forgotten] = this.#states.entries().next().value!;
    this.#states.delete(oldest);
    this.#forgetTexts(forgotten);
  }

  #remember(state: PatternState, textHash: number): void {
    if (state.texts.size >= MOST_TEXTS_OF_A_PATTERN) {
      state.texts.delete(state.texts.values().next().value!);
      this.#textCount--;
    }
    state.texts.add(textHash);
    this.#textCount++;
    this.#withTexts.delete(state);
    this.#withTexts.add(state);
    if (this.#textCount > MOST_TEXTS) this.#forgetTexts(this.#withTexts.values().next().value!);
  }

  #forgetTexts(state: PatternState): void {
    this.#textCount -= state.texts.size;
    state.texts.clear();
    this.#withTexts.delete(state);
  }
}

/** Whether the next URL is at or over the limit. */
function isDue(state: PatternState, limit: number): boolean {
  return state.dispatched + 1 >= limit;
}

/** Whether all pages of the window but one are marked. The first text of a pattern is new, so that takes ten pages. */
function isSpent(marks: number): boolean {
  let fruitful = 0;
  for (let rest = ~marks & WINDOW_MASK; rest !== 0; rest &= rest - 1) fruitful++;
  return fruitful <= MOST_FRUITFUL;
}

function shiftIn(marks: number, mark: boolean): number {
  return ((marks << 1) | (mark ? 1 : 0)) & WINDOW_MASK;
}
