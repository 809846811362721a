import { AllowedTraps } from './allowed-traps.js';
import { barePathOf, originOf } from './host.js';

/** 0 switches a rule off. */
export interface TrapRulesOptions {
  maxUrlLength: number;
  maxPathSegments: number;
  /** The same segment this many times in one path is a trap. */
  maxSegmentRepeats: number;
  /** Patterns of --allow-trap. */
  allow?: readonly string[];
}

/** What can be told from one URL alone. */
export class TrapRules {
  readonly #maxUrlLength: number;
  readonly #maxPathSegments: number;
  readonly #maxSegmentRepeats: number;
  readonly #allowed: AllowedTraps;

  constructor(options: TrapRulesOptions) {
    this.#maxUrlLength = options.maxUrlLength;
    this.#maxPathSegments = options.maxPathSegments;
    this.#maxSegmentRepeats = options.maxSegmentRepeats;
    this.#allowed = new AllowedTraps(options.allow ?? []);
  }

  /** The name of the pattern that the URL is quarantined under, or null. */
  check(url: string): string | null {
    const pattern = this.#patternOf(url);
    return pattern !== null && this.#allowed.has(pattern, url) ? null : pattern;
  }

  #patternOf(url: string): string | null {
    if (this.#maxUrlLength > 0 && url.length > this.#maxUrlLength) return `length>${this.#maxUrlLength}`;
    if (this.#maxPathSegments === 0 && this.#maxSegmentRepeats === 0) return null;
    const path = barePathOf(url);
    const segments = path.split('/').filter((segment) => segment !== '');
    if (this.#maxPathSegments > 0 && segments.length > this.#maxPathSegments) {
      return `segments>${this.#maxPathSegments}`;
    }
    const repeated = this.#repeatedIn(segments);
    if (repeated === null) return null;
    const end = `${path}/`.indexOf(`/${repeated}/`) + repeated.length + 1;
    return `${originOf(url)}${path.slice(0, end)}/… repeats "${repeated}"`;
  }

  #repeatedIn(segments: string[]): string | null {
    if (this.#maxSegmentRepeats === 0 || segments.length < this.#maxSegmentRepeats) return null;
    const counts = new Map<string, number>();
    for (const segment of segments) {
      const count = (counts.get(segment) ?? 0) + 1;
      if (count >= this.#maxSegmentRepeats) return segment;
      counts.set(segment, count);
    }
    return null;
  }
}
