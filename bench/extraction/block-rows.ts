import { closeSync, openSync, readdirSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Element } from '../../src/content/element.js';
import { type BlockTable, blockTable, FEATURES } from '../../src/content/extract/block-features.js';
import { readHead } from '../../src/content/extract/head.js';
import { Outline } from '../../src/content/extract/outline.js';
import { compileSelector, selectAll } from '../../src/content/select.js';
import { parseTree } from '../../src/content/tree-builder.js';
import { detectEncoding } from '../../src/parse/charset.js';
import { decodeText } from '../../src/parse/encodings.js';
import { fold } from './blocks.js';
import { withoutNames } from './nameless.js';
import { readManifest, readPage } from './sample.js';

/*
 * What scripts/learn-blocks.py learns from: each block of the annotated pages with an odd number, of the pages of the sample for development
 * and of some installed manuals, as the row of numbers that the extractor judges it by. Even-numbered pages are not read.
 */

/** Manuals of Debian packages, and where their text is. */
const MANUALS = [
  {
    folder: '/usr/share/doc/libeigen3-dev/html',
    content: 'div.contents, div.headertitle',
    drop: '.summary, .ingroups, .ttc, .navpath, .levels, .arrow, .permalink, .dynheader, .footer, address',
  },
  { folder: '/usr/share/doc/octave/octave.html', content: 'body', drop: 'div.header, .copiable-anchor' },
  { folder: '/usr/share/qt5/doc/qtcore', content: 'div.mainContent', drop: 'div.sidebar' },
  { folder: '/usr/share/qt5/doc/qtwidgets', content: 'div.mainContent', drop: 'div.sidebar' },
  {
    folder: '/usr/share/doc/apache2-doc/manual/en',
    content: '#page-content',
    drop: '.toplang, .bottomlang, #quickview, .top, .permalink, #comments_section, .category',
  },
  { folder: '/usr/share/doc/git-doc', content: 'body', drop: '#footer' },
  { folder: '/usr/share/gtk-doc/html/gio', content: 'body', drop: 'table.navigation, .footer' },
  { folder: '/usr/share/gtk-doc/html/glib', content: 'body', drop: 'table.navigation, .footer' },
  { folder: '/usr/share/doc/sqlite3', content: 'body', drop: 'div.nosearch, .fancy_toc, .hamburger, #toggle_button' },
];
const PAGES_A_MANUAL = 18;
const LARGEST = 250_000;

const [pagesFolder, target] = process.argv.slice(2) as [string, string];

function rowsOf(html: string, url: string): { outline: Outline; table: BlockTable } {
  const outline = new Outline(parseTree(html));
  const head = readHead(outline);
  outline.dropNoise();
  const body = Math.max(
    0,
    outline.elements.findIndex(({ name }) => name === 'body'),
  );
  return { outline, table: blockTable(outline, body, head.title, url) };
}

const textsOf = (table: BlockTable): string[] => Array.from(table.blocks, (_, b) => table.text(b));
const packed = ({ rows }: BlockTable): string => Buffer.from(rows.buffer).toString('base64');
const read = (bytes: Uint8Array): string => decodeText(bytes, detectEncoding(bytes, 'text/html').encoding).text;

function writeArticles(): void {
  const truth = JSON.parse(readFileSync(join(pagesFolder, 'truth.json'), 'utf8')) as Record<string, { url: string }>;
  const file = openSync(join(target, 'articles.jsonl'), 'w');
  for (const page of Object.keys(truth).filter((name) => Number.parseInt(name, 10) % 2 === 1)) {
    const html = read(gunzipSync(readFileSync(join(pagesFolder, 'pages', page))));
    const { table } = rowsOf(html, truth[page]!.url);
    writeSync(file, `${JSON.stringify({ page, texts: textsOf(table), rows: packed(table) })}\n`);
  }
  closeSync(file);
}

function writeManuals(): void {
  const file = openSync(join(target, 'manuals.jsonl'), 'w');
  const write = (page: string, table: BlockTable, labels: readonly number[]): void => {
    writeSync(file, `${JSON.stringify({ page, labels, rows: packed(table) })}\n`);
  };
  const both = (page: string, html: string, url: string, labelsOf: (texts: readonly string[]) => number[]): void => {
    for (const variant of [html, withoutNames(html)]) {
      const { table } = rowsOf(variant, url);
      write(page, table, labelsOf(textsOf(table)));
    }
  };
  for (const entry of readManifest().filter(({ half }) => half === 'dev')) {
    const { html, url, blocks } = readPage(entry);
    const byText = new Map<string, string[]>();
    for (const { text, parts, label } of blocks) {
      const own = parts.reduce((rest, part) => (part.label === label ? rest : rest.replace(part.text, ' ')), text);
      const key = keyOf(own);
      byText.set(key, [...(byText.get(key) ?? []), label]);
    }
    both(entry.name, html, url, (texts) => {
      const seen = new Map<string, number>();
      return texts.map((text) => {
        const key = keyOf(text);
        const labels = byText.get(key) ?? [];
        const times = seen.get(key) ?? 0;
        seen.set(key, times + 1);
        const label = labels[Math.min(times, labels.length - 1)];
        return label === 'main' ? 1 : label === 'chrome' ? 0 : -1;
      });
    });
  }
  for (const { folder, content, drop } of MANUALS) {
    for (const path of pagesOf(folder)) {
      const bytes = readFileSync(path);
      const html = read(path.endsWith('.gz') ? gunzipSync(bytes) : bytes);
      const { outline, table } = rowsOf(html, `https://manual.test${path}`);
      const root = outline.elements[0]!;
      const inside = new Set(selectAll(root, compileSelector(content)));
      const outside = new Set(selectAll(root, compileSelector(drop)));
      const byText = new Map<string, Set<number>>();
      for (const [b, i] of table.blocks.entries()) {
        const text = table.text(b);
        byText.set(text, (byText.get(text) ?? new Set()).add(isIn(outline.elements[i]!, inside, outside) ? 1 : 0));
      }
      both(path, html, `https://manual.test${path}`, (texts) =>
        texts.map((text) => (byText.get(text)?.size === 1 ? [...byText.get(text)!][0]! : -1)),
      );
    }
  }
  closeSync(file);
}

const keyOf = (text: string): string => fold(text).replaceAll(' ', '');

function isIn(element: Element, inside: ReadonlySet<Element>, outside: ReadonlySet<Element>): boolean {
  let isInside = false;
  for (let up: Element | null = element; up !== null; up = up.parent) {
    if (outside.has(up)) {
      return false;
    }
    isInside ||= inside.has(up);
  }
  return isInside;
}

function pagesOf(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.html(?:\.en|\.gz)?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => statSync(file).size < LARGEST)
    .sort();
  return Array.from(
    { length: PAGES_A_MANUAL },
    (_, k) => files[Math.floor(((k + 0.37) * files.length) / PAGES_A_MANUAL)]!,
  );
}

writeFileSync(join(target, 'features.json'), JSON.stringify(FEATURES));
writeArticles();
writeManuals();
