import { createSocket, type Socket } from 'node:dgram';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { html, linkPage, pathSite, redirect, text } from '../web/site.js';
import { box } from './box.js';

/** Listens where no packet may ever come, on both loopbacks. */
class Canary {
  readonly #server: Server;
  hits = 0;
  port = 0;

  constructor() {
    this.#server = createServer((socket) => {
      this.hits++;
      socket.on('error', () => {});
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi');
    });
  }

  async open(): Promise<void> {
    // Dual-stack: 127.0.0.1, ::1 and the mapped forms all lead here.
    await new Promise<void>((resolve) => this.#server.listen(0, '::', resolve));
    this.port = (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
  }
}

/** A name server for which every name is 127.0.0.1. */
async function openLoopbackNames(): Promise<{ socket: Socket; address: string }> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const question = query.subarray(12);
    const end = question.indexOf(0) + 5;
    const isA = question.readUInt16BE(end - 4) === 1;
    const head = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0]);
    const answer = Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
    socket.send(Buffer.concat([head, question.subarray(0, end), ...(isA ? [answer] : [])]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { socket, address: `127.0.0.1:${socket.address().port}` };
}

describe('addresses that no page may lead to', () => {
  const own = box();
  const canary = new Canary();
  let names: Awaited<ReturnType<typeof openLoopbackNames>>;
  let targets: string[];
  const fast = ['--retries', '0', '--retry-delay', '0', '--max-backoff', '1', '--scope', 'any'];

  beforeAll(async () => {
    await canary.open();
    names = await openLoopbackNames();
    const hosts = [
      ...['127.0.0.1', 'localhost', '0x7f.1', '2130706433', '0177.0.0.1', '127.1', '0.0.0.0', '127.0.0.2'],
      ...[
        '[::1]',
        '[::ffff:127.0.0.1]',
        '[::ffff:7f00:1]',
        '[0:0:0:0:0:0:0:1]',
        '[::]',
        'rebound.test',
        'app.localhost',
      ],
    ];
    targets = hosts.map((host) => `http://${host}:${canary.port}/`);
    const redirects = targets.map((target, i) => [`/to-${i}`, redirect(target)] as const);
    const robots = targets.map((target) => `Sitemap: ${target}map.xml`).join('\n');
    own.web.site(
      'site.test',
      pathSite({
        '/robots.txt': text(`User-agent: *\nDisallow:\n${robots}\n`),
        '/': html(
          linkPage('Home', [...targets, ...redirects.map(([path]) => path), 'http://robots.site.test/', '/img']),
        ),
        '/img': html(
          `<!doctype html><title>i</title><img src="${targets[0]}pixel.png"><link rel=stylesheet href="${targets[3]}x.css">`,
        ),
        ...Object.fromEntries(redirects),
      }),
    );
    own.web.site(
      'robots.site.test',
      pathSite({ '/robots.txt': redirect(`${targets[0]}robots.txt`), '/': html(linkPage('Never seen', [])) }),
    );
  });
  afterAll(() => {
    canary.close();
    names.socket.close();
  });
  beforeEach(() => {
    canary.hits = 0;
  });

  const mappings = () =>
    ['site.test', 'robots.site.test'].flatMap((name) => ['--connect-to', `${name}::127.0.0.1:${own.web.port}`]);

  it('get no packet from links, redirects, robots.txt, sitemaps and assets of a site that is named by its host', async () => {
    const args = [...fast, ...mappings(), '--resolver', names.address, '--assets', '--max-wait', '60'];
    const { pages } = await own.crawl(['http://site.test/'], args);
    expect(canary.hits).toBe(0);
    for (const target of targets) {
      const page = pages.get(new URL(target).href);
      expect(page, target).toMatchObject({ state: 'failed', reason: 'blocked_address' });
    }
    expect(pages.get('http://robots.site.test/')).toMatchObject({ state: 'failed', reason: 'blocked_address' });
    expect(pages.get('http://site.test/to-0')).toMatchObject({ state: 'done', status: 301 });
  });

  it('get none from --external either', async () => {
    const args = [...fast.slice(0, -2), ...mappings(), '--resolver', names.address, '--external'];
    const { pages } = await own.crawl(['http://site.test/'], args);
    expect(canary.hits).toBe(0);
    expect(pages.get(new URL(targets[0]!).href)).toMatchObject({ state: 'failed', reason: 'blocked_address' });
  });

  it('get none from a seed on loopback that has another port', async () => {
    own.web.site('127.0.0.1', pathSite({ '/': html(linkPage('Home', targets)) }));
    await own.crawl(
      [`${own.web.origin}/`],
      [...fast, '--resolver', names.address, '--connect-to', 'nobody.test:1:127.0.0.1:1'],
    );
    expect(own.web.log.some(({ path, host }) => path === '/' && host === '127.0.0.1')).toBe(true);
    expect(canary.hits).toBe(0);
  });

  it('are reached with --allow-private: the canary hears what comes to it', async () => {
    await own.crawl(['http://site.test/'], [...fast, ...mappings(), '--resolver', names.address, '--allow-private']);
    expect(canary.hits).toBeGreaterThan(0);
  });
});

describe('ports of other protocols', () => {
  const own = box();
  const BAD = [25, 110, 6000, 6667, 10080];
  const to = (port: number, path = '/'): string => `http://site.test:${port}${path}`;

  beforeAll(() => {
    const redirects = BAD.map((port) => [`/to-${port}`, redirect(to(port, '/redirected'))] as const);
    const links = [
      ...BAD.map((port) => to(port)),
      ...redirects.map(([path]) => path),
      'http://sub.site.test/',
      to(8080),
    ];
    own.web.site(
      'site.test',
      pathSite({
        '/robots.txt': text(`User-agent: *\nSitemap: ${to(25, '/map.xml')}\n`),
        '/': html(`${linkPage('Home', links)}<img src="${to(110, '/pixel.png')}">`),
        ...Object.fromEntries(redirects),
      }),
    );
    own.web.site('sub.site.test', pathSite({ '/robots.txt': redirect(to(6667, '/robots.txt')), '/': html('<p>Sub') }));
  });
  beforeEach(() => own.web.clearLog());
  const portsAsked = (): Set<string> => new Set(own.web.log.map(({ headers }) => headers.host!.split(':')[1] ?? '80'));

  it('get no packet from links, redirects, robots.txt, sitemaps and assets, though their host is in scope', async () => {
    const { pages } = await own.crawl(['http://site.test/'], ['--retries', '0', '--assets', '--allow-private']);
    expect(portsAsked()).toEqual(new Set(['80', '8080']));
    for (const port of BAD) {
      expect(pages.get(to(port))).toMatchObject({ state: 'failed', reason: 'blocked_address' });
      expect(pages.get(to(port, '/redirected'))).toMatchObject({ state: 'failed', reason: 'blocked_address' });
    }
    expect(pages.get('http://sub.site.test/')).toMatchObject({ state: 'failed', reason: 'blocked_address' });
  });

  it('are asked where a seed has that port, and no other of them', async () => {
    const { pages } = await own.crawl([to(6667)], ['--retries', '0']);
    expect(pages.get(to(6667))).toMatchObject({ state: 'done', status: 200 });
    expect(pages.get(to(25))).toMatchObject({ state: 'failed', reason: 'blocked_address' });
    expect([...portsAsked()].filter((port) => BAD.includes(Number(port)))).toEqual(['6667']);
  });
});
