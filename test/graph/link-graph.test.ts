import { describe, expect, it } from 'vitest';
import { drawnGraph } from '../../src/graph/drawn-graph.js';
import { summaryOf } from '../../src/graph/summary.js';
import { edgeRows, nodeRows } from '../../src/graph/tables.js';
import { graphOf } from '../../src/graph/write-graph.js';
import { LINK_KIND_NUMBER, LINK_KINDS } from '../../src/parse/links.js';
import { UrlFlag, UrlState } from '../../src/store/url-state.js';
import { type FixtureUrl, StoreFixture } from '../report/store-fixture.js';

const { a, redirect } = LINK_KIND_NUMBER;

interface Page extends FixtureUrl {
  links?: readonly (string | [url: string, kind: number])[];
}

/** A store of pages that link to each other by their URLs, found in this order. */
function storeOf(pages: readonly Page[]): StoreFixture {
  const store = new StoreFixture();
  const ids = new Map(pages.map(({ links: _, ...page }) => [page.url, store.add(page)]));
  for (const { url, links = [] } of pages) {
    const edges = links.map((link) =>
      typeof link === 'string' ? { to: ids.get(link)!, kind: a } : { to: ids.get(link[0])!, kind: link[1] },
    );
    if (edges.length > 0) {
      store.addEdges(ids.get(url)!, edges, [], null);
    }
  }
  return store;
}

const HOME = 'https://a.test/';
const SITE: readonly Page[] = [
  {
    url: HOME,
    flags: UrlFlag.seed,
    page: { title: 'Home' },
    links: [`${HOME}docs/`, `${HOME}docs/`, `${HOME}old`, 'https://b.test/x', HOME],
  },
  { url: `${HOME}docs/`, parent: 1, depth: 1, links: [`${HOME}docs/end`, HOME, `${HOME}gone`] },
  { url: `${HOME}docs/end`, parent: 2, depth: 2 },
  { url: `${HOME}old`, parent: 1, depth: 1, page: { status: 301, redirect_to: 5 }, links: [[`${HOME}new`, redirect]] },
  { url: `${HOME}new`, parent: 4, depth: 1, links: [HOME] },
  { url: `${HOME}gone`, state: UrlState.failed, reason: 'http_4xx', parent: 2, depth: 2, page: { status: 404 } },
  { url: `${HOME}lonely`, parent: 9, depth: 1, links: [HOME, ['https://c.test/s.css', LINK_KIND_NUMBER.stylesheet]] },
  { url: 'https://b.test/x', state: UrlState.unlisted, reason: 'scope', page: null },
  { url: 'https://c.test/s.css', state: UrlState.unlisted, reason: 'asset', page: null },
  { url: 'mailto:x@a.test', state: UrlState.unlisted, reason: 'scheme', page: null },
];

const rowsOf = (store: StoreFixture, level: 'page' | 'folder' | 'host' = 'page', withOutside = false) => {
  const graph = graphOf(store.freshReader(), level, withOutside);
  return { graph, nodes: [...nodeRows(graph)], edges: [...edgeRows(graph)] };
};

describe('a link graph of pages', () => {
  it('has an edge for all links between two pages, none from a page to itself, and none out of the crawl', () => {
    const { edges } = rowsOf(storeOf(SITE));
    expect(
      edges.map(({ from, to, weight }) => `${from.slice(HOME.length)}>${to.slice(HOME.length)} ${weight}`),
    ).toEqual([
      '>docs/ 2',
      '>old 1',
      'docs/> 1',
      'docs/>docs/end 1',
      'docs/>gone 1',
      'lonely> 1',
      'new> 1',
      'old>new 1',
    ]);
  });

  it('says of each page where it stands: depth without redirects, degrees, orphans, dead ends', () => {
    const { nodes } = rowsOf(storeOf(SITE));
    const seen = nodes.map(({ url, state, status, depth, inDegree, outDegree, inLinks, orphan, deadEnd }) =>
      [
        String(url).slice(HOME.length),
        state,
        status,
        depth,
        inDegree,
        outDegree,
        inLinks,
        orphan ? 'orphan' : deadEnd ? 'dead end' : '',
      ].join(' '),
    );
    expect(seen).toEqual([
      ' done 200 0 3 2 3 ',
      'docs/ done 200 1 1 3 2 ',
      'docs/end done 200 2 1 0 1 dead end',
      // Its links are not known: it is no dead end.
      'gone failed 404 2 1 0 1 ',
      'lonely done 200  0 1 0 orphan',
      'new done 200 1 1 1 1 ',
      'old done 301 1 1 1 1 ',
    ]);
    expect(nodes[0]!.title).toBe('Home');
  });

  it('is of links that take a reader somewhere: not of what a page loads or says to programs', () => {
    const taken = LINK_KINDS.filter((_, kind) => {
      const store = storeOf([
        { url: HOME, flags: UrlFlag.seed, links: [[`${HOME}b`, kind]] },
        { url: `${HOME}b`, parent: 1, depth: 1 },
      ]);
      return rowsOf(store).edges.length === 1;
    });
    expect(taken).toEqual(['a', 'area', 'iframe', 'frame', 'refresh', 'redirect', 'hook']);
  });

  it('takes in what links lead to outside, where that is asked for, and no style sheet', () => {
    const { nodes, edges } = rowsOf(storeOf(SITE), 'page', true);
    expect(nodes.filter(({ state }) => state === 'outside').map(({ url }) => url)).toEqual(['https://b.test/x']);
    expect(edges).toContainEqual({ from: HOME, to: 'https://b.test/x', weight: 1 });
  });

  it('does not depend on the order in which a crawl found the pages', () => {
    const [first, second] = [SITE, [...SITE].reverse()].map((pages) => {
      const renumbered = pages.map(({ parent: _, page, ...rest }) => ({
        ...rest,
        ...(page?.redirect_to === undefined
          ? page === undefined
            ? {}
            : { page }
          : { page: { ...page, redirect_to: pages.findIndex(({ url }) => url === `${HOME}new`) + 1 } }),
      }));
      const { graph, nodes, edges } = rowsOf(storeOf(renumbered));
      return { nodes, edges, summary: summaryOf(graph) };
    });
    expect(second).toEqual(first);
  });

  it('says in its summary what stands out', () => {
    const { graph } = rowsOf(storeOf(SITE));
    expect(summaryOf(graph)).toMatchObject({
      nodes: 7,
      edges: 8,
      links: 9,
      deepest: 2,
      unreached: 1,
      orphans: { count: 1, first: [`${HOME}lonely`] },
      deadEnds: { count: 1, first: [`${HOME}docs/end`] },
      components: { count: 4, largest: 4 },
    });
  });

  it('of a crawl without pages has nothing, and says so', () => {
    const { graph, nodes, edges } = rowsOf(new StoreFixture());
    expect([nodes, edges]).toEqual([[], []]);
    expect(summaryOf(graph)).toMatchObject({ nodes: 0, deepest: null, top: [] });
  });
});

describe('a link graph of folders and hosts', () => {
  it('adds up the links of their pages; a folder is as near as its nearest page', () => {
    const { nodes, edges } = rowsOf(storeOf(SITE), 'folder');
    expect(edges).toEqual([
      { from: HOME, to: `${HOME}docs/`, weight: 2 },
      { from: `${HOME}docs/`, to: HOME, weight: 2 },
    ]);
    expect(nodes.map(({ folder, pages, innerLinks, depth }) => [folder, pages, innerLinks, depth])).toEqual([
      [HOME, 5, 4, 0],
      [`${HOME}docs/`, 2, 1, 1],
    ]);
  });

  it('names hosts with their ports', () => {
    const store = storeOf([
      { url: 'http://a.test:81/', flags: UrlFlag.seed, links: ['https://b.test/x', 'https://b.test/y'] },
      { url: 'https://b.test/x', parent: 1, depth: 1 },
      { url: 'https://b.test/y', parent: 1, depth: 1 },
    ]);
    const { nodes, edges } = rowsOf(store, 'host');
    expect(nodes.map(({ host, pages }) => [host, pages])).toEqual([
      ['a.test:81', 1],
      ['b.test', 2],
    ]);
    expect(edges).toEqual([{ from: 'a.test:81', to: 'b.test', weight: 2 }]);
  });
});

it('the dashboard draws no crawl that has more links than it can hold', () => {
  const { reader } = storeOf(SITE);
  expect(() => drawnGraph(reader, 11)).toThrow('this crawl has 12 links, and the dashboard draws up to 11');
  expect(drawnGraph(reader, 12).leaves.names).toHaveLength(7);
});
