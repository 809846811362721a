import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { FoldedPicture } from '../../src/graph/cut.js';
import { htmlText } from '../../src/graph/html.js';
import { pictureOf, shortName, withoutCommonEnd } from '../../src/graph/picture.js';
import type { Picture } from '../../src/graph/picture-shape.js';
import { svgText } from '../../src/graph/svg.js';
import { graphOf } from '../../src/graph/write-graph.js';
import { UrlFlag } from '../../src/store/url-state.js';
import { StoreFixture } from '../report/store-fixture.js';
import { namedGraph } from './graphs.js';

const ALL = { leaves: 1_000, edges: 1_000 };

/** A site of folders with some pages each, all linked from the home page, and each to the next. */
function siteOf(folders: Readonly<Record<string, number>>, title = 'A page'): ReturnType<typeof graphOf> {
  const store = new StoreFixture([{ url: 'https://a.test/', flags: UrlFlag.seed, page: { title } }]);
  const pages = Object.entries(folders).flatMap(([folder, count]) =>
    Array.from({ length: count }, (_, i) =>
      store.add({ url: `https://a.test/${folder}p${i}`, parent: 1, depth: 1, page: { title } }),
    ),
  );
  store.addEdges(
    1,
    pages.map((to) => ({ to, kind: 0 })),
    [],
    null,
  );
  pages.forEach((page, i) => {
    store.addEdges(
      page,
      [
        { to: pages[(i + 1) % pages.length]!, kind: 0 },
        { to: 1, kind: 0 },
      ],
      [],
      null,
    );
  });
  return graphOf(store.reader, 'page', false);
}

const total = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

describe('a picture', () => {
  it('is the same each time, and no two leaves of it stand in one place', () => {
    const first = pictureOf(siteOf({ 'a/': 30, 'b/c/': 20 }), ALL);
    expect(pictureOf(siteOf({ 'a/': 30, 'b/c/': 20 }), ALL)).toEqual(first);
    const places = first.leaves.x.map((x, leaf) => `${x} ${first.leaves.y[leaf]}`);
    expect(new Set(places).size).toBe(51);
    expect(first.notes).toEqual([]);
  });

  it('draws no more than there is room for, loses no page, and says what it folds', () => {
    for (const leaves of [5, 12, 40, 60]) {
      const picture = pictureOf(siteOf({ 'a/': 30, 'b/': 20, 'b/c/': 20, 'd/e/f/': 3 }), { leaves, edges: 20 });
      expect(picture.leaves.names.length).toBeLessThanOrEqual(leaves);
      expect(total(picture.leaves.sizes)).toBe(74);
      expect(total([...picture.leaves.rank])).toBeCloseTo(1, 4);
      expect(picture.drawn.from.length).toBeLessThanOrEqual(20);
      expect(picture.notes[0]).toContain('The 74 pages are drawn as');
    }
  });

  it('shows the best pages of one folder that is too large for it, and one leaf for the rest', () => {
    const picture = pictureOf(siteOf({ 'all/': 500 }), { leaves: 100, edges: 100 });
    expect(picture.leaves.names.length).toBeLessThanOrEqual(100);
    expect(picture.leaves.names.at(-1)).toBe('https://a.test/all/ (and more)');
    expect(total(picture.leaves.sizes)).toBe(501);
  });

  it('keeps to its room for any names, also those of a custom fetcher, and loses none', () => {
    const part = fc.constantFrom('', 'a', 'b', '/', '//', 'http://', 'https://h.test', '?', 'x/y');
    const names = fc.uniqueArray(
      fc.array(part, { maxLength: 5 }).map((parts) => parts.join('')),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(names, fc.integer({ min: 2, max: 50 }), (urls, leaves) => {
        const graph = {
          ...namedGraph(
            urls,
            urls.map((_, i) => [i, (i * 7) % urls.length] as const),
          ),
          level: 'page' as const,
        };
        const picture = pictureOf(graph, { leaves, edges: 10 });
        expect(picture.leaves.names.length).toBeLessThanOrEqual(leaves);
        expect(total(picture.leaves.sizes)).toBe(urls.length);
        expect(total(new FoldedPicture(picture, 5).cut().units.map(({ size }) => size))).toBe(urls.length);
      }),
    );
  });

  it('has short names for pages and folders', () => {
    expect(
      ['https://a.test/', 'https://a.test/x/y.html?q=1', 'https://a.test/x/y/', 'a.test:80'].map(shortName),
    ).toEqual([...['a.test', 'y.html?q=1', 'y/', 'a.test:80']]);
  });

  it('leaves out of titles what most of them end with', () => {
    expect(withoutCommonEnd(['A — Site', 'B — Site', 'C - D — Site', 'E'])).toEqual(['A', 'B', 'C - D', 'E']);
    expect(withoutCommonEnd(['A — Site', 'B — Other', 'C'])).toEqual(['A — Site', 'B — Other', 'C']);
  });
});

describe('a folded picture', () => {
  const picture = (): Picture => pictureOf(siteOf({ 'a/': 30, 'b/': 20, 'b/c/': 20 }), ALL);
  const names = (folded: FoldedPicture) =>
    folded
      .cut()
      .units.filter(({ isFolder }) => isFolder)
      .map(({ label, size }) => `${label} ${size}`);

  it('opens as much as there is room for, and a folder on demand', () => {
    const folded = new FoldedPicture(picture(), 10);
    expect(names(folded)).toEqual(['a/ 30', 'b/ 40']);
    const b = folded.cut().units.find(({ label }) => label === 'b/')!;
    folded.open(b.id);
    expect(names(folded)).toEqual(['a/ 30', 'c/ 20']);
    expect(folded.cut().units).toHaveLength(1 + 1 + 20 + 1);
    const inner = folded.cut().units.find(({ name }) => name === 'https://a.test/b/p3')!;
    expect(folded.closeAround(inner.id)).toBe(b.id);
    expect(names(folded)).toEqual(['a/ 30', 'b/ 40']);
    folded.openAll();
    expect(folded.cut().units).toHaveLength(71);
    folded.closeAll();
    expect(names(folded)).toEqual(['a/ 30', 'b/ 40']);
  });

  it('adds up the edges of what is folded, and loses no page', () => {
    const folded = new FoldedPicture(picture(), 10);
    const { units, edges } = folded.cut();
    expect(total(units.map(({ size }) => size))).toBe(71);
    const home = units.findIndex(({ name }) => name === 'https://a.test/');
    const a = units.findIndex(({ label }) => label === 'a/');
    expect(edges.find(({ from, to }) => from === home && to === a)?.weight).toBe(30);
  });

  it('of one flat folder has none to close', () => {
    const flat = new FoldedPicture(pictureOf(siteOf({ '': 10 }), ALL), 1_000);
    expect([flat.hasFolders, flat.hasClosed]).toEqual([false, false]);
  });
});

const HOSTILE = '</title><script>alert(1)</script>\u202e "quoted" & <img src=x onerror=alert(1)>';

describe('SVG', () => {
  it('is well formed, runs nothing and loads nothing, whatever the titles are', () => {
    const text = svgText(pictureOf(siteOf({ 'a/': 12 }, HOSTILE), ALL));
    const names = new Set<string>();
    const parser = new SaxesParser();
    parser.on('error', (error) => {
      throw error;
    });
    parser.on('opentag', ({ name, attributes }) => {
      names.add(name);
      expect(Object.keys(attributes).filter((each) => /^(on|href|xlink|src)/.test(each))).toEqual([]);
    });
    parser.write(text).close();
    expect([...names].sort()).toEqual(['circle', 'desc', 'g', 'path', 'rect', 'style', 'svg', 'text', 'title']);
    expect(text).not.toContain('\u202e');
    expect(text).not.toContain('url(');
  });
});

describe('HTML', () => {
  const parts = { script: 'export{a as b};', style: 'p{}' };

  it('holds titles as JSON that ends no script, and lets only its own script run', () => {
    const text = htmlText(pictureOf(siteOf({ 'a/': 3 }, HOSTILE), ALL), parts);
    expect(text.match(/<script/g)).toHaveLength(2);
    expect(text.match(/<\/script>/g)).toHaveLength(2);
    expect(text).not.toContain('<img');
    const [, json] = /<script type="application\/json" id="graph-picture">(.*)<\/script>/.exec(text)!;
    expect(JSON.parse(json!).leaves.titles[0]).toContain('<script>alert(1)</script>');
    expect(text).toMatch(
      /content="default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; base-uri 'none'/,
    );
    expect(text).not.toContain('unsafe');
  });

  it('refuses a script that would end itself', () => {
    expect(() => htmlText(pictureOf(siteOf({}), ALL), { ...parts, script: '"</script>"' })).toThrow('end itself');
  });
});
