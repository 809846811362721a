import { join } from 'node:path';
import { crawl, readCrawl } from 'gossamer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../crawl/support.js';
import { html, linkPage, pathSite, text } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { collect } from './support.js';

const folder = temporaryFolder();
let web: WebInABox;

const PATHS = Array.from({ length: 100 }, (_, n) => `/p${n}`);
/** More than what is copied between threads. */
const LONG = 'long '.repeat(20_000);

beforeAll(async () => {
  web = await openWeb();
  web.site(
    'pages.test',
    pathSite({
      '/': html(linkPage('Home', [...PATHS, '/data.txt', '/long', '/latin'])),
      ...Object.fromEntries(PATHS.map((path) => [path, html(linkPage(`Page ${path}`, []))])),
      '/data.txt': text('plain text'),
      '/long': html(linkPage('Long', [], LONG)),
      '/latin': {
        headers: { 'content-type': 'text/html; charset=latin1' },
        body: Buffer.from('<h1>\xe9t\xe9</h1>', 'latin1'),
      },
    }),
  );
});

afterAll(async () => {
  await web.close();
  folder.remove();
});

const SITE = () => ({ seeds: ['http://pages.test/'], delayMs: 0, connectTo: web.connectTo, seedingStrategy: 'none' });

describe('onPage', () => {
  it('sees every page with its HTML, once it is committed and before it is given out', async () => {
    const directory = join(folder.path, 'seen');
    const seen = new Map<string, string>();
    const late: string[] = [];
    let wasCommitted = false;
    const run = crawl({
      ...SITE(),
      dataDir: directory,
      contentTypes: ['text/plain'],
      onPage(page, { html: source, document, text: words, body }) {
        const { pathname } = new URL(page.url);
        if (pathname === '/p50') {
          const kept = readCrawl(directory);
          wasCommitted = [...kept.pages()].some(({ url, state }) => url === page.url && state === 'done');
          kept.close();
        }
        const title = source === null ? body : (document.select('h1')?.text ?? 'none');
        seen.set(pathname, pathname === '/long' ? `${title} ${words.includes(LONG.trim())}` : title);
      },
    });
    for await (const { url } of run) {
      late.push(...(seen.has(new URL(url).pathname) ? [] : [url]));
    }
    expect(late).toEqual([]);
    expect(wasCommitted).toBe(true);
    expect(Object.fromEntries(seen)).toEqual({
      '/': 'Home',
      ...Object.fromEntries(PATHS.map((path) => [path, `Page ${path}`])),
      '/data.txt': 'plain text',
      '/long': 'Long true',
      '/latin': 'été',
    });
  });

  it('sets the pace: while it has not come back nothing more is asked for', async () => {
    web.clearLog();
    let goOn = (): void => {};
    const calls: string[] = [];
    let first = (): void => {};
    const called = new Promise<void>((resolve) => {
      first = resolve;
    });
    const run = crawl({
      ...SITE(),
      workers: 2,
      onPage: ({ url }) => {
        calls.push(url);
        first();
        return calls.length > 1 ? undefined : new Promise<void>((resolve) => (goOn = resolve));
      },
    });
    const finished = run.finished;
    await called;
    const asked = web.log.length;
    // The commits of the store, and a whole turn of the crawl's own timer, pass meanwhile.
    await new Promise<void>((resolve) => run.on('tick', () => resolve()));
    expect(web.log.length).toBe(asked);
    expect(calls).toHaveLength(1);
    goOn();
    const { summary } = await finished;
    expect(calls).toHaveLength(PATHS.length + 4);
    expect(summary.done).toBe(PATHS.length + 4);
  });

  it('ends the crawl with what it throws', async () => {
    const run = crawl({
      ...SITE(),
      onPage() {
        throw new RangeError('enough');
      },
    });
    await expect(collect(run)).rejects.toThrow('enough');
  });

  it('sees the pages of a fetch of yours', async () => {
    const seen: string[] = [];
    const run = crawl({
      seeds: ['http://own.test/'],
      fetch: () => '<title>x</title><p>Mine</p>',
      onPage: (_page, { select, html: source }) => void seen.push(`${source?.length} ${select('p')?.text}`),
    });
    await run.finished;
    expect(seen).toEqual(['27 Mine']);
  });
});

it('hooks do not go with a fetch or resolve of yours', () => {
  expect(() => crawl({ seeds: ['x'], fetch: () => null, hooks: 'hooks.ts' })).toThrow('hooks run in their own threads');
});
