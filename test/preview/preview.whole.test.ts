import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { preview } from 'gossamer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inProcess } from '../crawl/in-process.js';
import { CERTIFICATE, PRIVATE_KEY } from '../fetch/certificate.js';
import { makeGraph } from '../web/graph.js';
import { smallestGap } from '../web/judge.js';
import { html, linkPage, pathSite, redirect, type Site, sitemapIndex, text, urlset, xml } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';

const page = (title: string, hrefs: string[] = []) => html(linkPage(title, hrefs));
const numbered = (origin: string, count: number, path = '/p'): string[] =>
  Array.from({ length: count }, (_, i) => `${origin}${path}${i}`);
/** Nothing that a host has to be left alone for. */
const CALM = { external: false, transient: false, failures: false };
const SERVICE = /^\/(?:robots\.txt|(?:[\w-]+\/)*sitemap[\w-]*\.xml)$/;

describe('gossamer preview', () => {
  let web: WebInABox;
  beforeAll(async () => {
    web = await openWeb();
  });
  afterAll(() => web.close());

  const here = () => web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
  const run = (...args: string[]) => inProcess(['preview', ...args, ...here()]);
  const ask = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout);
  const askedOf = (host: string) => web.log.filter((request) => request.host === host).map(({ path }) => path);

  describe('of a site with sitemaps', () => {
    const at = (path: string) => `http://mapped.test${path}`;
    beforeAll(() => {
      web.site(
        'mapped.test',
        pathSite({
          '/robots.txt': text(
            `User-agent: *\nDisallow: /search\nDisallow: /*.pdf$\nSitemap: ${at('/sitemap-a.xml')}\n`,
          ),
          '/': page('Home', ['/linked']),
          '/sitemap-a.xml': xml(
            urlset([at('/'), ...numbered(at(''), 40), ...numbered(at(''), 7, '/search?q='), at('/a.pdf')]),
          ),
          '/sitemap.xml': xml(sitemapIndex([at('/sitemap-b.xml'), at('/sitemap-gone.xml')])),
          '/sitemap-b.xml': xml(
            urlset([...numbered(at(''), 60), ...numbered('http://shop.mapped.test', 15), 'http://elsewhere.test/x']),
          ),
        }),
      );
      web.site('shop.mapped.test', pathSite({ '/robots.txt': text('User-agent: *\nCrawl-delay: 3\n') }));
    });

    it('counts each page once, names hosts, forbidding lines, problems and what is out of scope', async () => {
      web.clearLog();
      const answer = await ask('http://mapped.test/', '--delay', '0');
      expect(answer).toMatchObject({
        basis: 'sitemaps',
        pages: 1 + 60 + 15,
        hosts: 2,
        hostsUnknown: 0,
        forbidden: {
          pages: 8,
          rules: [
            { host: 'mapped.test', line: 2, rule: 'Disallow: /search', pages: 7 },
            { host: 'mapped.test', line: 3, rule: 'Disallow: /*.pdf$', pages: 1 },
          ],
        },
        outside: { urls: 1, hosts: [{ host: 'elsewhere.test', urls: 1 }] },
        sitemaps: { read: 2, urls: 49 + 76, problemList: [{ url: at('/sitemap-gone.xml'), problem: 'http_4xx' }] },
        seeds: [{ fate: 'reached' }],
      });
      expect(answer.hostList).toMatchObject([
        { host: 'mapped.test', pages: 61, forbidden: 8, crawlDelayMs: null },
        { host: 'shop.mapped.test', pages: 15, forbidden: 0, crawlDelayMs: 3000, delayMs: 3000 },
      ]);
      // 15 pages and three requests for robots.txt and sitemaps, three seconds after each other.
      expect(answer.duration).toMatchObject({ decidedBy: 'crawl_delay', cutBy: null });
      expect(answer.duration.durationMs).toBeGreaterThanOrEqual(17 * 3_000);
    });

    it('fetches robots.txt and sitemaps, and nothing else', () => {
      const paths = [...askedOf('mapped.test'), ...askedOf('shop.mapped.test')];
      expect(paths).toContain('/sitemap-b.xml');
      expect(paths.filter((path) => !SERVICE.test(path))).toEqual([]);
      expect(askedOf('elsewhere.test')).toEqual([]);
    });

    it('says it in words, with what would make it faster', async () => {
      const { code, stdout } = await run('http://mapped.test/', '--scope', 'host', '--delay', '500ms');
      expect(code).toBe(0);
      expect(stdout.split('\n')).toEqual([
        'http://mapped.test/: 61 pages: what 2 sitemaps name, and the seed',
        'robots.txt forbids 8 more known pages:',
        '  7 by line 2 of mapped.test: Disallow: /search',
        '  1 by line 3 of mapped.test: Disallow: /*.pdf$',
        expect.stringMatching(/^16 URLs in sitemaps are out of scope, 15 of them at shop\.mapped\.test; /),
        'sitemap http://mapped.test/sitemap-gone.xml: http_4xx',
        expect.stringMatching(/^At one request in 500 ms to a host \(--delay 500ms\): about \S+ s$/),
        expect.stringMatching(/^Faster: it is your own site\? --delay 100ms: about \S+ s$/),
        expect.stringMatching(/^Links may lead to more than sitemaps name: --sample 200 /),
        '',
      ]);
    });

    it('limits of the crawl are limits of the answer, not of the preview', async () => {
      const limited = await ask('http://mapped.test/', '--scope', 'host', '--delay', '100', '--max-urls', '10');
      expect(limited).toMatchObject({ pages: 61, duration: { pages: 10, cutBy: 'max_urls' } });
      const short = await ask('http://mapped.test/', '--scope', 'host', '--delay', '100', '--duration', '2s');
      expect(short).toMatchObject({ pages: 61, duration: { durationMs: 2000, cutBy: 'duration' } });
    });
  });

  it('a Crawl-delay over --max-crawl-delay: one page, the rest put off, and that is said', async () => {
    web.site('slow.test', pathSite({ '/robots.txt': text('User-agent: *\nCrawl-delay: 300\n') }));
    const { code, stdout } = await run('http://slow.test/');
    expect(code).toBe(0);
    expect(stdout).toContain('slow.test asks for a Crawl-delay of 5 m, more than --max-crawl-delay: one page');
    expect(askedOf('slow.test')).toEqual(['/robots.txt']);
  });

  describe('of a site without a sitemap', () => {
    beforeAll(() => {
      web.site('bare.test', pathSite({ '/': page('Home', ['/a']), '/a': page('A') }));
      web.site(
        'known.test',
        pathSite({ '/sitemap.xml': xml(urlset(numbered('http://known.test', 5))), '/': page('Home') }),
      );
    });

    it('says that it cannot know', async () => {
      web.clearLog();
      const { code, stdout } = await run('http://bare.test/', '--delay', '0');
      expect(code).toBe(0);
      expect(stdout).toContain('no sitemap says which pages there are');
      expect(stdout).toContain('cannot be known without looking: --sample 200');
      expect(stdout).not.toContain('about');
      expect(askedOf('bare.test').sort()).toEqual(['/robots.txt', '/sitemap.xml', '/sitemap_index.xml']);
      expect(await ask('http://bare.test/', '--delay', '0')).toMatchObject({ basis: 'none', duration: null });
    });

    it('knows where only the seeds are asked for', async () => {
      for (const args of [
        ['--depth', '0'],
        ['--scope', 'page'],
      ]) {
        expect(await ask('http://bare.test/', '--delay', '0', ...args)).toMatchObject({ basis: 'seeds', pages: 1 });
      }
    });

    it('without a delay makes up no duration', async () => {
      const { duration, faster } = await ask('http://known.test/', '--delay', '0');
      expect(duration).toMatchObject({ durationMs: null, lowMs: null, highMs: null, decidedBy: 'answers', pages: 6 });
      expect(faster).toEqual([]);
      const { stdout } = await run('http://known.test/', '--delay', '0');
      expect(stdout).toContain('how long it takes is not known');
    });

    it('beside one with a sitemap is named as unknown', async () => {
      const { stdout } = await run('http://known.test/', 'http://bare.test/', '--delay', '0');
      expect(stdout).toContain(
        'http://known.test/ and 1 more seed: 7 pages, 2 hosts: what 1 sitemap names, and the seeds',
      );
      expect(stdout).toContain('No sitemap says anything about 1 other host of the seeds');
    });
  });

  describe('of a seed that cannot be had', () => {
    /** A certificate that nobody has signed: the host cannot be had by https. */
    const untrusted = createServer({ cert: CERTIFICATE, key: PRIVATE_KEY });
    beforeAll(() => once(untrusted.listen(0, '127.0.0.1'), 'listening'));
    afterAll(() => untrusted.close());
    const withHttps = () => [
      ...['--connect-to', `:443:127.0.0.1:${(untrusted.address() as AddressInfo).port}`, '--delay', '0'],
    ];

    it('a bare domain is tried as https, then as http; no page is asked for', async () => {
      web.site('only.test', pathSite({ '/sitemap.xml': xml(urlset(numbered('http://only.test', 4))) }));
      expect(await ask(...withHttps(), 'only.test')).toMatchObject({
        ...{ basis: 'sitemaps', pages: 5, seeds: [{ label: 'only.test', fate: 'reached' }] },
      });
      expect(askedOf('only.test').filter((path) => !SERVICE.test(path))).toEqual([]);
    });

    it('none: exit code 4', async () => {
      const { code, stderr, stdout } = await run(...withHttps(), 'https://untrusted.test/');
      expect([code, stdout]).toEqual([4, '']);
      expect(stderr).toContain(
        'https://untrusted.test/ has no connection that can be trusted: TLS: the server has signed its certificate itself',
      );
    });

    it('forbidden by robots.txt: exit code 4, the line quoted', async () => {
      web.site('closed.test', pathSite({ '/robots.txt': text('User-agent: *\n\nDisallow: /\n'), '/': page('Home') }));
      for (const args of [[], ['--sample', '10']]) {
        const { code, stderr } = await run('http://closed.test/', '--delay', '0', ...args);
        expect(code).toBe(4);
        expect(stderr).toContain('is forbidden by robots.txt: robots.txt line 3: Disallow: /');
      }
      expect(askedOf('closed.test').filter((path) => !SERVICE.test(path))).toEqual([]);
    });

    it('a robots.txt that fails puts the host off', async () => {
      web.site('broken.test', pathSite({ '/robots.txt': text('', 503) }));
      const { code, stdout } = await run('http://broken.test/', '--delay', '0');
      expect(code).toBe(0);
      expect(stdout).toContain('broken.test cannot be asked now (robots_unreachable)');
    });
  });

  it('nothing that a server says reaches the terminal unchecked', async () => {
    const rule = 'Disallow: /x\u001b]0;pwned\u0007\u202e';
    web.site(
      'hostile.test',
      pathSite({
        '/robots.txt': text(`User-agent: *\n${rule}\nSitemap: http://hostile.test/%1b[2Jsitemap.xml\n`),
        '/sitemap.xml': xml(urlset(['http://hostile.test/x%1b]0;pwned%07%E2%80%AE1', 'http://hostile.test/y'])),
      }),
    );
    const { stdout, stderr } = await run('http://hostile.test/', '--delay', '0');
    expect(stdout).toContain('1 by line 2 of hostile.test: Disallow: /x');
    expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f\u202e]/);
  });

  describe('--sample', () => {
    /** Sections of ten pages each: 1 + 30 + 300. */
    const sections: Site = {
      handle({ path }) {
        if (path === '/') {
          return page('Home', numbered('', 30, '/s'));
        }
        const [, section, leaf] = /^\/s(\d+)(?:\/l(\d+))?$/.exec(path) ?? [];
        if (section === undefined) {
          return text('', 404);
        }
        return leaf === undefined ? page(path, numbered(`/s${section}`, 10, '/l')) : page(path, ['/', `/s${section}`]);
      },
    };

    it('asks for so many pages, as politely as a crawl, and leaves nothing behind', async () => {
      web.site('sampled.test', sections);
      web.clearLog();
      const answer = await ask('http://sampled.test/', '--delay', '40', '--sample', '60');
      const pages = askedOf('sampled.test').filter((path) => !SERVICE.test(path));
      expect(pages).toHaveLength(60);
      expect(new Set(pages).size).toBe(60);
      expect(smallestGap(web.log, 'sampled.test')).toBeGreaterThanOrEqual(40);
      expect(answer.sampled).toEqual({ html: 60, other: 0, redirects: 0, failed: 0 });
      expect(answer.size.low).toBeLessThanOrEqual(331);
      expect(answer.size.high ?? 331).toBeGreaterThanOrEqual(331);
    });

    it('draws pages by lot: not in their order, the same for the same seed, others for another', async () => {
      const drawn = async (...args: string[]) => {
        web.clearLog();
        await run('http://sampled.test/', '--delay', '20', '--sample', '40', ...args);
        return askedOf('sampled.test').filter((path) => !SERVICE.test(path));
      };
      const [first, again, other] = [await drawn(), await drawn(), await drawn('--sample-seed', '2')];
      const inOrder = ['/', ...numbered('', 30, '/s')];
      expect(first.slice(0, 10)).toEqual(inOrder.slice(0, 10));
      expect(first.slice(0, 31)).not.toEqual(inOrder);
      expect(again).toEqual(first);
      expect(other).not.toEqual(first);
    });

    it('a site that is smaller than the sample is known', async () => {
      web.site('small.test', pathSite({ '/': page('Home', ['/a', '/old']), '/a': page('A'), '/old': redirect('/a') }));
      const { stdout } = await run('http://small.test/', '--delay', '0', '--sample', '50');
      expect(stdout).toContain('3 pages, all of them seen (3 pages sampled: 2 HTML, 1 redirect, 0 failed, 0 other)');
    });

    it('what robots.txt forbids is neither asked for nor counted', async () => {
      web.site(
        'partly.test',
        pathSite({
          '/robots.txt': text('User-agent: *\nDisallow: /no\n'),
          '/': page('Home', [...numbered('', 30, '/no'), ...numbered('', 5, '/yes')]),
          ...Object.fromEntries(numbered('', 5, '/yes').map((path) => [path, page(path)])),
        }),
      );
      const answer = await ask('http://partly.test/', '--delay', '0', '--sample', '10');
      expect(answer).toMatchObject({ pages: 6, size: { low: 6, high: 6 }, forbidden: { pages: 30 } });
      expect(askedOf('partly.test').some((path) => path.startsWith('/no'))).toBe(false);
    });

    it('holds the true number on at least eight of ten generated webs', { timeout: 120_000 }, async () => {
      const missed: string[] = [];
      for (let seed = 1; seed <= 10; seed++) {
        const graph = makeGraph({
          seed,
          hosts: 1 + (seed % 3),
          urls: 500 + 100 * seed,
          sitemaps: false,
          ...CALM,
        });
        const box = await openWeb({ keepLog: false });
        graph.install(box);
        const truth = [...graph.closure({ sitemaps: false }).values()].filter(
          ({ state }) => state !== 'skipped',
        ).length;
        const { size } = await preview({
          ...{ seeds: graph.seeds, scope: 'any', delayMs: 0, sample: 200, sampleSeed: seed, connectTo: box.connectTo },
        });
        await box.close();
        if (size === null || truth < size.low || truth > (size.high ?? 0)) {
          missed.push(`${seed}: ${truth} ${JSON.stringify(size)}`);
        }
      }
      expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(2);
    });
  });

  describe('a program', () => {
    it('gets the same answer', async () => {
      web.site('lib.test', pathSite({ '/sitemap.xml': xml(urlset(numbered('http://lib.test', 12))) }));
      const given = { seeds: ['http://lib.test/'], connectTo: web.connectTo, delayMs: 100 };
      const answer = await preview(given);
      expect(answer).toMatchObject({ basis: 'sitemaps', pages: 13, hosts: 1, duration: { decidedBy: 'delay' } });
      const { headersMs: _, ...host } = answer.hostList[0]!;
      expect(host).toEqual({
        host: 'lib.test',
        pages: 13,
        forbidden: 0,
        crawlDelayMs: null,
        delayMs: 100,
        trouble: null,
      });
    });

    it.each([
      [{ seeds: [] }, 'no seed given'],
      [{ seeds: ['http://a.test/'], sample: 5 }, 'sample must be from 10 to 10,000, got 5'],
      [{ seeds: ['http://a.test/'], dataDir: '/x' }, 'preview takes no option dataDir'],
      [{ seeds: ['http://a.test/'], json: true }, 'json is an option of the command line'],
    ])('is told what is wrong: %j', async (options, message) => {
      await expect(preview(options as object)).rejects.toThrow(message);
    });
  });

  it.each([
    [[], 'no URL given: `gossamer preview <url>`'],
    [['http://a.test/', '--sample', '5'], '--sample must be from 10 to 10,000, got 5'],
    [['http://a.test/', '--data-dir', 'x'], '--data-dir'],
  ])('a wrong command line is refused: %j', async (args, message) => {
    const { code, stderr } = await inProcess(['preview', ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
