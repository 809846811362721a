import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { urlOf } from '../web/judge.js';
import { html, linkPage, notFound, pathSite, text } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { type Checked, check, pathsOf } from './checking.js';
import { ok, status } from './planted.js';

const webs: WebInABox[] = [];
async function open(): Promise<WebInABox> {
  const web = await openWeb();
  webs.push(web);
  return web;
}
afterAll(async () => {
  await Promise.all(webs.map((web) => web.close()));
});

describe('a second look', () => {
  const PACED = [1, 2, 3, 4, 5, 6, 7].map((n) => `http://paced.test/${n}`);
  /** Each leads to the next, and to a page that is gone. */
  const CHAIN = [0, 1, 2, 3].map((n) => `/chain${n}`);
  let web: WebInABox;
  let checked: Checked;

  beforeAll(async () => {
    web = await open();
    const links = ['http://far.test/gone', 'http://far.test/gone-too', 'http://hang.test/x', 'http://busy.test/x'];
    links.push('http://mute.test/x', 'http://mute.test/y', 'http://site.test/to-mute', 'http://down.test/x');
    const toMute = { status: 302, headers: { location: 'http://mute.test/z' }, body: '' };
    const chain = Object.fromEntries(
      CHAIN.map((path, n) => [path, html(linkPage(path, [`/gone${n}`, CHAIN[n + 1] ?? '/']))]),
    );
    web.site(
      'site.test',
      pathSite({ '/': html(linkPage('Home', [...links, ...PACED, CHAIN[0]!])), ...chain, '/to-mute': toMute }),
    );
    web.site('mute.test', { handle: () => ({ afterMs: 60_000, body: '' }) });
    web.site('down.test', { handle: () => status(503) });
    web.site('far.test', { handle: () => notFound });
    web.site('busy.test', pathSite({ '/x': status(503) }));
    web.site('hang.test', { handle: ({ path }) => (path === '/x' ? { afterMs: 60_000, body: '' } : notFound) });
    web.site(
      'paced.test',
      pathSite({
        '/robots.txt': text('User-agent: *\nCrawl-delay: 1\n'),
        ...Object.fromEntries(PACED.map((url) => [new URL(url).pathname, ok])),
      }),
    );
    const connectTo = web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    const args = ['--timeout', '3s', '--robots-timeout', '3s', '--accept', '503', '--max-backoff', '1s'];
    checked = await check(['http://site.test/', ...args, ...connectTo], { code: 1 });
  });

  const asked = (url: string) => web.log.filter((each) => urlOf(each) === url);

  it('begins for each link 5 s after it failed, while others are asked for the first time', () => {
    const [, ranged, second, ...more] = asked('http://far.test/gone');
    expect(more).toEqual([]);
    expect(second!.at - ranged!.at).toBeGreaterThanOrEqual(5_000);
    expect(second!.at).toBeLessThan(asked(PACED.at(-1)!)[0]!.at);
    expect(checked.byUrl.get('http://far.test/gone')).toMatchObject({ verdict: 'dead' });
  });

  it('keeps nothing of its host waiting for it', () => {
    const looks = CHAIN.map((_, n) => asked(`http://site.test/gone${n}`).map(({ at }) => at));
    expect(looks.map((each) => each.length)).toEqual([2, 2, 2, 2]);
    expect(asked(`http://site.test${CHAIN.at(-1)}`)[0]!.at).toBeLessThan(looks[0]![1]!);
  });

  it('tells of both looks with their times', () => {
    const { looks } = checked.byUrl.get('http://far.test/gone')!.evidence;
    expect(looks.map((look) => look.status)).toEqual([404, 404, 404]);
    expect(Date.parse(looks[2]!.at) - Date.parse(looks[1]!.at)).toBeGreaterThanOrEqual(5_000);
  });

  it('goes over a connection of its own', () => {
    const of = (url: string) => asked(url).map(({ connection }) => connection);
    const [second, other] = ['http://far.test/gone', 'http://far.test/gone-too'].map((url) => of(url)[2]!);
    expect(second).not.toBe(other);
    const firstOn = (connection: number) => web.log.find((each) => each.connection === connection)!;
    expect([urlOf(firstOn(second!)), urlOf(firstOn(other!))].sort()).toEqual([
      'http://far.test/gone',
      'http://far.test/gone-too',
    ]);
  });

  it('is the only retry of what hangs: two time-outs in all', () => {
    expect(pathsOf(web.log, 'hang.test')).toEqual(['GET /robots.txt', 'HEAD /x', 'GET /x']);
    expect(checked.byUrl.get('http://hang.test/x')).toMatchObject({ verdict: 'timeout', fails: false });
  });

  it('is the second try for a robots.txt that hangs, and then the verdict on all that waited for it', () => {
    expect(pathsOf(web.log, 'mute.test')).toEqual(['GET /robots.txt', 'GET /robots.txt']);
    const [first, second] = asked('http://mute.test/robots.txt');
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(5_000);
    for (const url of ['http://mute.test/x', 'http://mute.test/y', 'http://site.test/to-mute']) {
      expect(checked.byUrl.get(url)).toMatchObject({ verdict: 'timeout' });
      expect(checked.byUrl.get(url)!.evidence.why).toMatch(/, on both looks$/);
    }
    expect(checked.byUrl.get('http://down.test/x')).toMatchObject({
      verdict: 'unchecked',
      unchecked: 'robots_unreachable',
    });
  });

  it('is not for what --accept takes', () => {
    expect(pathsOf(web.log, 'busy.test')).toEqual(['GET /robots.txt', 'HEAD /x', 'GET /x']);
    expect(checked.byUrl.get('http://busy.test/x')).toMatchObject({ verdict: 'ok', status: 503 });
  });
});

it('does not wait on this machine', async () => {
  const web = await open();
  const site = `127.0.0.1:${web.port}`;
  const pages = Array.from({ length: 20 }, (_, n) => `/p${n}`);
  web.site(
    '127.0.0.1',
    pathSite({
      '/': html(linkPage('Home', [...pages, '/gone', '/p0#nowhere'])),
      ...Object.fromEntries(pages.map((path) => [path, ok])),
    }),
  );
  const { byUrl } = await check([`http://${site}/`], { code: 1 });
  expect(byUrl.get(`http://${site}/gone`)).toMatchObject({ verdict: 'dead' });
  const gone = web.log.filter(({ path }) => path === '/gone');
  expect(gone).toHaveLength(2);
  expect(gone[1]!.at - gone[0]!.at).toBeLessThan(4_000);
  const read = web.log.filter(({ path }) => path === '/p0');
  expect(read).toHaveLength(2);
  expect(read[1]!.at - read[0]!.at).toBeLessThan(4_000);
});

it('puts no host off for a few URLs that always fail', async () => {
  const web = await open();
  const pages = Array.from({ length: 20 }, (_, n) => `/p${n}`);
  const bad = ['/bad1', '/bad2', '/bad3'];
  web.site(
    '127.0.0.1',
    pathSite({
      '/': html(linkPage('Home', [...bad, ...pages])),
      ...Object.fromEntries([...bad.map((path) => [path, status(500)]), ...pages.map((path) => [path, ok])]),
    }),
  );
  const { links } = await check([`http://127.0.0.1:${web.port}/`, '--max-backoff', '1s', '--quarantine-after', '5'], {
    code: 1,
  });
  expect(links.filter(({ verdict }) => verdict === 'server_error')).toHaveLength(3);
  expect(links.filter(({ verdict }) => verdict === 'ok')).toHaveLength(21);
});
