import { expect, it } from 'vitest';
import type { Lease } from '../../src/frontier/outcome.js';
import type { LinkJudge, LinkTargets } from '../../src/lane/link-targets.js';
import { PageReader } from '../../src/lane/page-reader.js';
import type { PageReading, Reading } from '../../src/lane/reading.js';

/** Of a page that is read in one piece. */
function readAtOnce(page: PageReading): Reading {
  const { done, value } = page.next([]);
  expect(done).toBe(true);
  return value as Reading;
}

it.each([
  ['/new#part', true, ['/new#part']],
  ['/new', true, ['/new']],
  ['/new#part', false, undefined],
])('of a redirect to %s a check (%s) keeps %s', (location, linkFacts, hrefs) => {
  const options = {
    agent: 'x',
    obeyNofollow: false,
    assets: true,
    anchorText: false,
    allFacts: false,
    extract: [],
    searches: [],
    targets: false,
    order: 'bfs',
  };
  const limits = { sitemapMaxUrls: 1, sitemapMaxBytes: 1, keepsOutside: false, linkFacts };
  const judge = { judge: () => 7 } as unknown as LinkJudge;
  const targets = { of: (href: string) => ({ url: href }) } as unknown as LinkTargets;
  const reader = new PageReader({ ...options, ...limits } as never, judge, targets);
  const lease = { url: 'http://a.test/old', kind: 0, flags: 0, depth: 0, hops: 0 } as Lease;
  const headers = { contentType: null, location, robotsTags: [], lastModified: null, etag: null, refusalHeaders: null };
  const answer = { status: 301, ...headers, headers: null, body: null, links: null, truncated: false, damage: null };
  const reading = readAtOnce(reader.read(lease, answer));
  expect(reading.page.facts?.hrefs).toEqual(hrefs);
});

it.each([
  ['http://b.test/x/', 'http://b.test/x/'],
  ['/docs/', '/docs/'],
  ['javascript:0', 'http://a.test/page'],
  ['data:text/html,x', 'http://a.test/page'],
])('a base of %s means %s', (href, base) => {
  const bases: string[] = [];
  const judge = { judge: () => 7 } as unknown as LinkJudge;
  const options = {
    agent: 'x',
    obeyNofollow: false,
    assets: true,
    anchorText: false,
    allFacts: false,
    extract: [],
    searches: [],
    targets: false,
    order: 'bfs',
  };
  const limits = {
    sitemapMaxUrls: 1,
    sitemapMaxBytes: 1,
    keepsOutside: false,
    linkFacts: false,
    unfollowed: new Set(),
  };
  const targets = {
    urlOf: (to: string, from: string) => {
      const isWhole = /^[a-z]+:/.test(to);
      return isWhole || !from.startsWith('http://a.test') ? to : new URL(to, from).href;
    },
    enter: (_: unknown, from: string) => bases.push(from),
    ofLink: () => null,
  } as unknown as LinkTargets;
  const reader = new PageReader({ ...options, ...limits } as never, judge, targets);
  const lease = { url: 'http://a.test/page', kind: 0, flags: 0, depth: 0, hops: 0 } as Lease;
  const headers = { contentType: 'text/html', location: null, robotsTags: [], lastModified: null, etag: null };
  const body = Buffer.from(`<base href="${href}"><a href="x">x</a>`);
  readAtOnce(
    reader.read(lease, {
      status: 200,
      ...headers,
      refusalHeaders: null,
      headers: null,
      body,
      links: null,
      truncated: false,
      damage: null,
    }),
  );
  expect(bases.at(-1)).toBe(new URL(base, 'http://a.test/page').href);
});
