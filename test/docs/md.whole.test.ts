import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageAsMarkdown } from 'gossamer';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gossamer, start, temporaryFolder } from '../crawl/support.js';
import { html, notFound, pathSite, redirect, text } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';

const PARAGRAPH = 'Bread is flour, water, salt and time, and the last of them does most of the work.';
const HEAD = `<title>On bread - The Oven</title><meta name="author" content="Ann Baker">
  <meta property="article:published_time" content="2026-03-01"><meta property="og:site_name" content="The Oven">
  <meta name="description" content="What bread is."><meta property="og:image" content="/loaf.png">`;
const ARTICLE = `<!doctype html><html lang="en"><head>${HEAD}</head><body><nav><a href="/">Home</a></nav>
  <main><h1>On bread</h1><p>${PARAGRAPH} <a href="../more">More</a></p><p class="tip">Buy &lt;b&gt; *now*, it is cheap.</p></main></body></html>`;

const folder = temporaryFolder();
/** One page of one line. */
const PDF =
  '%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>\nendobj\n4 0 obj\n<< /Length 57 >>\nstream\nBT /F1 18 Tf 20 150 Td (Yeast eats sugar *slowly*.) Tj ET\nendstream\nendobj\n5 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\n6 0 obj\n<< /Title (How bread rises) /Author (A. Baker) >>\nendobj\nxref\n0 7\n0000000000 65535 f \n0000000009 00000 n \n0000000058 00000 n \n0000000115 00000 n \n0000000241 00000 n \n0000000348 00000 n \n0000000418 00000 n \ntrailer\n<< /Size 7 /Root 1 0 R /Info 6 0 R >>\nstartxref\n483\n%%EOF\n';

let web: WebInABox;
beforeAll(async () => {
  web = await openWeb();
  web.site(
    'oven.test',
    pathSite({
      '/robots.txt': text('User-agent: *\nDisallow: /closed\n'),
      '/a/bread': html(ARTICLE),
      '/old': redirect('/a/bread'),
      '/shut': redirect('/closed/x'),
      '/closed/x': html(ARTICLE),
      '/gone': notFound,
      '/notes.txt': text('Flour *and* water.\n\n  a   b\n'),
      '/page.md': { status: 200, headers: { 'content-type': 'text/markdown' }, body: '# Kept *as* it is\n' },
      '/paper': { status: 200, headers: { 'content-type': 'application/pdf' }, body: '%PDF-1.7' },
      '/paper.pdf': { status: 200, headers: { 'content-type': 'application/pdf' }, body: PDF },
      '/picture': { status: 200, headers: { 'content-type': 'image/png' }, body: 'PNG' },
    }),
  );
  web.site('down.test', pathSite({ '/robots.txt': text('', 500), '/': html(ARTICLE) }));
});
afterAll(async () => {
  await web.close();
  folder.remove();
});
beforeEach(() => web.clearLog());

const here = () => web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
const md = (...args: string[]) => gossamer(['md', ...args, ...here()], { cwd: folder.path });
const asked = () => web.log.map(({ host, path }) => `${host}${path}`);

describe('gossamer md of a URL', () => {
  it('asks for robots.txt and the page alone, and leaves nothing behind', async () => {
    const before = readdirSync(folder.path);
    const { code, stdout, stderr } = await md('http://oven.test/a/bread');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      `# On bread\n\n${PARAGRAPH} [More](http://oven.test/more)\n\nBuy \\<b> \\*now\\*, it is cheap.\n`,
    );
    expect(asked()).toEqual(['oven.test/robots.txt', 'oven.test/a/bread']);
    expect(readdirSync(folder.path)).toEqual(before);
  });

  it('follows redirects, and says as JSON what the page says of itself', async () => {
    const { code, stdout } = await md('http://oven.test/old', '--json', '--remove', '.tip');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      title: 'On bread',
      byline: 'Ann Baker',
      date: '2026-03-01',
      language: 'en',
      description: 'What bread is.',
      site: 'The Oven',
      image: 'http://oven.test/loaf.png',
      url: 'http://oven.test/a/bread',
      kept: 1,
      markdown: `# On bread\n\n${PARAGRAPH} [More](http://oven.test/more)\n`,
    });
    expect(asked()).toEqual(['oven.test/robots.txt', 'oven.test/old', 'oven.test/a/bread']);
  });

  it.each([
    ['http://oven.test/closed/x', 'is forbidden by robots.txt: robots.txt line 2: Disallow: /closed', []],
    ['http://oven.test/shut', 'Disallow: /closed', ['oven.test/shut']],
    ['http://oven.test/gone', 'was answered with HTTP 404', ['oven.test/gone']],
    ['http://down.test/', 'robots.txt was answered with HTTP 500, so nothing may be asked for\n', []],
  ])('%s cannot be had: 4 and a sentence', async (url, sentence, pages) => {
    const { code, stdout, stderr } = await md(url);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(asked().filter((path) => !path.endsWith('/robots.txt'))).toEqual(pages);
  });

  it('takes text and Markdown for what they are, and names what it cannot read', async () => {
    expect((await md('http://oven.test/notes.txt')).stdout).toBe('Flour \\*and\\* water.\n\n```\n  a   b\n```\n');
    expect((await md('http://oven.test/page.md')).stdout).toBe('# Kept *as* it is\n');
    expect(await md('http://oven.test/picture')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: 'error: http://oven.test/picture is image/png: only HTML, Markdown, plain text and PDF are read\n',
    });
  });

  it('reads a PDF where the package is installed, and says so where it is damaged', async () => {
    const { code, stdout, stderr } = await md('http://oven.test/paper.pdf', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      title: 'How bread rises',
      byline: 'A. Baker',
      url: 'http://oven.test/paper.pdf',
      markdown: 'Yeast eats sugar \\*slowly\\*.\n',
    });
    expect(await md('http://oven.test/paper')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('error: the PDF cannot be read: '),
    });
  });
});

describe('gossamer md of a file and of stdin', () => {
  it('reads it in its own encoding, and keeps links that lead nowhere without a URL as they are', async () => {
    const page = `<meta charset="iso-8859-1"><h1>Caf\u00e9</h1><p>${PARAGRAPH} <a href="../b#c">b</a> <a href="/d">d</a> <a href="_/e">e</a></p>`;
    writeFileSync(join(folder.path, 'page.html'), Buffer.from(page, 'latin1'));
    expect((await md('page.html')).stdout).toBe(`# Caf\u00e9\n\n${PARAGRAPH} [b](../b#c) [d](/d) [e](_/e)\n`);
    const { code } = await md('page.html', '--base-url', 'http://x.test/y/z', '-o', 'made.md');
    expect(code).toBe(0);
    expect(readFileSync(join(folder.path, 'made.md'), 'utf8')).toBe(
      `# Caf\u00e9\n\n${PARAGRAPH} [b](http://x.test/b#c) [d](http://x.test/d) [e](http://x.test/y/_/e)\n`,
    );
    expect(asked()).toEqual([]);
  });

  it('stdin is HTML where it has a tag, else text', async () => {
    const said = async (input: string) => (await gossamer(['md', '-'], { input, cwd: folder.path })).stdout;
    expect(await said(`<p>${PARAGRAPH}</p>`)).toBe(`${PARAGRAPH}\n`);
    expect(await said('1 < 2 and *more*')).toBe('1 < 2 and \\*more\\*\n');
  });

  it('names a file that is no text, one that is not there, and a folder', async () => {
    writeFileSync(join(folder.path, 'paper.pdf'), '%PDF-1.7\n\0\u0001');
    expect(await md('paper.pdf')).toMatchObject({ code: 3, stderr: expect.stringContaining('paper.pdf') });
    expect(await md('./none.html')).toMatchObject({ code: 2 });
    expect(await md('.')).toMatchObject({ code: 2, stderr: expect.stringContaining('is a folder') });
    expect(await md('http://oven.test/old', '--base-url', 'http://x.test/')).toMatchObject({ code: 2 });
    expect(await md('page.html', '--content', 'p[')).toMatchObject({ code: 2 });
  });

  it('ends quietly when whoever reads has seen enough', async () => {
    writeFileSync(join(folder.path, 'long.html'), `<h1>Long</h1><p>${'word '.repeat(200_000)}</p>`);
    for (const more of [[], ['--json']]) {
      const { child, ended } = start(['md', 'long.html', ...more], { cwd: folder.path });
      child.stdout.once('data', () => child.stdout.destroy());
      expect(await ended).toMatchObject({ code: 0, stderr: '' });
    }
  });
});

describe('pageAsMarkdown', () => {
  it('takes a URL or bytes', async () => {
    const page = await pageAsMarkdown('http://oven.test/a/bread', { connectTo: web.connectTo, content: ['h1'] });
    expect(page).toMatchObject({ title: 'On bread', markdown: '# On bread\n', url: 'http://oven.test/a/bread' });
    const bytes = Buffer.from(ARTICLE);
    expect(await pageAsMarkdown(bytes, { url: 'http://x.test/a/', type: 'text/html' })).toMatchObject({
      image: 'http://x.test/loaf.png',
      byline: 'Ann Baker',
    });
    await expect(pageAsMarkdown(bytes, { type: 'image/png' })).rejects.toMatchObject({ code: 'not_readable' });
    await expect(pageAsMarkdown('page.html', { url: 'http://x.test/' })).rejects.toMatchObject({ name: 'UsageError' });
    await expect(pageAsMarkdown(bytes, { maxUrls: 1 } as object)).rejects.toThrow('takes no option maxUrls');
  });
});
