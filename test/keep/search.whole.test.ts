import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { box } from '../crawl/box.js';
import { inProcess } from '../crawl/in-process.js';
import { html, pathSite } from '../web/site.js';

const PAGES = {
  '/': html('<!doctype html><title>Home</title><a href=/cat>cats</a> <a href=/dog>dogs</a> <a href=/odd>odd</a>'),
  '/cat': html(
    '<!doctype html><title>Cats</title><style>purring {}</style><p>A <b>quiet</b>\n cat is purring.</p><p>QUIET CAT!</p>',
  ),
  '/dog': html('<!doctype html><title>Dogs</title><p>A loud dog, order 4711.</p><script>"purring"</script>'),
  '/odd': html('<!doctype html><title>Odd</title><p>Esc &#27;[31mred and quiet\u202e cats</p>'),
};

interface Found {
  url: string;
  found?: { text: string; count: number; snippet: string }[];
}

describe('crawl --search', () => {
  const b = box();

  it('says which pages have a text, how often and where, and keeps no page', async () => {
    b.web.site('127.0.0.1', pathSite(PAGES));
    const searches = [
      '--search',
      'quiet cat',
      '--search',
      're:order \\d+',
      '--search',
      'purring',
      '--search',
      'unicorn',
    ];
    const { directory, pages, summary, run } = await b.crawl(
      [`${b.web.origin}/`],
      [...searches, '--report', `csv=${join(b.folder, 'pages.csv')}`],
    );
    const found = (path: string) => (pages.get(b.web.origin + path) as Found | undefined)?.found;
    expect(found('/cat')).toEqual([
      { text: 'quiet cat', count: 2, snippet: 'Cats A quiet cat is purring. QUIET CAT!' },
      { text: 'purring', count: 1, snippet: 'Cats A quiet cat is purring. QUIET CAT!' },
    ]);
    expect(found('/dog')).toEqual([{ text: 're:order \\d+', count: 1, snippet: 'Dogs A loud dog, order 4711.' }]);
    expect(found('/')).toBeUndefined();
    expect(summary.found).toEqual([
      { text: 'quiet cat', pages: 1, count: 2 },
      { text: 're:order \\d+', pages: 1, count: 1 },
      { text: 'purring', pages: 1, count: 1 },
      { text: 'unicorn', pages: 0, count: 0 },
    ]);
    expect(run.stderr).toMatch(/search +quiet cat: 2 times on 1 page/);
    expect(run.stderr).toMatch(/search +unicorn: on no page/);
    expect(readFileSync(join(b.folder, 'pages.csv'), 'utf8')).toContain('""text"":""quiet cat"",""count"":2');
    const kept = await inProcess(['search', directory, 'quiet']);
    expect(kept.code).toBe(3);
  });

  it('refuses an expression that is none before anything is asked for', async () => {
    b.web.clearLog();
    const run = await inProcess([
      'crawl',
      `${b.web.origin}/`,
      '--search',
      're:(',
      '--data-dir',
      join(b.folder, 'none'),
    ]);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/re:\( is not a valid expression: missing closing \)/);
    expect(b.web.log).toEqual([]);
  });
});

describe('gossamer search on a crawl', () => {
  const b = box();

  it.each(['text', 'body'])('finds pages by words, and by an expression, in what --keep %s kept', async (keep) => {
    b.web.site('127.0.0.1', pathSite(PAGES));
    const { directory } = await b.crawl([`${b.web.origin}/`], ['--keep', keep]);
    b.web.clearLog();
    const search = async (...words: string[]) => {
      const run = await inProcess(['search', directory, ...words, '--json'], { cwd: b.folder });
      return (JSON.parse(run.stdout) as { url: string; snippet: string }[]).map(({ url, snippet }) => [
        url.slice(b.web.origin.length),
        snippet,
      ]);
    };
    // A page with some of the words is found too, after those that have more of them.
    expect(await search('quiet', 'purring')).toEqual([
      ['/cat', 'Cats A quiet cat is purring. QUIET CAT!'],
      ['/odd', expect.stringContaining('quiet')],
    ]);
    expect(await search('purring')).toEqual([['/cat', 'Cats A quiet cat is purring. QUIET CAT!']]);
    expect(await search('"loud dog"')).toEqual([['/dog', 'Dogs A loud dog, order 4711.']]);
    expect(await search('re:[0-9]{4}')).toEqual([['/dog', 'Dogs A loud dog, order 4711.']]);
    expect(await search('unicorn')).toEqual([]);
    expect(b.web.log).toEqual([]);
    expect(readdirSync(directory).filter((name) => name.startsWith('search-'))).toHaveLength(1);
  });

  it('writes nothing to a terminal that moves it', async () => {
    b.web.site('127.0.0.1', pathSite(PAGES));
    const { directory } = await b.crawl([`${b.web.origin}/`], ['--keep', 'text']);
    for (const words of [['esc', 'quiet'], ['re:red']]) {
      const { stdout } = await inProcess(['search', directory, ...words], { cwd: b.folder });
      expect(stdout).toContain('Odd');
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    }
  });

  it('finds what the crawl has found since, and deletes its index with the crawl', async () => {
    b.web.site('127.0.0.1', pathSite(PAGES));
    const { directory } = await b.crawl([`${b.web.origin}/`], ['--keep', 'text', '--max-urls', '1']);
    expect((await inProcess(['search', directory, 'purring', '--json'])).stdout).toBe('[]\n');
    const connectTo = b.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    expect((await inProcess(['resume', directory, '--max-urls', '50', ...connectTo])).code).toBe(0);
    expect(JSON.parse((await inProcess(['search', directory, 'purring', '--json'])).stdout)).toHaveLength(1);
    const deleted = await inProcess(['delete', directory]);
    expect(deleted.stderr).toBe(`deleted ${directory}\n`);
  });
});
