import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { rawServer, response, tunnelTo } from '../fetch/support.js';
import { retryAfter } from '../web/faults.js';
import { requestsTo, smallestGap } from '../web/judge.js';
import { line, star } from '../web/plain.js';
import { hang, html, linkPage, pathSite, redirect, type Site, text } from '../web/site.js';
import { box } from './box.js';
import { inProcess } from './in-process.js';
import { gossamer, readPages, start, temporaryFolder } from './support.js';

const own = box();
const SECRET = 'swordfish';
const host = (...entries: string[]): string[] => entries.flatMap((entry) => ['--host', entry]);
const toTheWeb = (): string[] => own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
const pathsTo = (name: string): string[] =>
  requestsTo(own.web.log, name)
    .map(({ path }) => path)
    .filter((path) => !/robots|sitemap/.test(path))
    .sort();
const seenBy = (name: string, header: string): string[] => [
  ...new Set(requestsTo(own.web.log, name).map(({ headers }) => headers[header] ?? 'none')),
];
const explained = async (directory: string, url: string): Promise<string> =>
  (await inProcess(['explain', directory, url])).stdout;

/** Pages that take a while, so that as many are open at once as may be. */
const slowStar = (pages: number): Site => ({
  handle: async (request) => ({ ...(await star(pages).handle(request)), afterMs: 25 }),
});

beforeAll(() => {
  const { web } = own;
  for (const name of ['a.shop.test', 'b.shop.test', 'other.test']) {
    web.site(name, star(6));
  }
  web.site('asks.test', {
    handle: (request) =>
      request.path === '/robots.txt' ? text('User-agent: *\nCrawl-delay: 0.3\n') : star(4).handle(request),
  });
  for (const name of ['narrow.test', 'wide.test', 'wider.test']) {
    web.site(name, slowStar(30));
  }
  web.site('deep.test', line(6));
  web.site('deeper.test', line(6));
});
beforeEach(() => own.web.clearLog());

describe('delay', () => {
  it('of an entry holds for the hosts that match, and the first that matches wins', async () => {
    await own.crawl(
      ['http://a.shop.test/', 'http://b.shop.test/', 'http://other.test/'],
      host('b.shop.test delay=0', '*.shop.test delay=200ms', '* delay=1h', 'other.test delay=0').slice(0, 4),
    );
    expect(smallestGap(own.web.log, 'a.shop.test')).toBeGreaterThanOrEqual(200);
    expect(smallestGap(own.web.log, 'b.shop.test')).toBeLessThan(200);
    expect(pathsTo('other.test')).toHaveLength(6);
  });

  it('may be shorter than --delay, for who says so of a host, and never shorter than robots.txt asks', async () => {
    const run = await own.crawl(
      ['http://a.shop.test/', 'http://asks.test/'],
      [...['--delay', '1h'], ...host('*.test delay=0')],
    );
    expect(run.summary.done).toBe(10);
    expect(smallestGap(own.web.log, 'asks.test')).toBeGreaterThanOrEqual(300);
  });

  it('never shortens what Retry-After asks for', async () => {
    own.web.site('later.test', retryAfter(429, 'seconds'));
    await own.crawl(['http://later.test/page'], host('later.test delay=0'));
    const [first, second] = requestsTo(own.web.log, 'later.test', '/page');
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(1_000);
  });
});

it('max-inflight is the ceiling of a host, below or above that of the others', async () => {
  await own.crawl(
    ['http://narrow.test/', 'http://wide.test/', 'http://wider.test/'],
    [
      ...['--no-auto-tune', '--max-inflight-per-host', '4'],
      ...host('narrow.test max-inflight=1', 'wider.test max-inflight=9'),
    ],
  );
  const peaks = ['narrow.test', 'wide.test', 'wider.test'].map((name) => own.web.peakInFlight(name));
  expect(peaks[0]).toBe(1);
  expect(peaks[1]).toBeLessThanOrEqual(4);
  expect(peaks[2]).toBeGreaterThan(4);
  expect(peaks[2]).toBeLessThanOrEqual(9);
});

it('max-urls and depth cut one host, explain names the entry, and resume with others goes on', async () => {
  const entries = host('a.shop.test max-urls=3', 'deep.test depth=1');
  const seeds = ['http://a.shop.test/', 'http://other.test/', 'http://deep.test/', 'http://deeper.test/'];
  const { directory, pages } = await own.crawl(seeds, entries);
  expect(['a.shop.test', 'other.test', 'deep.test', 'deeper.test'].map((name) => pathsTo(name).length)).toEqual([
    ...[3, 6, 2, 6],
  ]);
  const cut = [...pages.values()].find(({ url, reason }) => url.includes('a.shop') && reason === 'limit')!;
  expect(await explained(directory, cut.url)).toContain('rule          hosts[0] (a.shop.test) max-urls=3');
  const deep = await explained(directory, 'http://deep.test/p2');
  expect(deep).toContain('rule          hosts[1] (deep.test) depth=1');
  expect(deep).toContain('host          depth=1 by hosts[1] (deep.test)');
  expect(await explained(directory, 'http://deeper.test/p2')).not.toContain('hosts[');

  // The entries are kept with the crawl: without others there is nothing to do, with these there is.
  own.web.clearLog();
  await inProcess(['resume', directory, ...toTheWeb()]);
  expect(own.web.log).toEqual([]);
  const more = host('a.shop.test max-urls=5', 'deep.test depth=3');
  const run = await inProcess(['resume', directory, ...toTheWeb(), ...more]);
  expect([run.code, pathsTo('a.shop.test').length, pathsTo('deep.test')]).toEqual([0, 2, ['/p2', '/p3']]);
});

it('depth of an entry may be more than --depth', async () => {
  await own.crawl(['http://deep.test/', 'http://deeper.test/'], ['--depth', '1', ...host('deeper.test depth=4')]);
  expect([pathsTo('deep.test').length, pathsTo('deeper.test').length]).toEqual([2, 5]);
});

describe('headers', () => {
  beforeAll(() => {
    own.web.site(
      'key.test',
      pathSite({
        '/': html(linkPage('Home', ['/in', '/out', 'http://key.test:8080/', 'http://sub.key.test/'])),
        '/in': html(linkPage('In', [])),
        '/out': redirect('http://elsewhere.test/target'),
      }),
    );
    for (const name of ['sub.key.test', 'elsewhere.test']) {
      own.web.site(name, pathSite({ '/': html('<p>Here'), '/target': html('<p>There') }));
    }
  });
  const entries = host(`http://key.test:80 header="X-Key: ${SECRET}"`, '*.key.test header="Accept-Language: de"');
  const originsThatSaw = (name: string, value: string): string[] => [
    ...new Set(own.web.log.filter(({ headers }) => headers[name] === value).map(({ headers }) => headers.host!)),
  ];

  it('go to the origins that match and to no other; the second entry only to its own', async () => {
    const { directory, run } = await own.crawl(['http://key.test/'], [...entries, '--external', '-H', 'X-Key: seeds']);
    expect(originsThatSaw('x-key', SECRET)).toEqual(['key.test']);
    expect(originsThatSaw('accept-language', 'de')).toEqual(['sub.key.test']);
    expect(new Set(own.web.log.map(({ headers }) => headers.host))).toContain('elsewhere.test');
    const says = await explained(directory, 'http://key.test/in');
    expect(says).toContain('host          header="X-Key: ***" by hosts[0] (http://key.test:80)');
    const kept = ['crawl.sqlite', 'pages.jsonl', 'summary.json'].map((file) =>
      readFileSync(join(directory, file), 'latin1'),
    );
    expect([run.stdout, run.stderr, says, ...kept].join('\n')).not.toContain(SECRET);
  });

  it('that are secret have to be given again on resume; the rest of an entry cannot become another', async () => {
    const { directory } = await own.crawl(['http://key.test/'], [...entries, '--max-urls', '1']);
    own.web.clearLog();
    const without = await inProcess(['resume', directory, '--max-urls', '9', ...toTheWeb()]);
    expect([without.code, own.web.log.length]).toEqual([2, 0]);
    expect(without.stderr).toContain('the crawl was started with --host, which is not kept on disk: give it again');
    const other = host('key.test user-agent=other/1');
    const changed = await inProcess(['resume', directory, '--max-urls', '9', ...toTheWeb(), ...other]);
    expect(changed.stderr).toContain('--host cannot change the agent, include or exclude of a host on resume');
    const again = await inProcess(['resume', directory, '--max-urls', '9', ...toTheWeb(), ...entries]);
    expect([again.code, seenBy('key.test', 'x-key').sort()]).toEqual([0, ['none', SECRET]]);
    expect(originsThatSaw('x-key', SECRET)).toEqual(['key.test']);
  });
});

it('user-agent is what one host sees, and what its robots.txt and its robots meta elements are matched by', async () => {
  const robots = text('User-agent: guest\nDisallow: /no-guests\n\nUser-agent: gossamer\nDisallow: /no-crawlers\n');
  const pages = {
    '/robots.txt': robots,
    '/': html(linkPage('Home', ['/no-guests', '/no-crawlers', '/marked'])),
    '/no-guests': html('<p>Members'),
    '/no-crawlers': html('<p>People'),
    '/marked': html(`<meta name="guest" content="nofollow">${linkPage('Marked', ['/behind'])}`),
    '/behind': html('<p>Behind'),
  };
  own.web.site('guest.test', pathSite(pages));
  own.web.site('usual.test', pathSite(pages));
  // Rules that are kept elsewhere are for the agent that is sent to the host they are for.
  own.web.site('moved.test', pathSite({ ...pages, '/robots.txt': redirect('http://usual.test/robots.txt') }));
  await own.crawl(
    ['http://guest.test/', 'http://usual.test/', 'http://moved.test/'],
    [...host('guest.test,moved.test user-agent="guest/2.0 (a visitor)"'), '--contact', 'me@example.com'],
  );
  expect(seenBy('guest.test', 'user-agent')).toEqual(['guest/2.0 (a visitor) me@example.com']);
  expect(seenBy('usual.test', 'user-agent')[0]).toMatch(/^gossamer\/.* me@example\.com$/);
  expect(pathsTo('guest.test')).toEqual(['/', '/marked', '/no-crawlers']);
  expect(pathsTo('moved.test')).toEqual(['/', '/marked', '/no-crawlers']);
  expect(pathsTo('usual.test')).toEqual(['/', '/behind', '/marked', '/no-guests']);
});

it('timeout is that of one host; robots.txt keeps its own', async () => {
  own.web.site(
    'silent.test',
    pathSite({ '/robots.txt': text(''), '/': html(linkPage('Home', ['/hangs'])), '/hangs': hang }),
  );
  const { pages } = await own.crawl(
    ['http://silent.test/'],
    [
      ...['--timeout', '1h', '--idle-timeout', '1h', '--retries', '0', '--robots-timeout', '1h'],
      ...host('silent.test timeout=300ms'),
    ],
  );
  const failed = pages.get('http://silent.test/hangs')!;
  expect([failed.state, failed.reason]).toEqual(['failed', 'timeout']);
});

it('include and exclude decide about URLs of one host, and explain names the entry and the pattern', async () => {
  const links = ['/docs/a', '/docs/old', '/blog/a', '/logout'];
  const site = pathSite({
    '/': html(linkPage('Home', links)),
    ...Object.fromEntries(links.map((path) => [path, html(linkPage(path, []))])),
  });
  own.web.site('docs.test', site);
  own.web.site('plain.test', site);
  const { directory } = await own.crawl(
    ['http://docs.test/', 'http://plain.test/'],
    [
      ...['--exclude', '/logout', '--include', '/**'],
      ...host('docs.test include=/ include=/docs/** exclude=/docs/old', 'docs.test exclude=/docs/a include=/blog/**'),
    ],
  );
  expect(pathsTo('docs.test')).toEqual(['/', '/docs/a']);
  expect(pathsTo('plain.test')).toEqual(['/', '/blog/a', '/docs/a', '/docs/old']);
  const says = async (path: string) => /rule\s+(.*)/.exec(await explained(directory, `http://docs.test${path}`))![1];
  expect(await says('/docs/old')).toBe('hosts[0] (docs.test) exclude "/docs/old"');
  expect(await says('/blog/a')).toBe('no hosts[0] (docs.test) include matches: "/", "/docs/**"');
  expect(await says('/logout')).toBe('--exclude "/logout"');
});

describe('proxy', () => {
  it('of one host; and none for another where all others have one', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const direct = await rawServer((socket) => void socket.write(response('<p>direct')));
    const proxies = await Promise.all(
      [1, 2].map(() => rawServer((socket) => void socket.write(response('<p>by proxy')))),
    );
    const [first, second] = proxies.map(({ url }) => url);
    const args = ['--proxy', first!, '--delay', '0', '--data-dir', join(folder.path, 'crawl')];
    const seeds = ['http://first.test/', 'http://second.test/', direct.url];
    const entries = host(`second.test proxy=${second!.replace('//', '//me:swordfish@')}`, '127.0.0.1 proxy=none');
    const run = await gossamer(['crawl', ...seeds, ...args, ...entries]);
    expect(run.code, run.stderr).toBe(0);
    const hosts = (heads: readonly string[]) => [
      ...new Set(heads.map((head) => /^GET http:\/\/([^/]+)/.exec(head)?.[1])),
    ];
    expect(proxies.map(({ requests }) => hosts(requests))).toEqual([['first.test'], ['second.test']]);
    expect(proxies[1]!.requests.every((head) => /^proxy-authorization: Basic /im.test(head))).toBe(true);
    expect(direct.requests.map((head) => /^GET (\S+)/.exec(head)?.[1])).toEqual(
      expect.arrayContaining(['/robots.txt', '/']),
    );
    expect(run.stdout + run.stderr).not.toContain(SECRET);
  });

  it('of a host opens a tunnel to its https pages', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const server = await rawServer((socket) => void socket.write(response('<p>safe')), { tls: true });
    const proxy = await tunnelTo(server);
    const run = await gossamer([
      ...['crawl', 'https://a.test/', '--insecure', '--delay', '0', '--data-dir', join(folder.path, 'crawl')],
      ...host(`https://*.test proxy=${proxy.url}`),
    ]);
    expect(run.code, run.stderr).toBe(0);
    expect(proxy.requests.every((head) => head.startsWith('CONNECT a.test:443'))).toBe(true);
    expect(server.requests.length).toBeGreaterThan(0);
  });
});

it('--print-config shows the entries, and what holds for the hosts that are named, without secrets', async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const hosts = [
    { match: 'https://*.example.com', headers: { authorization: SECRET }, proxy: `http://me:${SECRET}@127.0.0.1:3128` },
    { match: ['*.example.com', 'example.net'], delay: '5s', timeout: 30, maxUrls: 10, render: 'auto' },
  ];
  writeFileSync(join(folder.path, 'gossamer.config.json'), JSON.stringify({ hosts }));
  const shown = await inProcess(['crawl', 'a.example.com', '--print-config'], { cwd: folder.path });
  expect(shown.stdout).toContain(
    'hosts[0] (https://*.example.com) header="authorization: ***" proxy=http://***@127.0.0.1:3128',
  );
  expect(shown.stdout).toContain('hosts[1] (*.example.com,example.net) delay=5s max-urls=10 timeout=30s render=auto');
  expect(shown.stdout).toMatch(/^a\.example\.com {2}delay=5s {2}hosts\[1\] \(\*\.example\.com,example\.net\)$/m);
  const json = await inProcess(['crawl', 'a.example.com', '--print-config', '--json'], { cwd: folder.path });
  expect(JSON.parse(json.stdout).hosts.appliedTo).toMatchObject([
    { host: 'a.example.com', rules: expect.arrayContaining([expect.objectContaining({ key: 'delay', entry: 1 })]) },
  ]);
  expect(shown.stdout + json.stdout).not.toContain(SECRET);
});

it('killed and resumed: entries are kept with the crawl, and budget and pace hold over both runs', async () => {
  const directory = join(own.folder, 'killed');
  const entries = host('a.shop.test max-urls=4 delay=150ms user-agent=guest/1', 'other.test max-urls=1');
  const args = ['--data-dir', directory, '--delay', '0', ...toTheWeb()];
  const first = start(['crawl', 'http://a.shop.test/', 'http://other.test/', ...args, ...entries]);
  const seen = (async () => {
    while (pathsTo('a.shop.test').length < 2) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  })();
  await seen;
  first.child.kill('SIGKILL');
  expect((await first.ended).signal).toBe('SIGKILL');
  const before = own.web.log.length;
  const run = await gossamer(['resume', directory, ...toTheWeb()]);
  expect(run.code, run.stderr).toBe(0);
  expect(own.web.log.length).toBeGreaterThan(before);
  expect(new Set(pathsTo('a.shop.test')).size).toBe(4);
  expect(smallestGap(own.web.log, 'a.shop.test')).toBeGreaterThanOrEqual(150);
  expect(seenBy('a.shop.test', 'user-agent')).toEqual(['guest/1']);
  const asked = readPages(directory).filter(({ url, state }) => url.includes('a.shop') && state === 'done');
  expect(asked).toHaveLength(4);
});

it('threads get what they need: many hosts, of which a few are treated otherwise', async () => {
  const names = Array.from({ length: 80 }, (_, i) => `h${i}.many.test`);
  for (const name of names) {
    own.web.site(name, star(3));
  }
  const entries = names
    .slice(0, 40)
    .map((name, i) => `${name} user-agent=agent-${i}/1 header="Accept-Language: l${i}" max-urls=2`);
  await own.crawl(
    names.map((name) => `http://${name}/`),
    [...host(...entries), '--parse-workers', '2'],
  );
  for (const [i, name] of names.entries()) {
    const special = i < 40;
    expect([pathsTo(name).length, seenBy(name, 'accept-language')], name).toEqual([
      special ? 2 : 3,
      [special ? `l${i}` : 'none'],
    ]);
    expect(seenBy(name, 'user-agent')[0], name).toMatch(special ? new RegExp(`^agent-${i}/1$`) : /^gossamer/);
  }
});
