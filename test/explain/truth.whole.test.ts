import { explain } from 'gossamer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Explanation } from '../../src/explain/explanation.js';
import { inProcess } from '../crawl/in-process.js';
import { temporaryFolder } from '../crawl/support.js';
import { type Graph, makeGraph } from '../web/graph.js';
import type { GraphPage } from '../web/graph-page.js';
import type { Truth } from '../web/graph-truth.js';
import { Random } from '../web/random.js';
import { openWeb, type WebInABox } from '../web/web.js';

const MAX_DEPTH = 3;
const EXCLUDED = '*://out.example/**';
const isExternal = (url: string): boolean => url.startsWith('http://out.example/');

/** What the box alone says of a URL. */
interface Expected {
  url: string;
  state: string;
  reason: string | null;
  rule: { by: string; text: string | RegExp; line: number | null };
  /** Null: none is known. */
  depth: number | null;
}

/** The lines of the box's robots.txt, counted by hand. */
const robotsRule = (path: string) =>
  path.endsWith('.secret')
    ? { by: 'robots', text: 'robots.txt line 4: Disallow: /*.secret$', line: 4 }
    : { by: 'robots', text: 'robots.txt line 2: Disallow: /private/', line: 2 };

describe('explain, asked for five hundred URLs of a web whose truth is known', () => {
  const folder = temporaryFolder();
  const graph = makeGraph({ seed: 23, hosts: 9, urls: 1_000, hostName: (i) => `h${i}.explain.test` });
  const directory = `${folder.path}/crawl`;
  const inScope = { by: 'scope', text: `--scope any of ${graph.seeds[0]}`, line: null };
  let web: WebInABox;
  let asked: { expected: Expected; said: Explanation }[] = [];

  const truths = graph.closure({ inScope: (url) => !isExternal(url), maxDepth: MAX_DEPTH });
  const fetched = [...truths]
    .filter(([, { state, status }]) => state === 'done' || status !== null)
    .map(([url]) => url);

  const ruleOf = (url: string, { state, reason, status }: Truth): Expected['rule'] => {
    if (url === graph.seeds[0]) {
      return { by: 'seed', text: 'it is a seed', line: null };
    }
    if (reason === 'robots') {
      return robotsRule(graph.pages.get(url)!.path);
    }
    if (reason === 'depth') {
      return { by: 'depth', text: `--depth ${MAX_DEPTH}`, line: null };
    }
    if (reason === 'nofollow') {
      return { by: 'nofollow', text: '--nofollow obey', line: null };
    }
    if (reason === 'redirect_loop') {
      return { by: 'redirects', text: 'a circle of redirects', line: null };
    }
    return state === 'failed' ? { by: 'answer', text: `HTTP ${status}`, line: null } : inScope;
  };

  /** Shortest distance of a URL that is no page of the crawl: one more than the nearest page with a link to it. */
  const distance = (to: string, kinds: ReadonlySet<string> | null): number => {
    const from = fetched.filter((url) =>
      graph.edges(url).some((edge) => edge.to === to && (kinds === null || kinds.has(edge.kind))),
    );
    const steps = from.map((url) => truths.get(url)!.depth + (graph.edges(url)[0]!.kind === 'redirect' ? 0 : 1));
    return Math.min(...steps);
  };

  function ask(random: Random): Expected[] {
    const known = [...truths].map(([url, truth]): Expected => {
      const { state, reason, depth } = truth;
      return { url, state, reason, rule: ruleOf(url, truth), depth };
    });
    const targets = new Set(fetched.flatMap((url) => graph.edges(url).map(({ to }) => to)));
    const unlisted = [...targets].filter((url) => !truths.has(url));
    const outside = unlisted.map((url): Expected => {
      const isOut = isExternal(url);
      const rule = isOut
        ? { by: 'exclude', text: `--exclude "${EXCLUDED}"`, line: null }
        : {
            by: 'asset',
            text: url.endsWith('/search') ? 'forms are recorded and never sent' : '--assets was not given',
            line: null,
          };
      return { url, state: 'unlisted', reason: isOut ? 'scope' : 'asset', rule, depth: distance(url, null) };
    });
    const traps = Array.from({ length: 20 }, (_, n): Expected => {
      const url = `http://h${n % 9}.explain.test/${'again/'.repeat(4)}${n}`;
      return {
        ...{ url, state: 'unseen', reason: 'trap', depth: null },
        rule: {
          by: 'trap',
          text: /^http:.*\/again\/… repeats "again": "again" stands 4 times in the path$/,
          line: null,
        },
      };
    });
    const neverSeen = Array.from({ length: 60 }, (_, n): Expected => {
      const host = graph.hosts[n % graph.hosts.length]!;
      const path = n % 3 === 0 ? `/private/never${n}` : n % 3 === 1 ? `/never${n}.secret` : `/never${n}`;
      const forbids = host.robots !== null && n % 3 !== 2;
      const reason = forbids ? 'robots' : null;
      return {
        url: host.origin + path,
        state: 'unseen',
        reason,
        rule: forbids ? robotsRule(path) : inScope,
        depth: null,
      };
    });
    const out = Array.from({ length: 20 }, (_, n): Expected => {
      const rule = { by: 'exclude', text: `--exclude "${EXCLUDED}"`, line: null };
      return { url: `http://out.example/never/${n}`, state: 'unseen', reason: 'scope', rule, depth: null };
    });
    return shuffled([...known, ...outside, ...traps, ...neverSeen, ...out], random).slice(0, 500);
  }

  beforeAll(async () => {
    web = await openWeb();
    graph.install(web);
    const run = await inProcess([
      ...['crawl', ...graph.seeds, '--scope', 'any', '--exclude', EXCLUDED, '--depth', String(MAX_DEPTH)],
      ...['--delay', '0', '--retry-delay', '0.01', '--data-dir', directory],
      ...web.connectTo.flatMap((mapping) => ['--connect-to', mapping]),
    ]);
    expect(run.code, run.stderr).toBe(0);
    asked = ask(new Random(5)).map((expected) => ({ expected, said: explain(directory, expected.url) }));
  }, 240_000);

  afterAll(async () => {
    await web.close();
    folder.remove();
  });

  it('is asked for every kind of fate', () => {
    expect(asked).toHaveLength(500);
    const kinds = new Set(
      asked.map(({ expected: { state, reason } }) => (reason === null ? state : `${state} ${reason}`)),
    );
    expect([...kinds].sort()).toEqual(
      [
        ...['done', 'failed http_4xx', 'failed http_5xx', 'failed redirect_loop', 'skipped depth', 'skipped nofollow'],
        ...[
          'skipped robots',
          'unlisted asset',
          'unlisted scope',
          'unseen',
          'unseen robots',
          'unseen scope',
          'unseen trap',
        ],
      ].sort(),
    );
  });

  it('agrees with the box in state, reason and depth', () => {
    const facts = ({ url, state, reason, depth }: Expected | Explanation) => ({ url, state, reason, depth });
    expect(asked.map(({ said }) => facts(said))).toEqual(asked.map(({ expected }) => facts(expected)));
  });

  it('names the rule that decided, and the line of robots.txt', () => {
    const differing = asked.filter(({ expected: { rule }, said }) => {
      const sameText = typeof rule.text === 'string' ? said.rule.text === rule.text : rule.text.test(said.rule.text);
      return !sameText || said.rule.by !== rule.by || said.rule.line !== rule.line;
    });
    expect(differing.map(({ expected, said }) => [expected.url, expected.rule, said.rule])).toEqual([]);
  });

  it('gives a path of real links of the box that is as short as any', () => {
    const seed = graph.seeds[0]!;
    for (const { expected, said } of asked) {
      if (expected.depth === null) {
        expect(said.path, said.url).toBeNull();
        continue;
      }
      const path = said.path!;
      expect(path.at(-1)!.url, said.url).toBe(expected.url);
      let length = 0;
      for (const [place, { url, by, kind }] of path.entries()) {
        const before = path[place - 1];
        const story = `${said.url}: ${JSON.stringify(path)}`;
        if (by === 'seed') {
          expect([place, url], story).toEqual([0, seed]);
        } else if (by === 'sitemap') {
          const isFile = /sitemap/.test(url);
          expect(isFile || lists(graph, url), story).toBe(true);
          length += isFile ? 0 : 1;
        } else {
          const edges = graph.edges(before!.url).filter(({ to }) => to === url);
          expect(
            edges.map((edge) => edge.kind),
            story,
          ).toContain(by === 'redirect' ? 'redirect' : kind);
          // The last link of all may be one that must not be followed.
          const last = place === path.length - 1 && said.reason === 'nofollow';
          const page = graph.pages.get(before!.url)!;
          expect(isOpen(page), story).toBe(true);
          const followed = page.nofollow === null && edges.some(({ rel }) => !/\bnofollow\b/.test(rel));
          expect(followed, story).toBe(!last);
          length += by === 'redirect' ? 0 : 1;
        }
      }
      expect(length, `${said.url}: ${JSON.stringify(path)}`).toBe(expected.depth);
    }
  });

  it('counts every link to a URL, and the pages they stand on', () => {
    const links = new Map<string, { total: number; pages: number }>();
    for (const from of fetched) {
      const page = graph.pages.get(from)!;
      if (page.kind === 'error') {
        continue;
      }
      const here = new Map<string, number>();
      for (const { to } of graph.edges(from)) {
        here.set(to, (here.get(to) ?? 0) + 1);
      }
      for (const [to, count] of here) {
        const { total, pages } = links.get(to) ?? { total: 0, pages: 0 };
        links.set(to, { total: total + count, pages: pages + 1 });
      }
    }
    for (const { said } of asked) {
      const { total, pages } = said.linkedFrom;
      expect({ url: said.url, total, pages }).toEqual({
        url: said.url,
        ...(links.get(said.url) ?? { total: 0, pages: 0 }),
      });
    }
  });

  it('lists as many attempts as the server saw', () => {
    const retried = asked.filter(
      ({ said }) => (graph.pages.get(said.url)?.failsFirst ?? null) !== null && said.state === 'done',
    );
    expect(retried.length).toBeGreaterThan(5);
    for (const { said } of retried) {
      const { failsFirst } = graph.pages.get(said.url)!;
      const first =
        failsFirst!.by === '503' ? { status: 503, reason: 'http_5xx' } : { status: null, reason: 'connection_reset' };
      const expected = [...Array.from({ length: failsFirst!.times }, () => first), { status: 200, reason: null }];
      expect(said.attempts).toMatchObject(expected.map((fields, n) => ({ attempt: n + 1, ...fields })));
      const times = said.attempts.map(({ at }) => at!);
      expect(times).toEqual([...times].sort((a, b) => a - b));
    }
  });
});

/** Whether the links of a page may be read at all. */
const isOpen = (page: GraphPage): boolean => !page.disallowed && page.kind !== 'error';

const lists = (graph: Graph, url: string): boolean =>
  graph.hosts.some(({ sitemap }) => sitemap?.urls.includes(url) ?? false);

function shuffled<T>(items: T[], random: Random): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = random.between(0, i);
    [items[i], items[j]] = [items[j]!, items[i]!];
  }
  return items;
}
