import type { GraphPage } from './graph-page.js';
import type { GraphPlan } from './graph-plan.js';

/** How a crawl must end for one URL. */
export interface Truth {
  state: 'done' | 'failed' | 'skipped';
  /** Error class of a failure, reason of a skip. */
  reason: string | null;
  /** Of its own response; null where it must not be requested. */
  status: number | null;
  depth: number;
  /** Where its redirects end; the URL itself where there are none, or no end. */
  finalUrl: string;
}

export interface ClosureOptions {
  /** The first page of the graph unless given. */
  seeds?: string[];
  /** Every host of the graph unless given. */
  inScope?: (url: string) => boolean;
  maxDepth?: number;
  nofollow?: 'obey' | 'ignore';
  sitemaps?: boolean;
}

const FOLLOWED = new Set<string>(['a', 'area', 'iframe', 'refresh', 'next', 'prev', 'canonical', 'alternate']);

const saysNofollow = (rel: string): boolean => rel.toLowerCase().split(/\s+/).includes('nofollow');

/** Every URL in scope that a crawl must know at its end, worked out from the graph alone. */
export function closureOf(plan: GraphPlan, options: ClosureOptions = {}): Map<string, Truth> {
  return new Closure(plan, options).truths();
}

class Closure {
  readonly #plan: GraphPlan;
  readonly #hosts: Map<string, GraphPlan['hosts'][number]>;
  readonly #options: Required<ClosureOptions>;
  /** Shortest distance over links that may be followed; over --depth these are known, but cut. */
  readonly #depths = new Map<string, number>();
  /** Shortest distance over a last link that may not be followed. */
  readonly #refused = new Map<string, number>();
  readonly #touched = new Set<string>();
  /** URLs whose distance is new, by that distance. */
  readonly #changed: string[][] = [];

  constructor(plan: GraphPlan, options: ClosureOptions) {
    this.#plan = plan;
    this.#hosts = new Map(plan.hosts.map((host) => [host.name, host]));
    this.#options = {
      seeds: [plan.pages[0]!.url],
      inScope: (url) => this.#hosts.has(this.#hostOf(url)),
      maxDepth: Number.POSITIVE_INFINITY,
      nofollow: 'obey',
      sitemaps: true,
      ...options,
    };
  }

  truths(): Map<string, Truth> {
    for (const seed of this.#options.seeds) {
      this.#offer(seed, 0);
    }
    for (let url = this.#nearest(); url !== undefined; url = this.#nearest()) {
      this.#expand(url);
    }

    const truths = new Map<string, Truth>();
    for (const [url, depth] of this.#depths) {
      truths.set(url, { depth, ...this.#outcome(url, depth) });
    }
    for (const [url, depth] of this.#refused) {
      if (!truths.has(url)) {
        truths.set(url, { depth, ...skipped(url, 'nofollow') });
      }
    }
    return truths;
  }

  #offer(url: string, depth: number): void {
    if (!this.#options.inScope(url) || (this.#depths.get(url) ?? Number.POSITIVE_INFINITY) <= depth) {
      return;
    }
    this.#depths.set(url, depth);
    this.#changed[depth] ??= [];
    this.#changed[depth].push(url);
  }

  /** Nearest first, but never final: a sitemap that is found late can shorten paths that were walked already. */
  #nearest(): string | undefined {
    return this.#changed.find((urls) => urls !== undefined && urls.length > 0)?.pop();
  }

  #hostOf(url: string): string {
    return this.#plan.byUrl.get(url)?.host ?? new URL(url).hostname;
  }

  #expand(url: string): void {
    const depth = this.#depths.get(url)!;
    const page = this.#plan.byUrl.get(url);
    if (depth > this.#options.maxDepth) {
      return;
    }
    this.#touch(this.#hostOf(url));
    if (!page || page.disallowed) {
      return;
    }
    if (page.location !== null) {
      this.#offer(page.location, depth);
    }
    const obeys = this.#options.nofollow === 'obey';
    for (const link of page.links) {
      if (!FOLLOWED.has(link.kind)) {
        continue;
      }
      if (!obeys || (page.nofollow === null && !saysNofollow(link.rel))) {
        this.#offer(link.to, depth + 1);
      } else if (this.#options.inScope(link.to)) {
        this.#refused.set(link.to, Math.min(depth + 1, this.#refused.get(link.to) ?? Number.POSITIVE_INFINITY));
      }
    }
  }

  /** The first URL that is queued for a host brings its robots.txt, and with it the sitemaps. */
  #touch(name: string): void {
    if (this.#touched.has(name)) {
      return;
    }
    this.#touched.add(name);
    if (!this.#options.sitemaps) {
      return;
    }
    for (const url of this.#hosts.get(name)?.sitemap?.urls ?? []) {
      this.#offer(url, 1);
    }
  }

  #outcome(url: string, depth: number): Omit<Truth, 'depth'> {
    const page = this.#plan.byUrl.get(url);
    if (depth > this.#options.maxDepth) {
      return skipped(url, 'depth');
    }
    if (page?.disallowed) {
      return skipped(url, 'robots');
    }
    const status = page?.status ?? 404;
    if (status >= 500) {
      return { state: 'failed', reason: 'http_5xx', status, finalUrl: url };
    }
    if (status >= 400) {
      return { state: 'failed', reason: 'http_4xx', status, finalUrl: url };
    }
    const finalUrl = this.#endOfChain(url, page!);
    if (finalUrl === null) {
      return { state: 'failed', reason: 'redirect_loop', status, finalUrl: url };
    }
    return { state: 'done', reason: null, status, finalUrl };
  }

  /** The first URL of the chain that is not a redirect or is not requested; null for a loop, and for a way into one. */
  #endOfChain(url: string, page: GraphPage): string | null {
    const passed = new Set<string>();
    let current = url;
    let at: GraphPage | undefined = page;
    while (at && at.location !== null && !at.disallowed && this.#options.inScope(current)) {
      if (passed.has(current)) {
        return null;
      }
      passed.add(current);
      current = at.location;
      at = this.#plan.byUrl.get(current);
    }
    return current;
  }
}

const skipped = (url: string, reason: string): Omit<Truth, 'depth'> => ({
  state: 'skipped',
  reason,
  status: null,
  finalUrl: url,
});
