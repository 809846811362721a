import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diceOf } from './dice.js';
import { Play } from './play.js';
import { truthOf } from './truth.js';
import { type Answer, type Case, cases, type LinkName, type Plan, type Sitemap } from './web.js';

const GRAPHS = Number(process.env.GOSSAMER_ORDER_GRAPHS ?? 60);
const SEED = Number(process.env.GOSSAMER_ORDER_SEED ?? 1);
const ORDERS = 10;

const page = (...links: [LinkName, string][]): Answer => ({
  what: 'page',
  nofollow: null,
  links: links.map(([name, to]) => ({ name, to })),
});
const redirect = (to: string): Answer => ({ what: 'redirect', to });

function small(
  answers: Record<string, Answer>,
  plan: Partial<Plan> & Pick<Plan, 'seeds'>,
  sitemaps: Record<string, Sitemap> = {},
): Case {
  const usual = {
    check: false,
    external: false,
    assets: false,
    obeyNofollow: true,
    seekSitemaps: false,
    depth: null,
    hooks: true,
  };
  return {
    web: {
      answers: new Map(Object.entries(answers)),
      sitemaps: new Map(Object.entries(sitemaps)),
      robots: new Map(),
    },
    plan: { ...usual, candidates: [], ...plan },
  };
}
const seed = (url: string, scope: Plan['seeds'][number]['scope'] = 'host') => ({ url, scope, depth: null });

describe('what is found does not depend on the order in which answers arrive', () => {
  it.each<[string, Case, [url: string, fact: object]]>([
    [
      'an asset of one page that is a nofollow link of another, as deep',
      small(
        {
          'http://a.test/': page(['a', 'http://a.test/1'], ['a', 'http://a.test/2']),
          'http://a.test/1': page(['img', 'http://a.test/t.txt']),
          'http://a.test/2': page(['nofollow', 'http://a.test/t.txt']),
        },
        { seeds: [seed('http://a.test/')] },
      ),
      ['http://a.test/t.txt', { state: 'skipped', reason: 'nofollow', depth: 2 }],
    ],
    [
      'a sitemap that is read before a seed redirects to what it names',
      small(
        {
          'http://a.test/': page(),
          'http://b.test/': redirect('http://c.test/'),
          'http://c.test/': page(),
          'http://c.test/1': page(),
        },
        { seeds: [seed('http://a.test/'), seed('http://b.test/')], seekSitemaps: true },
        { 'http://a.test/sitemap.xml': { what: 'urls', urls: ['http://c.test/1'] } },
      ),
      ['http://c.test/1', { state: 'done', depth: 1 }],
    ],
    [
      'a page that a seed redirects to, redirects itself, and is linked from another',
      small(
        {
          'http://a.test/': page(['a', 'http://a.test/1']),
          'http://b.test/': redirect('http://a.test/1'),
          'http://a.test/1': redirect('http://c.test/'),
          'http://c.test/': page(['a', 'http://c.test/1']),
          'http://c.test/1': page(),
        },
        { seeds: [seed('http://a.test/'), seed('http://b.test/')] },
      ),
      ['http://c.test/1', { state: 'done', depth: 1 }],
    ],
    [
      'a page that a check takes for external until the scope grows to it',
      small(
        {
          'http://a.test/': page(['a', 'http://c.test/1']),
          'http://b.test/': redirect('http://b.test/1'),
          'http://b.test/1': redirect('http://b.test/2'),
          'http://b.test/2': redirect('http://b.test/docs/'),
          'http://b.test/docs/': redirect('http://c.test/'),
          'http://c.test/': page(),
          'http://c.test/1': page(['a', 'http://c.test/2']),
          'http://c.test/2': page(),
        },
        { seeds: [seed('http://a.test/'), seed('http://b.test/')], check: true, external: true, assets: true },
      ),
      ['http://c.test/2', { state: 'done', depth: 2, external: false }],
    ],
    [
      'a page that one marks nofollow and a hook skips on another, deeper one',
      small(
        {
          'http://a.test/': page(['a', 'http://a.test/1'], ['nofollow', 'http://a.test/t.txt']),
          'http://a.test/1': page(['a', 'http://a.test/2'], ['declined', 'http://a.test/t.txt']),
          'http://a.test/2': page(['nofollow', 'http://a.test/t.txt']),
        },
        { seeds: [seed('http://a.test/'), seed('http://a.test/2')] },
      ),
      ['http://a.test/t.txt', { state: 'skipped', reason: 'link_hook', depth: 1 }],
    ],
    [
      'a page that a hook skips and another follows, too deep for the limit',
      small(
        {
          'http://a.test/': page(['a', 'http://a.test/1'], ['declined', 'http://a.test/t.txt']),
          'http://a.test/1': page(['a', 'http://a.test/t.txt']),
        },
        { seeds: [seed('http://a.test/')], depth: 1 },
      ),
      ['http://a.test/t.txt', { state: 'skipped', reason: 'depth', depth: 2 }],
    ],
    [
      'a page that a hook skips where it is out of scope, until the scope grows to it',
      small(
        {
          'http://a.test/': page(['declined', 'http://c.test/1'], ['nofollow', 'http://c.test/1']),
          'http://b.test/': redirect('http://c.test/'),
          'http://c.test/': page(['declined', 'http://c.test/1']),
          'http://c.test/1': page(),
        },
        { seeds: [seed('http://a.test/'), seed('http://b.test/')] },
      ),
      ['http://c.test/1', { state: 'skipped', reason: 'link_hook', depth: 1 }],
    ],
    [
      'a candidate that a nofollow link leads to',
      small(
        { 'http://a.test/': page(['nofollow', 'http://a.test/1']), 'http://a.test/1': page() },
        { seeds: [seed('http://a.test/')], candidates: ['http://a.test/1'] },
      ),
      ['http://a.test/1', { state: 'done', depth: 1 }],
    ],
  ])('%s', async (_name, web, [url, fact]) => {
    const truth = truthOf(web);
    expect(truth.urls[url]).toMatchObject(fact);
    for (let dice = 0; dice < ORDERS; dice++) {
      expect(await new Play(web, diceOf(dice), dice % 3).run()).toEqual(truth);
    }
  });

  it('in small webs with all that decides what becomes of a URL, with and without kills', async () => {
    await fc.assert(
      fc.asyncProperty(cases, fc.tuple(fc.nat(), fc.nat()), async (web, dice) => {
        const truth = truthOf(web);
        for (const [kills, each] of [0, 2].map((kills, i) => [kills, dice[i]!] as const)) {
          expect(await new Play(web, diceOf(each), kills).run()).toEqual(truth);
        }
      }),
      { numRuns: GRAPHS, seed: SEED },
    );
  });

  it('nor on whether a commit is composed before the last one is answered', async () => {
    let overlapped = 0;
    await fc.assert(
      fc.asyncProperty(cases, fc.nat(), async ({ web, plan }, dice) => {
        const plain = { web, plan: { ...plan, check: false, external: false, assets: false, candidates: [] } };
        const play = new Play(plain, diceOf(dice), dice % 3);
        expect(await play.run()).toEqual(truthOf(plain));
        overlapped += play.overlapped;
      }),
      { numRuns: GRAPHS, seed: SEED },
    );
    expect(overlapped).toBeGreaterThan(GRAPHS);
  });
});
