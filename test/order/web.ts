import fc from 'fast-check';

/** What may stand on a page and name a URL. */
export const LINKS = {
  a: (to: string) => `<a href="${to}">x</a>`,
  nofollow: (to: string) => `<a rel="nofollow" href="${to}">x</a>`,
  /** The link hook of the plan skips it. */
  declined: (to: string) => `<a rel="declined" href="${to}">x</a>`,
  iframe: (to: string) => `<iframe src="${to}"></iframe>`,
  canonical: (to: string) => `<link rel="canonical" href="${to}">`,
  alternate: (to: string) => `<link rel="alternate" hreflang="de" href="${to}">`,
  img: (to: string) => `<img src="${to}">`,
  form: (to: string) => `<form action="${to}"></form>`,
} as const;
export type LinkName = keyof typeof LINKS;

export interface Link {
  name: LinkName;
  to: string;
}

export type Answer =
  | { what: 'page'; links: Link[]; nofollow: 'meta' | 'header' | null }
  | { what: 'text' }
  | { what: 'image' }
  | { what: 'missing' }
  | { what: 'redirect'; to: string };

export type Sitemap =
  | { what: 'urls'; urls: string[] }
  | { what: 'index'; files: string[] }
  | { what: 'redirect'; to: string };

export interface SmallWeb {
  /** What is not here is missing. */
  answers: ReadonlyMap<string, Answer>;
  sitemaps: ReadonlyMap<string, Sitemap>;
  /** By origin: sitemaps that robots.txt names. It always forbids FORBIDDEN. */
  robots: ReadonlyMap<string, string[]>;
}

export interface Seed {
  url: string;
  scope: 'page' | 'prefix' | 'host' | 'subdomains' | 'domain' | 'any';
  depth: number | null;
}

export interface Plan {
  check: boolean;
  external: boolean;
  assets: boolean;
  obeyNofollow: boolean;
  /** There is a link hook, which skips links that are declined. */
  hooks: boolean;
  seekSitemaps: boolean;
  depth: number | null;
  seeds: Seed[];
  /** URLs that a third party names. */
  candidates: string[];
}

export interface Case {
  web: SmallWeb;
  plan: Plan;
}

export const FORBIDDEN = '/private/';
/** One segment four times: a trap by its looks. */
export const TRAP_PATH = '/x/x/x/x/x';
export const HOSTS = ['a.test', 'www.a.test', 'b.test', 'c.test'] as const;
const PATHS = ['/', '/1', '/2', '/docs/', '/docs/1', '/private/1', TRAP_PATH, '/i.png', '/t.txt'];
const SITEMAP_URLS = [
  'http://a.test/sitemap.xml',
  'http://c.test/sitemap.xml',
  'http://b.test/maps/2.xml',
  'http://a.test/maps/3.xml',
];
export const originOf = (url: string): string => /^http:\/\/[^/]+/.exec(url)![0];

const place = fc.nat({ max: 11 });
const url = fc
  .tuple(fc.constantFrom(...HOSTS), fc.constantFrom(...PATHS))
  .map(([host, path]) => `http://${host}${path}`);
const link = fc.record({
  name: fc.oneof(
    { weight: 5, arbitrary: fc.constant('a' as const) },
    { weight: 7, arbitrary: fc.constantFrom(...(Object.keys(LINKS) as LinkName[])) },
  ),
  to: place,
});
const answer = fc.record({
  what: fc.oneof(
    { weight: 5, arbitrary: fc.constant('page' as const) },
    { weight: 3, arbitrary: fc.constant('redirect' as const) },
    { weight: 1, arbitrary: fc.constantFrom('text' as const, 'missing' as const) },
  ),
  links: fc.array(link, { maxLength: 5 }),
  nofollow: fc.oneof(
    { weight: 5, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom('meta' as const, 'header' as const) },
  ),
  to: place,
});
const sitemap = fc.record({
  what: fc.constantFrom('none', 'urls', 'urls', 'index', 'redirect'),
  urls: fc.array(place, { maxLength: 4 }),
  files: fc.array(fc.nat({ max: 3 }), { maxLength: 2 }),
  to: fc.nat({ max: 3 }),
});
const seed = fc.record({
  url: place,
  scope: fc.constantFrom('page', 'prefix', 'host', 'host', 'subdomains', 'domain'),
  depth: fc.option(fc.nat({ max: 2 }), { freq: 2 }),
});

/** A small web and a crawl of it, with everything that decides what becomes of a URL. */
export const cases: fc.Arbitrary<Case> = fc
  .record({
    pool: fc.uniqueArray(url, { minLength: 2, maxLength: 12 }),
    answers: fc.array(answer, { minLength: 12, maxLength: 12 }),
    sitemaps: fc.array(sitemap, { minLength: 4, maxLength: 4 }),
    robots: fc.array(fc.array(fc.nat({ max: 3 }), { maxLength: 2 }), { minLength: 4, maxLength: 4 }),
    seeds: fc.array(seed, { minLength: 1, maxLength: 3 }),
    mode: fc.constantFrom('crawl', 'crawl', 'crawl', 'external', 'check', 'check'),
    assets: fc.boolean(),
    obeyNofollow: fc.boolean(),
    hooks: fc.boolean(),
    seekSitemaps: fc.boolean(),
    depth: fc.option(fc.nat({ max: 3 }), { freq: 2 }),
    candidates: fc.array(place, { maxLength: 2 }),
  })
  .map(({ pool, answers, sitemaps, robots, seeds, mode, ...rest }) => {
    const at = (n: number) => pool[n % pool.length]!;
    const check = mode === 'check';
    const external = mode !== 'crawl';
    return {
      web: {
        answers: new Map(pool.map((each, i) => [each, answerOf(each, answers[i]!, at)])),
        sitemaps: new Map(
          sitemaps.flatMap(({ what, urls, files, to }, i): [string, Sitemap][] => {
            const here = SITEMAP_URLS[i]!;
            if (what === 'urls') {
              return [[here, { what, urls: urls.map(at) }]];
            }
            if (what === 'index') {
              return [[here, { what, files: files.map((n) => SITEMAP_URLS[n]!) }]];
            }
            return what === 'redirect' ? [[here, { what, to: SITEMAP_URLS[to]! }]] : [];
          }),
        ),
        robots: new Map(HOSTS.map((host, i) => [`http://${host}`, robots[i]!.map((n) => SITEMAP_URLS[n]!)])),
      },
      plan: {
        ...rest,
        check,
        external,
        assets: check || rest.assets,
        seeds: seeds.map(({ url: n, scope, depth }) => ({
          url: at(n),
          scope: scope as Seed['scope'],
          // Out of scope the first seed's limit holds, and another one's when the scope grows: there is no one truth then.
          depth: external && !check ? null : depth,
        })),
        candidates: rest.candidates.map(at),
      },
    };
  });

function answerOf(
  here: string,
  {
    what,
    links,
    nofollow,
    to,
  }: {
    what: 'page' | 'redirect' | 'text' | 'missing';
    links: { name: LinkName; to: number }[];
    nofollow: 'meta' | 'header' | null;
    to: number;
  },
  at: (n: number) => string,
): Answer {
  if (what === 'redirect') {
    return { what, to: at(to) };
  }
  if (here.endsWith('.png') && what !== 'missing') {
    return { what: 'image' };
  }
  if (here.endsWith('.txt') && what === 'page') {
    return { what: 'text' };
  }
  return what === 'page' ? { what, nofollow, links: links.map((each) => ({ ...each, to: at(each.to) })) } : { what };
}

/** A page as it goes over the wire. */
export function htmlOf({ links, nofollow }: Extract<Answer, { what: 'page' }>): string {
  const meta = nofollow === 'meta' ? '<meta name="robots" content="nofollow">' : '';
  return `<html><head>${meta}<title>t</title></head><body>${links.map(({ name, to }) => LINKS[name](to)).join('')}</body></html>`;
}
