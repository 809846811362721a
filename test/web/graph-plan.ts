import { EXTERNAL_HOST, type GraphHost, type GraphPage, type Ingredients } from './graph-page.js';
import { prose, type Random } from './random.js';
import { nearUrls } from './spellings.js';

/** Which URLs exist and what is behind each; links come later (graph-links.ts). */
export interface GraphPlan {
  hosts: GraphHost[];
  pages: GraphPage[];
  byUrl: Map<string, GraphPage>;
  /** Pages that links may point to: not those that only a sitemap or only a nofollow link leads to. */
  linkable: GraphPage[];
  nofollowOnly: GraphPage[];
}

const ROBOTS_RULES = 'User-agent: *\nDisallow: /private/\nAllow: /private/open/\nDisallow: /*.secret$\n';
const isForbidden = (path: string): boolean =>
  (path.startsWith('/private/') && !path.startsWith('/private/open/')) || path.endsWith('.secret');

const PATHS: readonly ((n: number) => string)[] = [
  (n) => `/p${n}.html`,
  (n) => `/dir${n % 7}/page${n}`,
  (n) => `/a/b/p${n}/`,
  (n) => `/caf%C3%A9/p${n}.html`,
  (n) => `/with%20space/p${n}`,
  (n) => `/find?q=${n}&lang=en`,
  (n) => `/~user${n % 5}/p${n}`,
  (n) => `/private/open/p${n}.html`,
];
const FORBIDDEN_PATHS: readonly ((n: number) => string)[] = [
  (n) => `/private/p${n}.html`,
  (n) => `/files/p${n}.secret`,
];
const BINARIES = [
  ['.pdf', 'application/pdf'],
  ['.zip', 'application/zip'],
  ['.png', 'image/png'],
  ['', 'application/octet-stream'],
] as const;
const HTML = 'text/html; charset=utf-8';
const SPECIAL_CHARSETS = ['utf-8-bom', 'latin1-header', 'latin1-meta', 'utf-16le-bom'] as const;
const CHARSET_TYPES: Record<GraphPage['charset'], string> = {
  'utf-8': HTML,
  'utf-8-bom': 'text/html',
  'latin1-header': 'text/html; charset=iso-8859-1',
  'latin1-meta': 'text/html',
  'utf-16le-bom': 'text/html',
};

export function planGraph(random: Random, names: string[], urls: number, on: Ingredients): GraphPlan {
  const hosts = names.map((name, n) => planHost(random, name, n, on));
  const plan: GraphPlan = { hosts, pages: [], byUrl: new Map(), linkable: [], nofollowOnly: [] };
  const planner = new Planner(random, plan, on);
  for (const host of hosts) {
    planner.home(host);
  }
  while (plan.pages.length < urls) {
    planner.next(urls - plan.pages.length);
  }
  return plan;
}

function planHost(random: Random, name: string, n: number, on: Ingredients): GraphHost {
  const origin = `http://${name}`;
  // The first host has everything, so that the smallest graph has it too.
  const hasRules = on.robots && (n === 0 || random.chance(0.8));
  const style = random.pick(hasRules ? (['robots', 'plain', 'index'] as const) : (['plain', 'index'] as const));
  const hasSitemap = on.sitemaps && (n === 0 || random.chance(0.4));
  const sitemapLine = hasSitemap && style === 'robots' ? `\nSitemap: ${origin}/maps/sitemap-main.xml\n` : '';
  return {
    name,
    origin,
    robots: hasRules ? ROBOTS_RULES + sitemapLine : null,
    sitemap: hasSitemap ? { style, urls: [`${origin}/`] } : null,
  };
}

type Facts = Partial<Pick<GraphPage, 'kind' | 'status' | 'contentType' | 'nofollow' | 'location'>>;

class Planner {
  readonly #random: Random;
  readonly #plan: GraphPlan;
  readonly #on: Ingredients;

  constructor(random: Random, plan: GraphPlan, on: Ingredients) {
    this.#random = random;
    this.#plan = plan;
    this.#on = on;
  }

  home(host: GraphHost): void {
    this.#link(this.#add(host, '/', {}));
  }

  /** One more URL, of a kind by lot; a loop of redirects may be several, up to `most`. */
  next(most: number): void {
    const random = this.#random;
    const host = random.pick(this.#plan.hosts);
    const lot = random.fraction();
    if (lot < 0.06) {
      this.#redirects(host, most);
    } else if (lot < 0.09) {
      this.#failure(host);
    } else if (lot < 0.13) {
      this.#binary(host);
    } else if (lot < 0.17) {
      this.#forbidden(host);
    } else if (lot < 0.19) {
      this.#nofollowOnly(host);
    } else if (lot < 0.22) {
      this.#orphan(host);
    } else if (lot < 0.25) {
      this.#twin();
    } else {
      this.#ordinary(host);
    }
  }

  #ordinary(host: GraphHost): void {
    const wholePage = this.#on.nofollow && this.#random.chance(0.02);
    this.#link(
      this.#add(host, this.#path(), wholePage ? { nofollow: this.#random.pick(['meta', 'header'] as const) } : {}),
    );
  }

  #redirects(host: GraphHost, most: number): void {
    if (!this.#on.redirects) {
      return;
    }
    const random = this.#random;
    const redirects = (): GraphPage =>
      this.#link(this.#add(host, this.#path(), { kind: 'redirect', status: random.pick([301, 302, 303, 307, 308]) }));
    if (random.chance(0.85)) {
      redirects();
      return;
    }
    const loop = Array.from({ length: Math.min(most, random.between(1, 3)) }, redirects);
    for (const [i, page] of loop.entries()) {
      page.location = loop[(i + 1) % loop.length]!.url;
    }
  }

  #failure(host: GraphHost): void {
    if (!this.#on.failures) {
      return;
    }
    this.#link(this.#add(host, this.#path(), { kind: 'error', status: this.#random.pick([404, 404, 410, 500]) }));
  }

  #binary(host: GraphHost): void {
    if (!this.#on.binaries) {
      return;
    }
    const [extension, contentType] = this.#random.pick(BINARIES);
    this.#link(
      this.#add(host, `/download/file${this.#plan.pages.length}${extension}`, { kind: 'binary', contentType }),
    );
  }

  #forbidden(host: GraphHost): void {
    if (!this.#on.robots) {
      return;
    }
    this.#link(this.#add(host, this.#random.pick(FORBIDDEN_PATHS)(this.#plan.pages.length), {}));
  }

  #nofollowOnly(host: GraphHost): void {
    if (this.#on.nofollow) {
      this.#plan.nofollowOnly.push(this.#add(host, this.#path(), {}));
    }
  }

  #orphan(host: GraphHost): void {
    if (host.sitemap) {
      host.sitemap.urls.push(this.#add(host, this.#path(), {}).url);
    }
  }

  #twin(): void {
    if (!this.#on.twins) {
      return;
    }
    const original = this.#random.pick(this.#plan.linkable);
    const near = nearUrls(original.url).filter((url) => !this.#plan.byUrl.has(url));
    if (near.length === 0 || original.kind !== 'html' || /^\/private\/|\.secret/.test(original.path)) {
      return;
    }
    const host = this.#plan.hosts.find(({ name }) => name === original.host)!;
    this.#link(this.#add(host, this.#random.pick(near).slice(host.origin.length), {}));
  }

  #path(): string {
    return this.#random.pick(PATHS)(this.#plan.pages.length);
  }

  #link(page: GraphPage): GraphPage {
    this.#plan.linkable.push(page);
    return page;
  }

  #add(host: GraphHost, path: string, facts: Facts): GraphPage {
    const random = this.#random;
    const number = this.#plan.pages.length;
    const { kind = 'html', status = 200 } = facts;
    const isHtml = kind === 'html';
    const charset = isHtml && this.#on.charsets && random.chance(0.12) ? random.pick(SPECIAL_CHARSETS) : 'utf-8';
    const fails = isHtml && number > 0 && this.#on.transient && random.chance(0.03);
    const page: GraphPage = {
      number,
      url: host.origin + path,
      host: host.name,
      path,
      kind,
      status,
      contentType: facts.contentType ?? CHARSET_TYPES[charset],
      title: kind === 'html' || kind === 'error' ? `Page ${number}: ${prose(random, 2)} é` : null,
      location: null,
      links: [],
      disallowed: host.robots !== null && isForbidden(path),
      nofollow: facts.nofollow ?? null,
      failsFirst: fails ? { times: random.between(1, 2), by: random.pick(['503', 'reset'] as const) } : null,
      contentEncoding:
        isHtml && this.#on.encodings && random.chance(0.25) ? random.pick(['gzip', 'br'] as const) : null,
      charset,
      base: isHtml && this.#on.spellings && random.chance(0.05) ? `${host.origin}/base/of/links/` : null,
    };
    this.#plan.pages.push(page);
    this.#plan.byUrl.set(page.url, page);
    return page;
  }
}

export const externalUrl = (random: Random): string => `http://${EXTERNAL_HOST}/elsewhere/${random.between(1, 20)}`;
