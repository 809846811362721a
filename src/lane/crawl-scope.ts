import { keyOf } from '../frontier/outcome.js';
import type { StoreScope, UrlPlace } from '../store/standing.js';
import type { SeedRow } from '../store/transaction.js';
import { swapOrigin } from '../url/host.js';
import { compilePattern, type UrlPattern } from '../url/pattern.js';
import { Scope, type ScopeKind, type ScopePatterns, type SeedScope, wholeHost } from '../url/scope.js';
import type { Seat } from '../url/slots.js';
import { AllowedTraps, isLengthTrap, type TrapLimits, TrapRules, trapCause } from '../url/traps.js';

export interface CrawlScopeData {
  seeds: SeedRow[];
  patterns: ScopePatterns;
  maxDepth: number | null;
  traps: TrapLimits & { allow: readonly string[] };
  /** The library's user makes the keys, and every key is in scope. */
  ownKeys: boolean;
  /** Whether links that lead out of the scope are requested too, once. */
  external: boolean;
  /** Whether URLs in scope that are too deep or part of a trap are requested too, once. */
  checksBeyond: boolean;
  /** Links that are left out altogether; the first that matches counts. */
  ignore: readonly IgnoreRule[];
  /** Whether URLs that a pattern excludes are left out altogether too. */
  ignoresExcluded?: boolean;
  /** Only URLs below these are requested; null if there is no such limit. */
  onlyLocal?: readonly { origin: string; path: string }[] | null;
  /** Whether only what a survey of the site needs is fetched. */
  surveys?: boolean;
  seeksSitemaps?: boolean;
  /** This machine's part of a crawl on several machines. */
  seat?: Seat;
}

export interface IgnoreRule {
  match: readonly string[];
  ignore: boolean;
}

interface RuleOfSeed extends SeedScope {
  seed: number;
}

/** The scope of a crawl: which seed, if any, lets a URL in, how deep that seed may go, and what a URL must not look like. */
export class CrawlScope implements StoreScope {
  readonly #data: CrawlScopeData;
  readonly #traps: TrapRules;
  readonly #allowed: AllowedTraps;
  /** What the seeds open as they were given. */
  readonly #given: Scope;
  /** What they have opened since, by its greatest depth; the deepest first. */
  #grown: { depthLimit: number; scope: Scope }[] = [];
  #seedsAt: Map<string, number[]> | null = null;
  readonly #ignore: { matches: UrlPattern; ignore: boolean }[];

  constructor(data: CrawlScopeData) {
    this.#data = data;
    this.#traps = new TrapRules(data.traps);
    this.#allowed = new AllowedTraps(data.traps.allow);
    this.#ignore = data.ignore.map(({ match, ignore }) => ({ matches: anyPattern(match), ignore }));
    const rules = data.ownKeys ? [] : data.seeds.flatMap(rulesOf);
    this.#given = new Scope(
      rules.filter((rule) => this.#isGiven(rule)),
      data.patterns,
    );
    for (const rule of rules) {
      this.#grow(rule);
    }
  }

  #isGiven({ seed, url }: RuleOfSeed): boolean {
    const row = this.#data.seeds[seed]!;
    return url === row.url || url === row.scopeUrls[0] || row.fallbacks.includes(url);
  }

  /** Returns true if it lets in anything new. */
  #grow(rule: RuleOfSeed): boolean {
    if (this.#isGiven(rule)) {
      return false;
    }
    const depthLimit = this.depthLimitOf(rule.seed);
    let same = this.#grown.find((grown) => grown.depthLimit === depthLimit);
    if (same === undefined) {
      same = { depthLimit, scope: new Scope([], this.#data.patterns) };
      this.#grown = [...this.#grown, same].sort((a, b) => b.depthLimit - a.depthLimit);
    }
    return same.scope.grow(rule);
  }

  get seat(): Seat | undefined {
    return this.#data.seat;
  }

  get ownKeys(): boolean {
    return this.#data.ownKeys;
  }

  toJSON(): CrawlScopeData {
    return this.#data;
  }

  /**
   * The seed whose scope admits the URL, or -1. The seeds' own scopes count before those that redirects added, and of the latter the deepest:
   * so a URL that was let in stays in, and as deep, whatever is found later.
   */
  seedOf(url: string): number {
    if (this.#data.ownKeys) {
      return 0;
    }
    let rule = this.#given.ruleFor(url);
    for (let i = 0; rule === null && i < this.#grown.length; i++) {
      rule = this.#grown[i]!.scope.ruleFor(url);
    }
    return (rule as RuleOfSeed | null)?.seed ?? -1;
  }

  get checksOutside(): boolean {
    return this.#data.external;
  }

  get surveys(): boolean {
    return this.#data.surveys ?? false;
  }

  get seeksSitemaps(): boolean {
    return this.#data.seeksSitemaps ?? false;
  }

  get checksBeyond(): boolean {
    return this.#data.checksBeyond;
  }

  ignores(url: string): boolean {
    if (this.#data.ignoresExcluded && this.#given.excludes(url)) {
      return true;
    }
    return this.#ignore.find(({ matches }) => matches(url))?.ignore ?? false;
  }

  /** Why a link is left alone wherever it stands, or null. */
  leftOut(url: string): 'ignored' | 'offline' | null {
    if (this.ignores(url)) {
      return 'ignored';
    }
    const { onlyLocal = null } = this.#data;
    return onlyLocal === null || onlyLocal.some((place) => swapOrigin(url, place, '') !== null) ? null : 'offline';
  }

  admits(url: string): boolean {
    return this.seedOf(url) >= 0;
  }

  depthLimitOf(seed: number): number {
    return this.#data.seeds[seed]?.depth ?? this.#data.maxDepth ?? Number.POSITIVE_INFINITY;
  }

  /** Whether any URL besides the seed itself may be requested. */
  goesBelow(seed: number): boolean {
    return this.depthLimitOf(seed) > 0 || (this.#data.patterns.hosts ?? []).some(({ depth = 0 }) => depth > 0);
  }

  depthLimit(url: string): number {
    return this.#depthLimit(url, this.seedOf(url));
  }

  #depthLimit(url: string, seed: number): number {
    return this.#given.policyOf(url).depth ?? this.depthLimitOf(Math.max(0, seed));
  }

  place(url: string): UrlPlace {
    const seed = this.seedOf(url);
    const trap = this.trap(url);
    return { seed, depthLimit: this.#depthLimit(url, seed), trap, isCut: trap !== null && isLengthTrap(trap) };
  }

  scopeUrlsOf(seed: number): readonly string[] {
    return this.#data.seeds[seed]!.scopeUrls;
  }

  seedsAt(url: string): readonly number[] {
    this.#seedsAt ??= this.#data.seeds.reduce(enter, new Map());
    return this.#seedsAt.get(url) ?? [];
  }

  opensOrigin(origin: string, seed: number, url: string): boolean {
    const kind = wholeHost(this.#data.seeds[seed]!.scope as ScopeKind);
    return new Scope([{ kind, url }], { include: [], exclude: [] }).admits(`${origin}/`);
  }

  trap(url: string): string | null {
    return this.#traps.check(url);
  }

  /** The URL as it is kept; of one that is too long only a part. */
  keptForm(url: string): string {
    return this.#traps.keptForm(url);
  }

  trapCause(pattern: string): string {
    return trapCause(pattern, this.#data.traps);
  }

  allowsTrap(pattern: string, url: string): boolean {
    return this.#allowed.has(pattern, url);
  }

  /** A seed redirected: its scope counts these URLs. Returns true if that lets in anything new. */
  widen(seed: number, scopeUrls: string[]): boolean {
    this.#data.seeds[seed]!.scopeUrls = scopeUrls;
    if (this.#seedsAt !== null) {
      enter(this.#seedsAt, this.#data.seeds[seed]!);
    }
    const grown = rulesOf(this.#data.seeds[seed]!).map((rule) => this.#grow(rule));
    return grown.includes(true);
  }

  key(url: string): [number, number, number, number] {
    return keyOf(url);
  }
}

function rulesOf({ seed, scope, scopeUrls }: SeedRow): RuleOfSeed[] {
  return scopeUrls.map((url) => ({ kind: scope as ScopeKind, url, seed }));
}

function enter(seedsAt: Map<string, number[]>, { seed, url: own, scopeUrls }: SeedRow): Map<string, number[]> {
  for (const url of [own, ...scopeUrls]) {
    const known = seedsAt.get(url) ?? [];
    seedsAt.set(url, known.includes(seed) ? known : [...known, seed]);
  }
  return seedsAt;
}

function anyPattern(texts: readonly string[]): UrlPattern {
  const patterns = texts.map((text) => compilePattern(text, 'a rule'));
  return (url) => patterns.some((matches) => matches(url));
}
