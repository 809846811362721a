import { UsageError } from '../base/errors.js';
import { formatCount } from '../base/figures.js';
import { shellQuoted } from '../base/text.js';
import { barePathOf, originOf, pathOf } from './host.js';
import { isShortened, LONGEST_URL, shortened } from './identity.js';
import { compilePattern, type UrlPattern } from './pattern.js';

/**
 * URLs that a program makes without end. `TrapRules` judges one URL at a time by how it looks; `TrapWatch` watches what the URLs of a pattern
 * bring, and cuts a pattern that brings nothing new.
 */

/** 0 switches a rule off. */
interface TrapRulesOptions {
  /** 0 means LONGEST_URL. */
  maxUrlLength: number;
  maxPathSegments: number;
  /** The same segment this many times in one path is a trap. */
  maxSegmentRepeats: number;
  /** Patterns of --allow-trap. */
  allow?: readonly string[];
}

/** The rules that look at one URL alone. */
export class TrapRules {
  readonly #maxUrlLength: number;
  readonly #maxPathSegments: number;
  readonly #maxSegmentRepeats: number;
  readonly #allowed: AllowedTraps;

  constructor(options: TrapRulesOptions) {
    this.#maxUrlLength = options.maxUrlLength === 0 ? LONGEST_URL : options.maxUrlLength;
    this.#maxPathSegments = options.maxPathSegments;
    this.#maxSegmentRepeats = options.maxSegmentRepeats;
    this.#allowed = new AllowedTraps(options.allow ?? []);
  }

  /** The name of the pattern that the URL is quarantined under, or null. */
  check(url: string): string | null {
    if (url.length > this.#maxUrlLength) {
      return this.isTooLong(url) ? this.#lengthPattern : null;
    }
    if (isShortened(url)) {
      return this.#lengthPattern;
    }
    const pattern = this.#patternOf(url);
    return pattern !== null && this.#allowed.has(pattern, url) ? null : pattern;
  }

  isTooLong(url: string): boolean {
    if (url.length <= this.#maxUrlLength) {
      return false;
    }
    return url.length > LONGEST_URL || !this.#allowed.has(this.#lengthPattern, url);
  }

  /** The URL as it is kept: only the beginning and the hash of one that is too long. */
  keptForm(url: string): string {
    return this.isTooLong(url) ? shortened(url) : url;
  }

  get #lengthPattern(): string {
    return `length>${this.#maxUrlLength}`;
  }

  #patternOf(url: string): string | null {
    if (this.#maxPathSegments === 0 && this.#maxSegmentRepeats === 0) {
      return null;
    }
    const path = barePathOf(url);
    const segments = path.split('/').filter((segment) => segment !== '');
    if (this.#maxPathSegments > 0 && segments.length > this.#maxPathSegments) {
      return `segments>${this.#maxPathSegments}`;
    }
    const repeated = this.#repeatedIn(segments);
    if (repeated === null) {
      return null;
    }
    const end = `${path}/`.indexOf(`/${repeated}/`) + repeated.length + 1;
    return `${originOf(url)}${path.slice(0, end)}/… repeats "${repeated}"`;
  }

  #repeatedIn(segments: string[]): string | null {
    if (this.#maxSegmentRepeats === 0 || segments.length < this.#maxSegmentRepeats) {
      return null;
    }
    const counts = new Map<string, number>();
    for (const segment of segments) {
      const count = (counts.get(segment) ?? 0) + 1;
      if (count >= this.#maxSegmentRepeats) {
        return segment;
      }
      counts.set(segment, count);
    }
    return null;
  }
}

/** 0 switches a limit off. */
export interface TrapWatchOptions {
  /** URLs of one path that differ in their query. */
  maxQueryVariants: number;
  /** URLs of one shape. */
  maxShapeVariants: number;
  /** Patterns of --allow-trap. */
  allow: readonly string[];
}

/** What a fetched page says about the trap that its URL may be part of. */
export interface TrapEvidence {
  /** Whether the page brought a URL for which `isNews` holds. */
  newShapes: boolean;
  /** Hash of the text with digits folded; null if it is not known, which counts as new. */
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

/** Below this limit the text of every page is wanted; above it, the text of pages from nine tenths of the limit on. */
const SMALL_LIMIT = 20;

/** What a URL is counted under, and how many of it there may be. */
interface Pattern {
  readonly name: string;
  readonly limit: number;
}

const NO_PATTERNS: readonly Pattern[] = [];
/** About as many as are under way at once. */
const MOST_URLS_AT_HAND = 2_048;

interface PatternState {
  dispatched: number;
  /** One bit a page of the last WINDOW, the latest lowest: it brought nothing new. */
  barren: number;
  /** One bit a page, the latest lowest: its text was known. */
  stale: number;
  readonly texts: Set<number>;
}

/**
 * Cuts patterns that go on without bringing anything new. What it forgets to save room makes a pattern look younger, or a text newer, than it
 * is: that can delay a cut and never causes one.
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
  readonly #patterns = new Map<string, readonly Pattern[]>();

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
      if (state.texts.size > 0) {
        watch.#withTexts.add(state);
      }
      watch.#textCount += state.texts.size;
    }
    return watch;
  }

  /** The part of the state that is kept across a restart, bounded. */
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

  /** Asked once for a URL that is about to be dispatched. Returns the pattern that is cut; or null, and then the URL counts as dispatched. */
  cutBy(url: string): string | null {
    const patterns = this.#patternsOf(url);
    for (const pattern of patterns) {
      const state = this.#states.get(pattern.name);
      if (state !== undefined && isDue(state, pattern.limit) && isSpent(state.barren)) {
        if (!this.#allowed.has(pattern.name, url)) {
          return pattern.name;
        }
      }
    }
    for (const { name } of patterns) {
      const state = this.#states.get(name) ?? { dispatched: 0, barren: 0, stale: 0, texts: new Set() };
      state.dispatched++;
      this.#touch(name, state);
    }
    return null;
  }

  /** The pattern is not cut from now on. False where no URL of it was seen. */
  allow(pattern: string): boolean {
    this.#allowed.add(pattern);
    return this.#states.has(pattern);
  }

  /** Whether a pattern of this URL is so near its limit that the text of the page has to be known. */
  wantsText(url: string): boolean {
    return this.#patternsOf(url).some(({ name, limit }) => {
      return limit < SMALL_LIMIT || (this.#states.get(name)?.dispatched ?? 0) >= Math.floor(limit * 0.9);
    });
  }

  /**
   * Whether `to`, first found on `from`, is a URL of another shape. A URL whose pattern is over its limit and shows only known texts does not
   * count: otherwise months and days, or pages under a session id, could lead to each other for ever.
   */
  isNews(from: string, to: string): boolean {
    if (shapeOf(from) === shapeOf(to)) {
      return false;
    }
    return !this.#patternsOf(to).some(({ name, limit }) => {
      const state = this.#states.get(name);
      return state !== undefined && isDue(state, limit) && isSpent(state.stale);
    });
  }

  /** Takes down what the page of a dispatched URL brought. */
  fetched(url: string, page: TrapEvidence): void {
    for (const { name } of this.#patternsOf(url)) {
      const state = this.#states.get(name);
      if (state === undefined) {
        continue;
      }
      const isStale = page.textHash !== null && state.texts.has(page.textHash);
      state.stale = shiftIn(state.stale, isStale);
      state.barren = shiftIn(state.barren, isStale && !page.newShapes);
      if (page.textHash !== null && !isStale) {
        this.#remember(state, page.textHash);
      }
    }
  }

  /** Asked several times for each URL, from its lease to its page. */
  #patternsOf(url: string): readonly Pattern[] {
    let patterns = this.#patterns.get(url);
    if (patterns === undefined) {
      patterns = this.#workOut(url);
      if (this.#patterns.size >= MOST_URLS_AT_HAND) {
        this.#patterns.clear();
      }
      this.#patterns.set(url, patterns);
    }
    return patterns;
  }

  #workOut(url: string): readonly Pattern[] {
    const patterns: Pattern[] = [];
    const query = this.#maxQueryVariants > 0 ? queryPatternOf(url) : null;
    if (query !== null) {
      patterns.push({ name: query, limit: this.#maxQueryVariants });
    }
    if (this.#maxShapeVariants > 0) {
      const shape = shapeOf(url);
      // If nothing was folded, there is nothing to count, except for the one URL that is spelt like its shape.
      if (shape !== url && shape !== query) {
        patterns.push({ name: shape, limit: this.#maxShapeVariants });
      }
    }
    return patterns.length === 0 ? NO_PATTERNS : patterns;
  }

  #touch(pattern: string, state: PatternState): void {
    this.#states.delete(pattern);
    this.#states.set(pattern, state);
    if (this.#states.size <= MOST_PATTERNS) {
      return;
    }
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
    if (this.#textCount > MOST_TEXTS) {
      this.#forgetTexts(this.#withTexts.values().next().value!);
    }
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
  for (let rest = ~marks & WINDOW_MASK; rest !== 0; rest &= rest - 1) {
    fruitful++;
  }
  return fruitful <= MOST_FRUITFUL;
}

function shiftIn(marks: number, mark: boolean): number {
  return ((marks << 1) | (mark ? 1 : 0)) & WINDOW_MASK;
}

/**
 * The shape of a URL: what is left when counters, dates, ids and session tokens are folded. URLs of one shape are made by one
 * program, and a program can make them without end.
 */

/** In this order: a session parameter, an escape (kept), a UUID, a run of letters and digits. */
const TOKEN =
  /([;?&](?:jsessionid|phpsessid|aspsessionid[a-z]*|sessionid|session_id|session|sessid|sid|cfid|cftoken|token)=)[^&;/?]*|%[0-9a-f]{2}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-z]+/gi;
const DIGITS = /\d+/g;
const ONLY_DIGITS = /^\d+$/;
const ONLY_HEX = /^[0-9a-f]+$/i;
const HAS_DIGIT = /\d/;
const CAN_FOLD = /\d|[;?&](?:jsessionid|phpsessid|session|sess|sid|token|cf|asps)/i;
const SHORTEST_HEX_ID = 8;
const SHORTEST_TOKEN = 16;

/** Equal to the URL itself where nothing in it can be folded. */
export function shapeOf(url: string): string {
  const path = pathOf(url);
  return CAN_FOLD.test(path) ? originOf(url) + path.replace(TOKEN, foldToken) : url;
}

function foldToken(token: string, sessionParameter: string | undefined): string {
  if (sessionParameter !== undefined) {
    return `${sessionParameter}f`;
  }
  if (token.charCodeAt(0) === 0x25 || !HAS_DIGIT.test(token)) {
    return token;
  }
  if (ONLY_DIGITS.test(token)) {
    return '0';
  }
  if (token.length >= SHORTEST_TOKEN) {
    return 'f';
  }
  if (token.length >= SHORTEST_HEX_ID && ONLY_HEX.test(token)) {
    return 'f';
  }
  return token.replace(DIGITS, '0');
}

/** Origin and path with `?*`, or null if there is no query. */
export function queryPatternOf(url: string): string | null {
  const query = url.indexOf('?');
  return query < 0 ? null : `${url.slice(0, query)}?*`;
}

/** The traps that --allow-trap names: by a pattern just as the summary shows it, or by a glob of such patterns or of URLs. */
export class AllowedTraps {
  readonly #names: Set<string>;
  readonly #patterns: UrlPattern[];

  constructor(allow: readonly string[]) {
    this.#names = new Set(allow);
    this.#patterns = allow.flatMap((text) => compileUnlessName(text));
  }

  /** One more, by its name alone. */
  add(name: string): void {
    this.#names.add(name);
  }

  has(name: string, url: string): boolean {
    if (this.#names.size === 0) {
      return false;
    }
    return this.#names.has(name) || this.#patterns.some((matches) => matches(name) || matches(url));
  }
}

/** A name from the summary may hold a `[` or `{` of its URLs. That makes no valid glob, but the name must be accepted all the same. */
function compileUnlessName(text: string): UrlPattern[] {
  try {
    return [compilePattern(text, 'allow-trap')];
  } catch (error) {
    if (!(error instanceof UsageError) || text === '' || text.startsWith('re:')) {
      throw error;
    }
    return [];
  }
}

/** Where each kind of trap is cut. */
export type TrapLimits = Omit<TrapRulesOptions, 'allow'> & Omit<TrapWatchOptions, 'allow'>;

const REPEATS = /… repeats "(.*)"$/;
const figure = (count: number): string => formatCount(count);

/** Why URLs of a pattern are cut, in words. The name of a pattern tells its rule, because no URL in normal form looks like the name of another rule. */
export function trapCause(pattern: string, limits: TrapLimits): string {
  if (isLengthTrap(pattern)) {
    return `longer than ${figure(Number(pattern.slice('length>'.length)))} characters`;
  }
  if (pattern.startsWith('segments>')) {
    return `more than ${figure(limits.maxPathSegments)} path segments`;
  }
  const repeated = REPEATS.exec(pattern)?.[1];
  if (repeated !== undefined) {
    return `"${repeated}" stands ${figure(limits.maxSegmentRepeats)} times in the path`;
  }
  const many = pattern.endsWith('?*')
    ? `${figure(limits.maxQueryVariants)} or more queries of this path`
    : `${figure(limits.maxShapeVariants)} or more URLs of this shape`;
  return `${many}; nine of the last ten that were fetched brought no URL of another shape and no new text`;
}

/** URLs of this pattern are too long to be kept whole. */
export const isLengthTrap = (pattern: string): boolean => pattern.startsWith('length>');

/** Whether a single URL of the pattern shows it, and not only many of them together. */
export const isTrapByLooks = (pattern: string): boolean =>
  isLengthTrap(pattern) || pattern.startsWith('segments>') || REPEATS.test(pattern);

/** The option that lets the URLs of a pattern through, quoted for a shell. */
export const allowTrapFlag = (pattern: string): string => `--allow-trap ${shellQuoted(pattern)}`;
