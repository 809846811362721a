import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { check } from '../check/checking.js';
import { requestsTo } from '../web/judge.js';
import { html, linkPage, pathSite, type RawAnswer, redirect, type SiteAnswer, text, urlset } from '../web/site.js';
import { box, type Crawled } from './box.js';

const page = (title: string, hrefs: string[] = []) => html(linkPage(title, hrefs));
const raw = (head: string, body: string | Buffer = '', end: RawAnswer['end'] = 'close'): RawAnswer => ({
  status: 1,
  raw: Buffer.concat([Buffer.from(`${head}\r\nConnection: close\r\n\r\n`), Buffer.from(body)]),
  end,
});
const OK = 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8';
const part = linkPage('Half of it', ['/from-half']);

const chain = (hops: number): Record<string, SiteAnswer> =>
  Object.fromEntries(
    Array.from({ length: hops }, (_, i) => [`/hop-${i}`, redirect(i + 1 === hops ? '/end' : `/hop-${i + 1}`)]),
  );

const SITE: Record<string, SiteAnswer> = {
  '/robots.txt': raw('HTTP/1.1 301 Moved\r\nContent-Length: 0\r\nLocation: /rôbots.txt'),
  '/r%C3%B4bots.txt': text('User-agent: *\nDisallow: /closed\nSitemap: http://odd.test/map.xml\n'),
  '/map.xml': raw('HTTP/1.1 302 Found\r\nLocation: /mäp.xml'),
  '/m%C3%A4p.xml': raw(
    'HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: 9999',
    urlset(['http://odd.test/named']),
  ),
  '/named': page('Named'),
  '/': page('Home', [
    '/moved',
    '/latin',
    '/short',
    '/chunked',
    '/endless',
    '/none',
    '/799',
    '/099',
    '/gzip',
    '/closed',
  ]),
  '/moved': raw('HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /größe?q=ü'),
  '/gr%C3%B6%C3%9Fe?q=%C3%BC': page('Size'),
  '/caf%E9': page('Coffee'),
  '/short': raw(`${OK}\r\nContent-Length: 9999`, part),
  '/chunked': raw(`${OK}\r\nTransfer-Encoding: chunked`, `${part.length.toString(16)}\r\n${part}\r\n`),
  '/from-half': page('From half'),
  '/endless': raw('HTTP/1.1 302 Found\r\nLocation: /end', 'x'.repeat(20_000), 'open'),
  '/end': page('End'),
  '/none': raw('HTTP/1.1 204 No Content\r\nContent-Length: 20', '', 'open'),
  '/799': raw('HTTP/1.1 799 Odd\r\nContent-Length: 2', 'hi'),
  '/099': raw('HTTP/1.1 099 Odd\r\nContent-Length: 2', 'hi'),
  '/gzip': {
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip' },
    body: Buffer.concat([gzipSync(linkPage('Zipped', [])), Buffer.from('<!-- cached -->')]),
  },
};
SITE['/latin'] = {
  status: 1,
  raw: Buffer.from(
    'HTTP/1.1 302 Found\r\nContent-Length: 0\r\nConnection: close\r\nLocation: /caf\xe9\r\n\r\n',
    'latin1',
  ),
  end: 'close',
};

describe('answers that are not as they should be', () => {
  const own = box();
  let crawled: Crawled;
  const at = (path: string) => `http://odd.test${path}`;
  const entry = (path: string) => crawled.pages.get(at(path));
  const count = (path: string) => requestsTo(own.web.log, 'odd.test', path).length;

  beforeAll(async () => {
    own.web.site('odd.test', pathSite(SITE));
    crawled = await own.crawl([at('/')], ['--retries', '1', '--retry-delay', '0', '--max-backoff', '1s']);
  }, 60_000);

  it('a Location is asked for by the bytes it came in, of pages, robots.txt and sitemaps', () => {
    expect(entry('/moved')).toMatchObject({ finalUrl: at('/gr%C3%B6%C3%9Fe?q=%C3%BC') });
    expect(entry('/gr%C3%B6%C3%9Fe?q=%C3%BC')).toMatchObject({ state: 'done', title: 'Size' });
    expect(entry('/caf%E9')).toMatchObject({ state: 'done', title: 'Coffee' });
    expect(entry('/closed')).toMatchObject({ state: 'skipped', reason: 'robots' });
    expect(entry('/named')).toMatchObject({ state: 'done', title: 'Named' });
  });

  it('a body that ends early is asked for again, then failed, and its links are followed', () => {
    for (const path of ['/short', '/chunked']) {
      expect(entry(path)).toMatchObject({
        ...{ state: 'failed', reason: 'connection_reset', attempts: 2, title: 'Half of it', links: 1 },
        message: 'the body ended early',
      });
      expect(count(path)).toBe(2);
    }
    expect(count('/m%C3%A4p.xml')).toBe(2);
    expect(entry('/from-half')).toMatchObject({ state: 'done', depth: 2 });
  });

  it('what has no body, and what redirects, is not waited for', () => {
    expect(entry('/endless')).toMatchObject({ state: 'done', status: 302, finalUrl: at('/end') });
    expect(entry('/none')).toMatchObject({ state: 'done', status: 204 });
    expect(entry('/gzip')).toMatchObject({ state: 'done', title: 'Zipped' });
  });

  it('a status that HTTP does not have is named', () => {
    expect(entry('/799')).toMatchObject({ reason: 'http_5xx', status: 799, message: 'HTTP has no status 799' });
    const message = 'The server answers with status 99, which HTTP does not have.';
    expect(entry('/099')).toMatchObject({ reason: 'http_5xx', status: null, message });
  });

  it('a seed that redirects to what is no page of the web says so, and nobody waits for it', async () => {
    own.web.site('mail.test', pathSite({ '/': redirect('mailto:someone@example.org', 302) }));
    const { run, pages } = await own.crawl(['http://mail.test/'], [], { code: 4 });
    expect(run.stderr).toContain('It redirects to mailto:someone@example.org, which is no page of the web.');
    expect([...pages.keys()]).toEqual(['http://mail.test/']);
  });

  it('a check says so too', async () => {
    const hrefs = ['/moved', '/short', '/none', '/endless', '/gzip', '/799', '/hop-0', '/hop-4'];
    own.web.site('odd2.test', pathSite({ ...SITE, ...chain(24), '/': page('Home', hrefs), '/robots.txt': text('') }));
    const to = own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    const hasty = ['--delay', '0', '--retries', '0', '--max-backoff', '1s', '--seeding-strategy', 'none'];
    const { byUrl } = await check(['http://odd2.test/', ...hasty, ...to]);
    const said = Object.fromEntries(hrefs.map((href) => [href, byUrl.get(`http://odd2.test${href}`)!]));
    expect(Object.fromEntries(hrefs.map((href) => [href, said[href]!.verdict]))).toEqual({
      ...{ '/moved': 'redirected', '/short': 'connection', '/none': 'ok', '/endless': 'redirected', '/gzip': 'ok' },
      ...{ '/799': 'server_error', '/hop-0': 'redirect_limit', '/hop-4': 'moved' },
    });
    expect(said['/hop-0']!.evidence.why).toContain('24 times before it answers, and browsers give up after 20');
    expect(said['/799']!.evidence.why).toBe('799, a status that HTTP does not have, on both looks');
    expect(said['/short']!.evidence.why).toBe('the body ended early, on both looks');
  }, 60_000);
});
