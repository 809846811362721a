import type { RobotsRule } from './robots-parse.js';

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
export class PrefixTable {
  readonly #rules: RobotsRule[];
  /** Index of the nearest prefix, -1 for none. */
  readonly #parents: Int32Array;

  /** No two of the rules have the same pattern. */
  constructor(rules: RobotsRule[]) {
    this.#rules = [...rules].sort((a, b) => (a.pattern < b.pattern ? -1 : 1));
    this.#parents = new Int32Array(rules.length);
    for (const [index, { pattern }] of this.#rules.entries()) {
      let parent = index - 1;
      while (parent >= 0 && !pattern.startsWith(this.#rules[parent]!.pattern)) parent = this.#parents[parent]!;
      this.#parents[index] = parent;
    }
  }

  longest(path: string): RobotsRule | undefined {
    let low = 0;
    let high = this.#rules.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#rules[middle]!.pattern <= path) low = middle + 1;
      else high = middle;
    }
    let candidate = low - 1;
    if (candidate < 0) return undefined;
    const shared = sharedLength(this.#rules[candidate]!.pattern, path);
    while (candidate >= 0 && this.#rules[candidate]!.pattern.length > shared) candidate = this.#parents[candidate]!;
    return this.#rules[candidate];
  }
}

function sharedLength(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}
