import { describe, expect, it } from 'vitest';
import { textOf } from '../../bench/extraction/blocks.js';
import { measure, scoreOf } from '../../bench/extraction/measure.js';
import { extractOurs } from '../../bench/extraction/ours.js';
import { type LabelledBlock, readManifest, readPage } from '../../bench/extraction/sample.js';
import { mainContent } from '../../src/content/extract/main-content.js';
import { toMarkdown } from '../../src/content/markdown/markdown.js';
import { parseTree } from '../../src/content/tree-builder.js';

/** Pages of five sites, with the languages that their code is in. The Markdown that is expected of them is in golden/. */
const PAGES = [
  { name: 'sphinx/python-library-bisect', languages: ['pycon', 'python'], code: 4 },
  { name: 'sphinx/python-library-constants', languages: [], code: 0 },
  { name: 'sphinx/python-tutorial-floatingpoint', languages: ['pycon', 'python'], code: 26 },
  { name: 'docbook/postgresql-tutorial-join', languages: ['', 'sql'], code: 10 },
  { name: 'docbook/postgresql-sql-createcollation', languages: ['', 'sql'], code: 4 },
  { name: 'docbook/postgresql-indexes-opclass', languages: ['', 'sql'], code: 5 },
  { name: 'sphinx/django-ref-class-based-views-mixins-simple', languages: ['python'], code: 2 },
  { name: 'sphinx/django-intro-tutorial06', languages: ['', 'console', 'css', 'django'], code: 5 },
  { name: 'sphinx/django-faq-usage', languages: [], code: 0 },
  { name: 'javadoc/openjdk-util-locale-filteringmode', languages: ['', 'java'], code: 9 },
  { name: 'javadoc/openjdk-net-urlencoder', languages: ['java'], code: 4 },
  { name: 'javadoc/openjdk-util-zip-gzipoutputstream', languages: ['java'], code: 8 },
  { name: 'mediawiki/cppreference-cpp-thread-async', languages: ['', 'cpp'], code: 3 },
  { name: 'mediawiki/cppreference-cpp-language-lifetime', languages: ['cpp'], code: 6 },
  { name: 'mediawiki/cppreference-cpp-container-queue', languages: [], code: 0 },
];

const byName = new Map(readManifest().map((entry) => [entry.name, entry]));

function convert(name: string) {
  const page = readPage(byName.get(name)!);
  const { nodes, title } = mainContent(parseTree(page.html), { url: page.url });
  const linkFor = (url: string, fragment: string): string => url + (fragment && `#${fragment}`);
  return { page, title, ...toMarkdown(nodes, { pageUrl: page.url, linkFor }) };
}

const fencesOf = (markdown: string): string[] =>
  [...markdown.matchAll(/^ *```(\S*)\n.*?^ *```$/gms)].map((fence) => fence[1]!);
const words = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();

/** Furniture that the text says nowhere: what has to be absent. */
function onlyFurniture(blocks: readonly LabelledBlock[]): string[] {
  const main = ` ${words(
    blocks
      .filter(({ label }) => label !== 'chrome')
      .map(({ text }) => text)
      .join(' '),
  )} `;
  return blocks
    .filter(({ label }) => label === 'chrome')
    .map(({ text }) => words(text))
    .filter((text) => text.length > 3 && !main.includes(` ${text} `));
}

describe.each(PAGES)('$name', ({ name, languages, code }) => {
  const { page, title, markdown, text } = convert(name);

  it('is the Markdown that people have looked at', async () => {
    await expect(markdown).toMatchFileSnapshot(`golden/${name.split('/')[1]}.md`);
  });

  it('has nothing of the page around the text', () => {
    const said = ` ${words(text)} `;
    expect(onlyFurniture(page.blocks).length).toBeGreaterThan(2);
    expect(onlyFurniture(page.blocks).filter((furniture) => said.includes(` ${furniture} `))).toEqual([]);
  });

  it('has every code block, in a fence that says its language', () => {
    const fences = fencesOf(markdown);
    expect(fences.length).toBe(code);
    expect([...new Set(fences)].sort()).toEqual([...languages].sort());
    const lines = new Set(markdown.split('\n').map((line) => line.trim()));
    for (const block of page.blocks) {
      if (block.label !== 'main' || block.code === null || block.cell !== null || block.parts.length > 0) {
        continue;
      }
      for (const line of block.code.replaceAll('\u00a0', ' ').split('\n')) {
        if (line.trim() !== '') {
          expect(lines).toContain(line.trim());
        }
      }
    }
  });

  it('has every cell of every table', () => {
    const { cells, cellsKept } = measure(page.blocks, extractOurs(page.html, { url: page.url }));
    expect(cellsKept).toBe(cells);
  });

  it('knows its title', () => {
    expect(markdown).toContain(title.split(' — ')[0]!.split('.')[0]!);
    expect(title).not.toContain('¶');
  });
});

it('on the pages for development next to nothing is lost, and next to nothing is left', () => {
  const scores = readManifest()
    .filter(({ half }) => half === 'dev')
    .map((entry) => {
      const page = readPage(entry);
      return scoreOf(measure(page.blocks, extractOurs(page.html, { url: page.url })));
    });
  const mean = (of: (score: (typeof scores)[0]) => number): number =>
    scores.reduce((sum, score) => sum + of(score), 0) / scores.length;
  expect(scores.length).toBeGreaterThan(60);
  expect(mean(({ recall }) => recall)).toBeGreaterThan(0.99);
  expect(mean(({ left }) => left)).toBeLessThan(0.01);
  expect(Math.min(...scores.map(({ f1 }) => f1))).toBeGreaterThan(0.8);
}, 60_000);

it('the text of an extract is that of the page where nothing is dropped', () => {
  const html = '<body><main><h1>A &amp; B</h1><p>One <b>two</b></p><pre>\n\n  x &lt; y\n</pre></main></body>';
  expect(extractOurs(html, {})).toBe(textOf(html));
});
