import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { measure, scoreOf } from '../../bench/extraction/measure.js';
import { readManifest, readPage } from '../../bench/extraction/sample.js';
import { markdownAnchors, markdownLinks } from '../../src/parse/markdown/markdown-links.js';
import { inProcess } from '../crawl/in-process.js';
import { temporaryFolder } from '../crawl/support.js';
import { html, notFound, type Site, type SiteAnswer, type SiteRequest } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';

let web: WebInABox;
let folder: ReturnType<typeof temporaryFolder>;

beforeEach(async () => {
  web = await openWeb();
  folder = temporaryFolder();
});
afterEach(async () => {
  await web.close();
  folder.remove();
});

const pagesOf = (system: string) => readManifest().filter((entry) => entry.system === system);
const pathOf = (url: string): string => new URL(url).pathname;

/** A small site that was built once with the real tool, as it is kept in the sample. */
class BuiltSite implements Site {
  readonly #pages: ReadonlyMap<string, string>;

  constructor(system: string) {
    this.#pages = new Map(pagesOf(system).map((entry) => [pathOf(entry.url), readPage(entry).html]));
  }

  handle({ path, origin }: SiteRequest): SiteAnswer {
    if (path === '/sitemap.xml') {
      const urls = [...this.#pages.keys()].map((each) => `<url><loc>${origin}${each}</loc></url>`);
      const body = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>`;
      return { status: 200, headers: { 'content-type': 'application/xml' }, body };
    }
    if (this.#pages.has(`${path}/`)) {
      return { status: 301, headers: { location: `${path}/` } };
    }
    const page = this.#pages.get(path);
    return page === undefined ? notFound : html(page);
  }
}

interface Line {
  url: string;
  text: string;
}

const bodyOf = (file: string): string => readFileSync(file, 'utf8').replace(/^---\n.*?\n---\n/s, '');

describe.each([
  { system: 'docusaurus', start: '/docs/intro/', statesLanguages: true },
  { system: 'vitepress', start: '/', statesLanguages: true },
  // Its pages do not say what language their code is in.
  { system: 'nextra', start: '/', statesLanguages: false },
])('a site made by $system', ({ system, start, statesLanguages }) => {
  it('becomes a corpus: every page, its text and nothing else, links that arrive', async () => {
    web.site('127.0.0.1', new BuiltSite(system));
    const output = join(folder.path, 'out');
    const run = await inProcess([
      'docs',
      `${web.origin}${start}`,
      '--scope',
      'host',
      '--output',
      output,
      '--data-dir',
      join(folder.path, 'data'),
    ]);
    expect(run.code, run.stderr).toBe(0);

    const { documents } = JSON.parse(readFileSync(join(output, 'index.json'), 'utf8')) as {
      documents: { url: string; path: string }[];
    };
    const pages = pagesOf(system);
    expect(documents.map(({ url }) => pathOf(url)).sort()).toEqual(pages.map(({ url }) => pathOf(url)).sort());

    const lines = readFileSync(join(output, 'corpus.jsonl'), 'utf8').trimEnd().split('\n');
    const texts = new Map(lines.map((line) => JSON.parse(line) as Line).map(({ url, text }) => [pathOf(url), text]));
    for (const entry of pages.filter(({ half }) => half === 'dev')) {
      const { recall, left } = scoreOf(measure(readPage(entry).blocks, texts.get(pathOf(entry.url))!));
      expect(recall, entry.name).toBeGreaterThan(0.97);
      expect(left, entry.name).toBeLessThan(0.03);
    }

    const files = new Map(documents.map(({ path }) => [path, bodyOf(join(output, path))]));
    const whole = [...files.values()].join('\n');
    expect(whole).toMatch(statesLanguages ? /^ *```[a-z]+$/m : /^ *```$/m);
    expect(whole).toMatch(/^\| --- \|/m);
    expect(whole).toMatch(/^ *> \[!(?:NOTE|TIP|WARNING|CAUTION|IMPORTANT)\]/m);
    const broken: string[] = [];
    let relative = 0;
    for (const [path, body] of files) {
      for (const { href } of markdownLinks(body)) {
        if (/^[a-z]+:/i.test(href)) {
          continue;
        }
        relative++;
        const [file, fragment = ''] = href.split('#');
        const target = file === '' ? path : posix.join(posix.dirname(path), decodeURIComponent(file!));
        const there = files.get(target);
        const isThere =
          there !== undefined && (fragment === '' || markdownAnchors(there).has(decodeURIComponent(fragment)));
        if (!isThere) {
          broken.push(`${path}: ${href}`);
        }
      }
    }
    expect(broken).toEqual([]);
    expect(relative).toBeGreaterThan(0);
  }, 60_000);
});
