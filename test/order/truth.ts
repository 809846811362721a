import {
  type Answer,
  type Case,
  FORBIDDEN,
  htmlOf,
  type LinkName,
  originOf,
  type Plan,
  type Seed,
  TRAP_PATH,
} from './web.js';

/** What is kept of a URL in the end, and does not depend on when it was found. */
export interface Fact {
  state: string;
  reason: string | null;
  /** Null where the URL is only the end of a link. */
  depth: number | null;
  external: boolean;
  status: number | null;
  bytes: number;
  /** Kind and target of each link, in their order. */
  edges: string[];
}

export interface Truth {
  urls: Record<string, Fact>;
  sitemaps: Record<string, string>;
}

/** How a URL is led to: the shortest way of each sort. */
interface Ways {
  followed: number;
  loaded: number;
  heldBack: number;
  declined: number;
  named: boolean;
  isSeed: boolean;
  /** It is the end of a link at all. */
  isEnd: boolean;
}

interface Rule {
  seed: number;
  scope: Seed['scope'];
  url: string;
}

const NEVER = Number.POSITIVE_INFINITY;
const hostOf = (url: string): string => originOf(url).slice('http://'.length);
const pathOf = (url: string): string => url.slice(originOf(url).length);
const PLACES = ['/sitemap.xml', '/sitemap_index.xml'];
const KIND: Record<LinkName, string> = {
  ...{
    a: 'a',
    nofollow: 'a',
    declined: 'a',
    iframe: 'iframe',
    canonical: 'canonical',
    alternate: 'alternate',
    img: 'img',
  },
  form: 'form',
};

/** From what a crawl starts to all that must be found, by rules that know no time: whatever leads somewhere does so until nothing changes. */
export function truthOf({ web, plan }: Case): Truth {
  const given: Rule[] = plan.seeds.map(({ url, scope }, seed) => ({ seed, scope, url }));
  const grown = new Map<string, Rule>();
  for (;;) {
    const found = explore(web, plan, given, [...grown.values()]);
    const before = grown.size;
    for (const rule of found.rules) {
      grown.set(`${rule.seed} ${rule.url}`, rule);
    }
    if (grown.size === before) {
      return found.truth;
    }
  }
}

/** All that there is under this scope, and what the seeds' redirects add to it. */
function explore(web: Case['web'], plan: Plan, given: Rule[], grown: Rule[]): { truth: Truth; rules: Rule[] } {
  const ways = new Map<string, Ways>();
  /** Which seeds lead to a URL by redirects alone. */
  const seedsAt = new Map<string, Set<number>>();
  const sitemaps = new Set<string>();
  const rules: Rule[] = [];
  let changed = true;

  const limitOf = (seed: number) => plan.seeds[seed]?.depth ?? plan.depth ?? NEVER;
  const ownerOf = (url: string): number | null => {
    const nearest = given.filter((rule) => admits(rule, url)).sort(byNearness)[0];
    if (nearest !== undefined) {
      return nearest.seed;
    }
    const later = grown.filter((rule) => admits(rule, url)).sort((x, y) => limitOf(y.seed) - limitOf(x.seed))[0];
    return later?.seed ?? null;
  };
  const covers = (origin: string) =>
    [...given, ...grown].some((rule) =>
      admits(rule.scope === 'page' || rule.scope === 'prefix' ? { ...rule, scope: 'host' } : rule, `${origin}/`),
    );
  const wayTo = (url: string): Ways => {
    const known = ways.get(url);
    if (known !== undefined) {
      return known;
    }
    const fresh = {
      followed: NEVER,
      loaded: NEVER,
      heldBack: NEVER,
      declined: NEVER,
      named: false,
      isSeed: false,
      isEnd: false,
    };
    ways.set(url, fresh);
    changed = true;
    return fresh;
  };
  const lead = (url: string, sort: 'followed' | 'loaded' | 'heldBack' | 'declined', depth: number) => {
    const way = wayTo(url);
    if (depth < way[sort]) {
      way[sort] = depth;
      changed = true;
    }
  };
  const leadSeed = (url: string, seed: number) => {
    const seeds = seedsAt.get(url) ?? new Set();
    changed ||= !seeds.has(seed);
    seedsAt.set(url, seeds.add(seed));
    lead(url, 'followed', 0);
    wayTo(url).isSeed = true;
  };

  for (const [seed, { url }] of plan.seeds.entries()) {
    leadSeed(url, seed);
  }
  for (const url of plan.candidates) {
    const owner = given.some((rule) => admits(rule, url)) ? ownerOf(url) : null;
    if (owner !== null && !isTrap(url, plan) && limitOf(owner) >= 1) {
      wayTo(url).named = true;
    }
  }

  const judge = (url: string, way: Ways) => {
    const owner = ownerOf(url);
    const isFetched = way.followed < NEVER || way.loaded < NEVER || way.named;
    const depth = isFetched
      ? Math.min(way.followed, way.loaded, way.named ? 1 : NEVER)
      : Math.min(way.heldBack, way.declined);
    if (way.isSeed) {
      return { fate: 'asked', depth, external: false } as const;
    }
    const outside = owner === null;
    if (outside && !plan.external) {
      return { fate: 'scope', depth: null, external: false } as const;
    }
    if (!isFetched) {
      if (way.declined < NEVER) {
        return { fate: 'link_hook', depth, external: outside } as const;
      }
      return way.heldBack < NEVER
        ? ({ fate: 'nofollow', depth, external: outside } as const)
        : ({ fate: 'asset', depth: null, external: false } as const);
    }
    if (isTrap(url, plan)) {
      return { fate: 'trap', depth, external: outside } as const;
    }
    if (depth <= limitOf(owner ?? 0)) {
      return { fate: 'asked', depth, external: outside } as const;
    }
    return plan.check
      ? ({ fate: 'asked', depth, external: true } as const)
      : ({ fate: 'depth', depth, external: outside } as const);
  };

  const urls: Truth['urls'] = {};
  const asked = new Set<string>();
  while (changed) {
    changed = false;
    for (const [url, way] of [...ways]) {
      const judged = judge(url, way);
      if (judged.depth === null) {
        if (way.isEnd) {
          urls[url] = { ...NOTHING, reason: judged.fate };
        }
        continue;
      }
      const { fate, depth, external } = judged;
      if (fate !== 'asked') {
        urls[url] = { ...NOTHING, state: 'skipped', reason: fate, depth, external };
        continue;
      }
      changed ||= !asked.has(originOf(url));
      asked.add(originOf(url));
      const isCandidate = way.named && way.followed === NEVER && way.loaded === NEVER;
      const isLoadedOnly = plan.check && way.loaded < NEVER && way.followed === NEVER && !way.named;
      const answer = web.answers.get(url) ?? { what: 'missing' };
      if (pathOf(url).startsWith(FORBIDDEN) || answer.what === 'missing') {
        const reason = answer.what === 'missing' && !pathOf(url).startsWith(FORBIDDEN) ? 'http_4xx' : 'robots';
        const state = reason === 'robots' ? 'skipped' : 'failed';
        const status = reason === 'robots' ? null : 404;
        delete urls[url];
        if (!isCandidate) {
          urls[url] = { ...NOTHING, state, reason, depth, external, status };
        }
        continue;
      }
      const fact: Fact = { ...NOTHING, state: 'done', reason: null, depth, external, status: 200 };
      urls[url] = fact;
      if (answer.what === 'redirect') {
        fact.status = 301;
        fact.edges = [`redirect ${answer.to}`];
        wayTo(answer.to).isEnd = true;
        lead(answer.to, 'followed', depth);
        for (const seed of seedsAt.get(url) ?? []) {
          rules.push({ seed, scope: plan.seeds[seed]!.scope, url: answer.to });
          leadSeed(answer.to, seed);
        }
      } else if (answer.what === 'text') {
        fact.bytes = external || isLoadedOnly ? 0 : TEXT.length;
      } else if (answer.what === 'page' && !external) {
        fact.bytes = htmlOf(answer).length;
        fact.edges = readLinks(answer, depth);
      }
    }
    seekSitemaps();
  }

  function readLinks({ links, nofollow }: Extract<Answer, { what: 'page' }>, depth: number): string[] {
    for (const { name, to } of links) {
      wayTo(to).isEnd = true;
      if (name === 'form') {
        continue;
      }
      if (name === 'img') {
        if (plan.assets) {
          lead(to, plan.check ? 'loaded' : 'followed', depth + 1);
        }
      } else {
        const isHeldBack = plan.obeyNofollow && (nofollow !== null || name === 'nofollow');
        const isDeclined = plan.hooks && name === 'declined';
        lead(to, isHeldBack ? 'heldBack' : isDeclined ? 'declined' : 'followed', depth + 1);
      }
    }
    return links.map(({ name, to }) => `${KIND[name]} ${to}`);
  }

  function seekSitemaps(): void {
    if (!plan.seekSitemaps) {
      return;
    }
    const seek = (url: string) => {
      changed ||= !sitemaps.has(url);
      sitemaps.add(url);
    };
    for (const origin of asked) {
      if (covers(origin)) {
        for (const url of [...(web.robots.get(origin) ?? []), ...PLACES.map((place) => origin + place)]) {
          seek(url);
        }
      }
    }
    for (const url of [...sitemaps]) {
      changed ||= !asked.has(originOf(url));
      asked.add(originOf(url));
      const sitemap = web.sitemaps.get(url);
      if (sitemap?.what === 'index') {
        sitemap.files.forEach(seek);
      }
      if (sitemap?.what === 'redirect') {
        seek(sitemap.to);
      }
      if (sitemap?.what === 'urls') {
        for (const named of sitemap.urls) {
          const owner = ownerOf(named);
          // What is too deep is asked for in a check where a page links to it, and no sitemap is a page.
          if (owner !== null && (!plan.check || limitOf(owner) >= 1)) {
            lead(named, 'followed', 1);
          }
        }
      }
    }
  }

  const standings = [...sitemaps].map((url) => [url, web.sitemaps.has(url) ? 'done' : 'failed']);
  return { truth: { urls, sitemaps: Object.fromEntries(standings) }, rules };
}

export const TEXT = 'plain words';
const NOTHING: Fact = {
  state: 'unlisted',
  reason: null,
  depth: null,
  external: false,
  status: null,
  bytes: 0,
  edges: [],
};

const isTrap = (url: string, plan: Plan): boolean => !plan.external && pathOf(url) === TRAP_PATH;

function admits({ scope, url: from }: Rule, url: string): boolean {
  const host = hostOf(url);
  if (scope === 'any') {
    return true;
  }
  if (scope === 'page') {
    return url === from;
  }
  if (scope === 'host') {
    return host === hostOf(from);
  }
  if (scope === 'subdomains') {
    return host === hostOf(from) || host.endsWith(`.${hostOf(from)}`);
  }
  if (scope === 'domain') {
    return domainOf(host) === domainOf(hostOf(from));
  }
  return host === hostOf(from) && (pathOf(url) === pathOf(from) || pathOf(url).startsWith(folderOf(from)));
}

const domainOf = (host: string): string => host.split('.').slice(-2).join('.');
/** Of what looks like a file its folder, else the path itself as a folder. */
function folderOf(url: string): string {
  const path = pathOf(url);
  return /\/$|\.(?:png|txt)$/.test(path) ? path.slice(0, path.lastIndexOf('/') + 1) : `${path}/`;
}

/** Of seeds that both let a URL in, the one that says more about it counts. */
function byNearness(x: Rule, y: Rule): number {
  const rank = ({ scope, url }: Rule) =>
    ['any', 'host', 'subdomains', 'prefix', 'page', 'domain'].indexOf(scope) * 1_000 -
    (scope === 'prefix' ? folderOf(url).length : scope === 'subdomains' ? hostOf(url).length : 0);
  return rank(x) - rank(y) || x.seed - y.seed;
}
