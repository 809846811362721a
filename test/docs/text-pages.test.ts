import { deflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { SiteMemory } from '../../src/content/extract/site-memory.js';
import { readPage } from '../../src/docs/convert/page-content.js';
import { ANY_SHAPE, pageShapes } from '../../src/docs/convert/page-shape.js';
import { canReadPdf, isPdf, isPdfType, readPdf } from '../../src/docs/convert/pdf-text.js';
import { routesHint } from '../../src/docs/routes-hint.js';
import { isTextPage } from '../../src/parse/text-page.js';
import type { DocsReader } from '../../src/store/docs-reader.js';

const read = (path: string, type: string, text: string, shape = ANY_SHAPE) =>
  readPage({ url: `http://a.example${path}`, type, packed: deflateRawSync(text) }, new SiteMemory(), new Set(), shape);

it('makes a page of plain text that reads as the text does', () => {
  const { title, markdown } = read('/notes.txt', 'text/plain', 'Notes\n=====\n\nOne <b>\ntwo *star*\n\n    code\n');
  expect(title).toBe('Notes');
  expect(markdown).toBe('# Notes\n\nOne \\<b> two \\*star\\*\n\n```\n    code\n```\n');
});

it('takes a file in Markdown as it is, also where the server calls it plain text', () => {
  expect(read('/a.md', 'text/plain; charset=utf-8', '# A\n\n*b*\n')).toMatchObject({
    title: 'A',
    markdown: '# A\n\n*b*\n',
  });
});

it.each([
  ['/LICENSE', true],
  ['/guide', true],
  ['/a/readme.rst', true],
  ['/a/main.c', false],
  ['/_sources/index.rst.txt', false],
  ['/robots.txt', false],
  ['/llms-full.txt', false],
])('%s as text/plain is a page: %s', (path, expected) => {
  expect(isTextPage('text/plain', path)).toBe(expected);
});

it('leaves the words of images where images are dropped', () => {
  const shape = pageShapes({ content: [], remove: [], dropsImages: true })('http://a.example/');
  const html = '<main><h1>A</h1><p>Some words <img src="/x.png" alt="a chart"> and more of them to be kept.</p></main>';
  expect(read('/', 'text/html', html, shape).markdown).toContain('Some words a chart and more');
  const markdown = 'See ![a [chart]](<x y.png> "title") and `![code](x.png)`, [![in](a.png)](b.md).\n';
  expect(read('/a.md', 'text/markdown', markdown, shape).markdown).toBe(
    'See a [chart] and `![code](x.png)`, [in](b.md).\n',
  );
});

it('takes the selectors of a host for its pages: content in the place of the others, remove besides', () => {
  const shapeOf = pageShapes({
    content: ['.all'],
    remove: ['.ad'],
    hosts: [
      { match: 'b.example', content: ['.own'] },
      { match: '*.example', remove: ['.more'] },
    ],
  });
  const count = (url: string) => [shapeOf(url).content, shapeOf(url).remove].map((list) => list.length);
  expect(shapeOf('https://b.example/').content).not.toEqual(shapeOf('https://a.test/').content);
  expect([count('https://b.example/'), count('https://c.example/'), count('https://a.test/')]).toEqual([
    [1, 2],
    [1, 2],
    [1, 1],
  ]);
});

it('reads a PDF by the package that is there, and names what a PDF says of itself', async () => {
  const bytes = Buffer.from('%PDF-1.7');
  const fake = async () => ({
    getDocumentProxy: async (given: Uint8Array) => ({ size: given.length }),
    extractText: async () => ({ text: ['Page one *star*', '  ', 'Page two'] }),
    getMeta: async () => ({ info: { Title: ' A paper\u0007 ', Author: 'B', Subject: '' } }),
  });
  expect(await readPdf(bytes, fake)).toEqual({
    title: expect.stringMatching(/^A paper/),
    byline: 'B',
    description: null,
    markdown: 'Page one \\*star\\*\n\nPage two\n',
  });
  expect([isPdf(bytes), isPdfType('application/pdf; x=1'), isPdfType('application/pdfx')]).toEqual([true, true, false]);
  expect(await canReadPdf(fake)).toBe(true);
  const missing = () => Promise.reject(Object.assign(new Error('no'), { code: 'ERR_MODULE_NOT_FOUND' }));
  expect(await canReadPdf(missing)).toBe(false);
  const broken = async () => ({
    ...(await fake()),
    extractText: () => Promise.reject(new Error('bad\u001b[31m xref')),
  });
  await expect(readPdf(bytes, broken)).rejects.toMatchObject({ code: 'not_readable' });
});

it.each([
  ['docsify', '<script>window.$docsify = {}</script>', true],
  ['links to routes', '<a href="#/a">a</a><a href=#/b>b</a><a href="/x#!c">c</a>', true],
  ['two links to routes', '<a href="#/a">a</a><a href="#/b">b</a>', false],
  ['links to places', '<a href="#a">a</a><a href="#b">b</a><a href="#c">c</a><a href="#/">top</a>', false],
])('knows a site of routes by its page: %s', (_what, html, expected) => {
  const store = {
    fateOf: () => ({ isKept: true }),
    bodyOf: () => deflateRawSync(html),
    urlOf: () => 'http://a.example/',
  } as unknown as DocsReader;
  expect(routesHint(store, [1]) !== null).toBe(expected);
});
