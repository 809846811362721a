import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CheckedLink } from '../../src/check/report/result.js';
import { inProcess } from '../crawl/in-process.js';

let folder: string;
let net: Server;
let outside: string;
let asked: string[] = [];

/** What a check says, without waiting for second looks where one look is enough to tell. */
async function check(...args: string[]) {
  const { code, stdout, stderr } = await inProcess(['check', ...args, '--format', 'jsonl', '--quiet'], { cwd: folder });
  const lines = stdout
    .trim()
    .split('\n')
    .filter((line) => line !== '');
  const links = lines.slice(1).map((line) => JSON.parse(line) as CheckedLink);
  const bad = links.filter(({ verdict }) => verdict !== 'ok' && verdict !== 'skipped');
  const places = Object.fromEntries(
    bad.map(({ url, fragment, sources }) => [
      fragment === null ? url : `${url}#${fragment}`,
      sources.map(({ page, line, column }) => `${page}:${line}:${column}`),
    ]),
  );
  return { code, stdout, stderr, links, bad, places };
}

const ONE_LOOK = ['--second-look-budget', '0'];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gossamer-inputs-'));
  net = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.url === '/seed') {
      response.setHeader('content-type', 'text/html');
      response.end('<a href="/further">f</a><a href="http://elsewhere.test/">e</a><a href="mailto:a@b.test">m</a>');
      return;
    }
    response.writeHead(request.url === '/gone' ? 404 : 200, { 'content-type': 'text/html' }).end('<p id="here">x</p>');
  });
  await new Promise<void>((resolve) => net.listen(0, '127.0.0.1', resolve));
  outside = `http://127.0.0.1:${(net.address() as AddressInfo).port}`;
  const files: Record<string, string> = {
    'site/index.html':
      '<title>H</title>\n<a href="guide/">a</a> <a href="guide/index.html">b</a> <a href="empty/">c</a> <a href="docs/">d</a>',
    'site/guide/index.html': '<title>G</title><a href="lost.html">lost</a> <a href="index.html#nope">n</a>',
    'site/old/index.htm': '<title>O</title><a href="index.htm">self</a> <a href="gone.html">g</a>',
    'site/empty/page.html': '<title>E</title>',
    'site/notes.md': '# Notes\n\n[docs](docs/) [gone](gone.md) [page](guide/#none)\n',
    'site/docs/read.md': '# Read\n',
    'one/page.html': `<a href="../site/index.html">up</a>\n<a href="/sub/x.html#a">x</a> <a href="sub/x.html#b">b</a> <a href="${'$'}OUT/gone">g</a>`,
    'one/sub/x.html': '<p id="a"><a href="never-reported.html">n</a>',
    'text/a.mdx': [
      "import X from './nope.js';",
      'export const y = { href: "no-link",',
      '',
      '  src: "no-link" };',
      '',
      '# Top',
      '',
      '<Card href="card.md" title="x">',
      '    Text [in a card](inner.md) and `<a href="code">`',
      '</Card>',
      '',
      '<img src={"pic.png"} /> {/* <a href="comment"> */} <A href={`DOLLAR{x}/y`} /> <B href={x} />'.replace(
        'DOLLAR',
        '$',
      ),
      '',
      '```jsx',
      '<a href="fenced">',
      '```',
      '',
      '[here](#top) [not](#bottom)',
    ].join('\n'),
    'text/b.rst': [
      'Title',
      '=====',
      '',
      'See `a text <one.html>`_, `<two.html>`__ and ``https://literal.test/``. A `label`_.',
      '',
      '.. _label: three.html',
      '.. _other: label_',
      '',
      'Example::',
      '',
      '   https://code.test/',
      '',
      '.. comment https://comment.test/',
      '',
      '.. image:: pic.png',
      '   :target: four.html',
    ].join('\n'),
    'text/c.txt':
      'See https://t.test/one, (https://t.test/two(x)). <https://t.test/three>\n"https://t.test/four"; [https://t.test/five]。\n',
    'text/robots.txt': 'Sitemap: https://t.test/sitemap.xml\n',
    'rooted/en/index.html': '<a href="/logo.png">l</a> <a href="/en/">here</a> <a href="/nowhere">n</a>',
    'rooted/logo.png': 'x',
    'content/page.md': '[a](/logo.png) [b](other.md) [c](/other.md)\n',
    'content/other.md': '# O\n',
    'net/index.html': `<a href="http://far.test/a">a</a> <a href="https://far.test/b">b</a> <a href="${'$'}OUT/here">c</a>`,
    'net/sitemap.xml':
      '<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>$OUT/sitemap-1.xml</loc></sitemap></sitemapindex>',
    'remapped/index.html':
      '<a href="https://prod.test/docs/x?q=1">x</a> <a href="https://prod.test/docsx">y</a> <a href="https://prod.test/docs/gone">g</a> <a href="https://v2.test/gone">v</a>',
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content.replaceAll('$OUT', outside));
  }
});

beforeEach(() => {
  asked = [];
});

afterAll(() => {
  net.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a folder', () => {
  it('of HTML and Markdown is checked as both, and an index page has one name and one place', async () => {
    const { places } = await check('site', '--offline', ...ONE_LOOK);
    expect(places).toEqual({
      'site/guide/lost.html': ['site/guide/index.html:1:17'],
      'site/guide/#nope': ['site/guide/index.html:1:46'],
      'site/guide/#none': ['site/notes.md:3:38'],
      // A folder with HTML and no index is not there; one with Markdown alone is.
      'site/empty/': ['site/index.html:2:57'],
      'site/gone.md': ['site/notes.md:3:22'],
      'site/old/gone.html': ['site/old/index.htm:1:46'],
    });
  });

  it('of MDX, reStructuredText and plain text is read for what is a link there', async () => {
    const { places } = await check('text', '--offline', ...ONE_LOOK);
    expect(places).toEqual({
      'text/card.md': ['text/a.mdx:8:13'],
      'text/inner.md': ['text/a.mdx:9:22'],
      'text/pic.png': ['text/a.mdx:12:12', 'text/b.rst:15:12'],
      'text/a.mdx#bottom': ['text/a.mdx:18:20'],
      'text/one.html': ['text/b.rst:4:14'],
      'text/two.html': ['text/b.rst:4:29'],
      'text/three.html': ['text/b.rst:6:12'],
      'text/four.html': ['text/b.rst:16:13'],
      'https://t.test/one': [],
      'https://t.test/two(x)': [],
      'https://t.test/three': [],
      'https://t.test/four': [],
      'https://t.test/five': [],
    });
  });
});

describe('a single HTML file', () => {
  it('is checked by itself: neighbours are asked for as files, with their anchors, and their own links are left alone', async () => {
    const { code, places, links } = await check('one/page.html', '--allow-network', '127.0.0.0/8', '--delay', '0');
    expect(places).toEqual({ 'one/sub/x.html#b': ['one/page.html:2:31'], [`${outside}/gone`]: ['one/page.html:2:60'] });
    expect(links.filter(({ verdict }) => verdict === 'ok').map(({ url }) => url)).toEqual([
      'one/page.html',
      'one/sub/x.html',
      'site/index.html',
    ]);
    expect(code).toBe(1);
  });

  it('asks nobody on the net for what belongs to its folder', async () => {
    await check('one/page.html', '--proxy', outside, '--allow-network', '127.0.0.0/8');
    expect(asked).not.toContainEqual(expect.stringContaining('files.localhost'));
  });
});

describe('a path that leads nowhere', () => {
  it.each([
    ['./stie', './stie: no such file or folder; did you mean ./site?'],
    ['stie', 'stie: no such file or folder; did you mean site?'],
    ['site/note.md', 'site/note.md: no such file or folder; did you mean site/notes.md?'],
    ['sites/notes.md', 'sites/notes.md: no such file or folder; did you mean site/notes.md?'],
    ['./nothing-like-it', './nothing-like-it: no such file or folder'],
    ['readme.md', 'readme.md: no such file or folder; a host is written as https://readme.md'],
  ])('%s is no host', async (path, message) => {
    const { code, stderr } = await check(path);
    expect(stderr.trimEnd()).toMatch(new RegExp(`error: ${message.replace(/[.?/]/g, '\\$&')}$`));
    expect(code).toBe(2);
  });
});

describe('--root-dir', () => {
  it('is where links with a leading slash lead, on pages below it and beside it', async () => {
    expect(Object.keys((await check('rooted/en', ...ONE_LOOK)).places)).toEqual(
      ['rooted/en/logo.png', 'rooted/en/en/', 'rooted/en/nowhere'].sort(),
    );
    expect((await check('rooted/en', '--root-dir', 'rooted', ...ONE_LOOK)).places).toEqual({
      'rooted/nowhere': ['rooted/en/index.html:1:51'],
    });
    expect((await check('content/page.md', '--root-dir', 'rooted', ...ONE_LOOK)).places).toEqual({
      'rooted/other.md': ['content/page.md:1:34'],
    });
    expect(
      (await check('rooted/en', '--base-url', 'https://prod.test/en', '--root-dir', 'rooted', ...ONE_LOOK)).places,
    ).toEqual({ 'https://prod.test/nowhere': ['rooted/en/index.html:1:51'] });
  });
});

describe('--offline', () => {
  it('asks nobody: links to the net are counted as unchecked, sitemaps of others are not read', async () => {
    const { code, bad } = await check('net', '--offline', '--allow-private', '--delay', '0');
    expect(bad.map(({ url, verdict, unchecked }) => [url, verdict, unchecked])).toEqual([
      [`${outside}/here`, 'unchecked', 'offline'],
      ['http://far.test/a', 'unchecked', 'offline'],
      ['https://far.test/b', 'unchecked', 'offline'],
    ]);
    expect([code, asked]).toEqual([0, []]);
  });

  it.each([
    [['--suggest'], '--suggest asks an archive on the net, and --offline makes no requests there'],
    [
      ['--seeding-strategy', 'ct'],
      '--seeding-strategy ct asks others on the net, and --offline makes no requests there',
    ],
    [['https://far.test/'], '--offline checks only folders and files of pages, and https://far.test/ is neither'],
  ])('with %s is refused', async (args, message) => {
    const { code, stderr } = await check('net', '--offline', ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('--require-https', () => {
  it('makes each link with http a failure, save those to this machine', async () => {
    const { code, bad } = await check('net', '--offline', '--require-https');
    expect(bad.filter(({ fails }) => fails)).toMatchObject([
      {
        url: 'http://far.test/a',
        verdict: 'insecure',
        suggestion: 'https://far.test/a',
        sources: [{ page: 'net/index.html' }],
      },
    ]);
    expect(code).toBe(1);
  });
});

describe('--remap', () => {
  const remap = (...rules: string[]) =>
    check(
      'remapped',
      '--allow-network',
      '127.0.0.0/8',
      '--delay',
      '0',
      ...ONE_LOOK,
      '--no-sort-query',
      ...rules.flatMap((rule) => ['--remap', rule]),
    );

  it('asks for another URL, by whole segments or by an expression, and the report has both', async () => {
    const { links } = await remap(
      `https://prod.test/docs=${outside}`,
      `re:^https://v(\\d)\\.test/(.*)=${outside}/v$1/$2`,
      `https://prod.test=${outside}/all/`,
    );
    expect(
      links
        .filter(({ external }) => external)
        .map(({ url, remappedFrom }) => [url, remappedFrom])
        .sort(),
    ).toEqual([
      [`${outside}/all/docsx`, 'https://prod.test/docsx'],
      [`${outside}/gone`, 'https://prod.test/docs/gone'],
      [`${outside}/v2/gone`, 'https://v2.test/gone'],
      [`${outside}/x?q=1`, 'https://prod.test/docs/x?q=1'],
    ]);
    expect(links.find(({ url }) => url === `${outside}/gone`)!.evidence.why).toContain(
      '; written as https://prod.test/docs/gone (--remap)',
    );
    expect(asked.filter((line) => line.includes('docsx') || line.includes('x?'))).toEqual(
      expect.arrayContaining(['HEAD /all/docsx', 'HEAD /x?q=1']),
    );
  });

  it.each(['https://a.test/', 'x=y', 're:(=https://a.test/', 're:a=https://a.test/$1', 'a.test=https://b.test/'])(
    'refuses %s',
    async (rule) => {
      const { code, stderr } = await remap(rule);
      expect([code, stderr]).toEqual([2, expect.stringContaining('--remap must be FROM=TO, ')]);
    },
  );
});

describe('--dump', () => {
  it('prints the links that would be checked, with their places, and asks for nothing but what the user named', async () => {
    const run = await inProcess(['check', `${outside}/seed`, '--dump', '--quiet'], { cwd: folder });
    expect(run.stdout).toBe(`${outside}/further  ${outside}/seed:1:1\nhttp://elsewhere.test/  ${outside}/seed:1:25\n`);
    expect([run.code, asked]).toEqual([0, ['GET /robots.txt', 'GET /seed']]);
    const inside = await inProcess(['check', `${outside}/seed`, '--dump', '--no-external', '-f', 'jsonl', '--quiet']);
    expect(
      inside.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        url: `${outside}/further`,
        fragment: null,
        page: `${outside}/seed`,
        kind: 'a',
        href: '/further',
        text: 'f',
        line: 1,
        column: 1,
      },
    ]);
  });

  it.each([
    [['--data-dir', 'x'], '--dump checks nothing, so it takes no --data-dir'],
    [['-f', 'html'], '--dump writes the formats terminal, json, jsonl, and not html'],
  ])('with %s is refused', async (args, message) => {
    const { code, stderr } = await inProcess(['check', 'net', '--dump', ...args], { cwd: folder });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('a list of URLs', () => {
  it('with lines that are no text names them, and the others count', async () => {
    const list = join(folder, 'urls.txt');
    writeFileSync(list, Buffer.from(`${outside}/fine\nhttp://far.test/\xe9\nhttp://far.test/\0\n`, 'latin1'));
    const { stderr, links } = await check('-i', list, '--scope', 'page', '--no-quiet', ...ONE_LOOK);
    expect(stderr).toContain(`${list}:2: this line is not UTF-8 (http://far.test/\ufffd)`);
    expect(stderr).toContain(`${list}:3: this line holds a NUL character`);
    expect(links.map(({ url }) => url)).toEqual([`${outside}/fine`]);
  });
});
