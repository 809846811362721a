import type { SeedRow } from '../store/transaction.js';
import { queueOriginOf } from '../url/host.js';
import { Scope, type ScopeKind, wholeHost } from '../url/scope.js';
import { type Offer, type Outcome, seedOffer } from './outcome.js';

/** How a seed fared; `forbidden` quotes the line of robots.txt. */
export interface SeedFate {
  /** Its place among the seeds, from 0. */
  seed: number;
  /** As it was given. */
  label: string;
  /**
   * `reached`: it gave an answer below 400 (in a preview: robots.txt does not forbid it); `failed`; `forbidden` by robots.txt; `open`: put
   * off, or the run ended first.
   */
  fate: 'open' | 'reached' | 'failed' | 'forbidden';
  /** The reason in words, for `forbidden` the line of robots.txt; null if there is nothing to say. */
  detail: string | null;
  /** Why it failed, as in the outputs; null if it has not. */
  reason: Outcome['errorClass'];
  /** The HTTP status if that is why it failed; otherwise null. */
  status: number | null;
  /** Where it redirects to, as far as that is followed; null if it does not. */
  redirectsTo: string | null;
}

/** The result of each seed, and what is tried next if a bare domain does not answer in its first spelling. */
export class SeedBook {
  readonly #seeds: SeedRow[];
  readonly #fates: SeedFate[];
  readonly #tried: number[];
  /** The URL that stands for the seed now: itself, another spelling, or what it redirected to. */
  readonly #current: string[];
  /** Which seeds those are, by origin. */
  readonly #byOrigin = new Map<string, Set<number>>();
  readonly #hostScope = new Scope([], { include: [], exclude: [] });

  constructor(seeds: SeedRow[]) {
    this.#seeds = seeds;
    this.#fates = seeds.map(({ seed, label }) => ({
      ...{ seed, label, fate: 'open', detail: null, reason: null, status: null, redirectsTo: null },
    }));
    this.#tried = seeds.map(() => 0);
    this.#current = seeds.map(({ url }) => url);
    for (const { seed, url, scope, scopeUrls } of seeds) {
      this.#enter(seed, url);
      for (const each of scopeUrls) {
        this.#hostScope.grow({ kind: wholeHost(scope as ScopeKind), url: each });
      }
    }
  }

  get seeds(): readonly SeedRow[] {
    return this.#seeds;
  }

  get fates(): readonly SeedFate[] {
    return this.#fates;
  }

  /** True when every seed has been tried and none was reached. */
  get allFailed(): boolean {
    return this.#fates.length > 0 && this.#fates.every(({ fate }) => fate === 'failed' || fate === 'forbidden');
  }

  /** All seeds, as they were given, in pieces. */
  *first(pieceSize: number): IterableIterator<Offer[]> {
    for (let from = 0; from < this.#seeds.length; from += pieceSize) {
      yield this.#seeds.slice(from, from + pieceSize).map((seed) => seedOffer(seed.url, seed.seed));
    }
  }

  /** A seed redirects to the last of these. */
  redirected(seed: number, scopeUrls: string[]): void {
    const row = this.#seeds[seed]!;
    const url = scopeUrls.at(-1)!;
    this.#fates[seed]!.redirectsTo = url;
    row.scopeUrls = scopeUrls;
    this.#stands(seed, url);
    this.#hostScope.grow({ kind: wholeHost(row.scope as ScopeKind), url });
  }

  /** The scope of a seed counts these URLs too, wherever that was found out. */
  grew(seed: number, urls: readonly string[]): void {
    const { scope } = this.#seeds[seed]!;
    for (const url of urls) {
      this.#hostScope.grow({ kind: wholeHost(scope as ScopeKind), url });
    }
  }

  /** Whether pages of this origin can be in scope at all, whatever their paths. */
  covers(origin: string): boolean {
    return this.#hostScope.admits(`${origin}/`);
  }

  reached(seed: number): void {
    Object.assign(this.#fates[seed]!, { fate: 'reached', detail: null, reason: null, status: null });
  }

  /** The next spelling to try, if there is one. */
  failed(seed: number, outcome: Pick<Outcome, 'unsent' | 'message' | 'errorClass' | 'status'>): Offer | null {
    const fate = this.#fates[seed]!;
    if (fate.fate === 'reached') {
      return null;
    }
    fate.fate = outcome.unsent === 'robots' ? 'forbidden' : 'failed';
    fate.detail = outcome.message ?? outcome.errorClass;
    fate.reason = outcome.errorClass;
    fate.status = outcome.status;
    const next = outcome.unsent !== null ? undefined : this.#seeds[seed]!.fallbacks[this.#tried[seed]!++];
    if (next === undefined) {
      return null;
    }
    fate.fate = 'open';
    fate.redirectsTo = null;
    this.#stands(seed, next);
    return seedOffer(next, seed);
  }

  #stands(seed: number, url: string): void {
    this.#byOrigin.get(queueOriginOf(this.#current[seed]!))?.delete(seed);
    this.#current[seed] = url;
    this.#enter(seed, url);
  }

  #enter(seed: number, url: string): void {
    const origin = queueOriginOf(url);
    const seeds = this.#byOrigin.get(origin) ?? new Set();
    this.#byOrigin.set(origin, seeds.add(seed));
  }

  /** Whether a seed that stands at this origin can still be tried in another spelling. */
  hasOtherSpelling(origin: string): boolean {
    return [...(this.#byOrigin.get(origin) ?? [])].some(
      (seed) => this.#fates[seed]!.fate === 'open' && this.#tried[seed]! < this.#seeds[seed]!.fallbacks.length,
    );
  }

  /** The host of these seeds cannot be reached, or its robots.txt cannot be read. */
  originFailed(origin: string, reason: string, outcome: Pick<Outcome, 'message' | 'errorClass'>): Offer[] {
    const offers: Offer[] = [];
    for (const seed of [...(this.#byOrigin.get(origin) ?? [])]) {
      if (this.#fates[seed]!.fate !== 'open') {
        continue;
      }
      const hasNext = this.#tried[seed]! < this.#seeds[seed]!.fallbacks.length;
      if (reason === 'robots_unreachable' && !hasNext) {
        continue;
      }
      // The status is that of robots.txt, not of the seed.
      const next = this.failed(seed, { ...outcome, unsent: null, status: null });
      if (next !== null) {
        offers.push(next);
      }
    }
    return offers;
  }
}
