import { crawl, explain } from 'gossamer';
import { describe, expect, it } from 'vitest';
import { box } from '../crawl/box.js';
import { inProcess } from '../crawl/in-process.js';
import { gossamer, start } from '../crawl/support.js';
import { requestsTo } from '../web/judge.js';
import { hang, html, linkPage, notFound, pathSite, redirect, type Site, text, urlset, xml } from '../web/site.js';
import { pagination } from '../web/traps.js';

const LINKS_ONLY = ['--seeding-strategy', 'none'];
const page = (...hrefs: string[]) => html(linkPage('A page', hrefs));

describe('explain of a kept crawl', () => {
  const own = box();
  const HOME = 'http://site.test/';

  const site = (): Site =>
    pathSite({
      '/': html(
        `<title>Home</title><a href="/one">One</a> <a href="/copy">Copy</a> <a rel="nofollow ugc" href="/hidden">no</a>
         <a href="/old">Old</a> <a href="/deep">Deep</a> <a href="http://elsewhere.test/">Away</a> <a href="mailto:me@site.test">Mail</a>
         <a href="/file.pdf">PDF</a> <a href="/gone">Gone</a>`,
      ),
      '/one': html('<title>Same</title><link rel="canonical" href="/copy"><p>The very same.</p>'),
      '/copy': html('<title>Same</title><link rel="canonical" href="/copy"><p>The very same.</p>'),
      '/old': redirect('/newer'),
      '/newer': redirect('/newest', 302),
      '/newest': page(),
      '/deep': page('/deeper'),
      '/deeper': page('/deepest'),
      '/listed': page(),
      '/sitemap.xml': xml(urlset([`${HOME}listed`])),
    });

  it('says what happened, why, how it was come by, and what is the same', async () => {
    own.web.site('site.test', site());
    const { directory } = await own.crawl([HOME], ['--depth', '2', '--exclude', '*.pdf', '--anchor-text']);
    const about = (path: string) => explain(directory, new URL(path, HOME).href);

    expect(about('/one')).toMatchObject({
      ...{ state: 'done', reason: null, status: 200, depth: 1, canonical: `${HOME}copy`, what: 'fetched: HTTP 200' },
      rule: { by: 'scope', text: `--scope subdomains of ${HOME}` },
      path: [
        { url: HOME, by: 'seed', kind: null },
        { url: `${HOME}one`, by: 'link', kind: 'a' },
      ],
      linkedFrom: { total: 1, pages: 1, nofollow: 0, first: [{ url: HOME, kind: 'a', rel: '', text: 'One' }] },
      duplicates: { total: 1, first: [`${HOME}copy`] },
      canonicalOf: { total: 0, first: [] },
      attempts: [{ attempt: 1, status: 200, reason: null }],
      robots: { allowed: true, why: 'http://site.test has no robots.txt' },
      crawl: { running: false, ended: 'complete', truncated: null },
    });
    expect(about('/copy').canonicalOf).toEqual({ total: 1, first: [`${HOME}one`] });
    expect(about('/hidden')).toMatchObject({
      ...{ state: 'skipped', reason: 'nofollow', rule: { by: 'nofollow' } },
      what: 'not fetched: the one link to it is marked nofollow',
      linkedFrom: { total: 1, nofollow: 1, first: [{ url: HOME, rel: 'nofollow ugc', nofollow: 'link' }] },
    });
    expect(about('/old')).toMatchObject({
      ...{ state: 'done', status: 301, depth: 1, redirects: [`${HOME}newer`, `${HOME}newest`] },
      what: `fetched: HTTP 301, a redirect to ${HOME}newest`,
    });
    expect(about('/newest').path).toEqual([
      { url: HOME, by: 'seed', kind: null },
      { url: `${HOME}old`, by: 'link', kind: 'a' },
      { url: `${HOME}newer`, by: 'redirect', kind: null },
      { url: `${HOME}newest`, by: 'redirect', kind: null },
    ]);
    expect(about('/deepest')).toMatchObject({
      ...{ state: 'skipped', reason: 'depth', depth: 3, rule: { by: 'depth', text: '--depth 2' } },
      remedy: `gossamer resume ${directory} --depth 3`,
    });
    expect(about('/listed')).toMatchObject({
      depth: 1,
      path: [
        { url: `${HOME}sitemap.xml`, by: 'sitemap' },
        { url: `${HOME}listed`, by: 'sitemap' },
      ],
    });
    expect(about('/file.pdf')).toMatchObject({
      state: 'unlisted',
      reason: 'scope',
      rule: { by: 'exclude', text: '--exclude "*.pdf"' },
    });
    expect(about('/gone')).toMatchObject({
      state: 'failed',
      reason: 'http_4xx',
      rule: { by: 'answer', text: 'HTTP 404' },
    });
    expect(about('http://elsewhere.test/')).toMatchObject({
      ...{ state: 'unlisted', reason: 'scope', depth: 1 },
      rule: { by: 'scope', text: `outside of --scope subdomains of ${HOME}` },
    });
    expect(about('mailto:me@site.test')).toMatchObject({ state: 'unlisted', reason: 'scheme', waiting: null });
    expect(about('/robots.txt')).toMatchObject({ kind: 'robots' });
    expect(about('/sitemap.xml')).toMatchObject({ kind: 'sitemap', state: 'done' });
  });

  it('finds the URL that is meant: without scheme, as a path, with a fragment', async () => {
    own.web.site('site.test', site());
    const { directory } = await own.crawl([HOME], LINKS_ONLY);
    for (const spelling of [
      'site.test/one',
      '/one',
      'HTTP://Site.test:80/one#part',
      'http://user:secret@site.test/one',
    ]) {
      expect(explain(directory, spelling), spelling).toMatchObject({ url: `${HOME}one`, state: 'done' });
    }
    expect(explain(directory, `${HOME}one/`)).toMatchObject({ state: 'unseen', near: [`${HOME}one`] });
    expect(explain(directory, 'https://site.test/one')).toMatchObject({ state: 'unseen', near: [`${HOME}one`] });
  });

  it('goes by the identity that the crawl was made with', async () => {
    own.web.site('site.test', site());
    const { directory } = await own.crawl([HOME], [...LINKS_ONLY, '--strip-tracking']);
    expect(explain(directory, `${HOME}one?utm_source=x`)).toMatchObject({ url: `${HOME}one`, state: 'done' });
  });

  it('judges a URL that was never seen as a crawl would', async () => {
    own.web.site('site.test', {
      ...site(),
      handle: (request) =>
        request.path === '/robots.txt' ? text('User-agent: *\nDisallow: /x\n') : site().handle(request),
    });
    const { directory } = await own.crawl([HOME], [...LINKS_ONLY, '--exclude', '/no/**']);
    const about = (path: string) => explain(directory, new URL(path, HOME).href);
    expect(about('/x1')).toMatchObject({
      state: 'unseen',
      reason: 'robots',
      rule: { line: 2, text: 'robots.txt line 2: Disallow: /x' },
    });
    expect(about('/no/1')).toMatchObject({ state: 'unseen', reason: 'scope', rule: { by: 'exclude' } });
    expect(about('/a/a/a/a')).toMatchObject({
      reason: 'trap',
      trap: { pattern: 'http://site.test/a/… repeats "a"', cause: '"a" stands 4 times in the path' },
    });
    expect(about(`/${'y'.repeat(5_000)}`)).toMatchObject({
      reason: 'trap',
      trap: { cause: 'longer than 4,096 characters' },
    });
    expect(about('/fine')).toMatchObject({ state: 'unseen', reason: null, rule: { by: 'scope' }, path: null });
  });

  it('prints short lines, and JSON where that is asked for; nothing of a page controls the terminal', async () => {
    const evil = 'Evil\u001b[31m\u202e';
    own.web.site(
      'evil.test',
      pathSite({ '/': html(`<a rel="x\u001b]0;y\u0007" href="/a">${evil}</a>`), '/a': page() }),
    );
    const { directory } = await own.crawl(['http://evil.test/'], [...LINKS_ONLY, '--anchor-text']);
    const run = await inProcess(['explain', directory, 'evil.test/a']);
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(run.stdout).toMatch(
      /^http:\/\/evil\.test\/a\nfetched: HTTP 200\n {2}state +done\n {2}rule +--scope subdomains of http:\/\/evil\.test\/\n/,
    );
    expect(run.stdout).toMatch(/path +http:\/\/evil\.test\/ \(seed\)\n +http:\/\/evil\.test\/a \(a\)\n/);
    expect(run.stdout).toContain('Evil');
    expect(run.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    const json = await inProcess(['explain', directory, 'evil.test/a', '--json']);
    expect(JSON.parse(json.stdout)).toEqual(JSON.parse(JSON.stringify(explain(directory, 'http://evil.test/a'))));
  });

  it.each([
    [['explain', 'nothing'], 2, '`gossamer explain` needs <dir> <url>'],
    [['explain', 'nothing', 'a.test', 'b.test'], 2, '`gossamer explain` takes only <dir> <url>, got also b.test'],
    [['explain', 'nothing', 'a.test'], 3, 'there is no crawl in '],
  ])('%j is refused with a sentence', async (args, code, sentence) => {
    const run = await inProcess(args);
    expect([run.code, run.stdout]).toEqual([code, '']);
    expect(run.stderr).toMatch(/^error: [^\n]+\n$/);
    expect(run.stderr).toContain(sentence);
  });

  it.each(['http://', 'a b', '-', '/'.repeat(2)])('%j is no URL: exit code 2', async (url) => {
    own.web.site('site.test', site());
    const { directory } = await own.crawl([HOME], ['--depth', '0', ...LINKS_ONLY]);
    const run = await inProcess(['explain', directory, url]);
    expect([run.code, run.stdout], run.stderr).toEqual([2, '']);
    expect(run.stderr).toMatch(/^error: [^\n]+\n$/);
  });
});

describe('explain of a crawl with keys of its own', () => {
  const own = box();

  it('knows keys that are no URLs, and does not take them for any', async () => {
    const rows: Record<string, string[]> = { root: ['db:1', 'db:2'], 'db:1': ['db:3'], 'db:2': [], 'db:3': [] };
    const directory = `${own.folder}/keys`;
    const options = {
      fetch: (key: string) => (key === 'db:2' ? null : { links: rows[key]! }),
      resolve: (href: string) => href,
    };
    await crawl({ seeds: ['root'], dataDir: directory, ...options }).finished;
    expect(explain(directory, 'db:3')).toMatchObject({
      ...{ url: 'db:3', state: 'done', depth: 2, robots: null, rule: { by: 'scope' } },
      path: [
        { url: 'root', by: 'seed' },
        { url: 'db:1', by: 'link' },
        { url: 'db:3', by: 'link' },
      ],
    });
    expect(explain(directory, 'db:2')).toMatchObject({ state: 'failed', reason: 'unknown', rule: { by: 'answer' } });
    expect(explain(directory, 'db:4')).toMatchObject({ url: 'db:4', state: 'unseen', reason: null });
  });
});

describe('explain names the limit that cut a URL', () => {
  const own = box();
  const star = (): Site => pathSite({ '/': page('/1', '/2', '/3'), '/1': page(), '/2': page(), '/3': page() });

  it.each([
    ['--max-urls', ['--max-urls', '2'], '--max-urls 2', '--max-urls 4'],
    ['--max-urls-per-host', ['--max-urls-per-host', '2'], '--max-urls-per-host 2', '--max-urls-per-host 4'],
  ])('%s, and the command that it names fetches it', async (_name, args, limit, flag) => {
    own.web.site('star.test', star());
    const { directory } = await own.crawl(['http://star.test/'], [...LINKS_ONLY, ...args]);
    const said = explain(directory, 'http://star.test/3');
    expect(said).toMatchObject({ state: 'skipped', reason: 'limit', rule: { by: 'limit', text: limit } });
    expect(said.remedy).toBe(`gossamer resume ${directory} ${flag}`);
    own.web.clearLog();
    const here = own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    const run = await inProcess([...said.remedy!.split(' ').slice(1), ...here]);
    expect(run.code, run.stderr).toBe(0);
    expect(
      requestsTo(own.web.log, 'star.test')
        .map(({ path }) => path)
        .filter((path) => path !== '/robots.txt')
        .sort(),
    ).toEqual(['/2', '/3']);
    expect(explain(directory, 'http://star.test/3')).toMatchObject({ state: 'done' });
  });

  it('of a seed', async () => {
    own.web.site('star.test', star());
    const run = await gossamer(
      [
        'crawl',
        '-',
        ...LINKS_ONLY,
        '--delay',
        '0',
        '--data-dir',
        `${own.folder}/seed`,
        ...own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]),
      ],
      { input: 'http://star.test/ max-urls=2\n' },
    );
    expect(run.code, run.stderr).toBe(0);
    expect(explain(`${own.folder}/seed`, 'http://star.test/3')).toMatchObject({
      ...{ reason: 'limit', remedy: null },
      rule: { by: 'limit', text: expect.stringMatching(/^max-urls=2 of the seed /) },
    });
  });

  it('--depth: the command that it names fetches it, and what it leads to is cut at the new depth', async () => {
    own.web.site('chain.test', pathSite({ '/': page('/1'), '/1': page('/2'), '/2': page('/3'), '/3': page('/4') }));
    const { directory } = await own.crawl(['http://chain.test/'], [...LINKS_ONLY, '--depth', '1']);
    const { remedy } = explain(directory, 'http://chain.test/2');
    own.web.clearLog();
    const here = own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    expect((await inProcess([...remedy!.split(' ').slice(1), ...here])).code).toBe(0);
    expect(requestsTo(own.web.log, 'chain.test').map(({ path }) => path)).toEqual(['/2']);
    expect(explain(directory, 'http://chain.test/3')).toMatchObject({
      reason: 'depth',
      depth: 3,
      rule: { text: '--depth 2' },
    });
  });
});

describe('explain of a trap', () => {
  const own = box();

  it('names pattern, cause, count, examples and flag; as many as the summary and the list of pages say', async () => {
    own.web.site('list.test', pagination());
    const args = [...LINKS_ONLY, '--max-query-variants', '12'];
    const { directory, pages, summary } = await own.crawl(['http://list.test/'], args);
    const cut = [...pages.values()].filter(({ reason }) => reason === 'trap');
    const [trap] = summary.traps;
    expect(trap).toEqual({
      pattern: 'http://list.test/list?*',
      cause:
        '12 or more queries of this path; nine of the last ten that were fetched brought no URL of another shape and no new text',
      count: cut.length,
      examples: cut.map(({ url }) => url).slice(0, 3),
      allow: "--allow-trap 'http://list.test/list?*'",
    });
    expect(explain(directory, cut[0]!.url)).toMatchObject({
      ...{ state: 'skipped', reason: 'trap', trap },
      rule: { by: 'trap', text: `${trap!.pattern}: ${trap!.cause}` },
      remedy: `gossamer resume ${directory} ${trap!.allow}`,
    });
    expect(explain(directory, 'http://list.test/list?page=9999')).toMatchObject({
      state: 'unseen',
      reason: 'trap',
      trap,
    });
  });
});

describe('explain beside a running crawl', () => {
  const own = box();

  it('says what is on the wire and what each waiting URL waits for, and disturbs nobody', async () => {
    let arrived = (): void => {};
    const waiting = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    let answer = (): void => {};
    const gate = new Promise<void>((resolve) => {
      answer = resolve;
    });
    own.web.site('run.test', {
      async handle({ path }) {
        if (path === '/') {
          return page('/held', '/next', 'http://silent.run.test/', 'http://slow.run.test/1', 'http://slow.run.test/2');
        }
        if (path !== '/held') {
          return path === '/next' ? page() : notFound;
        }
        arrived();
        await gate;
        return page();
      },
    });
    own.web.site('silent.run.test', { handle: () => hang });
    own.web.site(
      'slow.run.test',
      pathSite({ '/robots.txt': text('User-agent: *\nCrawl-delay: 3000\n'), '/1': page(), '/2': page() }),
    );
    const here = own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    const directory = `${own.folder}/running`;
    const args = ['--max-inflight-per-host', '1', '--max-crawl-delay', '5000s', '--delay', '0', ...LINKS_ONLY];
    const program = start(['crawl', 'http://run.test/', '--data-dir', directory, ...args, ...here]);
    await waiting;
    const until = async (url: string, layer: number) => {
      // The answer to robots.txt and its commit come when they come.
      for (;;) {
        const said = explain(directory, url);
        if (said.waiting?.layer === layer) {
          return said;
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    expect(explain(directory, 'http://run.test/held')).toMatchObject({
      state: 'leased',
      what: 'being fetched',
      crawl: { running: true },
    });
    expect(await until('http://run.test/next', 2)).toMatchObject({
      ...{ state: 'leased', what: 'about to be fetched', reason: null, remedy: null },
      waiting: { name: 'requests in flight per host', why: '1 request to run.test under way, and it is next in line' },
    });
    expect(await until('http://silent.run.test/', 8)).toMatchObject({ waiting: { name: 'robots.txt fetches' } });
    const slow = await until('http://slow.run.test/2', 4);
    expect(slow.waiting).toMatchObject({
      name: 'delay per host',
      why: expect.stringContaining('every 3,000 s (Crawl-delay'),
    });
    expect(slow.waiting!.until).toBeGreaterThan(Date.now());
    program.child.kill('SIGINT');
    answer();
    expect((await program.ended).code).toBe(130);
    expect(explain(directory, 'http://slow.run.test/2')).toMatchObject({
      ...{ state: 'queued', remedy: `gossamer resume ${directory}`, crawl: { running: false, ended: 'interrupted' } },
      waiting: { layer: null, why: 'the crawl is not running' },
    });
  }, 60_000);
});

describe('explain, in words', () => {
  const own = box();

  it('names forms, noindex, a host that failed meanwhile, and a page with several links once', async () => {
    const HOME = 'http://words.test/';
    let asked = 0;
    own.web.site(
      'words.test',
      pathSite({
        '/': html(
          '<p><a href="/shaky">s</a><a href="/twice">1</a><a href="/twice">2</a><a href="/twice">3</a></p><form action="/send"></form>',
        ),
        '/shaky': () => (asked++ === 0 ? html('', 503) : page()),
        '/twice': html('<meta name="robots" content="noindex"><p>twice</p>'),
      }),
    );
    const { directory } = await own.crawl(
      [HOME],
      [...LINKS_ONLY, '--retry-delay', '0', '--max-inflight-per-host', '1'],
    );
    const said = async (path: string) => (await inProcess(['explain', directory, path])).stdout;
    const twice = await said('/twice');
    expect(twice).toContain('3 links on 1 page\n                http://words.test/ (a) ×3\n');
    expect(twice.match(/http:\/\/words\.test\/ \(a\)/g)).toHaveLength(1);
    expect(twice).toContain('robots meta   noindex: it is left out of the sitemap\n');
    expect(twice).toContain('layer 5, backoff of failing hosts: words.test failed meanwhile');
    const send = await said('/send');
    expect(send).toContain('not fetched: only forms lead to it\n');
    expect(send).toContain('forms are recorded and never sent');
  });

  it('knows a feed that was read, a gate that a cookie opened, and what was out of the ordinary', async () => {
    const feed = '<rss version="2.0"><channel><item><link>http://odd.test/news</link></item></channel></rss>';
    own.web.site(
      'odd.test',
      pathSite({
        '/': html(
          '<link rel="alternate" type="application/rss+xml" href="/feed.xml"><a href="/gate">g</a><a href="/bytes">b</a>',
        ),
        '/feed.xml': { status: 200, headers: { 'content-type': 'application/rss+xml' }, body: feed },
        '/gate': ({ headers }) =>
          headers.cookie === undefined
            ? { status: 302, headers: { location: '/gate', 'set-cookie': 'a=1' } }
            : html('<p>behind the gate'),
        '/bytes': {
          ...{ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } },
          body: Buffer.from('<p>gr\u00fc\u00df dich, and more words', 'latin1'),
        },
        '/news': page(),
      }),
    );
    const { directory } = await own.crawl(['http://odd.test/']);
    const said = async (path: string) => (await inProcess(['explain', directory, path])).stdout;
    expect(await said('/feed.xml')).toContain('/feed.xml\nfetched: HTTP 200\n');
    const gate = await said('/gate');
    expect(gate).toContain('a circle of redirects set a cookie, and it was asked once more with it');
    expect(gate).not.toContain('backoff');
    expect(await said('/bytes')).toMatch(/\n {2}note +(?:wrong_charset|undecodable_bytes): /);
  });
});
