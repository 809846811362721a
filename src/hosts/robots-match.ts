import { compileGlob, type Glob, globMatches } from './robots-glob.js';
import { normalPath, spellings } from './robots-octets.js';
import type { RobotsFile, RobotsRule } from './robots-parse.js';
import { PrefixTable } from './robots-prefixes.js';

export interface RobotsVerdict {
  allowed: boolean;
  /** The rule that decides; null where none matches. */
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
    for (const rule of file.rules) byPattern.set(rule.pattern, moreSpecific(byPattern.get(rule.pattern), rule));
    const prefixes: RobotsRule[] = [];
    const globs: RobotsRule[] = [];
    for (const rule of byPattern.values()) {
      if (rule.pattern.includes('*')) globs.push(rule);
      else if (rule.pattern.endsWith('$')) this.#exact.set(rule.pattern.slice(0, -1), rule);
      else prefixes.push(rule);
    }
    this.#prefixes = new PrefixTable(prefixes);
    this.#globs = globs.sort((a, b) => b.pattern.length - a.pattern.length).map(compileGlob);
    this.#maxSteps = maxSteps;
  }

  /** `pathAndQuery` as in a URL, without the fragment. */
  match(pathAndQuery: string): RobotsVerdict {
    const path = normalPath(pathAndQuery);
    if (path === '/robots.txt') return { allowed: true, rule: null, tooComplex: false };

    const paths = spellings(path);
    let best: RobotsRule | undefined;
    for (const spelling of paths) {
      best = moreSpecific(best, this.#prefixes.longest(spelling));
      best = moreSpecific(best, this.#exact.get(spelling));
    }

    const budget = { steps: this.#maxSteps };
    for (const glob of this.#globs) {
      if (best !== undefined && glob.rule.pattern.length < best.pattern.length) break;
      const isMatch = paths.some((spelling) => globMatches(glob, spelling, budget));
      if (budget.steps < 0) return { allowed: false, rule: glob.rule, tooComplex: true };
      if (isMatch) best = moreSpecific(best, glob.rule);
    }
    return { allowed: best?.allow ?? true, rule: best ?? null, tooComplex: false };
  }
}

/** The longer pattern; of two as long the one that allows; of two alike the one that comes first in the file. */
function moreSpecific(a: RobotsRule | undefined, b: RobotsRule): RobotsRule;
function moreSpecific(a: RobotsRule | undefined, b: RobotsRule | undefined): RobotsRule | undefined;
function moreSpecific(a: RobotsRule | undefined, b: RobotsRule | undefined): RobotsRule | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  if (a.pattern.length !== b.pattern.length) return a.pattern.length > b.pattern.length ? a : b;
  if (a.allow !== b.allow) return a.allow ? a : b;
  return a.line <= b.line ? a : b;
}
