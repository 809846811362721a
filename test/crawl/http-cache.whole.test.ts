import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  html,
  linkPage,
  pathSite,
  redirect,
  type SiteAnswer,
  type SiteRequest,
  text,
  type WholeAnswer,
} from '../web/site.js';
import { box, type Crawled } from './box.js';
import { inProcess } from './in-process.js';

const web = box();
let caches = 0;
/** A cache of its own for each test. */
let cache: string;
beforeEach(() => {
  cache = join(web.folder, `cache-${caches++}`);
  web.web.clearLog();
});

const page = (...links: string[]): WholeAnswer => html(linkPage('A page', links, 'words'));
const withHeaders = (answer: WholeAnswer, headers: Record<string, string>): WholeAnswer => ({
  ...answer,
  headers: { ...answer.headers, ...headers },
});
const FRESH = { 'cache-control': 'max-age=3600' };
const fresh = (answer: WholeAnswer): WholeAnswer => withHeaders(answer, FRESH);

const PLAIN = ['--seeding-strategy', 'none', '--retries', '0'];
const crawl = (args: readonly string[] = [], expected: { code?: number } = {}): Promise<Crawled> =>
  web.crawl(['http://cache.test/'], [...PLAIN, '--http-cache', cache, ...args], expected);
/** Paths that the server was asked for since the log was emptied. */
function asked(): string[] {
  const paths = web.web.log.map(({ path, status }) => (status === 304 ? `${path} (304)` : path));
  web.web.clearLog();
  return paths.sort();
}
const site = (answers: Record<string, SiteAnswer | ((request: SiteRequest) => SiteAnswer)>): void =>
  web.web.site('cache.test', pathSite({ '/robots.txt': fresh(text('User-agent: *\nDisallow: /no\n')), ...answers }));

/** All files of the cache, with their content. */
function filesOf(kind: 'entries' | 'bodies'): Map<string, string> {
  const files = new Map<string, string>();
  for (const folder of readdirSync(join(cache, kind))) {
    for (const name of readdirSync(join(cache, kind, folder))) {
      files.set(join(cache, kind, folder, name), readFileSync(join(cache, kind, folder, name), 'latin1'));
    }
  }
  return files;
}

/** What a crawl found, whichever way it came. */
const essence = ({ pages }: Crawled) =>
  [...pages.values()].map(({ url, state, status, hash, links, title }) => ({ url, state, status, hash, links, title }));

describe('--http-cache', () => {
  it('asks nobody for what is fresh, robots.txt, redirects and files included, and finds the same', async () => {
    site({
      '/': fresh(page('/a', '/old', '/gone', '/file.pdf', '/no')),
      '/a': fresh(page('/')),
      '/old': fresh(redirect('/a')),
      '/gone': withHeaders(html('Gone.', 404), FRESH),
      '/file.pdf': fresh({ headers: { 'content-type': 'application/pdf' }, body: '%PDF' }),
    });
    const first = await crawl();
    expect(asked()).toEqual(['/', '/a', '/file.pdf', '/gone', '/old', '/robots.txt']);
    expect(first.summary).toMatchObject({ requests: 6, cached: 0 });
    const second = await crawl();
    expect(asked()).toEqual([]);
    expect(second.summary).toMatchObject({ requests: 0, cached: 6, done: first.summary.done });
    expect(essence(second)).toEqual(essence(first));
    expect(second.run.stderr).toContain('6 more from the cache');
  });

  it('asks whether what is stale has changed, by ETag and by date, and tells again what has not', async () => {
    let version = 1;
    const tagged = ({ headers }: SiteRequest): SiteAnswer =>
      headers['if-none-match'] === `"v${version}"`
        ? { status: 304, headers: { etag: `"v${version}"`, 'cache-control': 'max-age=0' } }
        : withHeaders(page(`/v${version}`), { etag: `"v${version}"`, 'cache-control': 'max-age=0' });
    const DATE = 'Wed, 01 Jan 2020 00:00:00 GMT';
    const dated = ({ headers }: SiteRequest): SiteAnswer =>
      headers['if-modified-since'] === DATE
        ? { status: 304, headers: { 'cache-control': 'no-cache' } }
        : withHeaders(page(), { 'last-modified': DATE, 'cache-control': 'no-cache' });
    site({
      '/': fresh(page('/tagged', '/dated')),
      '/tagged': tagged,
      '/dated': dated,
      '/v1': fresh(page()),
      '/v2': fresh(page()),
    });
    const first = await crawl();
    asked();
    const second = await crawl();
    expect(asked()).toEqual(['/dated (304)', '/tagged (304)']);
    expect(essence(second)).toEqual(essence(first));
    expect(second.summary).toMatchObject({ requests: 2, cached: 3 });
    version = 2;
    expect([...(await crawl()).pages.keys()]).toContain('http://cache.test/v2');
    expect(asked()).toEqual(['/dated (304)', '/tagged', '/v2']);
  });

  it('takes from a 304 for how long the answer is good', async () => {
    site({
      '/': ({ headers }) =>
        headers['if-none-match'] === '"x"'
          ? { status: 304, headers: FRESH }
          : withHeaders(page(), { etag: '"x"', 'cache-control': 'no-cache' }),
    });
    await crawl();
    await crawl();
    expect(asked()).toEqual(['/', '/ (304)', '/robots.txt']);
    await crawl();
    expect(asked()).toEqual([]);
  });

  it('keeps nothing that HTTP forbids: no-store, partial and failed answers, those that vary by everything', async () => {
    const secret = 'this-must-not-be-kept';
    site({
      '/': fresh(page('/unkept', '/vary', '/broken', '/error', '/private')),
      '/unkept': withHeaders(html(secret), { 'cache-control': 'no-store' }),
      '/vary': withHeaders(html(secret), { ...FRESH, vary: '*' }),
      '/broken': {
        headers: { ...FRESH, 'content-type': 'text/html', 'content-length': '9999' },
        pieces: (n) => (n === 0 ? secret : null),
        everyMs: 0,
        end: 'reset',
      },
      '/error': withHeaders(html(secret, 500), FRESH),
      '/private': withHeaders(page(), { 'cache-control': 'private, max-age=3600' }),
    });
    await crawl(['--max-backoff', '1s']);
    asked();
    await crawl(['--max-backoff', '1s']);
    expect(asked()).toEqual(['/broken', '/error', '/unkept', '/vary']);
    for (const content of [...filesOf('bodies').values(), ...filesOf('entries').values()]) {
      expect(content).not.toContain(secret);
    }
  });

  it('keeps what differs by headers apart', async () => {
    site({
      '/': ({ headers }) => withHeaders(page(`/${headers['user-agent']}`), { ...FRESH, vary: 'User-Agent' }),
      '/one': fresh(page()),
      '/two': fresh(page()),
    });
    const as = async (agent: string): Promise<string[]> => [...(await crawl(['--user-agent', agent])).pages.keys()];
    expect(await as('one')).toContain('http://cache.test/one');
    expect(await as('two')).toContain('http://cache.test/two');
    asked();
    expect(await as('one')).toContain('http://cache.test/one');
    expect(await as('two')).toContain('http://cache.test/two');
    expect(asked()).toEqual([]);
  });

  it('neither keeps nor tells answers to requests with credentials, and keeps no cookie', async () => {
    site({
      '/': ({ headers }) =>
        withHeaders(page(`/${headers.authorization === undefined ? 'public' : 'inner'}`), {
          ...FRESH,
          'set-cookie': 'session=abc123',
        }),
      '/inner': fresh(page()),
      '/public': fresh(page()),
    });
    const open = await crawl();
    expect([...open.pages.keys()]).toContain('http://cache.test/public');
    asked();
    const inner = await crawl(['--user', 'me:hunter2']);
    expect([...inner.pages.keys()]).toContain('http://cache.test/inner');
    expect(asked()).toEqual(['/', '/inner', '/robots.txt']);
    expect([...(await crawl()).pages.keys()]).toContain('http://cache.test/public');
    expect(asked()).toEqual([]);
    const kept = [...filesOf('entries').values(), ...filesOf('bodies').values()].join('\n');
    expect(kept).not.toMatch(/abc123|hunter2|bWU6aHVudGVyMg|inner/);
  });

  it('is not paced: an hour of delay costs nothing where nobody is asked', async () => {
    site({ '/': fresh(page('/a', '/b', '/c')), '/a': fresh(page()), '/b': fresh(page()), '/c': fresh(page()) });
    await crawl();
    asked();
    const { summary } = await crawl(['--delay', '1h', '--duration', '20s']);
    expect(asked()).toEqual([]);
    expect(summary).toMatchObject({ done: 4, cached: 5 });
  });

  it('asks whether robots.txt has changed after a day, whatever its server says', async () => {
    let robots = 'User-agent: *\nDisallow: /no\n';
    web.web.site(
      'cache.test',
      pathSite({
        '/robots.txt': () => withHeaders(text(robots), { 'cache-control': 'max-age=31536000', age: '90000' }),
        '/': fresh(page('/no')),
        '/no': fresh(page()),
      }),
    );
    await crawl();
    robots = 'User-agent: *\nDisallow:\n';
    asked();
    expect((await crawl()).pages.get('http://cache.test/no')).toMatchObject({ state: 'done' });
    expect(asked()).toEqual(['/no', '/robots.txt']);
  });

  it('has a body once, however many URLs have it, and mends what is damaged', async () => {
    const same = fresh(html('<!doctype html><title>Same</title><p>The very same.'));
    site({ '/': fresh(page('/a', '/b')), '/a': same, '/b': same });
    const first = await crawl();
    expect(filesOf('bodies').size).toBe(3);
    asked();
    for (const path of filesOf('bodies').keys()) {
      writeFileSync(path, 'damaged');
    }
    expect(essence(await crawl())).toEqual(essence(first));
    expect(asked()).toEqual(['/', '/a', '/b', '/robots.txt']);
    for (const path of filesOf('entries').keys()) {
      writeFileSync(path, '{"version":1,');
    }
    expect(essence(await crawl())).toEqual(essence(first));
    expect(asked()).toHaveLength(4);
    expect(essence(await crawl())).toEqual(essence(first));
    expect(asked()).toEqual([]);
  });

  it('stays within its size: what was not used for longest goes, and files of others stay', async () => {
    const large = (n: number) => fresh(html(`<!doctype html><title>${n}</title>${String(n).repeat(300_000)}`));
    const paths = ['/1', '/2', '/3', '/4', '/5'];
    site({ '/': fresh(page(...paths)), ...Object.fromEntries(paths.map((path, i) => [path, large(i + 1)])) });
    await crawl();
    const other = join(cache, 'mine.txt');
    writeFileSync(other, 'x'.repeat(2_000_000));
    const old = [...filesOf('bodies')].find(([, content]) => content.includes('<title>3</title>'))![0];
    utimesSync(old, 1, 1);
    asked();
    await web.crawl(
      ['http://cache.test/1'],
      [...PLAIN, '--scope', 'page', '--http-cache', cache, '--http-cache-size', '1MiB'],
    );
    const left = [...filesOf('bodies').keys()];
    expect(left).not.toContain(old);
    const bytes = [...left, ...filesOf('entries').keys()].reduce((sum, path) => sum + statSync(path).size, 0);
    expect(bytes).toBeLessThanOrEqual(1_048_576);
    expect(statSync(other).size).toBe(2_000_000);
    // The one that was just used is there.
    expect([...filesOf('bodies').values()].some((content) => content.includes('<title>1</title>'))).toBe(true);
  });

  it('is shared by several runs at once', async () => {
    const paths = Array.from({ length: 40 }, (_, i) => `/p${i}`);
    site({ '/': fresh(page(...paths)), ...Object.fromEntries(paths.map((path) => [path, fresh(page('/'))])) });
    const runs = await Promise.all([crawl(), crawl(['--parse-workers', '2']), crawl()]);
    for (const run of runs) {
      expect(run.summary.done).toBe(41);
    }
    asked();
    expect(essence(await crawl())).toEqual(essence(runs[0]!));
    expect(asked()).toEqual([]);
  });

  it('works in threads, too', async () => {
    const paths = Array.from({ length: 150 }, (_, i) => `/t${i}`);
    site({ '/': fresh(page(...paths)), ...Object.fromEntries(paths.map((path) => [path, fresh(page('/'))])) });
    await crawl(['--parse-workers', '2']);
    asked();
    const { summary } = await crawl(['--parse-workers', '2']);
    expect(asked()).toEqual([]);
    expect(summary).toMatchObject({ requests: 0, cached: 152, done: 151 });
  });
});

describe('--http-cache-only', () => {
  it('asks nobody at all: what is stale is told as it is, and what is not there fails by name', async () => {
    site({
      '/': withHeaders(page('/a', '/unknown'), { 'cache-control': 'max-age=0' }),
      '/a': withHeaders(page(), { etag: '"a"', 'cache-control': 'no-cache' }),
    });
    await crawl(['--exclude', '**/unknown']);
    asked();
    const { pages, summary } = await crawl(['--http-cache-only']);
    expect(asked()).toEqual([]);
    expect(summary).toMatchObject({ done: 2, failed: 1, requests: 0, cached: 3, byClass: { not_cached: 1 } });
    expect(pages.get('http://cache.test/unknown')).toMatchObject({
      state: 'failed',
      reason: 'not_cached',
      message: 'It is not in the cache, and --http-cache-only asks nobody.',
    });
  });

  it('needs no robots.txt of those whom it does not ask', async () => {
    web.web.site('cache.test', pathSite({ '/robots.txt': text('no', 403), '/': fresh(page()) }));
    await crawl();
    asked();
    expect((await crawl(['--http-cache-only'])).summary).toMatchObject({ done: 1, requests: 0 });
    expect(asked()).toEqual([]);
  });

  it('ends with exit code 4 where the cache is empty, and is refused without one', async () => {
    const { run } = await crawl(['--http-cache-only'], { code: 4 });
    expect(run.stderr).toContain('was not asked for: It is not in the cache');
    expect(asked()).toEqual([]);
    expect(await inProcess(['crawl', 'http://cache.test/', '--http-cache-only'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--http-cache-only needs a cache to answer from: --http-cache DIR'),
    });
    const asks = [
      'crawl',
      'http://cache.test/',
      '--http-cache',
      cache,
      '--http-cache-only',
      '--seeding-strategy',
      'ct',
    ];
    expect(await inProcess(asks)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--http-cache-only asks nobody, and --seeding-strategy asks others'),
    });
  });
});

describe('a cache in other commands', () => {
  const network = (): string[] => [
    ...web.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]),
    '--delay',
    '0',
  ];

  it('answers a check, and what it does not have is unchecked', async () => {
    site({ '/': fresh(page('/a', '/missing', '/late')), '/a': fresh(page()), '/missing': fresh(html('no', 404)) });
    const check = async (...args: string[]) => {
      const settings = ['--second-look-budget', '0', '--format', 'json', '-q', ...PLAIN.slice(2)];
      const run = await inProcess([
        ...['check', 'http://cache.test/', ...network(), ...settings, '--http-cache', cache, ...args],
      ]);
      const { links } = JSON.parse(run.stdout) as { links: { url: string; verdict: string; unchecked?: string }[] };
      return new Map(links.map(({ url, verdict, unchecked }) => [url, unchecked ?? verdict]));
    };
    await check('--exclude', '**/late');
    asked();
    const told = await check('--http-cache-only', '--include', 'http://cache.test/**');
    expect(asked()).toEqual([]);
    expect(told.get('http://cache.test/late')).toBe('cache');
    expect(told.get('http://cache.test/missing')).not.toBe('cache');
  });

  it('answers docs', async () => {
    site({ '/docs/': fresh(page('/docs/a')), '/docs/a': fresh(page()) });
    const docs = (name: string, ...args: string[]) =>
      inProcess([
        'docs',
        'http://cache.test/docs/',
        ...network(),
        '--data-dir',
        join(web.folder, `${name}-data`),
        '--output',
        join(web.folder, name),
        '--render',
        'never',
        '--http-cache',
        cache,
        ...args,
      ]);
    expect((await docs('docs-1')).code).toBe(0);
    expect(asked().length).toBeGreaterThan(2);
    expect((await docs('docs-2', '--http-cache-only')).code).toBe(0);
    expect(asked()).toEqual([]);
    const read = (name: string) => readFileSync(join(web.folder, name, 'llms.txt'), 'utf8');
    expect(read('docs-2')).toBe(read('docs-1'));
  });
});
