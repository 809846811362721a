import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkLinks, makeDocs, preview, resumeCrawl, robotsVerdict } from 'gossamer';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LoggedRequest } from '../web/log.js';
import { html, linkPage, pathSite, redirect, type Site, text, urlset, xml } from '../web/site.js';
import { box } from './box.js';
import { gossamer } from './support.js';

const SECRET = 'X-Key: swordfish';
const originOf = ({ headers }: LoggedRequest): string => `http://${headers.host}`;

describe('a header of -H', () => {
  const own = box();

  beforeAll(() => {
    const { web } = own;
    web.site(
      'seed.test',
      pathSite({
        '/robots.txt': text('User-agent: *\nSitemap: http://seed.test/map.xml\nSitemap: http://maps.test/map.xml\n'),
        '/map.xml': xml(urlset(['http://seed.test/mapped'])),
        '/': html(
          `${linkPage('Home', ['/in', '/out', '/moved', '/file.zip', 'http://outside.test/', 'http://sub.seed.test/', 'http://seed.test:8080/', 'http://user:pw@else.test/'])}<img src="http://assets.test/a.png">`,
        ),
        '/in': html(linkPage('In', [])),
        '/mapped': html(linkPage('Mapped', [])),
        '/out': redirect('http://outside.test/target'),
        '/moved': redirect('/in'),
        '/file.zip': { headers: { 'content-type': 'application/zip' }, body: 'zip' },
      }),
    );
    const plain: Site = {
      handle: ({ path }) => (path === '/robots.txt' ? text('', 404) : html(linkPage(path, []))),
    };
    for (const host of ['outside.test', 'maps.test', 'assets.test', 'else.test', 'api.test']) {
      web.site(host, plain);
    }
    web.site('gone.test', pathSite({}));
    web.site(
      'checked.test',
      pathSite({ '/': html(linkPage('Home', ['http://gone.test/', 'http://outside.test/', '/dead'])) }),
    );
    // A robots.txt that is asked for elsewhere, by way of a host in scope.
    web.site(
      'sub.seed.test',
      pathSite({ '/robots.txt': redirect('http://outside.test/robots.txt'), '/': html('<p>Sub') }),
    );
    web.site('start.test', pathSite({ '/': redirect('http://end.test/'), '/a': html('<p>A') }));
    web.site('end.test', pathSite({ '/': html(linkPage('End', ['/b', 'http://start.test/a'])), '/b': html('<p>B') }));
  });
  beforeEach(() => own.web.clearLog());

  /** Origins that were asked, by the values of a header that they saw. */
  function sawKey(name = 'x-key'): Record<string, string[]> {
    const seen: Record<string, Set<string>> = {};
    for (const request of own.web.log) {
      const value = request.headers[name] ?? 'none';
      seen[value] = (seen[value] ?? new Set()).add(originOf(request));
    }
    return Object.fromEntries(Object.entries(seen).map(([value, origins]) => [value, [...origins].sort()]));
  }
  const OTHERS = ['assets.test', 'else.test', 'outside.test', 'seed.test:8080', 'sub.seed.test'].map(
    (host) => `http://${host}`,
  );
  const inTheBox = () => ({ connectTo: own.web.connectTo, delayMs: 0, retryDelayMs: 0, retries: 0 });

  it("goes to the seeds' origins only: not to links, redirects, robots.txt, sitemaps, assets, other ports", async () => {
    await own.crawl(['http://seed.test/'], ['-H', SECRET, '--external', '--assets']);
    expect(sawKey()).toEqual({ swordfish: ['http://seed.test'], none: [...OTHERS, 'http://maps.test'].sort() });
    const asked = own.web.log.filter(({ host }) => host === 'seed.test').map(({ path }) => path);
    expect(asked).toEqual(expect.arrayContaining(['/robots.txt', '/map.xml', '/', '/in', '/mapped', '/file.zip']));
  });

  it('with an origin goes to that one, with * to all; the narrower one wins', async () => {
    const keys = [
      '*|X-Key: all',
      'X-Key: seeds',
      'HTTP://API.test:80/ | x-key: api',
      'http://seed.test:8080|X-Key: port',
    ];
    const args = keys.flatMap((key) => ['-H', key]);
    await own.crawl(['http://seed.test/', 'http://api.test/'], [...args, '--external', '--assets']);
    expect(sawKey()).toEqual({
      all: [...OTHERS, 'http://maps.test'].filter((origin) => !origin.endsWith(':8080')).sort(),
      seeds: ['http://seed.test'],
      api: ['http://api.test'],
      port: ['http://seed.test:8080'],
    });
  });

  it('does not follow a seed to where its redirect leads, though that is in scope', async () => {
    const { pages } = await own.crawl(['http://start.test/'], ['-H', SECRET, '--user', 'me:word']);
    expect(pages.get('http://end.test/b')).toMatchObject({ state: 'done' });
    expect(sawKey()).toEqual({ swordfish: ['http://start.test'], none: ['http://end.test'] });
    expect(sawKey('authorization')).toMatchObject({ none: ['http://end.test'] });
  });

  it('in a check, its second look included', async () => {
    const check = await checkLinks('http://checked.test/', { ...inTheBox(), maxBackoffMs: 1000, headers: [SECRET] });
    check.close();
    expect(sawKey()).toEqual({ swordfish: ['http://checked.test'], none: ['http://gone.test', 'http://outside.test'] });
    for (const [host, path] of [
      ['gone.test', '/'],
      ['checked.test', '/dead'],
    ]) {
      expect(own.web.log.filter((request) => request.host === host && request.path === path).length).toBeGreaterThan(1);
    }
  });

  it('in docs, preview and robots', async () => {
    const folders = { dataDir: join(own.folder, 'docs'), output: join(own.folder, 'corpus') };
    await makeDocs('http://start.test/', { ...inTheBox(), ...folders, headers: [SECRET] });
    expect(sawKey()).toEqual({ swordfish: ['http://start.test'], none: ['http://end.test'] });
    own.web.clearLog();
    await preview({
      connectTo: own.web.connectTo,
      delayMs: 0,
      seeds: ['http://seed.test/'],
      sample: 20,
      headers: [SECRET],
    });
    expect(sawKey().swordfish).toEqual(['http://seed.test']);
    expect(sawKey().none).toContain('http://maps.test');
    own.web.clearLog();
    await robotsVerdict('http://sub.seed.test/', { connectTo: own.web.connectTo, headers: [SECRET] });
    expect(sawKey()).toEqual({ swordfish: ['http://sub.seed.test'], none: ['http://outside.test'] });
  });

  it('stays bound when a crawl goes on, and must be given again: no value is kept on disk', async () => {
    const { directory } = await own.crawl(['http://seed.test/'], ['-H', SECRET, '--max-urls', '1']);
    const kept = ['crawl.sqlite', 'crawl.sqlite-wal', 'summary.json', 'pages.jsonl'].filter((name) =>
      existsSync(join(directory, name)),
    );
    for (const name of kept) {
      expect(readFileSync(join(directory, name)).includes('swordfish'), name).toBe(false);
    }
    expect(() => resumeCrawl(directory, { maxUrls: 100 })).toThrow('headers, which is not kept on disk: give it again');
    own.web.clearLog();
    await resumeCrawl(directory, { maxUrls: 100, headers: [SECRET] }).finished;
    expect(sawKey().swordfish).toEqual(['http://seed.test']);
    expect(sawKey().none).toContain('http://sub.seed.test');
  });

  it('that has no such form is refused in one sentence, exit code 2, before anybody is asked', async () => {
    const run = await gossamer(['crawl', 'http://seed.test/', '-H', 'api.test|X-Key: swordfish'], { cwd: own.folder });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain("--header must be of the form 'Name: value', 'https://HOST|Name: value' or");
    expect(run.stderr).not.toContain('swordfish');
    expect(own.web.log).toEqual([]);
  });
});
