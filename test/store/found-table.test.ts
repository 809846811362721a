import { expect, it } from 'vitest';
import { scanPage } from '../../src/parse/scan.js';
import { nearDuplicates } from '../../src/store/near-duplicates.js';
import { edgeWord, FOLLOWED, HELD_BACK } from '../../src/store/page-row.js';
import { StoreFixture } from '../report/store-fixture.js';

const sketchOf = (text: string): string => scanPage(Buffer.from(`<p>${text}</p>`), 'utf-8', {}).textPrint!.sketch;
/** Words that repeat nowhere. */
const words = (from: number, count: number): string[] => Array.from({ length: count }, (_, i) => `word${from + i}`);
const page = (text: string) => ({ sketch: sketchOf(text) });

it('counts the other pages that link to a page, each once', () => {
  const store = new StoreFixture(['/', '/a', '/b', '/c'].map((path) => ({ url: `https://a.test${path}` })));
  const edge = (page: number, ...words: [to: number, word: number][]): void => {
    const packed = new Uint8Array(Uint32Array.from(words.flat()).buffer);
    store.database.prepare('INSERT INTO edges (page, packed) VALUES (?, ?)').run(page, packed);
  };
  const [anchor, nofollow, image, redirect, canonical] = [
    edgeWord(0, FOLLOWED, 0),
    edgeWord(0, HELD_BACK, 0),
    edgeWord(11, 0, 0),
    edgeWord(18, 0, 0),
    edgeWord(7, FOLLOWED, 0),
  ];
  edge(1, [2, anchor], [2, anchor], [1, anchor], [3, nofollow]);
  edge(2, [1, anchor], [3, image], [4, canonical]);
  edge(3, [2, anchor], [4, redirect]);
  expect([...store.reader.pages()].map(({ inlinks }) => inlinks)).toEqual([1, 2, 1, 0]);
  expect([...store.reader.pagesWithIds(['url', 'inlinks'], 'found')].map(([{ inlinks }]) => inlinks)).toEqual([
    1, 2, 1, 0,
  ]);
});

it('tells each figure of the page that it is of, however many pages there are', () => {
  const urls = Array.from({ length: 10_003 }, (_, i) => ({ url: `https://a.test/${i}` }));
  const store = new StoreFixture(urls);
  const targets = [1, 9_999, 10_000, 10_001, 10_003];
  const packed = new Uint8Array(Uint32Array.from(targets.flatMap((to) => [to, edgeWord(0, FOLLOWED, 0)])).buffer);
  store.database.prepare('INSERT INTO edges (page, packed) VALUES (?, ?)').run(2, packed);
  const linked = [...store.reader.pagesWithIds(['inlinks'], 'found')].filter(([{ inlinks }]) => inlinks === 1);
  expect(linked.map(([, id]) => id)).toEqual(targets);
});

it('groups pages with nearly the same text, and no others', () => {
  const text = words(0, 400);
  const changed = text.with(200, 'other').join(' ');
  const half = [...text.slice(0, 200), ...words(5_000, 200)].join(' ');
  const store = new StoreFixture([
    { url: 'https://a.test/alone', page: page(words(10_000, 400).join(' ')) },
    { url: 'https://a.test/1', page: page(text.join(' ')) },
    { url: 'https://a.test/half', page: page(half) },
    { url: 'https://a.test/2', page: page(changed) },
    { url: 'https://a.test/x', page: page(words(20_000, 30).join(' ')) },
    { url: 'https://a.test/y', page: page(words(20_000, 30).join('\n\t ')) },
    { url: 'https://a.test/moved', page: { ...page(text.join(' ')), status: 301, redirect_to: 1 } },
    { url: 'https://a.test/short' },
  ]);
  const groups = [...store.reader.pages()].map(({ duplicateGroup }) => duplicateGroup);
  expect(groups).toEqual([null, 1, null, 1, 2, 2, null, null]);
  // In parts, as where there are more than memory should hold.
  expect([...nearDuplicates(store.database, 0.9, 2)].slice(1)).toEqual([0, 1, 0, 1, 2, 2, 0, 0]);
});

it('compares no page with all of a site that has one text in common', () => {
  // All begin alike and none is like another: bands agree by chance only.
  const many = Array.from({ length: 300 }, (_, i) => [...words(0, 60), ...words(1_000 * (i + 1), 60)].join(' '));
  const store = new StoreFixture(many.map((text, i) => ({ url: `https://a.test/${i}`, page: page(text) })));
  expect(Math.max(...nearDuplicates(store.database, 0.9))).toBe(0);
});
