import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compare, factsOfExport, factsOfWalk, isSame } from './real/compare.js';
import { linkTruth } from './real/file-truth.js';
import { rootAmong } from './real/install.js';
import { nginxConfig } from './real/nginx-config.js';
import { decodePage } from './real/page-charset.js';
import { identityOf, linksOfPage } from './real/page-links.js';
import { cachedWalk, relocate } from './real/walk-cache.js';
import { type Walk, walk } from './real/walker.js';

type TinyAnswer = { status?: number; headers?: Record<string, string>; body?: string };

const TINY_SITE: Record<string, TinyAnswer> = {
  '/': {
    body: `<!doctype html><title>Home</title>
      <link rel="stylesheet" href="/style.css"><link rel="next" href="/two.html">
      <a href="/two.html#part">two</a> <a href="old">moved</a> <a href="deep/%c3%a9.html">é</a>
      <a href="/hidden.html" rel="Nofollow  external">hidden</a> <a href="/gone.html">gone</a>
      <a href="/photo.png">photo</a> <a href="/notes.txt">notes</a>
      <a href="mailto:someone@example.com">mail</a> <a href="http://[broken">broken</a>
      <a href="https://other.example/x?a=%2f#y">elsewhere</a> <img src="/photo.png" srcset="/photo2.png 2x">
      <form action="/search"></form>`,
  },
  '/two.html': { body: '<a href="/">home</a><a href="/far.html">far</a><iframe src="/framed.html"></iframe>' },
  '/old': { status: 301, headers: { location: '/far.html' } },
  '/far.html': { body: '<meta name="robots" content="noindex, nofollow"><a href="/never.html">never</a>' },
  '/framed.html': { headers: { 'x-robots-tag': 'nofollow' }, body: '<a href="/never.html">never</a>' },
  '/deep/%C3%A9.html': { body: '<base href="/shallow/"><base href="/wrong/"><a href="end.html">end</a>' },
  '/shallow/end.html': { body: '<p>The end' },
  '/gone.html': { status: 404, body: '<a href="/never.html">never</a>' },
  '/photo.png': { headers: { 'content-type': 'image/png' } },
  '/notes.txt': { headers: { 'content-type': 'text/plain' }, body: '<a href="/never.html">never</a>' },
  '/hidden.html': { body: 'hidden' },
};

let server: Server;
let origin: string;
let requests: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const answer = TINY_SITE[request.url ?? ''] ?? { status: 404 };
    response.writeHead(answer.status ?? 200, { 'content-type': 'text/html', ...answer.headers }).end(answer.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(() => {
  requests = [];
});

describe('the walker', () => {
  it('finds each page that the rules lead to, with its status and its depth by the shortest way', async () => {
    const { pages } = await walk(`${origin}/`);
    expect(pages.map(({ url, status, depth, links }) => [url.slice(origin.length), status, depth, links])).toEqual([
      ['/', 200, 0, 14],
      ['/deep/%C3%A9.html', 200, 1, 1],
      ['/far.html', 200, 1, 1],
      ['/framed.html', 200, 2, 1],
      ['/gone.html', 404, 1, 0],
      ['/notes.txt', 200, 1, 0],
      ['/old', 301, 1, 1],
      ['/photo.png', 200, 1, 0],
      ['/shallow/end.html', 200, 2, 0],
      ['/two.html', 200, 1, 3],
    ]);
  });

  it('asks for each page once, for binaries with HEAD, and never where nofollow stands', async () => {
    await walk(`${origin}/`);
    expect(new Set(requests).size).toBe(requests.length);
    expect(requests).toContain('HEAD /photo.png');
    expect(requests.filter((request) => /never|hidden|style|search|photo2/.test(request))).toEqual([]);
  });

  it('records every edge in document order, also those that it does not follow', async () => {
    const { edges } = await walk(`${origin}/`);
    const fromHome = edges.filter(({ from }) => from === `${origin}/`);
    expect(fromHome.map(({ kind, to, rel }) => `${kind} ${relocate(to, origin, '')} ${rel}`.trim())).toEqual([
      'stylesheet /style.css stylesheet',
      'next /two.html next',
      'a /two.html',
      'a /old',
      'a /deep/%C3%A9.html',
      'a /hidden.html nofollow external',
      'a /gone.html',
      'a /photo.png',
      'a /notes.txt',
      'a mailto:someone@example.com',
      'a https://other.example/x?a=%2F',
      'img /photo.png',
      'srcset /photo2.png',
      'form /search',
    ]);
    expect(edges.filter(({ kind }) => kind === 'redirect')).toEqual([
      { from: `${origin}/old`, to: `${origin}/far.html`, kind: 'redirect', rel: '' },
    ]);
  });

  it('refuses a site with a robots.txt, whose rules it does not know', async () => {
    TINY_SITE['/robots.txt'] = { body: 'User-agent: *' };
    try {
      await expect(walk(`${origin}/`)).rejects.toThrow('/robots.txt is 200');
    } finally {
      delete TINY_SITE['/robots.txt'];
    }
  });
});

describe('the truth about links', () => {
  const linked = async (files: Record<string, string>): Promise<string[]> => {
    const root = await mkdtemp(join(tmpdir(), 'gossamer-truth-'));
    try {
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(root, name)), { recursive: true });
        await writeFile(join(root, name), text);
      }
      return [...linkTruth(root, 'http://a.test/').dead].map((url) => url.slice('http://a.test/'.length)).sort();
    } finally {
      await rm(root, { recursive: true });
    }
  };

  it('knows what stylesheets load, from their own place, and those that they import', async () => {
    const dead = await linked({
      'index.html': '<link rel=stylesheet href=css/main.css><link rel=stylesheet href=css/main.css?again>',
      'css/main.css': `@import "more.css"; @import url('none.css') print;
        /* url(comment.png) */ a { background: url( here.png ), URL("../there.png") } b { content: "url(text.png)" }
        @font-face { src: url(font.eot?#iefix), url(data:font/woff;base64,AA), url(#here), url('a b.woff') }`,
      'css/more.css': '@import "main.css"; i { cursor: url(sp\\61 ce\\).cur) }',
      'css/here.png': '',
    });
    expect(dead).toEqual(['css/a%20b.woff', 'css/font.eot?', 'css/none.css', 'css/space).cur', 'there.png'].sort());
  });

  it('knows what styles in a page load, from the base of the page', async () => {
    const dead = await linked({
      'index.html': `<base href=/sub/><style>p { background: url(style.png) }</style><style type=text/x>a { b: url(x.png) }</style>
        <p style="background: url('attribute.png')">`,
    });
    expect(dead).toEqual(['sub/attribute.png', 'sub/style.png']);
  });
});

describe('the links of a page', () => {
  const found = (html: string) => linksOfPage(html, 'http://a.test/dir/page').map(({ kind, to }) => `${kind} ${to}`);

  it('count once for each tag in the source, whatever the tree builder copies or moves', () => {
    expect(found('<table><a href=1>x<tr><td><a href=2>y</table><p><a href=3>z<p>more<p>and more')).toEqual([
      'a http://a.test/dir/1',
      'a http://a.test/dir/2',
      'a http://a.test/dir/3',
    ]);
  });

  it('include noscript and leave out templates, scripts and comments', () => {
    const html =
      '<noscript><a href=1></noscript><template><a href=2></template><!--<a href=3>--><script>"<a href=4>"</script>';
    expect(found(html)).toEqual(['a http://a.test/dir/1']);
  });

  it.each([
    ['0;url=x', 'x'],
    ['0;x', 'x'],
    [" .5 , URL = 'x' y", 'x'],
    ['0 x', 'x'],
    ['0;', null],
    ['0 ;', null],
    ['url=x', null],
    ['0url=x', null],
  ])('read the refresh %j as the standard does', (content, url) => {
    const expected = url === null ? [] : [`refresh http://a.test/dir/${url}`];
    expect(found(`<meta http-equiv=Refresh content="${content}">`)).toEqual(expected);
  });

  it.each([
    ['rel=next', 'next'],
    ['rel="icon PREV"', 'prev'],
    ['rel=canonical', 'canonical'],
    ['rel=alternate hreflang=de', 'alternate'],
    ['rel=alternate', 'link'],
    ['rel="alternate stylesheet"', 'stylesheet'],
    ['rel=icon', 'link'],
    ['', null],
    ['rel=preconnect', null],
    ['rel=dns-prefetch', null],
  ])('call <link %s> %s', (attributes, kind) => {
    expect(found(`<link ${attributes} href=x>`)).toEqual(kind === null ? [] : [`${kind} http://a.test/dir/x`]);
  });

  it('take src before srcset before poster, and commas in a srcset where they belong', () => {
    const html = '<img srcset="a,b 1x, c 2x,, d(1,2) e(,) 3x,f" src=s><video poster=p src=v><source srcset=w src=u>';
    expect(found(html).map((link) => link.replace('http://a.test/dir/', ''))).toEqual([
      'img s',
      'srcset a,b',
      'srcset c',
      'srcset d(1,2)',
      'srcset f',
      'media v',
      'media p',
      'media u',
      'srcset w',
    ]);
  });

  it('have the identity that the crawl promises', () => {
    const base = 'http://a.test/dir/page?q';
    expect(identityOf('HTTP://User:Pass@A.test:80/B/../%7e%c3?x=%2f#f', base)).toBe('http://a.test/%7E%C3?x=%2F');
    expect(identityOf('#part', base)).toBe(base);
    expect(identityOf('javascript:go()#x', base)).toBe('javascript:go()#x');
    expect(identityOf('http://', base)).toBeNull();
  });

  it('are read in the encoding of the page', () => {
    const latin = Buffer.from('<meta charset="iso-8859-1"><a href="é">', 'latin1');
    expect(decodePage(latin, 'text/html')).toContain('é');
    expect(decodePage(Buffer.from('é', 'latin1'), null)).toBe('é');
    expect(decodePage(Buffer.from('é'), 'text/html; charset=nonsense')).toBe('é');
    expect(decodePage(Buffer.from('é<meta charset=utf-16>'), null)).toContain('é');
  });
});

describe('a kept walk', () => {
  it('is read again without a request, until the version changes or a fresh one is asked for', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gossamer-walk-'));
    try {
      const wish = { url: `${origin}/`, host: 'tiny.test', version: '1', folder };
      const first = await cachedWalk(wish);
      expect(first.pages[0]?.url).toBe('http://tiny.test/');
      requests = [];
      expect(await cachedWalk(wish)).toEqual(first);
      expect(requests).toEqual([]);
      expect(await cachedWalk({ ...wish, fresh: true })).toEqual(first);
      expect(requests).not.toEqual([]);
      requests = [];
      await cachedWalk({ ...wish, version: '2' });
      expect(requests).not.toEqual([]);
      expect(await readdir(folder)).toHaveLength(2);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('the comparison of a crawl with the walk', () => {
  let truth: Walk;
  beforeAll(async () => {
    truth = await walk(`${origin}/`);
  });

  /** The export of a crawl that found just what the walk found, from another origin. */
  const exported = () => ({
    pages: truth.pages.map((page) => ({
      url: relocate(page.url, origin, 'http://crawled.test'),
      state: page.status < 400 ? 'done' : 'failed',
      reason: page.status < 400 ? null : 'http_4xx',
      status: page.status,
      depth: page.depth as number | null,
      title: 'more than is compared',
    })),
    edges: truth.edges.map((edge) => ({
      from: relocate(edge.from, origin, 'http://crawled.test'),
      to: relocate(edge.to, origin, 'http://crawled.test'),
      kind: edge.kind as string,
      rel: edge.rel,
      text: null,
    })),
  });

  const verdict = async ({ pages, edges }: ReturnType<typeof exported>) => {
    const lines = (values: object[]) => Readable.from(values.map((value) => `${JSON.stringify(value)}\n`));
    const moved = (url: string) => relocate(url, 'http://crawled.test', origin);
    return compare(factsOfWalk(truth), await factsOfExport(lines(pages), lines(edges), moved));
  };

  it('passes what is the same, in whatever order the pages come', async () => {
    const crawl = exported();
    crawl.pages.reverse();
    crawl.pages.push({
      ...crawl.pages[0]!,
      url: 'http://crawled.test/hidden.html',
      state: 'skipped',
      reason: 'nofollow',
    });
    const { pages, edges } = await verdict(crawl);
    expect([isSame(pages), isSame(edges)]).toEqual([true, true]);
    expect([pages.expected, pages.actual, edges.actual]).toEqual([10, 10, truth.edges.length]);
  });

  it('names a page that is missing, and why the crawl left it out', async () => {
    const crawl = exported();
    Object.assign(crawl.pages[1]!, { state: 'skipped', reason: 'trap' });
    crawl.pages.pop();
    const { pages } = await verdict(crawl);
    expect(pages.missing).toEqual([`${origin}/deep/%C3%A9.html (skipped trap)`, `${origin}/two.html`]);
  });

  it('names a page too many, and one with another status or depth', async () => {
    const crawl = exported();
    crawl.pages.push({ ...crawl.pages[0]!, url: 'http://crawled.test/never.html' });
    crawl.pages[0]!.depth = 1;
    crawl.pages[1]!.status = 500;
    const { pages } = await verdict(crawl);
    expect(pages.extra).toEqual([`${origin}/never.html (done 200 at depth 0)`]);
    expect(pages.unlike).toHaveLength(2);
  });

  it('counts an edge as often as it stands on its page', async () => {
    const crawl = exported();
    const doubled = crawl.edges[2]!;
    crawl.edges.splice(2, 0, doubled);
    crawl.edges.pop();
    const { edges } = await verdict(crawl);
    expect(edges.extra).toEqual([`${origin}/ → a ${origin}/two.html`]);
    expect(edges.missing).toEqual([`${origin}/two.html → iframe ${origin}/framed.html`]);
  });

  it('sees another kind, another rel and another order', async () => {
    const crawl = exported();
    crawl.edges[0]!.kind = 'link';
    crawl.edges[1]!.rel = '';
    const { edges } = await verdict(crawl);
    expect([edges.missing.length, edges.extra.length]).toEqual([2, 2]);

    const turned = exported();
    [turned.edges[2], turned.edges[3]] = [turned.edges[3]!, turned.edges[2]!];
    expect((await verdict(turned)).edges.unlike).toEqual([`${origin}/: edges in another order`]);
  });

  it('refuses an export that names a page twice, or is not JSON lines', async () => {
    const crawl = exported();
    crawl.pages.push(crawl.pages[0]!);
    await expect(verdict(crawl)).rejects.toThrow('exported twice');
    const facts = factsOfExport(Readable.from('url,state\n'), Readable.from(''), (url) => url);
    await expect(facts).rejects.toThrow('line 1 is not JSON: url,state');
  });
});

describe('the packages', () => {
  it('have their root where the start page is, the shortest path first', () => {
    const files = [
      '/x/doc/html/en/cpp/html/en/index.html',
      '/x/doc/html/en/index.html',
      '/x/doc/html/en/index.html.gz',
    ];
    expect(rootAmong(files, { landmark: 'html/en/index.html', startPage: 'en/index.html' })).toBe('/x/doc/html');
    expect(rootAmong(['/x/index.html'], { landmark: 'html/index.html', startPage: 'index.html' })).toBeNull();
  });

  it('are served on loopback only, each on the shared port and on its own', () => {
    const sites = [
      { host: 'a.test', root: '/srv/a "b"', port: 8001 },
      { host: 'c.test', root: '/srv/c', port: 8002 },
    ];
    const config = nginxConfig('/tmp/nginx', 8000, sites, {});
    expect([...config.matchAll(/listen (.*);/g)].map(([, address]) => address)).toEqual([
      '127.0.0.1:8000',
      '127.0.0.1:8001',
      '127.0.0.1:8000',
      '127.0.0.1:8002',
    ]);
    expect(config).toContain('root "/srv/a \\"b\\"";');
    expect(config).toContain('access_log off;');
    expect(() => nginxConfig('/tmp/$x', 8000, sites, {})).toThrow('nginx cannot be given the path');
  });
});
