import { writeFileSync } from 'node:fs';
import { createServer as createTlsServer, type Server } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CERTIFICATE, PRIVATE_KEY } from '../fetch/certificate.js';
import { line } from '../web/plain.js';
import { html, linkPage, pathSite, text } from '../web/site.js';
import { box, fates } from './box.js';

describe('a bare domain', () => {
  const own = box();
  let closed: number;
  let tls: Server;
  const asked: string[] = [];
  const fast = ['--retries', '0', '--retry-delay', '0', '--seeding-strategy', 'none'];

  beforeAll(async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closed = (server.address() as AddressInfo).port;
    await new Promise((resolve) => server.close(resolve));
    tls = createTlsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (request, response) => {
      asked.push(`${request.headers.host}${request.url}`);
      response
        .writeHead(request.url === '/' ? 200 : 404, { 'content-type': 'text/html' })
        .end('<!doctype html><title>Safe</title>');
    });
    await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
    for (const name of ['plain.test', 'www.only-www.test', 'safe.test']) {
      own.web.site(name, line(3));
    }
  });
  afterAll(() => {
    tls.close();
    tls.closeAllConnections();
  });
  const to = (...mappings: string[]) => mappings.flatMap((mapping) => ['--connect-to', mapping]);

  it('is asked by https first, and by nothing else where that answers', async () => {
    const port = (tls.address() as AddressInfo).port;
    const { pages } = await own.crawl(
      ['safe.test'],
      [...fast, '-k', ...to(`safe.test:443:127.0.0.1:${port}`, ...own.web.connectTo)],
    );
    expect(fates(pages)).toEqual({ 'https://safe.test/': 'done' });
    expect(asked).toEqual(['safe.test/robots.txt', 'safe.test/']);
    expect(own.web.log).toEqual([]);
  });

  it('that refuses https is asked by http', async () => {
    const { pages } = await own.crawl(
      ['plain.test'],
      [...fast, ...to(`plain.test:443:127.0.0.1:${closed}`, ...own.web.connectTo)],
    );
    expect(fates(pages)).toEqual({
      'https://plain.test/': 'failed connection_refused',
      'http://plain.test/': 'done',
      'http://plain.test/p1': 'done',
      'http://plain.test/p2': 'done',
    });
  });

  it('that answers neither is asked with www. in front', async () => {
    const { pages } = await own.crawl(
      ['only-www.test'],
      [
        ...fast,
        ...to(`only-www.test::127.0.0.1:${closed}`, `www.only-www.test:443:127.0.0.1:${closed}`, ...own.web.connectTo),
      ],
    );
    expect(pages.get('http://www.only-www.test/p2')).toMatchObject({ state: 'done', depth: 2 });
  });

  it('that cannot be reached at all ends with exit code 4 and says so', async () => {
    const { run } = await own.crawl(['nowhere.test'], [...fast, ...to(`::127.0.0.1:${closed}`)], { code: 4 });
    expect(run.stderr).toMatch(/nowhere\.test could not be reached/);
  });
});

describe('many seeds', () => {
  const own = box();

  it('come from a file, each with its own scope, depth and number of URLs', async () => {
    for (const name of ['one.test', 'two.test', 'three.test', 'four.test']) {
      own.web.site(name, line(8));
    }
    const file = `${own.folder}/seeds.txt`;
    writeFileSync(
      file,
      '# mine\nhttp://one.test/ depth=2\nhttp://two.test/ max-urls=3 # a few\nhttp://three.test/ scope=page\n',
    );
    const { pages } = await own.crawl(['http://four.test/p5', '-i', file]);
    const done = (host: string) =>
      [...pages.values()].filter(({ url, state }) => url.startsWith(`http://${host}/`) && state === 'done').length;
    expect(['one.test', 'two.test', 'three.test', 'four.test'].map(done)).toEqual([3, 3, 1, 3]);
    expect(pages.get('http://one.test/p3')).toMatchObject({ state: 'skipped', reason: 'depth' });
    expect(pages.get('http://two.test/p3')).toMatchObject({ state: 'skipped', reason: 'limit' });
  });

  it('one of which fails do not fail the run', async () => {
    own.web.site(
      'bad.test',
      pathSite({ '/robots.txt': text('User-agent: *\nDisallow: /\n'), '/': html(linkPage('x', [])) }),
    );
    const { pages } = await own.crawl(['http://bad.test/', 'http://one.test/p7']);
    expect(fates(pages)).toEqual({ 'http://bad.test/': 'skipped robots', 'http://one.test/p7': 'done' });
  });
});
