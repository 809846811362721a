import fc from 'fast-check';
import { crawl } from 'gossamer';
import { describe, expect, it } from 'vitest';
import { asKey, closureOf, collect, crawlWorld, sorted, type World } from './support.js';

const KEYS = ['root', 'a', 'b', 'c', 'db:42', 'd/e', 'f g', 'http://h.test/x.zip', 'ü', 'Root'];
const page = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...KEYS, 'missing'), { maxLength: 12 }) },
  fc.constantFrom('null' as const, 'throws' as const, 'rejects' as const, 'slow' as const, 'undefined' as const),
);
const worlds = fc.record(Object.fromEntries(KEYS.map((key) => [key, page]))) as fc.Arbitrary<World>;

describe('a crawl with a fetcher of its own', () => {
  it('asks for every page that can be reached once, and for nothing else, whatever the links and the fetcher do', async () => {
    await fc.assert(
      fc.asyncProperty(
        worlds,
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 4 }),
        async (world, downloaders, queueSize) => {
          const { pages, asked, edges, result } = await crawlWorld(world, { downloaders, queueSize });
          const truth = closureOf(world);
          expect(sorted(asked)).toEqual(sorted(truth.keys()));
          expect(new Map(pages.map(({ url, state }) => [url, state]))).toEqual(truth);
          expect(pages).toHaveLength(truth.size);
          // Every occurrence of a link, in the order of its page.
          for (const key of truth.keys()) {
            const links = Array.isArray(world[key]) ? world[key] : [];
            expect(edges.filter(([from]) => from === key).map(([, to]) => to)).toEqual(links);
          }
          // The edges of a page stand together.
          expect(edges.filter(([from], i) => i === 0 || edges[i - 1]![0] !== from)).toHaveLength(
            new Set(edges.map(([from]) => from)).size,
          );
          expect(result).toMatchObject({ reason: 'complete', truncated: null, directory: null });
          expect(result.summary).toMatchObject({
            total: truth.size,
            done: [...truth.values()].filter((state) => state === 'done').length,
          });
        },
      ),
      { numRuns: 30 },
    );
  });

  it('gives a broken page a reason: null, undefined, a throw, a rejection, something that is no page, a status', async () => {
    const run = crawl({
      seeds: ['null', 'undefined', 'throws', 'rejects', 'number', 'links', 'status', 'gone', 'teapot'],
      resolve: asKey,
      fetch: (key) => {
        switch (key) {
          case 'null':
            return null;
          case 'undefined':
            return undefined;
          case 'throws':
            throw new Error('no such row');
          case 'rejects':
            return Promise.reject('gone for lunch');
          case 'number':
            return 42 as unknown as string;
          case 'links':
            return { links: [1] as unknown as string[] };
          case 'status':
            return { status: 7, html: '' };
          case 'gone':
            return { status: 410 };
          default:
            return { status: 503, html: '<p>busy' };
        }
      },
    });
    const pages = await collect(run);
    expect(
      Object.fromEntries(pages.map(({ url, state, reason, message }) => [url, `${state} ${reason} ${message}`])),
    ).toEqual({
      null: 'failed unknown the fetcher returned null',
      undefined: 'failed unknown the fetcher returned null',
      throws: 'failed unknown the fetcher threw: no such row',
      rejects: 'failed unknown the fetcher threw: gone for lunch',
      number: 'failed unknown the fetcher returned a number, which is no page',
      links: 'failed unknown the fetcher returned links that are no list of texts, which is no page',
      status: 'failed unknown the fetcher returned the status 7, which is no page',
      gone: 'failed http_4xx null',
      teapot: 'failed http_5xx null',
    });
    expect((await run.finished).seeds.every(({ fate }) => fate === 'failed')).toBe(true);
  });

  it('does not wait for ever for a fetcher that never answers, and tells it that nobody waits any more', async () => {
    const signals: AbortSignal[] = [];
    const fetch = (key: string, signal: AbortSignal) => {
      if (key === 'root') {
        return { links: ['never', 'fine'] };
      }
      signals.push(signal);
      return key === 'never' ? new Promise<null>(() => {}) : { links: [] };
    };
    const pages = await collect(crawl({ seeds: ['root'], fetch, resolve: asKey, timeoutMs: 100 }));
    expect(pages.find(({ url }) => url === 'never')).toMatchObject({ state: 'failed', reason: 'timeout', attempts: 1 });
    expect(pages.find(({ url }) => url === 'fine')).toMatchObject({ state: 'done' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  it('one page that does not answer costs the others nothing: keys have no host that could be in trouble', async () => {
    const links = Array.from({ length: 30 }, (_, i) => `hangs ${i}`);
    const pages = await collect(
      crawl({
        seeds: ['root'],
        resolve: asKey,
        timeoutMs: 100,
        downloaders: 1,
        fetch: (key) =>
          key === 'root' ? { links } : Number(key.slice(6)) < 12 ? new Promise<null>(() => {}) : { links: [] },
      }),
    );
    expect(pages.filter(({ reason }) => reason === 'timeout')).toHaveLength(12);
    expect(pages.filter(({ state }) => state === 'done')).toHaveLength(19);
  });

  it('reads HTML as a crawl of the net does, and links by resolve', async () => {
    const html: Record<string, string | Uint8Array> = {
      root: '<!doctype html><title>Grüße</title><base href="x/"><a href="one">1</a><a href="two" rel=nofollow>2</a><a href="skip">',
      'x/one': 'no tag in it',
      'x/two': new TextEncoder().encode('<meta charset=utf-8><title>Zwölf</title><a href="#top">up</a>'),
    };
    const edges: unknown[] = [];
    const run = crawl({
      seeds: ['root'],
      nofollow: 'ignore',
      anchorText: true,
      fetch: (key) => (html[key] === undefined ? null : { html: html[key] }),
      resolve: (href, from) =>
        href === 'skip'
          ? null
          : href === 'x/'
            ? 'x/'
            : href.startsWith('#')
              ? from
              : from.endsWith('/')
                ? from + href
                : href,
      onEdge: (from, to, edge) => {
        edges.push([from, to, edge]);
      },
    });
    const pages = await collect(run);
    expect(pages.map(({ url, title, state }) => [url, title, state])).toEqual([
      ['root', 'Grüße', 'done'],
      ['x/one', null, 'done'],
      ['x/two', 'Zwölf', 'done'],
    ]);
    expect(edges).toEqual([
      ['root', 'x/one', { kind: 'a', rel: '', text: '1' }],
      ['root', 'x/two', { kind: 'a', rel: 'nofollow', text: '2' }],
      ['x/two', 'x/two', { kind: 'a', rel: '', text: 'up' }],
    ]);
  });

  it('keeps URL identity where resolve is left out, and asks nobody for robots.txt or sitemaps', async () => {
    const asked: string[] = [];
    const pages = await collect(
      crawl({
        seeds: ['http://shop.test/'],
        fetch: (url) => {
          asked.push(url);
          return url === 'http://shop.test/'
            ? { links: ['/a?x=1#top', 'HTTP://SHOP.TEST:80/a?x=1', 'http://other.test/', '/data.zip', '/moved'] }
            : url.endsWith('/moved')
              ? { status: 301, headers: { Location: '/b' } }
              : '<p>leaf';
        },
      }),
    );
    expect(sorted(asked)).toEqual([
      'http://shop.test/',
      'http://shop.test/a?x=1',
      'http://shop.test/b',
      'http://shop.test/data.zip',
      'http://shop.test/moved',
    ]);
    expect(pages.find(({ url }) => url.endsWith('/moved'))).toMatchObject({
      state: 'done',
      status: 301,
      redirectsTo: 'http://shop.test/b',
    });
  });

  it('obeys robots.txt and looks for sitemaps when it is asked to', async () => {
    const asked: string[] = [];
    const pages = await collect(
      crawl({
        seeds: ['http://shop.test/'],
        ignoreRobots: false,
        seedingStrategy: 'sitemap',
        fetch: (url) => {
          asked.push(url);
          switch (url) {
            case 'http://shop.test/robots.txt':
              return { html: 'User-agent: *\nDisallow: /private\n', contentType: 'text/plain' };
            case 'http://shop.test/sitemap.xml':
              return {
                html: '<urlset><url><loc>http://shop.test/hidden</loc></url></urlset>',
                contentType: 'application/xml',
              };
            case 'http://shop.test/':
              return { links: ['/private/a', '/open'] };
            default:
              return url.endsWith('.xml') ? { status: 404 } : '<p>leaf';
          }
        },
      }),
    );
    expect(asked[0]).toBe('http://shop.test/robots.txt');
    expect(asked).not.toContain('http://shop.test/private/a');
    expect(Object.fromEntries(pages.map(({ url, state, reason }) => [new URL(url).pathname, reason ?? state]))).toEqual(
      {
        '/': 'done',
        '/private/a': 'robots',
        '/open': 'done',
        '/hidden': 'done',
      },
    );
  });

  it('looks for sitemaps by robots.txt and at the usual places when only they are asked for', async () => {
    const asked: string[] = [];
    const pages = await collect(
      crawl({
        seeds: ['http://shop.test/'],
        seedingStrategy: 'sitemap',
        fetch: (url) => {
          asked.push(url);
          return url.endsWith('/sitemap.xml')
            ? { html: '<urlset><url><loc>http://shop.test/hidden</loc></url></urlset>', contentType: 'application/xml' }
            : url.endsWith('.xml')
              ? null
              : '<p>leaf';
        },
      }),
    );
    expect(asked).toContain('http://shop.test/robots.txt');
    expect(sorted(pages.map(({ url }) => url))).toEqual(['http://shop.test/', 'http://shop.test/hidden']);
  });

  it('keeps away from private addresses when it is asked to', async () => {
    const asked: string[] = [];
    const fetch = (url: string) => {
      asked.push(url);
      return {
        links: [
          'http://10.0.0.1/',
          'http://192.0.2.1:81/',
          'http://[::1]/',
          'http://localhost/',
          'http://93.184.216.34/',
        ],
      };
    };
    const guarded = await collect(
      crawl({ seeds: ['http://93.184.216.34/'], scope: 'any', allowPrivate: false, fetch, depth: 1 }),
    );
    expect(guarded.filter(({ reason }) => reason === 'blocked_address')).toHaveLength(4);
    expect(asked).toEqual(['http://93.184.216.34/']);
    const open = await collect(crawl({ seeds: ['http://93.184.216.34/'], scope: 'any', fetch, depth: 1 }));
    expect(open.every(({ state }) => state === 'done')).toBe(true);
  });

  it('cuts nothing as a trap: thousands of pages that look alike are all asked for', async () => {
    const links = Array.from({ length: 2_000 }, (_, i) => `item/${i}/item/item/item/item`);
    const pages = await collect(
      crawl({ seeds: ['root'], resolve: asKey, fetch: (key) => (key === 'root' ? { links } : '<p>an item') }),
    );
    expect(pages.filter(({ state }) => state === 'done')).toHaveLength(2_001);
  });

  it('tells at the end what was never asked for, each once', async () => {
    const { pages, asked, result } = await crawlWorld(
      { root: ['a', 'b', 'b'], a: ['c', 'root'], b: [], c: [] },
      { depth: 1 },
    );
    expect(asked).not.toContain('c');
    expect(sorted(pages.map(({ url, state, reason }) => `${url} ${reason ?? state}`))).toEqual([
      'a done',
      'b done',
      'c depth',
      'root done',
    ]);
    expect(pages.at(-1)?.url).toBe('c');
    expect(result.summary).toMatchObject({ total: 4, skipped: 1 });
  });

  it('fails a page whose links resolve cannot make sense of, and goes on', async () => {
    const run = crawl({
      seeds: ['root'],
      fetch: (key) => ({ links: key === 'root' ? ['a', 'b'] : ['bad'] }),
      resolve: (href, from) => (href !== 'bad' ? href : from === 'a' ? (7 as unknown as string) : null),
    });
    const pages = await collect(run);
    expect(pages.find(({ url }) => url === 'a')).toMatchObject({
      state: 'failed',
      reason: 'internal',
      message: expect.stringContaining('resolve must return a text or null'),
    });
    expect(pages.find(({ url }) => url === 'b')).toMatchObject({ state: 'done', links: 0 });
  });
});
