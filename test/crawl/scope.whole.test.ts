import { beforeAll, describe, expect, it } from 'vitest';
import { requestsTo } from '../web/judge.js';
import { html, linkPage, pathSite, redirect, type SiteAnswer, text } from '../web/site.js';
import { box, type Crawled, fates } from './box.js';

const page = (title: string, hrefs: string[] = []) => html(linkPage(title, hrefs));
const late = (answer: SiteAnswer, afterMs = 700): SiteAnswer => ({ ...answer, afterMs });

describe('--scope', () => {
  const own = box();
  const inside = ['http://www.a.test/docs/', 'http://www.a.test/docs/x'];
  const rings: [kind: string, urls: string[]][] = [
    ['page', ['http://www.a.test/docs/']],
    ['prefix', inside],
    ['host', ['http://www.a.test/', 'http://www.a.test/docs-old/', ...inside]],
    ['subdomains', ['http://www.a.test/', 'http://www.a.test/docs-old/', ...inside, 'http://deep.www.a.test/']],
  ];
  const domain = [...rings[3]![1], 'http://a.test/', 'http://blog.a.test/'];
  rings.push(['domain', domain], ['any', [...domain, 'http://b.test/']]);
  const all = rings.at(-1)![1];

  beforeAll(() => {
    const everything = page('Links', all);
    for (const name of ['www.a.test', 'deep.www.a.test', 'a.test', 'blog.a.test', 'b.test']) {
      own.web.site(name, { handle: ({ path }) => (/robots|sitemap/.test(path) ? { status: 404 } : everything) });
    }
  });

  it.each(rings)('%s lets in what it says and nothing else', async (kind, expected) => {
    own.web.clearLog();
    const { pages } = await own.crawl(['http://www.a.test/docs/'], ['--scope', kind]);
    expect([...pages.keys()].sort()).toEqual([...expected].sort());
    const asked = own.web.log
      .filter(({ path }) => !/robots|sitemap/.test(path))
      .map(({ host, path }) => `http://${host}${path}`);
    expect(asked.sort()).toEqual([...expected].sort());
  });

  it('is narrowed by --include and --exclude, and the latter wins', async () => {
    const { pages } = await own.crawl(
      ['http://www.a.test/docs/'],
      ['--scope', 'any', '--include', '*://*.a.test/**', '--exclude', 're:docs-old', '--exclude', '*://blog.a.test/**'],
    );
    expect([...pages.keys()].sort()).toEqual([...inside, 'http://www.a.test/', 'http://deep.www.a.test/'].sort());
  });
});

describe('a seed that redirects', () => {
  const own = box();

  it('widens the scope by what it leads to; links that were found before are let in then', async () => {
    own.web.site('old.test', pathSite({ '/': late(redirect('http://www.new.test/docs/')) }));
    own.web.site(
      'www.new.test',
      pathSite({
        '/docs/': page('Docs', ['/docs/a', '/shop', 'http://old.test/b']),
        '/docs/a': page('A'),
        '/docs/early': page('Early', ['/docs/earlier']),
        '/docs/earlier': page('Earlier'),
        '/shop': page('Shop'),
      }),
    );
    own.web.site(
      'friend.test',
      pathSite({
        '/': page('Friend', [
          'http://www.new.test/docs/early',
          'http://www.new.test/other',
          'http://www.new.test/docs/',
        ]),
      }),
    );
    const { pages, run } = await own.crawl(['http://old.test/', 'http://friend.test/'], ['--scope', 'prefix']);
    const [friend] = requestsTo(own.web.log, 'friend.test', '/');
    const [old] = requestsTo(own.web.log, 'old.test', '/');
    expect(friend!.endedAt!).toBeLessThan(old!.endedAt!);
    expect(fates(pages)).toEqual({
      'http://friend.test/': 'done',
      'http://old.test/': 'done',
      'http://old.test/b': 'failed http_4xx',
      'http://www.new.test/docs/': 'done',
      'http://www.new.test/docs/a': 'done',
      'http://www.new.test/docs/early': 'done',
      'http://www.new.test/docs/earlier': 'done',
    });
    expect(pages.get('http://www.new.test/docs/early')).toMatchObject({ depth: 1 });
    expect(pages.get('http://www.new.test/docs/')).toMatchObject({ depth: 0 });
    expect(pages.get('http://old.test/')).toMatchObject({ finalUrl: 'http://www.new.test/docs/' });
    expect(run.stderr).toContain('http://www.new.test/docs/');
  });

  it('is followed through several hosts, and each counts as its own', async () => {
    own.web.site('one.test', pathSite({ '/': redirect('http://two.test/') }));
    own.web.site('two.test', pathSite({ '/': redirect('http://three.test/home'), '/more': page('More') }));
    own.web.site('three.test', pathSite({ '/home': page('Home', ['/x', 'http://two.test/more']), '/x': page('X') }));
    const { pages } = await own.crawl(['http://one.test/']);
    expect(fates(pages)).toEqual({
      'http://one.test/': 'done',
      'http://two.test/': 'done',
      'http://two.test/more': 'done',
      'http://three.test/home': 'done',
      'http://three.test/x': 'done',
    });
  });
});

describe('--depth', () => {
  const own = box();

  beforeAll(() => {
    own.web.site(
      'depth.test',
      pathSite({
        '/': page('Home', ['/a', '/slow']),
        '/a': page('A', ['/b']),
        '/b': page('B', ['/target']),
        '/slow': late(page('Slow', ['/target', '/b'])),
        '/target': page('Target', ['/too-far']),
        '/too-far': page('Too far'),
      }),
    );
    own.web.site(
      'later.test',
      pathSite({
        '/': page('Home', ['/a', '/slow']),
        '/a': page('A', ['/done']),
        '/slow': late(redirect('/done')),
        '/done': page('Done', ['/cut']),
        '/cut': page('Cut', ['/beyond']),
        '/beyond': page('Beyond'),
      }),
    );
  });

  it.each(['bfs', 'dfs', 'priority'])('cuts by the shortest path, also where it is found late (%s)', async (order) => {
    own.web.clearLog();
    const { pages } = await own.crawl(['http://depth.test/'], ['--depth', '2', '--order', order]);
    const log = requestsTo(own.web.log, 'depth.test');
    const endOf = (path: string) => log.find((request) => request.path === path)!.endedAt!;
    // The long way was known first: /target was cut at depth 3, and then let in.
    expect(endOf('/b')).toBeLessThan(endOf('/slow'));
    expect(pages.get('http://depth.test/target')).toMatchObject({ state: 'done', depth: 2 });
    expect(pages.get('http://depth.test/too-far')).toMatchObject({ state: 'skipped', reason: 'depth', depth: 3 });
    expect(requestsTo(own.web.log, 'depth.test', '/too-far')).toEqual([]);
  });

  it('lets in what a page links to that is nearer than it was, without fetching that page again', async () => {
    const { pages } = await own.crawl(['http://later.test/'], ['--depth', '2']);
    expect(requestsTo(own.web.log, 'later.test', '/done')).toHaveLength(1);
    expect(pages.get('http://later.test/done')).toMatchObject({ depth: 1 });
    expect(pages.get('http://later.test/cut')).toMatchObject({ state: 'done', depth: 2 });
    expect(pages.get('http://later.test/beyond')).toMatchObject({ state: 'skipped', reason: 'depth', depth: 3 });
  });

  it('0 fetches the seeds only', async () => {
    own.web.clearLog();
    await own.crawl(['http://depth.test/'], ['--depth', '0', '--seeding-strategy', 'none']);
    expect(own.web.log.map(({ path }) => path)).toEqual(['/robots.txt', '/']);
  });
});

describe('--nofollow', () => {
  const own = box();

  beforeAll(() => {
    const linkTo = (href: string) => `<!doctype html><title>t</title><a href="${href}">x</a>`;
    own.web.site(
      'shy.test',
      pathSite({
        '/': html(
          '<!doctype html><title>Home</title><a rel="NoFollow external" href="/by-rel">1</a><a href="/meta">2</a><a href="/header">3</a><a href="/other-bot">4</a><a rel=nofollow href="/both">5</a><a href="/both">6</a>',
        ),
        '/meta': html(`<!doctype html><meta name="robots" content="noindex, nofollow">${linkTo('/by-meta')}`),
        '/header': {
          ...html(linkTo('/by-header')),
          headers: { 'content-type': 'text/html', 'x-robots-tag': 'gossamer: nofollow' },
        },
        '/other-bot': {
          ...html(linkTo('/for-us')),
          headers: { 'content-type': 'text/html', 'x-robots-tag': 'otherbot: nofollow' },
        },
        ...Object.fromEntries(
          ['/by-rel', '/by-meta', '/by-header', '/for-us', '/both'].map((path) => [path, page(path)]),
        ),
      }),
    );
  });

  it('obey, the default, keeps from links that are marked, by rel, meta or header', async () => {
    const { pages } = await own.crawl(['http://shy.test/']);
    for (const path of ['/by-rel', '/by-meta', '/by-header']) {
      expect(pages.get(`http://shy.test${path}`), path).toMatchObject({ state: 'skipped', reason: 'nofollow' });
      expect(requestsTo(own.web.log, 'shy.test', path), path).toEqual([]);
    }
    for (const path of ['/for-us', '/both']) {
      expect(pages.get(`http://shy.test${path}`), path).toMatchObject({ state: 'done' });
    }
  });

  it('ignore follows them', async () => {
    const { pages } = await own.crawl(['http://shy.test/'], ['--nofollow', 'ignore']);
    expect(new Set(Object.values(fates(pages)))).toEqual(new Set(['done']));
    expect(pages.size).toBe(9);
  });
});

describe('--external', () => {
  const own = box();
  let crawled: Crawled;

  beforeAll(async () => {
    const links = [
      'http://out.test/ok',
      'http://out.test/refuses-head',
      'http://out.test/missing',
      'http://out.test/closed',
    ];
    own.web.site('in.test', pathSite({ '/': page('Home', [...links, '/second']), '/second': page('Second', links) }));
    own.web.site(
      'out.test',
      pathSite({
        '/robots.txt': text('User-agent: *\nDisallow: /closed\n'),
        '/ok': page('Fine', ['/never']),
        '/refuses-head': ({ method }) => (method === 'HEAD' ? { status: 405 } : page('Only GET', ['/never'])),
        '/closed': page('Closed'),
        '/never': page('Never'),
        '/sitemap.xml': text('http://out.test/never-either'),
      }),
    );
    crawled = await own.crawl(['http://in.test/'], ['--external', '--depth', '1']);
  });

  it('checks each link that leaves the scope once, with HEAD, and with a ranged GET where HEAD is refused', () => {
    const asked = requestsTo(own.web.log, 'out.test').map(({ method, path }) => `${method} ${path}`);
    for (const path of ['/ok', '/refuses-head', '/missing']) {
      expect(
        asked.filter((each) => each === `HEAD ${path}`),
        path,
      ).toHaveLength(1);
    }
    expect(asked).not.toContain('GET /ok');
    const [ranged] = own.web.log.filter(({ method, path }) => method === 'GET' && path === '/refuses-head');
    expect(ranged!.headers.range).toBe('bytes=0-0');
    expect(crawled.pages.get('http://out.test/refuses-head')).toMatchObject({ state: 'done', status: 200 });
    expect(crawled.pages.get('http://out.test/missing')).toMatchObject({ state: 'failed', reason: 'http_4xx' });
  });

  it('follows nothing there, asks robots.txt first and obeys it, and looks for no sitemap', () => {
    const log = requestsTo(own.web.log, 'out.test');
    expect(log[0]!.path).toBe('/robots.txt');
    expect(log.some(({ path }) => path === '/never' || path === '/closed' || path === '/never-either')).toBe(false);
    expect(log.filter(({ path }) => path.includes('sitemap'))).toEqual([]);
    expect(crawled.pages.get('http://out.test/closed')).toMatchObject({ state: 'skipped', reason: 'robots' });
  });

  it('is off unless asked for', async () => {
    own.web.clearLog();
    const { pages } = await own.crawl(['http://in.test/']);
    expect(requestsTo(own.web.log, 'out.test')).toEqual([]);
    expect([...pages.keys()].every((url) => url.startsWith('http://in.test/'))).toBe(true);
  });
});
