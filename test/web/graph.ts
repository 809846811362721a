import { gzipSync } from 'node:zlib';
import type { LinkKind } from '../../src/parse/links.js';
import { linkGraph } from './graph-links.js';
import {
  EXTERNAL_HOST,
  type GraphHost,
  type GraphOptions,
  type GraphPage,
  INGREDIENTS,
  type Ingredients,
} from './graph-page.js';
import { type GraphPlan, planGraph } from './graph-plan.js';
import { renderPage } from './graph-render.js';
import { type ClosureOptions, closureOf, type Truth } from './graph-truth.js';
import { Random } from './random.js';
import { html, notFound, reset, type Site, type SiteAnswer, sitemapIndex, text, urlset, xml } from './site.js';
import type { WebInABox } from './web.js';

export interface Edge {
  to: string;
  kind: LinkKind;
  rel: string;
}

/** A seeded web of many hosts, and the truth about it. */
export interface Graph {
  readonly seeds: string[];
  readonly hosts: readonly GraphHost[];
  readonly pages: ReadonlyMap<string, GraphPage>;
  closure(options?: ClosureOptions): Map<string, Truth>;
  /** Every edge of a URL in document order; of a redirect the one to its target. Pages that are not 2xx have none. */
  edges(url: string): Edge[];
  /** Serves all hosts of the graph, and the one outside. The first failures of a URL happen once per call. */
  install(web: WebInABox): void;
}

export function makeGraph(options: GraphOptions): Graph {
  if (options.urls < options.hosts || options.hosts < 1) {
    throw new RangeError(
      `a graph needs at least one host and one URL a host, got ${options.hosts} and ${options.urls}`,
    );
  }
  const on = Object.fromEntries(INGREDIENTS.map((name) => [name, options[name] ?? true])) as Ingredients;
  const random = new Random(options.seed);
  const hostName = options.hostName ?? ((host) => `h${host}.test`);
  const names = Array.from({ length: options.hosts }, (_, host) => hostName(host));
  const plan = planGraph(random, names, options.urls, on);
  linkGraph(random, plan, on);

  return {
    seeds: [plan.pages[0]!.url],
    hosts: plan.hosts,
    pages: plan.byUrl,
    closure: (closureOptions) => closureOf(plan, closureOptions),
    edges(url) {
      const page = plan.byUrl.get(url);
      if (!page) {
        return [];
      }
      if (page.location !== null) {
        return [{ to: page.location, kind: 'redirect', rel: '' }];
      }
      return page.links.map(({ to, kind, rel }) => ({ to, kind, rel: rel.toLowerCase().replace(/\s+/g, ' ') }));
    },
    install(web) {
      const rendered = new RenderedPages(options.seed, on.spellings);
      for (const host of plan.hosts) {
        web.site(host.name, graphSite(host, plan, rendered));
      }
      web.site(EXTERNAL_HOST, {
        handle: () => html('<!doctype html><title>Outside</title><p>Nobody should come here.'),
      });
    },
  };
}

/** Pages as they were written once; bounded, so that a graph of a million pages can be served. */
class RenderedPages {
  static readonly #MOST = 50_000;
  readonly #answers = new Map<GraphPage, SiteAnswer>();
  readonly #seed: number;
  readonly #spellings: boolean;

  constructor(seed: number, spellings: boolean) {
    this.#seed = seed;
    this.#spellings = spellings;
  }

  get(page: GraphPage): SiteAnswer {
    let answer = this.#answers.get(page);
    if (!answer) {
      answer = renderPage(page, this.#seed, this.#spellings);
      if (this.#answers.size < RenderedPages.#MOST) {
        this.#answers.set(page, answer);
      }
    }
    return answer;
  }
}

function graphSite(host: GraphHost, plan: GraphPlan, rendered: RenderedPages): Site {
  const services = serviceFiles(host);
  const refusals = new Map<GraphPage, number>();
  return {
    handle({ method, path }) {
      const page = plan.byUrl.get(host.origin + path);
      if (!page) {
        return services.get(path) ?? (path.startsWith('/assets/') ? asset : notFound);
      }
      if (page.failsFirst && method === 'GET') {
        const refused = refusals.get(page) ?? 0;
        if (refused < page.failsFirst.times) {
          refusals.set(page, refused + 1);
          return page.failsFirst.by === 'reset' ? reset : text('Busy.', 503);
        }
      }
      return rendered.get(page);
    },
  };
}

/** One answer for pictures, scripts and styles alike: nothing of a crawl depends on what they hold. */
const asset: SiteAnswer = { headers: { 'content-type': 'application/octet-stream' }, body: Buffer.alloc(200, 0xab) };

function serviceFiles(host: GraphHost): Map<string, SiteAnswer> {
  const files = new Map<string, SiteAnswer>();
  if (host.robots !== null) {
    files.set('/robots.txt', text(host.robots));
  }
  if (host.sitemap === null) {
    return files;
  }
  const { style, urls } = host.sitemap;
  if (style === 'robots') {
    files.set('/maps/sitemap-main.xml', xml(urlset(urls)));
  } else if (style === 'plain') {
    files.set('/sitemap.xml', xml(urlset(urls)));
  } else {
    const half = Math.ceil(urls.length / 2);
    const gzipped = gzipSync(urlset(urls.slice(half)));
    files.set('/sitemap.xml', xml(sitemapIndex([`${host.origin}/sitemap-a.xml`, `${host.origin}/sitemap-b.xml.gz`])));
    files.set('/sitemap-a.xml', xml(urlset(urls.slice(0, half))));
    files.set('/sitemap-b.xml.gz', { headers: { 'content-type': 'application/gzip' }, body: gzipped });
  }
  return files;
}
