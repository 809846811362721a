import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeGraph } from '../web/graph.js';
import { hitsPerUrl } from '../web/judge.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { inProcess } from './in-process.js';
import { readLines, readPages, temporaryFolder } from './support.js';

interface EdgeLine {
  from: string;
  to: string;
  kind: string;
  rel: string;
}

describe('a crawl of a web whose true closure is known', () => {
  const folder = temporaryFolder();
  const graph = makeGraph({ seed: 7, hosts: 12, urls: 800, hostName: (i) => `h${i}.web.test` });
  let web: WebInABox;
  const directory = `${folder.path}/crawl`;

  beforeAll(async () => {
    web = await openWeb();
    graph.install(web);
    const run = await inProcess([
      'crawl',
      ...graph.seeds,
      ...['--scope', 'any', '--exclude', '*://out.example/**', '--delay', '0', '--data-dir', directory],
      ...web.connectTo.flatMap((mapping) => ['--connect-to', mapping]),
    ]);
    expect(run.code, run.stderr).toBe(0);
  }, 120_000);

  afterAll(async () => {
    await web.close();
    folder.remove();
  });

  const truth = () => graph.closure({ inScope: (url) => !url.includes('out.example') });

  it('lists every URL of the closure and no other, each with its state, reason, status and depth', () => {
    const expected = [...truth()].map(([url, { state, reason, status, depth }]) => ({
      url,
      state,
      reason,
      status,
      depth,
    }));
    const actual = readPages(directory).map(({ url, state, reason, status, depth }) => ({
      url,
      state,
      reason,
      status,
      depth,
    }));
    const byUrl = (a: { url: string }, b: { url: string }) => (a.url < b.url ? -1 : 1);
    expect(actual.sort(byUrl)).toEqual(expected.sort(byUrl));
  });

  it('gives the end of each chain of redirects as finalUrl', () => {
    const finals = new Map(readPages(directory).map(({ url, finalUrl }) => [url, finalUrl]));
    for (const [url, { state, finalUrl }] of truth()) {
      if (state === 'done') {
        expect(finals.get(url), url).toBe(finalUrl);
      }
    }
  });

  it('asks for each page once, retries of transient failures aside, and for nothing it must not ask for', () => {
    const closure = truth();
    for (const [url, hits] of hitsPerUrl(web.log)) {
      expect(closure.has(url), `asked for ${url}`).toBe(true);
      expect(closure.get(url)!.state, url).not.toBe('skipped');
      expect(hits, url).toBeLessThanOrEqual(3);
    }
    expect(web.log.some(({ host }) => host === 'out.example')).toBe(false);
  });

  it('exports every edge, one per occurrence, in document order', async () => {
    const run = await inProcess(['export', directory, '--format', 'edges']);
    const edges = readLines<EdgeLine>(run.stdout);
    const byPage = new Map<string, { to: string; kind: string; rel: string }[]>();
    for (const { from, to, kind, rel } of edges) {
      byPage.set(from, [...(byPage.get(from) ?? []), { to, kind, rel }]);
    }
    for (const [url, { state }] of truth()) {
      if (state === 'done') {
        expect(byPage.get(url) ?? [], url).toEqual(graph.edges(url));
      }
    }
  });
});
