import type { SeedRow } from '../store/transaction.js';
import { QueueClass, UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import { urlKey } from '../url/key.js';
import { queueOriginOf } from '../url/place.js';
import { Scope, type ScopeKind } from '../url/scope.js';
import type { Offer, Outcome } from './frontier.js';

/** How a seed fared; `forbidden` quotes the line of robots.txt. */
export interface SeedFate {
  seed: number;
  label: string;
  fate: 'open' | 'reached' | 'failed' | 'forbidden';
  detail: string | null;
}

/** What became of each seed, and what is tried next where a bare domain does not answer the way it was first asked. */
export class SeedBook {
  readonly #seeds: SeedRow[];
  readonly #fates: SeedFate[];
  readonly #tried: number[];
  /** The URL that stands for the seed now: itself, another spelling, or what it redirected to. */
  readonly #current: string[];
  #hostScope = new Scope([], { include: [], exclude: [] });
  #scopeIsOld = true;

  constructor(seeds: SeedRow[]) {
    this.#seeds = seeds;
    this.#fates = seeds.map(({ seed, label }) => ({ seed, label, fate: 'open', detail: null }));
    this.#tried = seeds.map(() => 0);
    this.#current = seeds.map(({ url }) => url);
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

  first(): Offer[] {
    return this.#seeds.map((seed) => seedOffer(seed.url, seed.seed));
  }

  redirected(seed: number, url: string): void {
    this.#current[seed] = url;
    this.#scopeIsOld = true;
  }

  /** Whether pages of this origin can be in scope at all, whatever their paths. */
  covers(origin: string): boolean {
    if (this.#hostScope.ruleFor(`${origin}/`) === null && this.#scopeIsOld) {
      this.#hostScope = hostScope(this.#seeds);
      this.#scopeIsOld = false;
    }
    return this.#hostScope.ruleFor(`${origin}/`) !== null;
  }

  reached(seed: number): void {
    this.#fates[seed]!.fate = 'reached';
    this.#fates[seed]!.detail = null;
  }

  /** The next spelling to try, if there is one. */
  failed(seed: number, outcome: Pick<Outcome, 'unsent' | 'message' | 'errorClass'>): Offer | null {
    const fate = this.#fates[seed]!;
    if (fate.fate === 'reached') {
      return null;
    }
    fate.fate = outcome.unsent === 'robots' ? 'forbidden' : 'failed';
    fate.detail = outcome.message ?? outcome.errorClass;
    const next = outcome.unsent === 'robots' ? undefined : this.#seeds[seed]!.fallbacks[this.#tried[seed]!++];
    if (next === undefined) {
      return null;
    }
    fate.fate = 'open';
    this.#current[seed] = next;
    return seedOffer(next, seed);
  }

  /** The host of these seeds cannot be had at all, or its robots.txt not be read. */
  originFailed(origin: string, reason: string, outcome: Pick<Outcome, 'message' | 'errorClass'>): Offer[] {
    const offers: Offer[] = [];
    for (const { seed, fate } of this.#fates) {
      if (fate !== 'open' || queueOriginOf(this.#current[seed]!) !== origin) {
        continue;
      }
      const hasNext = this.#tried[seed]! < this.#seeds[seed]!.fallbacks.length;
      if (reason === 'robots_unreachable' && !hasNext) {
        continue;
      }
      const next = this.failed(seed, { unsent: null, message: outcome.message, errorClass: outcome.errorClass });
      if (next !== null) {
        offers.push(next);
      }
    }
    return offers;
  }
}

function hostScope(seeds: readonly SeedRow[]): Scope {
  const kindOf = (scope: string) => (scope === 'page' || scope === 'prefix' ? 'host' : (scope as ScopeKind));
  const rules = seeds.flatMap(({ scope, scopeUrls }) => scopeUrls.map((url) => ({ kind: kindOf(scope), url })));
  return new Scope(rules, { include: [], exclude: [] });
}

function seedOffer(url: string, seed: number): Offer {
  return {
    url,
    key: keyOf(url),
    kind: UrlKind.page,
    state: UrlState.queued,
    reason: null,
    depth: 0,
    class: QueueClass.seed,
    seed,
    hops: 0,
    flags: UrlFlag.seed,
    pattern: null,
  };
}

export function keyOf(url: string): [number, number, number, number] {
  const words = new Uint32Array(4);
  urlKey(url, words, 0);
  return [words[0]!, words[1]!, words[2]!, words[3]!];
}

/** A sitemap may also be linked as a page: it is another URL then. */
export const sitemapKey = (url: string): [number, number, number, number] => keyOf(`sitemap ${url}`);
