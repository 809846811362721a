import { describe, expect, it } from 'vitest';
import { textOf } from '../../src/content/element.js';
import { mainContent } from '../../src/content/extract/main-content.js';
import { SiteMemory, Sketch } from '../../src/content/extract/site-memory.js';
import { parseTree } from '../../src/content/tree-builder.js';

const WORDS = 'tide harbour lantern gravel meadow copper thistle sparrow anchor willow'.split(' ');
/** Sentences that no other page has. */
const own = (n: number, count = 3): string =>
  Array.from({ length: count }, (_, i) => {
    const words = Array.from({ length: 14 }, (__, j) => WORDS[(n * (j + 3) + i * 7 + j) % WORDS.length]);
    return `<p>The ${words.join(' ')} of page ${'abcdefghijklmnopqrstuvwxyz'[n]}, item ${i}.</p>`;
  }).join('');

interface Frame {
  readonly before?: (n: number) => string;
  readonly within?: (n: number) => string;
  readonly after?: (n: number) => string;
}

const PAGES = 12;
const nothing = (): string => '';
/** No name and no element says what is what. */
const site = ({ before = nothing, within = nothing, after = nothing }: Frame): string[] =>
  Array.from(
    { length: PAGES },
    (_, n) =>
      `<body><div>${before(n)}<h1>Page ${WORDS[n % 10]}</h1>${own(n)}${within(n)}${own(n + 12)}${after(n)}</div></body>`,
  );

function memoryOf(pages: readonly string[]): SiteMemory {
  const memory = new SiteMemory();
  for (const html of pages) {
    memory.learn(mainContent(parseTree(html)).fingerprints);
  }
  return memory;
}

const extract = (html: string, memory?: SiteMemory): string =>
  mainContent(parseTree(html), memory === undefined ? {} : { memory })
    .nodes.map(textOf)
    .join('\n');

const known = (frame: Frame): { alone: string; inSite: string } => {
  const pages = site(frame);
  return { alone: extract(pages[3]!), inSite: extract(pages[3]!, memoryOf(pages)) };
};

it('a paragraph in which only figures differ says something else on each page', () => {
  const error = (n: number) =>
    `<p>Error ${n * 37} is given where the value in register ${n + 4} is above ${n * 1_000}: the harbour has closed, and the lantern was not lit in time. Try it again after ${n} minutes.</p>`;
  expect(known({ after: error }).inSite).toContain('Error 111 is given where the value in register 7');
});

describe('what many pages say goes', () => {
  const FRAME = '<p>This wonderful site is brought to you by its many friends.</p>';

  it.each([
    ['at the beginning', { before: () => FRAME }],
    ['at the end', { after: () => FRAME }],
    ['with a date or a number that differs', { after: (n) => FRAME.replace('many', `${n * 7}`) }],
    ['in a box of the text', { within: () => `<div><div>Our friends write letters</div>${FRAME}</div>` }],
  ] as [string, Frame][])('%s', (_, frame) => {
    const { alone, inSite } = known(frame);
    expect(alone).toContain('wonderful site');
    expect(inSite).not.toContain('wonderful site');
    expect(inSite).toContain('of page d, item 0');
    expect(inSite).toContain('of page p, item 2');
  });

  it('ways to other pages at one place go, though they differ', () => {
    const { alone, inSite } = known({
      after: (n) => `<div><a href="p${n}.html">On to the ${WORDS[n % 10]} and what lies behind it, at last</a></div>`,
    });
    expect(alone).toContain('On to');
    expect(inSite).not.toContain('On to');
  });
});

describe('what repeats by right stays', () => {
  it.each([
    ['headings of sections', { within: () => '<h2>Parameters</h2>' }, 'Parameters'],
    ['terms', { after: () => '<dl><dt>Since:</dt><dd>1.8</dd></dl>' }, 'Since:'],
    ['licences in code', { after: () => '<pre>// Licensed under the terms of its licence.</pre>' }, 'Licensed'],
    ['cells of tables', { after: () => '<table><tr><td>Type</td><td>Description</td></tr></table>' }, 'Type'],
    [
      'notes',
      { after: () => '<div class="admonition warning"><p>Not safe against hostile data of any kind.</p></div>' },
      'Not safe',
    ],
    ['what a page says twice', { after: () => '<p>Returns nothing.</p><p>Returns nothing.</p>' }, 'Returns nothing.'],
    [
      'what few pages say',
      { after: (n) => (n < 4 ? '<p>Not available on all platforms, see there.</p>' : '') },
      'Not available',
    ],
    ['the title', { before: () => '<h1>One and the same title</h1>' }, 'One and the same'],
    [
      'a sentence amid the text',
      { within: () => '<p>It is otherwise the same as the one before it.</p>' },
      'otherwise the same',
    ],
  ] as [string, Frame, string][])('%s', (_, frame, text) => {
    expect(known(frame).inSite).toContain(text);
  });
});

it('the same pages make the same memory in any order, and in parts over the same bytes', () => {
  const pages = site({ after: () => '<p>This wonderful site is brought to you by its many friends.</p>' });
  const shuffled = pages.map((_, i) => pages[(i * 5) % PAGES]!);
  const shared = memoryOf(pages.slice(0, 5));
  const other = new SiteMemory(shared.shared);
  for (const page of pages.slice(5)) {
    other.learn(mainContent(parseTree(page)).fingerprints);
  }
  const expected = pages.map((page) => extract(page, memoryOf(pages)));
  expect(pages.map((page) => extract(page, memoryOf(shuffled)))).toEqual(expected);
  expect(pages.map((page) => extract(page, shared))).toEqual(expected);
  expect(shared.pages).toBe(PAGES);
});

it('what is learned from a page does not depend on what is known', () => {
  const pages = site({ after: () => '<p>This wonderful site is brought to you by its many friends.</p>' });
  const memory = memoryOf(pages);
  const { fingerprints } = mainContent(parseTree(pages[0]!), { memory });
  expect(fingerprints).toEqual(mainContent(parseTree(pages[0]!)).fingerprints);
});

it('a few pages teach nothing', () => {
  const pages = site({ after: () => '<p>This wonderful site is brought to you by its many friends.</p>' });
  expect(extract(pages[0]!, memoryOf(pages.slice(0, 4)))).toContain('wonderful');
});

it('the sketch never counts too few, and hardly ever too many', () => {
  const sketch = new Sketch();
  // A large site: 2,000 blocks of its frame on each of 1,000 pages, and 100,000 blocks that are on one page.
  const frame = Array.from({ length: 2000 }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 0);
  const rest = Array.from({ length: 100_000 }, (_, i) => Math.imul(i + 5000, 0x85ebca6b) >>> 0);
  for (let page = 0; page < 1000; page++) {
    for (const hash of frame) {
      sketch.add(hash);
    }
  }
  for (const hash of rest) {
    sketch.add(hash);
  }
  expect(frame.every((hash) => sketch.count(hash) >= 1000)).toBe(true);
  expect(rest.every((hash) => sketch.count(hash) >= 1)).toBe(true);
  expect(rest.filter((hash) => sketch.count(hash) >= 500).length).toBeLessThan(10);
});
