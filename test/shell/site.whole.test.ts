import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inProcess } from '../crawl/in-process.js';
import { temporaryFolder } from '../crawl/support.js';
import { ROOT, read } from './repository.js';

interface Section {
  url: string;
  page: string;
  heading: string;
  text: string;
}
interface Search {
  SECTIONS: Section[];
  searchSections: (sections: Section[], query: string) => { section: Section; excerpt: string }[];
}

const folder = temporaryFolder();
const site = join(folder.path, 'site');
let pages: string[];
const page = (name: string) => readFileSync(join(site, name), 'utf8');

beforeAll(async () => {
  const builder = pathToFileURL(join(ROOT, 'scripts/site/build.js')).href;
  const { buildSite } = (await import(/* @vite-ignore */ builder)) as { buildSite: (folder: string) => string[] };
  pages = buildSite(site);
});
afterAll(() => folder.remove());

describe('the documentation site', () => {
  it('has no dead link and no dead fragment, by our own check', async () => {
    const { code, stdout, stderr } = await inProcess(['check', site, '--offline', '--format', 'json']);
    const { links, summary } = JSON.parse(stdout) as {
      links: { url: string; verdict: string }[];
      summary: Record<string, unknown>;
    };
    const wrong = links.filter(({ verdict }) => !['ok', 'unchecked', 'skipped'].includes(verdict));
    expect(wrong, stderr).toEqual([]);
    expect(code, JSON.stringify(summary)).toBe(0);
    expect(pages.length).toBeGreaterThan(90);
  });

  it('asks no other server for anything', () => {
    for (const name of pages) {
      const loaded = [...page(name).matchAll(/<(?:script|img|link|iframe)\b[^>]*\b(?:src|href)="([^"]*)"/g)];
      expect(loaded.length, name).toBeGreaterThan(1);
      expect(
        loaded.map((match) => match[1]).filter((url) => /^(?:[a-z]+:)?\/\//i.test(url!)),
        name,
      ).toEqual([]);
    }
  });

  it('finds sections by words, the beginnings of words and options, and says where nothing fits', () => {
    const globals = {} as Search;
    runInNewContext(page('search-index.js'), { globalThis: globals });
    const find = (query: string) =>
      globals.searchSections(globals.SECTIONS, query).map(({ section }) => section.url.replace(/#.*/, ''));
    expect(find('baseline').slice(0, 4)).toContain('check-input.html');
    expect(find('quarant')[0]).toBe('glossary.html');
    expect(find('--since').slice(0, 3)).toContain('diff.html');
    expect(find('checkLinks').length).toBeGreaterThan(1);
    expect(find('(.*')).toEqual(find(''));
    expect(find('word-that-stands-nowhere')).toEqual([]);
  });

  it('links the words of the project to the glossary, once on a page and never in code', () => {
    const security = page('architecture.html');
    const terms = [...security.matchAll(/<a class="term" href="glossary\.html#([\w-]+)">/g)].map((match) => match[1]!);
    expect(terms.length).toBeGreaterThan(3);
    expect(new Set(terms).size).toBe(terms.length);
    for (const name of pages) {
      expect(page(name).match(/<(?:code|h\d)[^>]*>[^<]*<a class="term"/g), name).toBeNull();
    }
  });

  it('has every export of the library, with its declaration', () => {
    const api = page('api.html');
    const exported = [...read('src/index.ts').matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap((match) =>
      match[1]!
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    );
    expect(exported.length).toBeGreaterThan(100);
    expect(exported.filter((name) => !api.includes(`id="${name.toLowerCase()}`))).toEqual([]);
  });

  it('takes nothing of a page for markup that is none', () => {
    const scripts = pages.flatMap((name) => page(name).match(/<script[^>]*>/g) ?? []);
    expect(new Set(scripts.map((tag) => tag.replace(/(?:\.\.\/)+/, '')))).toEqual(
      new Set(['<script>', '<script src="search.js">']),
    );
  });
});
