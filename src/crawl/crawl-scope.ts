import { keyOf } from '../frontier/seed-book.js';
import type { LinkStanding, StoreScope } from '../store/rediscovery.js';
import type { SeedRow } from '../store/transaction.js';
import { UrlFlag, UrlState } from '../store/url-state.js';
import { compilePattern, type UrlPattern } from '../url/pattern.js';
import { Scope, type ScopeKind, type ScopePatterns, type SeedScope } from '../url/scope.js';
import { AllowedTraps, isTooLong, type TrapLimits, TrapRules, trapCause } from '../url/traps.js';

export interface CrawlScopeData {
  seeds: SeedRow[];
  patterns: ScopePatterns;
  maxDepth: number | null;
  traps: TrapLimits & { allow: readonly string[] };
  /** Identity is the library user's: every key that he gives is in scope. */
  ownKeys: boolean;
  /** What leads out of the scope is asked for too, once. */
  external: boolean;
  /** What is in scope, and too deep or part of a trap, is asked for too, once. */
  checksBeyond: boolean;
  /** Links that are left out altogether; the first that matches counts. */
  ignore: readonly IgnoreRule[];
  /** Nothing is fetched but what it takes to see what there is. */
  surveys?: boolean;
}

export interface IgnoreRule {
  match: readonly string[];
  ignore: boolean;
}

const QUEUED: LinkStanding = { state: UrlState.queued, reason: null, flags: 0, pattern: null };

interface RuleOfSeed extends SeedScope {
  seed: number;
}

/** The scope of a crawl: which seed, if any, lets a URL in, how deep that seed may go, and what a URL must not look like. */
export class CrawlScope implements StoreScope {
  readonly #data: CrawlScopeData;
  readonly #traps: TrapRules;
  readonly #allowed: AllowedTraps;
  readonly #scope: Scope;
  readonly #ignore: { matches: UrlPattern; ignore: boolean }[];

  constructor(data: CrawlScopeData) {
    this.#data = data;
    this.#traps = new TrapRules(data.traps);
    this.#allowed = new AllowedTraps(data.traps.allow);
    this.#ignore = data.ignore.map(({ match, ignore }) => ({ matches: anyPattern(match), ignore }));
    this.#scope = new Scope(data.ownKeys ? [] : data.seeds.flatMap(rulesOf), data.patterns);
  }

  get ownKeys(): boolean {
    return this.#data.ownKeys;
  }

  toJSON(): CrawlScopeData {
    return this.#data;
  }

  /** The seed whose scope admits the URL, or -1. */
  seedOf(url: string): number {
    if (this.#data.ownKeys) {
      return 0;
    }
    const rule = this.#scope.ruleFor(url) as RuleOfSeed | null;
    return rule === null ? -1 : rule.seed;
  }

  get checksOutside(): boolean {
    return this.#data.external;
  }

  get surveys(): boolean {
    return this.#data.surveys ?? false;
  }

  ignores(url: string): boolean {
    return this.#ignore.find(({ matches }) => matches(url))?.ignore ?? false;
  }

  admits(url: string): boolean {
    return this.seedOf(url) >= 0;
  }

  depthLimitOf(seed: number): number {
    return this.#data.seeds[seed]?.depth ?? this.#data.maxDepth ?? Number.POSITIVE_INFINITY;
  }

  depthLimit(url: string): number {
    return this.depthLimitOf(Math.max(0, this.seedOf(url)));
  }

  standing(url: string, depth: number): LinkStanding {
    return this.standingOf(this.seedOf(url), depth, this.trap(url));
  }

  /** @param seed the one that lets the URL in, or -1 */
  standingOf(seed: number, depth: number, trap: string | null): LinkStanding {
    const { checksBeyond } = this.#data;
    const inScope = seed >= 0;
    // What is out of scope is asked once and leads nowhere: it can be no trap.
    if (trap !== null && inScope) {
      return checksBeyond && !isTooLong(trap)
        ? { ...QUEUED, flags: UrlFlag.external | UrlFlag.trap, pattern: trap }
        : { state: UrlState.skipped, reason: 'trap', flags: 0, pattern: trap };
    }
    if (depth <= this.depthLimitOf(Math.max(0, seed))) {
      return QUEUED;
    }
    // An external link has no depth of its own in a check: it is one click from a page that was read.
    return checksBeyond
      ? { ...QUEUED, flags: inScope ? UrlFlag.external | UrlFlag.beyond : 0 }
      : { state: UrlState.skipped, reason: 'depth', flags: 0, pattern: null };
  }

  trap(url: string): string | null {
    return this.#traps.check(url);
  }

  trapCause(pattern: string): string {
    return trapCause(pattern, this.#data.traps);
  }

  allowsTrap(pattern: string, url: string): boolean {
    return this.#allowed.has(pattern, url);
  }

  /** A seed redirected: its scope counts these URLs. True where that lets in anything new. */
  widen(seed: number, scopeUrls: string[]): boolean {
    this.#data.seeds[seed]!.scopeUrls = scopeUrls;
    const grown = rulesOf(this.#data.seeds[seed]!).map((rule) => this.#scope.grow(rule));
    return grown.includes(true);
  }

  key(url: string): [number, number, number, number] {
    return keyOf(url);
  }
}

function rulesOf({ seed, scope, scopeUrls }: SeedRow): RuleOfSeed[] {
  return scopeUrls.map((url) => ({ kind: scope as ScopeKind, url, seed }));
}

function anyPattern(texts: readonly string[]): UrlPattern {
  const patterns = texts.map((text) => compilePattern(text, 'a rule'));
  return (url) => patterns.some((matches) => matches(url));
}
