import { AllowedTraps } from './allowed-traps.js';
import { barePathOf, originOf } from './host.js';
import { isShortened, LONGEST_URL, shortened } from './long-url.js';

/** 0 switches a rule off. */
export interface TrapRulesOptions {
  /** 0 means LONGEST_URL. */
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
    this.#maxUrlLength = options.maxUrlLength === 0 ? LONGEST_URL : options.maxUrlLength;
    this.#maxPathSegments = options.maxPathSegments;
    this.#maxSegmentRepeats = options.maxSegmentRepeats;
    this.#allowed = new AllowedTraps(options.allow ?? []);
  }

  /** The name of the pattern that the URL is quarantined under, or null. */
  check(url: string): string | null {
    if (url.length > this.#maxUrlLength) return this.isTooLong(url) ? this.#lengthPattern : null;
    if (isShortened(url)) return this.#lengthPattern;
    const pattern = this.#patternOf(url);
    return pattern !== null && this.#allowed.has(pattern, url) ? null : pattern;
  }

  isTooLong(url: string): boolean {
    if (url.length <= this.#maxUrlLength) return false;
    return url.length > LONGEST_URL || !this.#allowed.has(this.#lengthPattern, url);
  }

  /** The URL as it is kept: of one that is too long no more than its beginning and its hash. */
  keptForm(url: string): string {
    return this.isTooLong(url) ? shortened(url) : url;
  }

  get #lengthPattern(): string {
    return `length>${this.#maxUrlLength}`;
  }

  #patternOf(url: string): string | null {
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
