import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../crawl/support.js';
import { CERTIFICATE } from '../fetch/certificate.js';
import { smallestGap, urlOf } from '../web/judge.js';
import { html, linkPage, pathSite, redirect, type SiteAnswer, text } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { type Checked, type Closing, check, HASTY, nameOf, pathsOf, tlsFront } from './checking.js';
import { ok } from './planted.js';

const HOME = 'http://site.test/';
/** They take longer than it is to a second look, which then finds all that is broken elsewhere due at once. */
const PACED = [1, 2, 3, 4, 5].map((n) => `http://paced.test/${n}`);
const PIECE = Buffer.alloc(16 * 1024, 7);

/** Bytes without end, counted as they leave. */
class Endless {
  bytes = 0;
  readonly answer: SiteAnswer = {
    headers: { 'content-type': 'application/zip' },
    pieces: () => {
      this.bytes += PIECE.length;
      return PIECE;
    },
    everyMs: 1,
    end: 'finish',
  };
}

/** Gives all runs of a `describe` a web of its own, so that they can go on at the same time. */
function webs(): { open(): Promise<WebInABox>; closing: Closing[] } {
  const opened: WebInABox[] = [];
  const closing: Closing[] = [];
  afterAll(async () => {
    for (const each of closing) {
      each.close();
    }
    await Promise.all(opened.map((web) => web.close()));
  });
  return {
    closing,
    async open() {
      const web = await openWeb();
      opened.push(web);
      return web;
    },
  };
}

const through = (web: WebInABox): string[] => web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);

describe('what a check asks for, and how', () => {
  const own = webs();
  const big = new Endless();
  const refusing = new Endless();
  let web: WebInABox;
  let checked: Checked;

  beforeAll(async () => {
    web = await own.open();
    web.site(
      'site.test',
      pathSite({
        '/': html(
          `${linkPage('Home', ['/second', '/big.zip', 'http://far.test/page', ...PACED, 'http://shy.test/big.iso', 'http://closed.test/x', 'http://far.test/broken'])}
          <img src="/fine.png"><img src="/gone.png"><script src="http://far.test/app.js"></script><link rel="stylesheet" href="/style.css">`,
        ),
        '/second': html(
          linkPage('Second', ['/', 'http://far.test/page', 'http://paced.test/last', 'http://far.test/gone']),
        ),
        '/big.zip': big.answer,
        '/fine.png': { headers: { 'content-type': 'image/png' }, body: 'png' },
        '/style.css': { headers: { 'content-type': 'text/css' }, body: '' },
      }),
    );
    web.site(
      'far.test',
      pathSite({
        '/page': html(linkPage('Elsewhere', ['/deeper', '/also-deeper'])),
        '/app.js': { headers: { 'content-type': 'text/javascript' }, body: '' },
        '/broken': html('<a href="/from-broken">', 404),
      }),
    );
    web.site(
      'paced.test',
      pathSite({
        '/robots.txt': text('User-agent: *\nCrawl-delay: 1\n'),
        ...Object.fromEntries(PACED.map((url) => [new URL(url).pathname, ok])),
      }),
    );
    web.site(
      'shy.test',
      pathSite({ '/big.iso': ({ method }) => (method === 'HEAD' ? { status: 405 } : refusing.answer) }),
    );
    web.site('closed.test', pathSite({ '/robots.txt': text('User-agent: *\nDisallow: /\n'), '/x': ok }));
    // The delay is the default one.
    checked = await check([HOME, ...through(web), '--retries', '0', '--max-backoff', '1s'], { code: 1 });
  });

  it('says the right thing of all of it', () => {
    const said = Object.fromEntries(checked.links.map(({ url, verdict }) => [url, verdict]));
    expect(said).toEqual({
      [HOME]: 'ok',
      [`${HOME}second`]: 'ok',
      [`${HOME}big.zip`]: 'ok',
      [`${HOME}fine.png`]: 'ok',
      [`${HOME}style.css`]: 'ok',
      [`${HOME}gone.png`]: 'dead',
      'http://far.test/page': 'ok',
      'http://far.test/app.js': 'ok',
      'http://far.test/broken': 'dead',
      'http://far.test/gone': 'dead',
      ...Object.fromEntries(PACED.map((url) => [url, 'ok'])),
      'http://paced.test/last': 'dead',
      'http://shy.test/big.iso': 'ok',
      'http://closed.test/x': 'unchecked',
    });
  });

  it('asks for what is elsewhere once, by HEAD and the first of its sort by GET too, however many pages link to it, and never for what stands on it', () => {
    const asked = pathsOf(web.log, 'far.test');
    expect(asked.filter((each) => each.endsWith('/page'))).toEqual(['HEAD /page', 'GET /page']);
    expect(asked.filter((each) => each.endsWith('/app.js'))).toEqual(['HEAD /app.js', 'GET /app.js']);
    expect(asked.filter((each) => /deeper|from-broken|sitemap/.test(each))).toEqual([]);
  });

  it('asks for assets with HEAD, and then for all of a stylesheet', () => {
    const asked = pathsOf(web.log, 'site.test').filter((each) => /png|css|zip/.test(each));
    expect(asked.sort()).toEqual([
      'GET /fine.png',
      'GET /gone.png',
      'GET /gone.png',
      'GET /style.css',
      'HEAD /big.zip',
      'HEAD /fine.png',
      'HEAD /gone.png',
      'HEAD /style.css',
    ]);
  });

  it('never downloads a binary, also where HEAD is refused', () => {
    expect(big.bytes).toBe(0);
    expect(pathsOf(web.log, 'shy.test')).toEqual(['GET /robots.txt', 'HEAD /big.iso', 'GET /big.iso']);
    expect(web.log.find(({ path, method }) => path === '/big.iso' && method === 'GET')!.headers.range).toBe(
      'bytes=0-0',
    );
    expect(refusing.bytes).toBeLessThan(4 * 1024 * 1024);
  });

  it('asks every host for its robots.txt first, and keeps to it', () => {
    for (const host of ['site.test', 'far.test', 'paced.test', 'shy.test', 'closed.test']) {
      expect(pathsOf(web.log, host)[0], host).toBe('GET /robots.txt');
    }
    expect(pathsOf(web.log, 'closed.test')).toEqual(['GET /robots.txt']);
  });

  it('keeps the delay of every host, and twice that in the second look, which comes 5 s after the first', () => {
    expect(smallestGap(web.log, 'far.test')).toBeGreaterThanOrEqual(100);
    expect(smallestGap(web.log, 'site.test')).toBeGreaterThanOrEqual(100);
    expect(smallestGap(web.log, 'paced.test')).toBeGreaterThanOrEqual(1000);
    // Besides them only the page that no site has, for soft 404s.
    const second = web.log.filter(
      ({ headers, path }) => headers.range === 'bytes=0-65535' && !/^\/[a-fx][\da-f]{15}$/.test(path),
    );
    const broken = ['http://far.test/broken', 'http://far.test/gone', 'http://paced.test/last', `${HOME}gone.png`];
    expect(second.map(urlOf).sort()).toEqual(broken);
    expect(smallestGap(second, 'far.test')).toBeGreaterThanOrEqual(200);
    for (const request of second) {
      const before = web.log.filter((each) => urlOf(each) === urlOf(request) && each.at < request.at);
      expect(request.at - before.at(-1)!.at, urlOf(request)).toBeGreaterThanOrEqual(5_000);
    }
  });
});

describe('https', () => {
  const own = webs();
  const folder = temporaryFolder();
  let checked: Checked;

  beforeAll(async () => {
    const [secure, plain] = [await own.open(), await own.open()];
    const front = await tlsFront(secure.port);
    own.closing.push(front);
    secure.site(
      'a.test',
      pathSite({
        '/': html(
          `${linkPage('Secure', ['http://a.test/up', 'https://wrong.test/x', 'http://plain.test/linked'])}
          <img src="http://plain.test/pixel.png"><img src="http://plain.test/gone.png"><script src="https://a.test/app.js"></script>`,
        ),
        '/up': ok,
        '/app.js': { headers: { 'content-type': 'text/javascript' }, body: '' },
      }),
    );
    plain.site('a.test', pathSite({ '/up': redirect('https://a.test/up', 301) }));
    plain.site(
      'plain.test',
      pathSite({ '/linked': ok, '/pixel.png': { headers: { 'content-type': 'image/png' }, body: 'png' } }),
    );
    const cacert = join(folder.path, 'ca.pem');
    writeFileSync(cacert, CERTIFICATE);
    const connectTo = [`:443:127.0.0.1:${front.port}`, `:80:127.0.0.1:${plain.port}`].flatMap((each) => [
      '--connect-to',
      each,
    ]);
    checked = await check(['https://a.test/', ...HASTY, '--cacert', cacert, ...connectTo], { code: 1 });
  });

  afterAll(() => folder.remove());

  it('finds what a secure page loads by http, and takes no link for that', () => {
    const pixel = checked.byUrl.get('http://plain.test/pixel.png');
    expect(pixel).toMatchObject({ verdict: 'mixed_content', fails: false, suggestion: 'https://plain.test/pixel.png' });
    expect(checked.byUrl.get('http://plain.test/linked')).toMatchObject({ verdict: 'ok' });
    expect(checked.byUrl.get('https://a.test/app.js')).toMatchObject({ verdict: 'ok' });
    // What is not there at all is worse than how it is loaded.
    expect(checked.byUrl.get('http://plain.test/gone.png')).toMatchObject({ verdict: 'dead', fails: true });
  });

  it('knows a redirect that only changes to https', () => {
    const up = checked.byUrl.get('http://a.test/up')!;
    expect(up).toMatchObject({ verdict: 'moved', suggestion: 'https://a.test/up' });
    expect(up.evidence.why).toContain('only from http to https');
  });

  it('takes no certificate for another name', () => {
    expect(checked.byUrl.get('https://wrong.test/x')).toMatchObject({ verdict: 'tls', fails: false, status: null });
  });
});

describe('what is left out is said to be, and not asked for', () => {
  const own = webs();
  const folder = temporaryFolder();

  const HOME_PAGE = `${linkPage('Home', ['/second', 'http://far.test/x', '/rule/a', '/pattern/a'])}
    <a href="/marked" data-gossamer-ignore>left out</a><form action="/send" method="post"></form>`;
  async function run(args: string[], code = 0) {
    const web = await own.open();
    web.site(
      'site.test',
      pathSite({
        '/': html(HOME_PAGE),
        '/second': html(linkPage('Second', ['/third'])),
        '/third': ok,
        '/rule/a': ok,
        '/pattern/a': ok,
        '/marked': ok,
      }),
    );
    web.site('far.test', pathSite({ '/x': ok }));
    const checked = await check([HOME, ...HASTY, ...through(web), ...args], { code });
    return { checked, asked: web.log.filter(({ path }) => path !== '/robots.txt').map(urlOf), web };
  }
  const skipped = ({ links }: Checked) =>
    Object.fromEntries(
      links.filter(({ verdict }) => verdict === 'skipped').map(({ url, evidence }) => [url, evidence.why]),
    );

  afterAll(() => folder.remove());

  it('what is elsewhere, what is marked, what a rule or a pattern names, and forms', async () => {
    const config = join(folder.path, 'gossamer.config.json');
    writeFileSync(config, JSON.stringify({ check: { rules: [{ match: 'http://site.test/rule/**', ignore: true }] } }));
    const patterns = ['--exclude', 'http://site.test/pattern/**', '--config', config];
    const { checked, asked } = await run(['--no-external', ...patterns]);
    const marked = { [`${HOME}marked`]: expect.stringContaining('data-gossamer-ignore') };
    const form = { [`${HOME}send`]: expect.stringContaining('form') };
    expect(skipped(checked)).toEqual({
      ...marked,
      ...form,
      'http://far.test/x': expect.stringContaining('--no-external'),
      [`${HOME}rule/a`]: expect.stringContaining('rule'),
      [`${HOME}pattern/a`]: expect.stringContaining('rule'),
    });
    expect(checked.summary).toMatchObject({ ignored: 3, failing: 0 });
    for (const url of Object.keys(skipped(checked))) {
      expect(asked).not.toContain(url);
    }
    expect(asked).toContain(`${HOME}third`);
    const all = await run([]);
    expect(skipped(all.checked)).toEqual({ ...marked, ...form });
  });

  it('what lies beyond --depth is asked for, and not followed', async () => {
    const { checked, web } = await run(['--depth', '0']);
    expect(checked.byUrl.get(`${HOME}second`)).toMatchObject({ verdict: 'ok' });
    const asked = pathsOf(web.log, 'site.test');
    expect(asked).toContain('HEAD /second');
    expect(asked.filter((each) => each.endsWith('/third'))).toEqual([]);
  });

  it('without time for a second look nothing is accused', async () => {
    const web = await own.open();
    web.site(
      'site.test',
      pathSite({
        '/': html(linkPage('Home', ['/gone', '/#nowhere', '/loop', '/wall'])),
        '/loop': redirect('/loop', 302),
        '/wall': { status: 403, headers: { 'cf-mitigated': 'challenge' } },
      }),
    );
    const checked = await check([HOME, ...HASTY, ...through(web), '--second-look-budget', '0'], { code: 0 });
    const said = Object.fromEntries(checked.links.map((link) => [nameOf(link), [link.verdict, link.evidence.why]]));
    expect(said).toEqual({
      [HOME]: ['ok', '200'],
      [`${HOME}gone`]: ['unverifiable', expect.stringContaining('no time for a second look')],
      [`${HOME}loop`]: ['unverifiable', expect.stringContaining('no time for a second look')],
      [`${HOME}wall`]: ['blocked', expect.stringContaining('cf-mitigated')],
      [`${HOME}#nowhere`]: ['unverifiable', expect.stringContaining('no time for a second look')],
    });
    expect(pathsOf(web.log, 'site.test').filter((each) => each.includes('gone'))).toHaveLength(1);
  });
});
