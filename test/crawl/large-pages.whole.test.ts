import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LONGEST_URL } from '../../src/url/identity.js';
import { inStore, inspect } from '../kill/killing.js';
import { html, pathSite, redirect, text } from '../web/site.js';
import { box } from './box.js';
import { gossamer, type PageLine, readLines, readPages } from './support.js';

const SITE = 'http://large.test';
const links = (count: number) => Array.from({ length: count }, (_, i) => `<a href="l${i}">x</a>`).join('');
const based = (length: number, count: number) =>
  html(`<!doctype html><title>Based</title><base href="/${'b'.repeat(length)}/">${links(count)}`);

interface Edge {
  from: string;
  to: string;
}

describe('a page that leads to very much', () => {
  const own = box();

  async function crawl(pages: Parameters<typeof pathSite>[0], ...args: string[]) {
    own.web.site('large.test', pathSite(pages));
    own.web.clearLog();
    const crawled = await own.crawl([`${SITE}/`], ['--seeding-strategy', 'none', ...args]);
    const { stdout } = await gossamer(['export', crawled.directory, '--format', 'edges']);
    return { ...crawled, edges: readLines<Edge>(stdout) };
  }

  it('is done, though its base has 100,000 characters and stands before each of 5,600 links', async () => {
    const { pages, summary, directory, edges } = await crawl({
      '/': based(100_000, 5_600),
      '/x': html('<title>x</title>'),
    });
    // 64 MiB of text, in document order.
    const kept = Math.floor((64 * 1024 * 1024) / 100_024);
    expect(pages.get(`${SITE}/`)).toMatchObject({
      ...{ state: 'done', reason: null, links: kept, note: 'too_many_links', linksCut: 5_600 - kept },
    });
    expect(summary).toMatchObject({ reason: 'complete', linksCut: { pages: 1, links: 5_600 - kept } });
    expect(new Set(edges.map(({ to }) => to)).size).toBe(kept);
    expect(edges[0]!.to).toMatch(/^http:\/\/large\.test\/b{100,200}…sha256:[0-9a-f]{64}$/);
    // Nothing of them is anywhere whole.
    for (const file of ['pages.jsonl', 'crawl.sqlite', 'summary.json']) {
      expect(readFileSync(join(directory, file)).includes('b'.repeat(1_000)), file).toBe(false);
    }
    expect(own.web.log.map(({ path }) => path)).toEqual(['/robots.txt', '/']);
  });

  it('is not "all fine" to a check: what was cut is counted', async () => {
    own.web.site('large.test', pathSite({ '/': based(100_000, 5_600), '/robots.txt': text('') }));
    const connectTo = own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    const args = ['check', `${SITE}/`, '--delay', '0', '--seeding-strategy', 'none', ...connectTo];
    const { code, stdout } = await gossamer(args);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('5,600 not looked at: 670 too long, 4,930 cut from pages that lead to too much'),
    ]);
    expect((await gossamer([...args, '--fail-on', 'unchecked'])).code).toBe(1);
  });

  it('loses no link for their number: 20,000 new URLs are 20,000 edges in document order, each to its own URL', async () => {
    const body = Array.from({ length: 20_000 }, (_, i) => `<a href="l${i}">x</a><a href="l${i >> 1}">again</a>`).join(
      '',
    );
    const { pages, summary, edges } = await crawl({ '/': html(`<title>Many</title>${body}`) }, '--depth', '0');
    expect(pages.get(`${SITE}/`)).toMatchObject({ state: 'done', links: 40_000 });
    expect(pages.get(`${SITE}/`)).not.toHaveProperty('note');
    expect(summary).toMatchObject({ total: 20_001, bySkipReason: { depth: 20_000 }, linksCut: { pages: 0, links: 0 } });
    expect(edges.map(({ to }) => to)).toEqual(
      Array.from({ length: 20_000 }, (_, i) => [`${SITE}/l${i}`, `${SITE}/l${i >> 1}`]).flat(),
    );
  });

  it('is read again where the run ended between two of its pieces: the result is the same', async () => {
    const body = Array.from({ length: 8_000 }, (_, i) => `<a href="l${i}" rel="nofollow">x</a><img src="i${i}">`).join(
      '',
    );
    const whole = await crawl({ '/': html(`<title>Many</title>${body}`) });
    own.web.clearLog();
    const directory = join(own.folder, 'cut');
    const env = {
      NODE_OPTIONS: `--import ${new URL('./sabotage.js', import.meta.url).href}`,
      // Seeds, leases and robots.txt are less than half of these commits.
      SABOTAGE: 'store:10',
    };
    const connectTo = own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    const args = [`${SITE}/`, '--delay', '0', '--seeding-strategy', 'none', '--data-dir', directory];
    const cut = await gossamer(['crawl', ...args, ...connectTo], { env });
    expect(cut.code, cut.stderr).toBe(3);
    expect(inStore(directory, (all) => Number(all('SELECT count(*) AS n FROM urls')[0]!.n))).toBeGreaterThan(1_024);
    expect(inspect(directory).leased).toEqual([`${SITE}/`]);
    const resumed = await gossamer(['resume', directory]);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(own.web.log.filter(({ path }) => path === '/')).toHaveLength(2);
    const facts = ({ url, state, reason, depth, links }: PageLine) => [url, state, reason, depth, links];
    const sorted = (pages: Iterable<PageLine>) => [...pages].map(facts).sort(([a], [b]) => (a! < b! ? -1 : 1));
    expect(sorted(readPages(directory))).toEqual(sorted(whole.pages.values()));
    const { stdout } = await gossamer(['export', directory, '--format', 'edges']);
    expect(readLines<Edge>(stdout)).toEqual(whole.edges);
  });
});

describe('a URL that is too long', () => {
  const own = box();
  const long = (length: number) => `/${'y'.repeat(length - `${SITE}/`.length)}`;

  it.each([
    [[], 4_096],
    [['--max-url-length', '100'], 100],
    [['--max-url-length', '0'], LONGEST_URL],
  ])(
    'is kept as its beginning and its hash (%s): %i characters are not too long, one more is',
    async (args, longest) => {
      const [fits, tooLong] = [long(longest), long(longest + 1)];
      own.web.site('large.test', pathSite({ '/': html(`<a href="${fits}">a</a><a href="${tooLong}">b</a>`) }));
      own.web.clearLog();
      const { pages, summary } = await own.crawl([`${SITE}/`], ['--seeding-strategy', 'none', ...args]);
      const [, second, third] = [...pages.values()];
      expect(second).toMatchObject({ url: SITE + fits, state: 'failed' });
      expect(third!.url).toMatch(/…sha256:[0-9a-f]{64}$/);
      expect(third).toMatchObject({ state: 'skipped', reason: 'trap' });
      expect(summary.traps).toMatchObject([{ pattern: `length>${longest}`, count: 1 }]);
      // The server of Node takes no more than 16 KiB of a request's head, and says so.
      expect(own.web.log.some(({ path }) => path === tooLong)).toBe(false);
    },
  );

  it('is no redirect that is followed, of a seed neither; --allow-trap lets it through', async () => {
    const target = long(5_000);
    own.web.site('large.test', pathSite({ '/': redirect(target), [target]: html('<title>There</title>') }));
    own.web.clearLog();
    const args = ['--seeding-strategy', 'none'];
    const { pages, directory } = await own.crawl([`${SITE}/`], args);
    expect([...pages.values()].map(({ state, reason }) => [state, reason])).toEqual([
      ['done', null],
      ['skipped', 'trap'],
    ]);
    expect(pages.get(`${SITE}/`)!.finalUrl).toMatch(/…sha256:[0-9a-f]{64}$/);
    expect(own.web.log.map(({ path }) => path)).toEqual(['/robots.txt', '/']);
    // What is not kept whole cannot be asked for by a run that would let it through.
    const resumed = await gossamer(['resume', directory, '--max-url-length', '10000']);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(own.web.log).toHaveLength(2);
    const allowed = await own.crawl([`${SITE}/`], [...args, '--allow-trap', 'length>4096']);
    expect(allowed.pages.get(SITE + target)).toMatchObject({ state: 'done', title: 'There' });
  });

  it('is found by explain as it is written on the page', async () => {
    own.web.site('large.test', pathSite({ '/': html(`<a href="${long(5_000)}">a</a>`), '/robots.txt': text('') }));
    const { directory } = await own.crawl([`${SITE}/`], ['--seeding-strategy', 'none']);
    const { stdout, code } = await gossamer(['explain', directory, SITE + long(5_000)]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('longer than 4,096 characters')]);
    expect(stdout).not.toContain('never seen');
  });
});
