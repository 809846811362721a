import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyTable } from '../../src/frontier/key-table.js';
import { CrawlScope } from '../../src/lane/crawl-scope.js';
import { JudgedLinks, LinkJudge, LinkTargets, type Target } from '../../src/lane/link-targets.js';
import { scanPage } from '../../src/parse/scan.js';
import { FOLLOWED } from '../../src/store/page-row.js';
import { QueueClass, UrlFlag, UrlState } from '../../src/store/url-state.js';
import { AS_WRITTEN, type IdentityOptions } from '../../src/url/identity.js';
import { BASES, expected, messyHref, plainHref } from '../url/hrefs.js';

const judge = { recall: (url: string) => ({ url }) as Target } as unknown as LinkJudge;
const escaped = (href: string): string => href.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** The URLs that the links of a page lead to, beside those that they mean by the standard. */
function read(targets: LinkTargets, hrefs: readonly string[], base: string): { urls: unknown[]; meant: unknown[] } {
  const page = hrefs.map((href) => `<a href="${href}">x</a>`).join('\n');
  const { links } = scanPage(Buffer.from(`<!doctype html><html><p>${page}`), 'utf-8', {}, targets.kernel);
  targets.enter(links, base, 'utf-8', true);
  const urls = links.hrefs.map((_, link) => targets.ofLink(links, link)?.url ?? null);
  return { urls, meant: links.hrefs.map((href) => expected(href, base)) };
}

describe('links are resolved by their bytes', () => {
  it('as the standard resolves their text, met once or again, from any folder', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.array(fc.oneof(messyHref, plainHref)), fc.constantFrom(...BASES), fc.boolean())),
        (pages) => {
          const targets = new LinkTargets(AS_WRITTEN, judge, null);
          for (const [hrefs, base, isEscaped] of [...pages, ...pages]) {
            const written = hrefs.map((href) => (isEscaped ? escaped(href) : href.replaceAll('"', '')));
            const { urls, meant } = read(targets, written, base);
            expect(urls).toEqual(meant);
          }
        },
      ),
      { numRuns: 500, seed: 11 },
    );
  });

  it.each([
    [
      '../x.html',
      '../../d/x.html',
      './../x.html',
      '/d/x.html',
      'http://h.test/d/x.html',
      '../x.html#part',
      '..//x.html',
    ],
    [
      'a?b=1&c=2',
      'a?b=1&amp;c=2',
      'a?b=1&copy=2',
      'a?b=1&copy;=2',
      'a?b=1&lt_c=2',
      'a?b&c',
      'a?b=1&#38;c=2',
      '&amp;#x',
    ],
    [
      '%C3%A9',
      '%c3%a9',
      'é',
      '%2E%2E/x',
      'y/%2E./x',
      '%2e',
      '%',
      '%4',
      '.x',
      'a/.x',
      'a/..',
      'a/./b',
      '.',
      '..',
      '...',
    ],
    ['a:b', './a:b', 'd/a:b', '/a:b', '?a', '', '#', '#a', ' x ', 'x\ny', '\tx', '//other.test/x', 'HTTP://H.test/x'],
    [
      'http://h.test',
      'http://h.test/',
      'https://h.test/%zz',
      'http:x',
      'https:/x',
      'http:///x',
      'http://h.test/a/../b',
    ],
    ['mailto:a@b', 'javascript:void(0)', 'data:,x', "it's", 'a|b', 'a b', 'a\\b', '[x]', '~x', '$(x)', 'x;y=1,2!*@z'],
  ])('%j and its like', (...hrefs) => {
    const targets = new LinkTargets(AS_WRITTEN, judge, null);
    for (const base of [
      'http://h.test/d/e/f.html',
      'http://h.test/',
      'http://h.test/d/e/?q=/x/',
      'http://h.test/d/e/f.html',
    ]) {
      const { urls, meant } = read(targets, hrefs, base);
      expect(urls).toEqual(meant);
    }
  });

  it('one target for all mentions, without a second look', () => {
    const asked: string[] = [];
    const recall = (url: string) => {
      asked.push(url);
      return { url } as Target;
    };
    const counting = { recall } as unknown as LinkJudge;
    const targets = new LinkTargets(AS_WRITTEN, counting, null);
    read(targets, ['/d/x', 'x', '../d/x#a'], 'http://h.test/d/');
    read(targets, ['d/x', 'http://h.test/d/x'], 'http://h.test/');
    expect(asked).toEqual(['http://h.test/d/x']);
  });

  it('still so when there were more than it can remember, and after they were forgotten', () => {
    const targets = new LinkTargets(AS_WRITTEN, judge, null);
    for (let page = 0; page < 80; page++) {
      const hrefs = Array.from({ length: 1000 }, (_, link) => `${page % 70}/a-rather-long-name-of-a-page-${link}.html`);
      const { urls, meant } = read(targets, hrefs, 'http://h.test/');
      expect(urls).toEqual(meant);
      if (page === 75) {
        targets.forget();
      }
    }
  });

  it.each<[Partial<IdentityOptions>, string, string]>([
    [{ stripQuery: true }, 'x?b&a', 'http://h.test/x'],
    [{ sortQuery: true }, 'x?b&a', 'http://h.test/x?a&b'],
    [{ stripTracking: true }, 'x?utm_source=1&a=2', 'http://h.test/x?a=2'],
  ])('what is folded by %j stays so', (identity, href, url) => {
    const targets = new LinkTargets({ ...AS_WRITTEN, ...identity }, judge, null);
    for (let time = 0; time < 3; time++) {
      expect(read(targets, ['x?a', href, 'x'], 'http://h.test/').urls[1]).toBe(url);
    }
  });

  it('folders too deep or too long for the kernel are read without it', () => {
    const targets = new LinkTargets(AS_WRITTEN, judge, null);
    for (const base of [
      `http://h.test/${'d/'.repeat(100)}x`,
      `http://h.test/${'d'.repeat(3000)}/x`,
      'http://h.test/a/b',
    ]) {
      const { urls, meant } = read(targets, ['y', '../y', '/y', 'y', 'z'.repeat(3000)], base);
      expect(urls).toEqual(meant);
    }
  });
});

const SEED = 'http://a.test/';
const OUTSIDE = 'http://b.test/';

function judgeOf(external: boolean, checksBeyond = true): LinkJudge {
  const seed = { seed: 0, url: SEED, label: SEED, scope: 'host', depth: null, maxUrls: null, fallbacks: [] };
  const scope = new CrawlScope({
    seeds: [{ ...seed, scopeUrls: [SEED] }],
    patterns: { include: [], exclude: [] },
    maxDepth: null,
    traps: {
      ...{ maxUrlLength: 2_000, maxPathSegments: 50, maxSegmentRepeats: 5 },
      ...{ maxQueryVariants: 1_000, maxShapeVariants: 1_000, allow: [] },
    },
    ownKeys: false,
    external,
    checksBeyond,
    ignore: [],
  });
  return new LinkJudge(new KeyTable(1_000_000), scope);
}

describe('two links of one page to one URL out of scope, the first of which is not to be asked', () => {
  it.each([
    [true, UrlState.queued, null],
    [false, UrlState.unlisted, 'scope'],
  ])('external links checked: %s', (external, state, reason) => {
    const judge = judgeOf(external);
    const links = new JudgedLinks(() => QueueClass.rest);
    judge.judge(judge.recall(OUTSIDE), 0, 1, 0, links);
    judge.judge(judge.recall(OUTSIDE), FOLLOWED, 1, 0, links);
    expect(links.offers).toMatchObject([{ url: OUTSIDE, state, reason }]);
  });
});

it('remembers no URL that is as long as a page: 50,000 of them would fill the memory', () => {
  const judge = judgeOf(true);
  const long = `data:image/png;base64,${'A'.repeat(5_000)}`;
  expect(judge.recall(OUTSIDE)).toBe(judge.recall(OUTSIDE));
  expect(judge.recall(long)).not.toBe(judge.recall(long));
});

describe('a URL that looks like a trap', () => {
  const DEEP = 'x/'.repeat(60);
  const LONG = 'y'.repeat(3_000);
  const cut = { state: UrlState.skipped, reason: 'trap', flags: 0 };
  const asked = (flags: number) => ({ state: UrlState.queued, reason: null, flags });

  it.each([
    ['in a crawl is cut', false, cut],
    ['in a check is asked for, and leads nowhere', true, asked(UrlFlag.external | UrlFlag.trap)],
  ])('%s; out of scope it is none', (_name, checksBeyond, expected) => {
    const judge = judgeOf(true, checksBeyond);
    const links = new JudgedLinks(() => QueueClass.rest);
    judge.judge(judge.recall(OUTSIDE + DEEP), FOLLOWED, 1, 0, links);
    judge.judge(judge.recall(SEED + DEEP), FOLLOWED, 1, 0, links);
    judge.judge(judge.recall(SEED + LONG), FOLLOWED, 1, 0, links);
    expect(links.offers).toMatchObject([
      { ...asked(UrlFlag.external), pattern: null },
      { ...expected, pattern: 'segments>50' },
      { ...cut, pattern: 'length>2000' },
    ]);
  });
});
