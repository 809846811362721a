import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { charsetCases, charsetZoo } from './web/charsets.js';
import { demoSite } from './web/demo.js';
import {
  badFraming,
  bigHeaders,
  endlessBody,
  gzipBomb,
  interimFlood,
  mislabelled,
  resetAfter,
  retryAfter,
  silent,
  slowBody,
  slowHeaders,
  slowStart,
  stackedEncodings,
  stalledBody,
} from './web/faults.js';
import { type Graph, makeGraph } from './web/graph.js';
import { EXTERNAL_HOST, INGREDIENTS } from './web/graph-page.js';
import type { ClosureOptions, Truth } from './web/graph-truth.js';
import { hitsPerUrl, peakConcurrency, requestsTo, smallestGap } from './web/judge.js';
import { type LoggedRequest, readLog } from './web/log.js';
import { Client, decoded, type Got } from './web/naive/client.js';
import { NaiveCrawler } from './web/naive/crawler.js';
import { allowedBy } from './web/naive/robots.js';
import { normal, scan } from './web/naive/scan.js';
import { complete, line, star, tree } from './web/plain.js';
import { QueueServer } from './web/queue-server.js';
import { changingRobots, installRobotsCases, robotsCases } from './web/robots-sites.js';
import { hang, html, type Site } from './web/site.js';
import { nearUrls } from './web/spellings.js';
import { calendar, facets, pagination, recursion, sessionIds, shop } from './web/traps.js';
import { openWeb, type WebInABox, type WebOptions } from './web/web.js';

const leftOpen: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of leftOpen.splice(0).reverse()) {
    await close();
  }
});

function clientOf(port: number): Client {
  const client = new Client(port);
  leftOpen.push(() => client.stop());
  return client;
}

async function open(options?: WebOptions): Promise<WebInABox & { client: Client }> {
  const web = await openWeb(options);
  leftOpen.push(() => web.close());
  return Object.assign(web, { client: clientOf(web.port) });
}

async function serve(
  site: Site,
): Promise<{ web: WebInABox & { client: Client }; get: (path: string) => Promise<Got> }> {
  const web = await open();
  web.site('a.test', site);
  return { web, get: (path) => web.client.get(`http://a.test${path}`) };
}

async function crawlNaively(
  graph: Graph,
  options: ClosureOptions = {},
): Promise<{ found: Map<string, Truth>; web: WebInABox }> {
  const web = await open();
  graph.install(web);
  const crawler = new NaiveCrawler(web.client, {
    seeds: graph.seeds,
    inScope: (url) => graph.hosts.some(({ name }) => new URL(url).hostname === name),
    maxDepth: Number.POSITIVE_INFINITY,
    nofollow: 'obey',
    sitemaps: true,
    ...options,
  });
  return { found: await crawler.run(), web };
}

const sorted = <T>(map: Map<string, T>): [string, T][] => [...map].sort(([a], [b]) => (a < b ? -1 : 1));

describe('the server', () => {
  it('chooses the site by the Host header, whatever its case and port', async () => {
    const web = await open();
    for (let i = 0; i < 2000; i++) {
      web.site(`host${i}.test`, { handle: ({ host, origin }) => html(`${host} ${origin}`) });
    }
    expect((await web.client.get('http://host7.test/')).body.toString()).toBe('host7.test http://host7.test');
    const shouted = await web.client.get('http://host1999.test:8080/', { headers: { host: 'HOST1999.test:8080' } });
    expect(shouted.body.toString()).toBe('host1999.test http://host1999.test:8080');
    expect((await web.client.get('http://nobody.test/')).status).toBe(404);
    web.site('*', { handle: ({ host }) => html(`any ${host}`) });
    expect((await web.client.get('http://nobody.test/')).body.toString()).toBe('any nobody.test');
    expect(web.connectTo).toEqual([`::127.0.0.1:${web.port}`]);
    expect((await request(`${web.origin}/`)).statusCode).toBe(200);
  });

  it('logs every request with its time, connection and end', async () => {
    const { web, get } = await serve(star(3));
    await get('/');
    await get('/p1?q=1');
    const [first, second] = web.log as [LoggedRequest, LoggedRequest];
    expect([first.path, first.status, first.method, first.host]).toEqual(['/', 200, 'GET', 'a.test']);
    expect([second.path, second.status]).toEqual(['/p1?q=1', 404]);
    expect(first.headers.host).toBe('a.test');
    expect(first.connection).toBe(1);
    expect(first.endedAt).toBeGreaterThan(first.at);
    expect(second.at).toBeGreaterThanOrEqual(first.endedAt!);
    for (let n = 0; n < 20; n++) {
      await get('/');
    }
    expect(new Set(web.log.map(({ connection }) => connection)).size).toBeLessThan(4);
    web.clearLog();
    expect(web.log).toEqual([]);
  });

  it('counts what is in flight until the client goes away', async () => {
    const web = await open();
    web.site('stuck.test', { handle: () => hang });
    const asked = [1, 2, 3].map((n) => web.client.get(`http://stuck.test/${n}`).catch((error: Error) => error));
    await expect.poll(() => web.inFlight('stuck.test')).toBe(3);
    expect(web.inFlight('other.test')).toBe(0);
    expect(web.log.every(({ status, endedAt }) => status === 0 && endedAt === null)).toBe(true);
    await web.client.stop();
    expect((await Promise.all(asked)).every((answer) => answer instanceof Error)).toBe(true);
    await expect.poll(() => web.inFlight()).toBe(0);
    expect(web.peakInFlight()).toBe(3);
    expect(peakConcurrency(web.log)).toBe(3);
  });

  it('closes at once although requests hang and bodies never end', async () => {
    const web = await openWeb();
    web.site('a.test', endlessBody());
    web.site('b.test', { handle: () => ({ ...html('late'), afterMs: 3_600_000 }) });
    const client = clientOf(web.port);
    const asked = ['http://a.test/endless', 'http://b.test/'].map((url) =>
      client.get(url).catch((error: Error) => error),
    );
    await expect.poll(() => web.inFlight()).toBe(2);
    await web.close();
    expect((await Promise.all(asked)).every((answer) => answer instanceof Error)).toBe(true);
    expect(web.inFlight()).toBe(0);
  });

  it('shows a mistake in a site as 599', async () => {
    const { get } = await serve({
      handle({ path }) {
        if (path === '/later') {
          return Promise.reject(new Error('oops'));
        }
        throw new Error('oops');
      },
    });
    expect([(await get('/')).status, (await get('/later')).status]).toEqual([599, 599]);
  });

  it('writes a log file that can be read while requests are open and after a kill', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'web-log-'));
    leftOpen.unshift(() => rmSync(folder, { recursive: true }));
    const logFile = join(folder, 'requests.jsonl');
    for (const run of [1, 2]) {
      const web = await open({ logFile });
      web.site('a.test', star(2));
      web.site('stuck.test', { handle: () => hang });
      await web.client.get(`http://a.test/?run=${run}`);
      const stuck = web.client.get('http://stuck.test/').catch(() => null);
      await expect.poll(() => readLog(logFile).length).toBe(run * 2);
      expect(readLog(logFile).slice(-2)).toEqual(web.log);
      await web.close();
      await stuck;
      appendFileSync(logFile, '{"number":9,"at":12');
    }
    const log = readLog(logFile);
    expect(log.map(({ path }) => path)).toEqual(['/?run=1', '/', '/?run=2', '/']);
    expect(log.every(({ endedAt }) => endedAt !== null)).toBe(true);
  });
});

describe('the judge', () => {
  const entry = (host: string, path: string, at: number, endedAt: number | null, method = 'GET'): LoggedRequest => {
    return { at, host, method, path, status: 200, userAgent: '', headers: { host }, connection: 1, endedAt };
  };
  const log = [
    entry('a.test', '/robots.txt', 0, 5),
    entry('a.test', '/x', 100, 400),
    entry('b.test', '/x', 110, 120),
    entry('a.test', '/x', 150, null),
    entry('a.test', '/sitemap_index.xml.gz', 300, 310),
    entry('a.test', '/x.pdf', 500, 510, 'HEAD'),
  ];

  it('measures gaps, hits and concurrency', () => {
    expect(smallestGap(log, 'a.test')).toBe(50);
    expect(smallestGap(log, 'b.test')).toBe(Number.POSITIVE_INFINITY);
    expect([...hitsPerUrl(log)]).toEqual([
      ['http://a.test/x', 2],
      ['http://b.test/x', 1],
    ]);
    expect(requestsTo(log, 'a.test', '/x')).toHaveLength(2);
    expect(peakConcurrency(log)).toBe(3);
    expect(peakConcurrency(log, 'a.test')).toBe(3);
    expect(peakConcurrency(log, 'b.test')).toBe(1);
  });
});

describe('the graph', () => {
  const options = { seed: 7, hosts: 12, urls: 1000 };

  it('has as many URLs as were asked for, and is the same for the same seed', () => {
    const graph = makeGraph(options);
    expect(graph.pages.size).toBe(options.urls);
    expect(graph.hosts).toHaveLength(options.hosts);
    expect([...makeGraph(options).pages.values()]).toEqual([...graph.pages.values()]);
    expect([...makeGraph({ ...options, seed: 8 }).pages.keys()]).not.toEqual([...graph.pages.keys()]);
  });

  it('writes links in spellings that lead to exactly its edges, in document order, with the title it says', async () => {
    const graph = makeGraph({ ...options, transient: false });
    const web = await open();
    graph.install(web);
    const hrefs = new Set<string>();
    for (const page of graph.pages.values()) {
      if (page.kind !== 'html') {
        continue;
      }
      const markup = decoded(await web.client.get(page.url));
      const { edges, title } = scan(markup, page.url);
      expect(edges).toEqual(graph.edges(page.url));
      expect(title).toBe(page.title);
      for (const [href] of markup.matchAll(/href=("[^"]*"|'[^']*')/g)) {
        hrefs.add(href);
      }
    }
    const spellings = [/HTTP:/, /:80\//, /"\/\//, /%2e/, /\.\.\//, /\\/, /#/, /%c3/, /é/, /\t/, /&#x2F;/, /'/];
    expect(spellings.filter((spelling) => ![...hrefs].some((href) => spelling.test(href)))).toEqual([]);
  });

  it('never spells a twin like its original', () => {
    const urls = ['/', '/dir/p1', '/~u/p1', '/find?q=1&lang=en', '/a/b/', '/caf%C3%A9/p.html'].map(
      (p) => `http://h.test${p}`,
    );
    for (const url of urls) {
      const near = nearUrls(url);
      expect(near.length).toBeGreaterThan(1);
      for (const twin of near) {
        expect(normal(twin, url)).toBe(twin);
        expect(twin).not.toBe(url);
      }
    }
  });

  const ways: [string, ClosureOptions][] = [
    ['from its first page', {}],
    ['from many seeds', { seeds: ['http://h3.test/', 'http://h5.test/', 'http://h3.test/'] }],
    ['in one host', { inScope: (url) => url.startsWith('http://h0.test/') }],
    ['down to depth 2', { maxDepth: 2 }],
    ['without sitemaps', { sitemaps: false }],
    ['with nofollow ignored', { nofollow: 'ignore' }],
  ];
  it.each(ways)('is crawled %s by a naive crawler to exactly its closure', async (_name, closureOptions) => {
    const graph = makeGraph(options);
    const { found, web } = await crawlNaively(graph, closureOptions);
    expect(sorted(found)).toEqual(sorted(graph.closure(closureOptions)));
    const skipped = [...found].filter(([, { state }]) => state === 'skipped').map(([url]) => url);
    expect(skipped.filter((url) => hitsPerUrl(web.log).has(url))).toEqual([]);
    expect(requestsTo(web.log, EXTERNAL_HOST)).toEqual([]);
  });

  it.each([1, 2, 3])('has a true closure for seed %i too', async (seed) => {
    const graph = makeGraph({ seed, hosts: 30, urls: 400, hostName: (host) => `${host}.web.test` });
    const { found } = await crawlNaively(graph);
    expect(sorted(found)).toEqual(sorted(graph.closure()));
  });

  it('ends in every way that a URL can end, at many depths', () => {
    const truths = [...makeGraph(options).closure().values()];
    const ends = new Set(truths.map(({ state, reason, status }) => `${state} ${reason} ${status}`));
    const failed = ['http_4xx 404', 'http_4xx 410', 'http_5xx 500', 'redirect_loop 301'].map((end) => `failed ${end}`);
    const done = [200, 301, 302, 303, 307, 308].map((status) => `done null ${status}`);
    expect([...ends]).toEqual(
      expect.arrayContaining([...failed, ...done, 'skipped robots null', 'skipped nofollow null']),
    );
    expect(Math.max(...truths.map(({ depth }) => depth))).toBeGreaterThan(3);
    expect(truths.length).toBeGreaterThan(options.urls * 0.9);
  });

  it('refuses the first requests of some pages and then answers', async () => {
    const graph = makeGraph(options);
    const web = await open();
    graph.install(web);
    const shy = [...graph.pages.values()].filter(({ failsFirst }) => failsFirst);
    expect(new Set(shy.map(({ failsFirst }) => failsFirst?.by)).size).toBe(2);
    for (const { url, failsFirst } of shy) {
      const outcome = () =>
        web.client.get(url).then(
          ({ status }) => String(status),
          () => 'reset',
        );
      for (let n = 0; n < failsFirst!.times; n++) {
        expect(await outcome()).toBe(failsFirst!.by);
      }
      expect(await outcome()).toBe('200');
    }
  });

  it.each(INGREDIENTS)('has no %s when they are switched off', (ingredient) => {
    const graph = makeGraph({ ...options, [ingredient]: false });
    const isThere = ingredientTests[ingredient];
    expect(isThere(makeGraph(options))).toBe(true);
    expect(isThere(graph)).toBe(false);
  });

  const pagesOf = (graph: Graph) => [...graph.pages.values()];
  const linksOf = (graph: Graph) => pagesOf(graph).flatMap(({ url }) => graph.edges(url));
  const ingredientTests: Record<(typeof INGREDIENTS)[number], (graph: Graph) => boolean> = {
    spellings: (graph) => pagesOf(graph).some(({ base }) => base !== null),
    twins: (graph) => pagesOf(graph).some(({ url }) => nearUrls(url).some((twin) => graph.pages.has(twin))),
    redirects: (graph) => pagesOf(graph).some(({ kind }) => kind === 'redirect'),
    failures: (graph) => pagesOf(graph).some(({ status }) => status >= 400),
    transient: (graph) => pagesOf(graph).some(({ failsFirst }) => failsFirst !== null),
    binaries: (graph) => pagesOf(graph).some(({ kind }) => kind === 'binary'),
    robots: (graph) =>
      graph.hosts.some(({ robots }) => robots !== null) || pagesOf(graph).some((page) => page.disallowed),
    nofollow: (graph) =>
      linksOf(graph).some(({ rel }) => rel.includes('nofollow')) || pagesOf(graph).some((p) => p.nofollow),
    external: (graph) => linksOf(graph).some(({ to }) => to.includes(EXTERNAL_HOST)),
    assets: (graph) => linksOf(graph).some(({ kind }) => kind === 'img' || kind === 'stylesheet' || kind === 'form'),
    sitemaps: (graph) => graph.hosts.some(({ sitemap }) => sitemap !== null),
    encodings: (graph) => pagesOf(graph).some(({ contentEncoding }) => contentEncoding !== null),
    charsets: (graph) => pagesOf(graph).some(({ charset }) => charset !== 'utf-8'),
  };
});

describe('robots.txt of every kind', () => {
  it.each(robotsCases)(
    '$name: $expect',
    async ({ name, host, expect: expected, allowed, disallowed, crawlDelayMs, sitemaps }) => {
      const web = await open();
      installRobotsCases(web);
      let url = `http://${host}/robots.txt`;
      let got: Got | null = null;
      for (let hops = 0, asks = 0; hops <= 5 && asks < 3; ) {
        got = await web.client.get(url, name === 'silent' ? { signal: AbortSignal.timeout(50) } : {}).catch(() => null);
        if (got === null || got.status === 429 || got.status >= 500) {
          asks++;
        } else if (got.headers.location === undefined) {
          break;
        } else {
          url = new URL(String(got.headers.location), url).href;
          hops++;
        }
      }
      const isUp = got !== null && got.status !== 429 && got.status < 500;
      const rules = isUp && got?.status === 200 ? got.body.toString() : '';
      const verdict = /^disallow: *\//im.test(rules) ? 'rules' : 'allow_all';
      expect(isUp ? verdict : 'unreachable').toBe(expected);
      for (const path of [...allowed, ...disallowed]) {
        expect((await web.client.get(`http://${host}${path}`)).status).toBe(200);
      }
      if (isUp) {
        expect(allowed.filter((path) => !allowedBy(rules, path))).toEqual([]);
        expect(disallowed.filter((path) => allowedBy(rules, path))).toEqual([]);
      }
      if (crawlDelayMs) {
        expect(rules).toContain(`Crawl-delay: ${crawlDelayMs / 1000}`);
      }
      for (const sitemap of sitemaps ?? []) {
        expect((await web.client.get(sitemap)).body.toString()).toContain('<urlset');
      }
    },
  );

  it('keeps its rule of a 600 KiB file within the first 500 KiB', async () => {
    const web = await open();
    installRobotsCases(web);
    const { body } = await web.client.get('http://large.robots.test/robots.txt');
    expect(body.length).toBeGreaterThanOrEqual(600 * 1024);
    expect(body.indexOf('Disallow')).toBeLessThan(500 * 1024);
    expect(body.indexOf('Disallow')).toBeGreaterThan(400 * 1024);
  });

  it('can change its mind after n fetches', async () => {
    const { get } = await serve(changingRobots(2));
    const verdict = async () => allowedBy((await get('/robots.txt')).body.toString(), '/closed');
    expect([await verdict(), await verdict(), await verdict(), await verdict()]).toEqual([true, true, false, false]);
  });
});

/** What becomes of a request: its status and body, or the error's code. */
const outcome = (got: Promise<Got>): Promise<string> =>
  got.then(
    ({ status }) => String(status),
    (error: Error & { code?: string }) => (typeof error.code === 'string' ? error.code : error.name),
  );

describe('faults', () => {
  it.each([429, 503] as const)('%i comes with each kind of Retry-After, then the page', async (status) => {
    for (const kind of ['seconds', 'date', 'past', 'huge', 'garbage', 'none'] as const) {
      const { get } = await serve(retryAfter(status, kind, 2));
      const before = Date.now();
      for (const refused of [await get('/page'), await get('/page')]) {
        expect(refused.status).toBe(status);
        const value = refused.headers['retry-after'];
        const seconds =
          kind === 'date' || kind === 'past' ? (Date.parse(String(value)) - before) / 1000 : Number(value);
        if (kind === 'none') {
          expect(value).toBeUndefined();
        } else if (kind === 'garbage') {
          expect(seconds).toBeNaN();
        } else if (kind === 'past') {
          expect(seconds).toBeLessThan(0);
        } else {
          expect(seconds).toBeGreaterThan(kind === 'huge' ? 1e9 : 0);
        }
      }
      expect((await get('/page')).status).toBe(200);
    }
  });

  it('slow answers arrive whole in the end', async () => {
    for (const site of [slowStart(20), slowHeaders(1), slowBody(1)]) {
      const { get } = await serve(site);
      expect((await get('/slow')).body.toString()).toContain('</html>');
    }
  });

  it('bodies stall, and requests are never answered', async () => {
    const { web } = await serve(stalledBody());
    expect(await outcome(web.client.get('http://a.test/stalled', { signal: AbortSignal.timeout(100) }))).toBe(
      'TimeoutError',
    );
    const second = await serve(silent());
    const asked = second.web.client.get('http://a.test/silent', { signal: AbortSignal.timeout(100) });
    expect(await outcome(asked)).toBe('TimeoutError');
  });

  it('an endless body goes on until the client leaves, without memory of its own', async () => {
    const { web } = await serve(endlessBody());
    const connection = connect(web.port, '127.0.0.1');
    connection.write('GET /endless HTTP/1.1\r\nHost: a.test\r\n\r\n');
    let bytes = 0;
    for await (const piece of connection) {
      bytes += piece.length;
      if (bytes > 5_000_000) {
        break;
      }
    }
    await expect.poll(() => web.inFlight()).toBe(0);
  });

  it('a gzip bomb is small on the wire and large in memory', async () => {
    const { get } = await serve(gzipBomb(30_000_000));
    const { body } = await get('/bomb');
    expect(body.length).toBeLessThan(100_000);
    expect(gunzipSync(body).length).toBe(30_000_000);
    const stacked = await (await serve(stackedEncodings(3))).get('/stacked');
    expect(stacked.headers['content-encoding']).toBe('gzip, gzip, gzip');
    expect(gunzipSync(gunzipSync(gunzipSync(stacked.body))).toString()).toContain('</html>');
  });

  it('framing lies in the ways it says', async () => {
    const { web, get } = await serve(badFraming());
    expect(await outcome(get('/content-length-too-long'))).toBe('UND_ERR_SOCKET');
    expect((await get('/content-length-too-short')).body.length).toBe(40);
    expect(await outcome(get('/truncated-chunk'))).toBe('UND_ERR_SOCKET');
    expect(await outcome(get('/no-last-chunk'))).toBe('UND_ERR_SOCKET');
    expect(await outcome(get('/not-http'))).toMatch(/^HPE_|HTTPParserError/);
    expect(await outcome(get('/no-headers'))).toMatch(/HTTPParserError|UND_ERR_SOCKET/);
    for (const path of ['/truncated-gzip', '/not-gzip']) {
      const { body } = await get(path);
      expect(() => gunzipSync(body)).toThrow();
    }
    const poison = connect(web.port, '127.0.0.1');
    poison.write('GET /keep-alive-poison HTTP/1.1\r\nHost: a.test\r\n\r\n');
    let received = '';
    for await (const piece of poison) {
      received += piece;
      if (received.endsWith('poison')) {
        break;
      }
    }
    expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });

  it('connections are reset before, within and at the end of a body', async () => {
    for (const bodyBytes of [null, 0, 1, 100]) {
      const { web, get } = await serve(resetAfter(bodyBytes));
      expect(await outcome(get('/reset'))).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
      expect(requestsTo(web.log, 'a.test', '/reset')[0]?.status).toBe(bodyBytes === null ? 0 : 200);
    }
  });

  it('header sections overflow, and interim responses come in floods', async () => {
    const { get } = await serve(bigHeaders(200_000));
    expect(await outcome(get('/big-headers'))).toBe('UND_ERR_HEADERS_OVERFLOW');
    expect((await (await serve(bigHeaders(5000))).get('/big-headers')).status).toBe(200);
    const flooded = await serve(interimFlood(500));
    expect((await flooded.get('/interim')).status).toBe(200);
  });

  it('content is not what it is said to be', async () => {
    const { web, get } = await serve(mislabelled());
    const home = scan((await get('/')).body.toString(), 'http://a.test/');
    for (const { to } of home.edges) {
      expect((await web.client.get(to)).status).toBe(200);
    }
    expect((await get('/binary-as-html')).headers['content-type']).toBe('text/html');
    expect((await get('/binary-as-html')).body.includes(0)).toBe(true);
    expect((await get('/binary-without-type')).headers['content-type']).toBeUndefined();
    expect((await web.client.get('http://a.test/head-refused.zip', { method: 'HEAD' })).status).toBe(405);
  });

  it.each(charsetCases)('$path reads as "$title"', async ({ path, title }) => {
    const { get } = await serve(charsetZoo());
    expect(scan(decoded(await get(path)), 'http://a.test/')).toMatchObject({
      title,
      edges: [{ to: 'http://a.test/after' }],
    });
  });
});

describe('the queue server', () => {
  it('serves as many at once as it has slots, now and after a change, and queues the rest', async () => {
    const server = new QueueServer({ slots: 3, serviceMs: 50, pages: 21 });
    const { get } = await serve(server);
    const all = () => Promise.all(Array.from({ length: 20 }, (_, i) => get(`/p${i + 1}`)));
    expect((await all()).map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(server.peakServing).toBe(3);
    server.slots = 8;
    await all();
    expect(server.peakServing).toBe(8);
    expect(server.waiting).toBe(0);
    expect((await get('/p21')).status).toBe(404);
    expect(scan((await get('/')).body.toString(), 'http://a.test/').edges).toHaveLength(20);
  });
});

/** Follows all links of one site, breadth first, up to a number of pages. */
async function walk(site: Site, most: number): Promise<{ urls: string[]; texts: Set<string>; failed: string[] }> {
  const { web } = await serve(site);
  const urls = ['http://a.test/'];
  const seen = new Set(urls);
  const texts = new Set<string>();
  const failed: string[] = [];
  for (let i = 0; i < urls.length && i < most; i++) {
    const got = await web.client.get(urls[i]!);
    if (got.status !== 200) {
      failed.push(urls[i]!);
    }
    const markup = got.body.toString();
    texts.add((/<p>(.*)<\/p>/.exec(markup)?.[1] ?? '').replace(/<[^>]*>/g, ''));
    for (const { to } of scan(markup, urls[i]!).edges) {
      if (!seen.has(to) && to.startsWith('http://a.test/')) {
        urls.push(to);
      }
      seen.add(to);
    }
  }
  return { urls, texts, failed };
}

describe('traps', () => {
  const traps: [string, () => Site][] = [
    ['the calendar', calendar],
    ['facets', facets],
    ['session ids in the path', () => sessionIds('path')],
    ['session ids in the query', () => sessionIds('query')],
    ['relative-link recursion', recursion],
    ['pagination', pagination],
  ];
  it.each(traps)('%s has always one more URL and nothing new on it', async (_name, trap) => {
    const { urls, texts, failed } = await walk(trap(), 300);
    expect(urls.length).toBeGreaterThan(300);
    expect(failed).toEqual([]);
    expect(texts.size).toBeLessThan(4);
    expect(urls).toEqual(expect.arrayContaining(['http://a.test/about', 'http://a.test/contact']));
  });

  it('the honest shop has a text of its own for each product, and an end', async () => {
    const { urls, texts, failed } = await walk(shop(1000), Number.POSITIVE_INFINITY);
    expect(urls.filter((url) => url.includes('/item?id='))).toHaveLength(1000);
    expect(texts.size).toBeGreaterThan(1000);
    expect(failed).toEqual([]);
  });
});

describe('plain sites', () => {
  it('are lines, stars and complete graphs of exactly n pages', async () => {
    for (const [site, edges] of [
      [line(30), 29],
      [star(30), 58],
      [complete(30), 900],
    ] as const) {
      const { urls, failed } = await walk(site, 1000);
      expect(urls).toHaveLength(30);
      expect(failed).toEqual([]);
      const { web } = await serve(site);
      let found = 0;
      for (const url of urls) {
        found += scan((await web.client.get(url)).body.toString(), url).edges.length;
      }
      expect(found).toBe(edges);
    }
  });

  it('have a text of its own on each page, also without digits', async () => {
    const texts = new Set<string>();
    const { get } = await serve(tree({ pages: 300, bodyBytes: 2000 }));
    for (let n = 1; n < 300; n++) {
      texts.add((await get(`/p${n}`)).body.toString().replace(/<[^>]*>|\d/g, ''));
    }
    expect(texts.size).toBe(299);
  });

  it('are trees with pages of the size and number of links asked for, all reachable', async () => {
    const site = tree({ pages: 500, arity: 5, links: 12, bodyBytes: 4000 });
    const { urls, failed } = await walk(site, 1000);
    expect(urls).toHaveLength(500);
    expect(failed).toEqual([]);
    expect((await walk(tree({ pages: 50, links: 50 }), 100)).urls).toHaveLength(50);
    const { get } = await serve(site);
    for (const path of ['/', '/p77', '/p499']) {
      const { body } = await get(path);
      expect(body.length).toBe(4000);
      expect(new Set(scan(body.toString(), 'http://a.test/').edges.map(({ to }) => to)).size).toBe(12);
    }
  });
});

describe('the demo', () => {
  it('has about 25 pages, one broken link, one redirect, a forbidden folder, and an orphan in its sitemap', async () => {
    const { urls, failed } = await walk(demoSite(), 100);
    const { web, get } = await serve(demoSite());
    expect(failed).toEqual(['http://a.test/old-shop', 'http://a.test/articles/the-lost-recipe']);
    expect((await get('/old-shop')).headers.location).toBe('/visit');
    const sitemap = (await get('/sitemap.xml')).body.toString();
    const listed = [...sitemap.matchAll(/<loc>(.*?)<\/loc>/g)].map((match) => match[1]!);
    expect(listed.filter((url) => !urls.includes(url))).toEqual(['http://a.test/christmas']);
    for (const url of listed) {
      expect((await web.client.get(url)).status).toBe(200);
    }
    expect(listed.length).toBeGreaterThanOrEqual(23);
    const rules = (await get('/robots.txt')).body.toString();
    expect(urls.filter((url) => !allowedBy(rules, new URL(url).pathname))).toEqual(['http://a.test/baker-only/rota']);
    expect((await get('/fr/')).body.toString()).toContain('hreflang="en" href="http://a.test/"');
  });
});

describe('serve', () => {
  it('runs as its own process, says its port, logs to a file and ends on SIGTERM', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'web-serve-'));
    leftOpen.unshift(() => rmSync(folder, { recursive: true }));
    const log = join(folder, 'requests.jsonl');
    const graph = makeGraph({ seed: 7, hosts: 5, urls: 50, transient: false });
    const argv = ['--port', '0', '--seed', '7', '--hosts', '5', '--urls', '50', '--without', 'transient', '--log', log];
    const child = spawn(process.execPath, ['dist/test/web/serve.js', ...argv], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    leftOpen.push(() => child.kill('SIGKILL'));
    const [ready] = (await once(createInterface(child.stdout), 'line')) as [string];
    const client = clientOf(JSON.parse(ready).port);
    for (const { url, status } of graph.pages.values()) {
      expect((await client.get(url)).status).toBe(status);
    }
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect([...hitsPerUrl(readLog(log)).keys()]).toEqual([...graph.pages.keys()]);
  });
});
