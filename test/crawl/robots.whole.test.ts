import { createSocket, type Socket } from 'node:dgram';
import { robotsVerdict } from 'gossamer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explain } from '../../src/explain/explain.js';
import { requestsTo, smallestGap } from '../web/judge.js';
import { installRobotsCases, robotsCases } from '../web/robots-sites.js';
import { html, linkPage, pathSite, redirect, type SiteAnswer, type SiteRequest, text } from '../web/site.js';
import { box, type Crawled } from './box.js';
import { closedPort } from './support.js';

/** What came of a robots.txt that cannot be had: a status, or why there was none. */
const TROUBLE = /robots\.txt (?:was answered with HTTP (?:429|5\d\d)|was not answered: \S|broke off)/;

/** A name server that knows no name. */
async function openNameless(): Promise<{ socket: Socket; address: string }> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const answer = Buffer.from(query);
    answer.writeUInt16BE(0x8183, 2);
    socket.send(answer, from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { socket, address: `127.0.0.1:${socket.address().port}` };
}

describe('robots.txt of every kind', () => {
  const own = box();
  let crawled: Crawled;
  let letGo: Crawled;
  const slow = new Set(['crawl-delay-5', 'crawl-delay-120']);
  const cases = robotsCases.filter(({ name }) => !slow.has(name));
  const seedOf = ({ host }: { host: string }) => `http://${host}/`;
  let nameless: Awaited<ReturnType<typeof openNameless>>;

  beforeAll(async () => {
    installRobotsCases(own.web);
    nameless = await openNameless();
    const seeds = [...cases.map(seedOf), 'http://refused.test/', 'http://refused.test/other', 'http://unknown.test/'];
    const mappings = [
      `refused.test::127.0.0.1:${await closedPort()}`,
      // To itself: a name that has to be looked up.
      'unknown.test::unknown.test:',
      ...own.web.connectTo,
    ];
    const slowOnes = robotsCases.filter(({ name }) => slow.has(name));
    own.web.site(
      'letting.test',
      pathSite({ '/robots.txt': { status: 503, body: '' }, '/': html(linkPage('Open', ['/x'])), '/x': html('<p>x') }),
    );
    const [first, second] = await Promise.all([
      own.crawl(seeds, [
        ...['--robots-timeout', '500ms', '--retry-delay', '100ms', '--max-wait', '60', '--resolver', nameless.address],
        ...mappings.flatMap((mapping) => ['--connect-to', mapping]),
      ]),
      own.crawl(['http://letting.test/'], ['--robots-unreachable', 'allow', '--seeding-strategy', 'none']),
      // The longest one is cut off: until then nothing but its robots.txt was asked for.
      own.crawl(slowOnes.map(seedOf), ['--seeding-strategy', 'none', '--duration', '12']),
    ]);
    crawled = first;
    letGo = second;
  }, 120_000);

  afterAll(() => {
    nameless.socket.close();
  });

  it('--robots-unreachable allow crawls a host whose robots.txt was asked for three times in vain, and says so', () => {
    const asked = requestsTo(own.web.log, 'letting.test').map(({ path }) => path);
    expect(asked).toEqual(['/robots.txt', '/robots.txt', '/robots.txt', '/', '/x']);
    expect(letGo.summary).toMatchObject({ robotsUnreachable: { policy: 'allow', crawledHosts: 1 } });
    expect(letGo.run.stderr).toContain('http://letting.test: robots.txt cannot be reached');
  });

  it.each(cases.filter(({ expect: expected }) => expected !== 'unreachable'))(
    '$name: $expect',
    ({ host, allowed, disallowed, crawlDelayMs }) => {
      const log = requestsTo(own.web.log, host);
      const asked = log.map(({ path }) => path);
      for (const path of allowed) {
        expect(
          log.filter((each) => each.method === 'GET' && each.path === path),
          path,
        ).toHaveLength(1);
        expect(crawled.pages.get(`http://${host}${path}`), path).toMatchObject({ state: 'done', status: 200 });
      }
      for (const path of disallowed) {
        expect(asked, path).not.toContain(path);
        expect(crawled.pages.get(`http://${host}${path}`), path).toMatchObject({
          state: 'skipped',
          reason: 'robots',
          status: null,
        });
      }
      expect(smallestGap(own.web.log, host)).toBeGreaterThanOrEqual(crawlDelayMs ?? 0);
    },
  );

  it.each(cases.filter(({ expect: expected }) => expected === 'unreachable'))(
    '$name: asked three times, then its pages are put off',
    ({ host }) => {
      const asked = requestsTo(own.web.log, host);
      expect(asked.map(({ path }) => path)).toEqual(['/robots.txt', '/robots.txt', '/robots.txt']);
      expect(asked[1]!.at - asked[0]!.at).toBeGreaterThanOrEqual(2_000);
      expect(asked[2]!.at - asked[1]!.at).toBeGreaterThanOrEqual(4_000);
      expect(crawled.pages.get(`http://${host}/`)).toMatchObject({
        state: 'deferred',
        reason: 'robots_unreachable',
        status: null,
      });
      expect(crawled.summary.deferredHosts).toContainEqual(
        expect.objectContaining({
          host,
          reason: 'robots_unreachable',
          urls: 1,
          detail: expect.stringMatching(TROUBLE),
        }),
      );
      const said = explain(crawled.directory, `http://${host}/`);
      expect(said.rule.text).toMatch(TROUBLE);
      expect(said.robots).toMatchObject({ allowed: false, why: expect.stringMatching(TROUBLE) });
      expect(said.remedy).toMatch(/ --robots-unreachable allow$/);
    },
  );

  it('no page of a host is asked for before its robots.txt has been answered', () => {
    for (const { host } of robotsCases) {
      const log = requestsTo(own.web.log, host);
      const isRobots = ({ path }: { path: string }) => path === '/robots.txt' || path.startsWith('/moved');
      const lastRobots = Math.max(...log.filter(isRobots).map(({ endedAt }) => endedAt ?? Number.POSITIVE_INFINITY));
      for (const { at, path } of log.filter((request) => !isRobots(request))) {
        expect(at, `${host}${path}`).toBeGreaterThanOrEqual(lastRobots);
      }
    }
  });

  it('rules that another host keeps bind the host that was asked, and not the keeper', () => {
    expect(requestsTo(own.web.log, 'keeper.robots.test', '/rules.txt')).toHaveLength(1);
    expect(requestsTo(own.web.log, 'cross-host.robots.test', '/closed')).toEqual([]);
  });

  it('a host that refuses connections, or has no address, gives that error to each of its URLs', () => {
    expect(crawled.pages.get('http://refused.test/')).toMatchObject({ state: 'failed', reason: 'connection_refused' });
    expect(crawled.pages.get('http://refused.test/other')).toMatchObject({
      state: 'failed',
      reason: 'connection_refused',
    });
    expect(crawled.pages.get('http://unknown.test/')).toMatchObject({ state: 'failed', reason: 'dns' });
  });

  it('a Crawl-delay of 5 s and one of 120 s are kept', () => {
    expect(requestsTo(own.web.log, 'crawl-delay-5.robots.test').map(({ path }) => path)).toEqual([
      '/robots.txt',
      '/',
      '/open',
    ]);
    expect(smallestGap(own.web.log, 'crawl-delay-5.robots.test')).toBeGreaterThanOrEqual(5_000);
    expect(requestsTo(own.web.log, 'crawl-delay-120.robots.test').map(({ path }) => path)).toEqual(['/robots.txt']);
  });
});

describe('a seed that robots.txt forbids', () => {
  const own = box();

  it('ends the run with exit code 4 and the line that decides, and is never asked for', async () => {
    own.web.site(
      'closed.test',
      pathSite({
        '/robots.txt': text('User-agent: *\nAllow: /a\nDisallow: /secret # not yours\n'),
        '/secret/x': html('x'),
      }),
    );
    const { run } = await own.crawl(['http://closed.test/secret/x'], [], { code: 4 });
    expect(run.stderr).toMatch(/robots\.txt line 3: Disallow: \/secret/);
    expect(own.web.log.map(({ path }) => path)).toEqual(expect.arrayContaining(['/robots.txt']));
    expect(requestsTo(own.web.log, 'closed.test', '/secret/x')).toEqual([]);
  });
});

describe('a Crawl-delay over --max-crawl-delay', () => {
  const own = box();

  it('gives one page, no faster than it asks, and puts the rest off with a warning', async () => {
    own.web.site(
      'patient.test',
      pathSite({
        '/robots.txt': text('User-agent: *\nCrawl-delay: 2\n'),
        '/': html(linkPage('Home', ['/a', '/b'])),
        '/a': html('a'),
        '/b': html('b'),
      }),
    );
    const { pages, summary, run } = await own.crawl(['http://patient.test/'], ['--max-crawl-delay', '1']);
    expect(requestsTo(own.web.log, 'patient.test').map(({ path }) => path)).toEqual(['/robots.txt', '/']);
    expect(smallestGap(own.web.log, 'patient.test')).toBeGreaterThanOrEqual(2_000);
    expect(pages.get('http://patient.test/a')).toMatchObject({ state: 'deferred', reason: 'crawl_delay' });
    expect(summary).toMatchObject({ reason: 'complete_with_deferred', done: 1, deferred: 2 });
    expect(run.stderr).toContain('Crawl-delay of 2 s');
  });
});

describe('a robots.txt that moved to a host which cannot be had', () => {
  const own = box();

  it('does not keep the crawl from ending, whether or not that host is crawled too', async () => {
    const port = await closedPort();
    const home = html(linkPage('Home', ['/a']));
    for (const name of ['early.test', 'late.test']) {
      own.web.site(
        name,
        pathSite({ '/robots.txt': redirect('http://gone.test/robots.txt'), '/': home, '/a': html('a') }),
      );
    }
    own.web.site('start.test', pathSite({ '/': html(linkPage('Home', ['http://late.test/'])) }));
    const args = [
      '--retries',
      '0',
      '--retry-delay',
      '0',
      '--scope',
      'any',
      '--connect-to',
      `gone.test::127.0.0.1:${port}`,
    ];
    const { pages } = await own.crawl(
      ['http://gone.test/', 'http://early.test/', 'http://start.test/'],
      [...args, ...own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping])],
    );
    for (const url of ['http://gone.test/', 'http://early.test/', 'http://late.test/']) {
      expect(pages.get(url), url).toMatchObject({ state: 'failed', reason: 'connection_refused' });
    }
  });

  it('nor does one that waits for its turn at a host when that is put off', async () => {
    own.web.site('moved.test', pathSite({ '/robots.txt': redirect('http://busy.test/robots.txt'), '/': html('home') }));
    own.web.site(
      'busy.test',
      pathSite({ '/robots.txt': { status: 503, headers: { 'retry-after': '3600' }, afterMs: 600 } }),
    );
    const { pages, summary } = await own.crawl(
      ['http://busy.test/', 'http://moved.test/'],
      ['--delay', '100', '--max-wait', '1'],
    );
    expect(requestsTo(own.web.log, 'busy.test')).toHaveLength(1);
    expect(pages.get('http://busy.test/')).toMatchObject({ state: 'deferred', reason: 'retry_after' });
    expect(pages.get('http://moved.test/')).toMatchObject({ state: 'deferred', reason: 'robots_unreachable' });
    expect(summary.reason).toBe('complete_with_deferred');
  });
});

describe('a robots.txt that redirects in a circle', () => {
  const own = box();
  const forbidding = text('User-agent: *\nDisallow: /private');

  it('is asked for once more where a cookie was set, and not ten times where none was', async () => {
    const home = html(linkPage('Home', ['/private', '/open']));
    const site = (robots: SiteAnswer | ((request: SiteRequest) => SiteAnswer)) =>
      pathSite({ '/robots.txt': robots, '/': home, '/private': html('private'), '/open': html('open') });
    own.web.site(
      'gate.test',
      site(({ headers }) =>
        headers.cookie === 'r=1'
          ? forbidding
          : { status: 302, headers: { location: '/robots.txt', 'set-cookie': 'r=1' } },
      ),
    );
    own.web.site('loop.test', site(redirect('/robots.txt')));
    const { pages } = await own.crawl(['http://gate.test/', 'http://loop.test/']);
    const asked = (host: string) =>
      requestsTo(own.web.log, host)
        .filter(({ path }) => path === '/robots.txt')
        .map(({ headers }) => headers.cookie ?? '');
    expect(asked('gate.test')).toEqual(['', 'r=1']);
    expect(asked('loop.test')).toEqual(['']);
    expect(pages.get('http://gate.test/private')).toMatchObject({ state: 'skipped', reason: 'robots' });
    expect(pages.get('http://gate.test/open')).toMatchObject({ state: 'done' });
    expect(pages.get('http://loop.test/private')).toMatchObject({ state: 'done' });
    expect(
      requestsTo(own.web.log, 'gate.test').some(({ path, headers }) => path !== '/robots.txt' && headers.cookie),
    ).toBe(false);
  });

  it('cannot be had where the cookie does not help, and is never taken for absent', async () => {
    const back = { status: 302, headers: { location: '/robots.txt', 'set-cookie': 'r=1' } };
    own.web.site('never.test', pathSite({ '/robots.txt': back }));
    own.web.clearLog();
    const verdict = await robotsVerdict('http://never.test/private', { connectTo: own.web.connectTo });
    expect(verdict).toMatchObject({ allowed: false, line: null });
    expect(requestsTo(own.web.log, 'never.test')).toHaveLength(2);
    expect(await robotsVerdict('http://gate.test/private', { connectTo: own.web.connectTo })).toMatchObject({
      ...{ allowed: false, line: 2 },
    });
  });
});
