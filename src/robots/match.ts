export interface RobotsRule {
  readonly allow: boolean;
  /** In normal spelling; `*` and a `$` at the end are special. */
  readonly pattern: string;
  /** From 1. */
  readonly line: number;
  /** The line as written, without its comment. */
  readonly text: string;
}

/** What a robots.txt says to one agent. */
export interface RobotsFile {
  readonly rules: RobotsRule[];
  readonly crawlDelayMs: number | null;
  readonly sitemaps: string[];
}

export interface RobotsVerdict {
  allowed: boolean;
  /** The rule that decides; null if none matches. */
  rule: RobotsRule | null;
  /** The rules cost more than the limit, so the URL is disallowed; `rule` is the one where matching was given up. */
  tooComplex: boolean;
}

/** Some two milliseconds. A large file of a real site stays far below, for most of its rules fail within a few characters. */
const MAX_STEPS_PER_MATCH = 500_000;

/** The compiled rules of one file. Rules without `*` cost no steps; the others are tried from the longest down. */
export class RobotsMatcher {
  readonly #prefixes: PrefixTable;
  readonly #exact = new Map<string, RobotsRule>();
  readonly #globs: Glob[];
  readonly #maxSteps: number;

  constructor(file: RobotsFile, maxSteps = MAX_STEPS_PER_MATCH) {
    const byPattern = new Map<string, RobotsRule>();
    for (const rule of file.rules) {
      byPattern.set(rule.pattern, moreSpecific(byPattern.get(rule.pattern), rule));
    }
    const prefixes: RobotsRule[] = [];
    const globs: RobotsRule[] = [];
    for (const rule of byPattern.values()) {
      if (rule.pattern.includes('*')) {
        globs.push(rule);
      } else if (rule.pattern.endsWith('$')) {
        this.#exact.set(rule.pattern.slice(0, -1), rule);
      } else {
        prefixes.push(rule);
      }
    }
    this.#prefixes = new PrefixTable(prefixes);
    this.#globs = globs.sort((a, b) => b.pattern.length - a.pattern.length).map(compileGlob);
    this.#maxSteps = maxSteps;
  }

  /** `pathAndQuery` as in a URL, without the fragment. */
  match(pathAndQuery: string): RobotsVerdict {
    const path = normalPath(pathAndQuery);
    if (path === '/robots.txt') {
      return { allowed: true, rule: null, tooComplex: false };
    }

    const paths = spellings(path);
    let best: RobotsRule | undefined;
    for (const spelling of paths) {
      best = moreSpecific(best, this.#prefixes.longest(spelling));
      best = moreSpecific(best, this.#exact.get(spelling));
    }

    const budget = { steps: this.#maxSteps };
    for (const glob of this.#globs) {
      if (best !== undefined && glob.rule.pattern.length < best.pattern.length) {
        break;
      }
      const isMatch = paths.some((spelling) => globMatches(glob, spelling, budget));
      if (budget.steps < 0) {
        return { allowed: false, rule: glob.rule, tooComplex: true };
      }
      if (isMatch) {
        best = moreSpecific(best, glob.rule);
      }
    }
    return { allowed: best?.allow ?? true, rule: best ?? null, tooComplex: false };
  }
}

/** Picks the longer pattern; of two equally long ones the one that allows; of two equal ones the one that comes first in the file. */
function moreSpecific(a: RobotsRule | undefined, b: RobotsRule): RobotsRule;
function moreSpecific(a: RobotsRule | undefined, b: RobotsRule | undefined): RobotsRule | undefined;
function moreSpecific(a: RobotsRule | undefined, b: RobotsRule | undefined): RobotsRule | undefined {
  if (a === undefined || b === undefined) {
    return a ?? b;
  }
  if (a.pattern.length !== b.pattern.length) {
    return a.pattern.length > b.pattern.length ? a : b;
  }
  if (a.allow !== b.allow) {
    return a.allow ? a : b;
  }
  return a.line <= b.line ? a : b;
}

/** A rule with `*`, cut at each of them. */
interface Glob {
  readonly rule: RobotsRule;
  readonly pieces: readonly string[];
  /** Whether the last piece has to be the end of the path. */
  readonly isAnchored: boolean;
  readonly minLength: number;
}

/** How many characters may still be compared. Once it is below zero, the answer means nothing. */
interface StepBudget {
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
 * Looks for the first piece at the start, and for each next one as far left as possible. With no wildcard but `*` a piece further to the right
 * never helps, so nothing is tried twice.
 */
export function globMatches(glob: Glob, path: string, budget: StepBudget): boolean {
  budget.steps--;
  if (glob.minLength > path.length || !isAt(path, glob.pieces[0]!, 0, budget)) {
    return false;
  }
  let at = glob.pieces[0]!.length;
  const last = glob.pieces.length - 1;
  for (let index = 1; index < last; index++) {
    const found = findPiece(path, glob.pieces[index]!, at, budget);
    if (found < 0) {
      return false;
    }
    at = found + glob.pieces[index]!.length;
  }
  const lastPiece = glob.pieces[last]!;
  if (!glob.isAnchored) {
    return findPiece(path, lastPiece, at, budget) >= 0;
  }
  const lastAt = path.length - lastPiece.length;
  return lastAt >= at && isAt(path, lastPiece, lastAt, budget);
}

function findPiece(path: string, piece: string, from: number, budget: StepBudget): number {
  const lastStart = path.length - piece.length;
  for (let start = from; start <= lastStart && budget.steps >= 0; start++) {
    if (isAt(path, piece, start, budget)) {
      return start;
    }
  }
  return -1;
}

function isAt(path: string, piece: string, start: number, budget: StepBudget): boolean {
  let same = 0;
  while (same < piece.length && path.charCodeAt(start + same) === piece.charCodeAt(same)) {
    same++;
  }
  budget.steps -= same + 1;
  return same === piece.length;
}

/**
 * Rules without wildcards, sorted, each with a link to the nearest rule that is a prefix of it:
 *
 *     /a  <-  /a/b  <-  /a/b/c
 *     /a  <-  /a/d
 *     /x
 *
 * Every rule that is a prefix of a path is a prefix of the last rule that does not sort after the path, or is that rule. So
 * one binary search and a walk along the links find the longest.
 */
class PrefixTable {
  readonly #rules: RobotsRule[];
  /** Index of the nearest prefix, -1 for none. */
  readonly #parents: Int32Array;

  /** No two of the rules have the same pattern. */
  constructor(rules: RobotsRule[]) {
    this.#rules = [...rules].sort((a, b) => (a.pattern < b.pattern ? -1 : 1));
    this.#parents = new Int32Array(rules.length);
    for (const [index, { pattern }] of this.#rules.entries()) {
      let parent = index - 1;
      while (parent >= 0 && !pattern.startsWith(this.#rules[parent]!.pattern)) {
        parent = this.#parents[parent]!;
      }
      this.#parents[index] = parent;
    }
  }

  longest(path: string): RobotsRule | undefined {
    let low = 0;
    let high = this.#rules.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#rules[middle]!.pattern <= path) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    let candidate = low - 1;
    if (candidate < 0) {
      return undefined;
    }
    const shared = sharedLength(this.#rules[candidate]!.pattern, path);
    while (candidate >= 0 && this.#rules[candidate]!.pattern.length > shared) {
      candidate = this.#parents[candidate]!;
    }
    return this.#rules[candidate];
  }
}

function sharedLength(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) {
    at++;
  }
  return at;
}

/**
 * Both sides of a comparison are brought to one spelling, octet by octet (RFC 9309, 2.2.2): octets that a URI cannot hold
 * are escaped, escaped unreserved characters are unescaped, and the escapes that stay are in upper case.
 * In these functions a string of octets has one character, U+0000 to U+00FF, per octet.
 */
const ESCAPE_OR_FOREIGN_OCTET = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/g;
const UNRESERVED = /^[A-Za-z0-9\-._~]$/;

const escapeOctet = (octet: string): string => `%${octet.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
const unescapeOctet = (triplet: string): string => String.fromCharCode(Number.parseInt(triplet.slice(1), 16));

const octetsOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
export const textOf = (octets: string): string => Buffer.from(octets, 'latin1').toString('utf8');

function normalOctets(octets: string): string {
  return octets.replace(ESCAPE_OR_FOREIGN_OCTET, (found) => {
    if (found.length === 1) {
      return escapeOctet(found);
    }
    const octet = unescapeOctet(found);
    return UNRESERVED.test(octet) ? octet : found.toUpperCase();
  });
}

/** The path of a rule. `*` and a `$` at the end are special; any other `$` stands for itself and is escaped. */
export function normalPattern(octets: string): string {
  const isAnchored = octets.endsWith('$');
  const body = isAnchored ? octets.slice(0, -1) : octets;
  const rooted = body.startsWith('/') || body.startsWith('*') ? body : `/${body}`;
  return normalOctets(rooted).replaceAll('$', '%24') + (isAnchored ? '$' : '');
}

/**
 * The path and query of a URL. `*` and `$` are escaped, so that nothing in a URL is special and a rule can name them as
 * `%2A` and `%24`.
 */
function normalPath(pathAndQuery: string): string {
  const rooted = pathAndQuery.startsWith('/') ? pathAndQuery : `/${pathAndQuery}`;
  return normalOctets(octetsOf(rooted)).replaceAll('*', '%2A').replaceAll('$', '%24');
}

const RESERVED_IN_PATH = /[:@[\]!'()+,;]/g;
const RESERVED_IN_QUERY = /[:@[\]!'()+,;/?]/g;
const ESCAPED_IN_PATH = /%(?:3A|40|5B|5D|21|27|28|29|2B|2C|3B)/g;
const ESCAPED_IN_QUERY = /%(?:3A|40|5B|5D|21|27|28|29|2B|2C|3B|2F|3F)/g;

/**
 * The spellings of a normal path that a rule may have used: as it is, and with the reserved characters all escaped or all
 * plain, for the RFC makes no difference between those. Left alone is what gives a URL its structure: `/` in the path, the
 * first `?`, `&` and `=`.
 */
function spellings(path: string): string[] {
  const queryAt = path.indexOf('?');
  const head = queryAt < 0 ? path : path.slice(0, queryAt);
  const mark = queryAt < 0 ? '' : '?';
  const query = queryAt < 0 ? '' : path.slice(queryAt + 1);
  const escaped = head.replace(RESERVED_IN_PATH, escapeOctet) + mark + query.replace(RESERVED_IN_QUERY, escapeOctet);
  const plain = head.replace(ESCAPED_IN_PATH, unescapeOctet) + mark + query.replace(ESCAPED_IN_QUERY, unescapeOctet);
  return [...new Set([path, escaped, plain])];
}
