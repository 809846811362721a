import { gunzipSync } from 'node:zlib';
import type { Edge } from '../graph.js';
import type { ClosureOptions, Truth } from '../graph-truth.js';
import { type Client, decoded, type Got } from './client.js';
import { allowedBy } from './robots.js';
import { normal, scan } from './scan.js';

interface Fetched {
  status: number;
  location: string | null;
  edges: Edge[];
  nofollow: boolean;
}

/** A crawler with no care but for the rules: what it ends with must be what the graph says of itself. */
export class NaiveCrawler {
  readonly #client: Client;
  readonly #options: Required<ClosureOptions>;
  readonly #depths = new Map<string, number>();
  readonly #refused = new Map<string, number>();
  readonly #pages = new Map<string, Fetched | 'robots' | 'depth'>();
  readonly #robots = new Map<string, string>();
  readonly #queue: string[] = [];

  constructor(client: Client, options: Required<ClosureOptions>) {
    this.#client = client;
    this.#options = options;
  }

  async run(): Promise<Map<string, Truth>> {
    for (const seed of this.#options.seeds) {
      this.#offer(seed, 0);
    }
    for (let url = this.#queue.shift(); url; url = this.#queue.shift()) {
      await this.#visit(url);
    }
    const truths = new Map<string, Truth>();
    for (const [url, depth] of this.#depths) {
      truths.set(url, { depth, ...this.#outcome(url) });
    }
    for (const [url, depth] of this.#refused) {
      if (!truths.has(url)) {
        truths.set(url, { depth, state: 'skipped', reason: 'nofollow', status: null, finalUrl: url });
      }
    }
    return truths;
  }

  #offer(url: string, depth: number): void {
    if (!this.#options.inScope(url) || (this.#depths.get(url) ?? Number.POSITIVE_INFINITY) <= depth) {
      return;
    }
    this.#depths.set(url, depth);
    this.#queue.push(url);
  }

  async #visit(url: string): Promise<void> {
    const depth = this.#depths.get(url)!;
    const known = this.#pages.get(url);
    const page = known && known !== 'depth' ? known : await this.#fetch(url, depth);
    this.#pages.set(url, page);
    if (typeof page === 'string') {
      return;
    }
    if (page.location !== null) {
      this.#offer(page.location, depth);
    }
    for (const { to, kind, rel } of page.edges) {
      if (['img', 'srcset', 'script', 'stylesheet', 'form'].includes(kind)) {
        continue;
      }
      const refused = this.#options.nofollow === 'obey' && (page.nofollow || rel.split(' ').includes('nofollow'));
      if (!refused) {
        this.#offer(to, depth + 1);
      } else if (this.#options.inScope(to)) {
        this.#refused.set(to, Math.min(depth + 1, this.#refused.get(to) ?? depth + 1));
      }
    }
  }

  async #fetch(url: string, depth: number): Promise<Fetched | 'robots' | 'depth'> {
    if (depth > this.#options.maxDepth) {
      return 'depth';
    }
    const { origin } = new URL(url);
    if (!this.#robots.has(origin)) {
      await this.#enter(origin);
    }
    if (!allowedBy(this.#robots.get(origin)!, url.slice(origin.length))) {
      return 'robots';
    }
    let got: Got | null = null;
    for (let attempt = 0; attempt < 3 && (got === null || got.status === 503); attempt++) {
      got = await this.#client.get(url).catch(() => null);
    }
    if (got === null) {
      throw new Error(`no answer from ${url}`);
    }
    const location = got.headers.location === undefined ? null : normal(String(got.headers.location), url);
    const isPage = got.status === 200 && String(got.headers['content-type']).startsWith('text/html');
    const { edges, nofollow } = isPage ? scan(decoded(got), url) : { edges: [], nofollow: false };
    return { status: got.status, location, edges, nofollow: nofollow || got.headers['x-robots-tag'] === 'nofollow' };
  }

  async #enter(origin: string): Promise<void> {
    const robots = await this.#client.get(`${origin}/robots.txt`);
    const rules = robots.status === 200 ? robots.body.toString() : '';
    this.#robots.set(origin, rules);
    const waiting = [...rules.matchAll(/^Sitemap: (.*)$/gm)].map((match) => match[1]!);
    if (waiting.length === 0) {
      waiting.push(`${origin}/sitemap.xml`);
    }
    for (let map = waiting.pop(); map && this.#options.sitemaps; map = waiting.pop()) {
      const { status, body } = await this.#client.get(map);
      const content = (map.endsWith('.gz') ? gunzipSync(body) : body).toString();
      const locations = [...content.matchAll(/<loc>(.*?)<\/loc>/g)].map((match) => match[1]!.replaceAll('&amp;', '&'));
      if (status !== 200) {
        continue;
      }
      if (content.includes('<sitemapindex')) {
        waiting.push(...locations);
      } else {
        for (const url of locations) {
          this.#offer(url, 1);
        }
      }
    }
  }

  #outcome(url: string): Omit<Truth, 'depth'> {
    const page = this.#pages.get(url)!;
    if (typeof page === 'string') {
      return { state: 'skipped', reason: page, status: null, finalUrl: url };
    }
    const { status } = page;
    if (status >= 400) {
      return { state: 'failed', reason: `http_${Math.floor(status / 100)}xx`, status, finalUrl: url };
    }
    const passed = new Set<string>();
    let end = url;
    for (
      let at = this.#pages.get(end);
      at && typeof at !== 'string' && at.location !== null;
      at = this.#pages.get(end)
    ) {
      if (passed.has(end)) {
        return { state: 'failed', reason: 'redirect_loop', status, finalUrl: url };
      }
      passed.add(end);
      end = at.location;
    }
    return { state: 'done', reason: null, status, finalUrl: end };
  }
}
