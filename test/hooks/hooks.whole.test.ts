import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { box, type Crawled, fates } from '../crawl/box.js';
import { inProcess } from '../crawl/in-process.js';
import { gossamer, readLines } from '../crawl/support.js';
import { html, linkPage, pathSite, type SiteAnswer } from '../web/site.js';

const page = (title: string, hrefs: string[] = [], prose = '') => html(linkPage(title, hrefs, prose));
const json = (value: unknown): SiteAnswer => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});
const own = box();
let modules = 0;

/** A module of hooks, as its user writes it. */
function hooks(source: string, ending = 'ts'): string[] {
  const file = join(own.folder, `hooks-${modules++}.${ending}`);
  writeFileSync(file, source);
  return ['--hooks', file];
}

const asked = (host: string): string[] => own.web.log.filter((entry) => entry.host === host).map(({ path }) => path);
const dataOf = ({ pages }: Crawled): Record<string, unknown> =>
  Object.fromEntries([...pages.values()].map(({ url, data = null }) => [new URL(url).pathname, data]));

describe('a page hook', () => {
  it('sees a page in every form, returns its data and adds URLs, in TypeScript as it is', async () => {
    own.web.site(
      'page.test',
      pathSite({
        '/': page(
          'Home',
          ['/a?x=1', 'b', '/a?x=1'],
          '<p id=price data-eur="12">Price: <b>12</b> €</p><script>x</script>',
        ),
        '/a?x=1': page('A'),
        '/b': page('B'),
        '/added/c': page('C'),
        '/feed.json': json({ items: ['/added/from-json'] }),
        '/added/from-json': page('D'),
      }),
    );
    const crawled = await own.crawl(
      ['http://page.test/'],
      [
        '--content-types',
        'application/json',
        ...hooks(`
          import { defineHooks, type HookPage } from 'gossamer';
          enum Kind { html, json }
          const price = (page: HookPage): number => Number(page.select('#price')!.attribute('data-eur'));
          export default defineHooks({
            page(page, { add, started }) {
              if (page.html === null) {
                const { items } = page.json as { items: string[] };
                items.forEach((item) => add(item));
                return { kind: Kind[Kind.json], type: page.headers['content-type'], body: page.body.length };
              }
              if (page.url !== 'http://page.test/') return;
              add('added/c', null);
              add('/feed.json', { rank: 0 });
              add('http://elsewhere.test/');
              return {
                kind: Kind[Kind.html], started, status: page.status, price: price(page), links: page.links,
                text: page.text.includes('Price: 12 €') && !page.text.includes('x</'), depth: page.depth,
                all: page.selectAll('a').map((a) => a.text), root: page.document.children[0]!.name, when: new Date(0),
              };
            },
          });`),
      ],
    );
    expect(dataOf(crawled)).toEqual({
      '/': {
        kind: 'html',
        started: null,
        status: 200,
        price: 12,
        links: ['http://page.test/a?x=1', 'http://page.test/b'],
        text: true,
        depth: 0,
        all: ['/a?x=1', 'b', '/a?x=1'],
        root: 'html',
        when: '1970-01-01T00:00:00.000Z',
      },
      '/a': null,
      '/b': null,
      '/added/c': null,
      '/feed.json': { kind: 'json', type: 'application/json', body: 30 },
      '/added/from-json': null,
    });
    expect(crawled.pages.get('http://page.test/added/from-json')).toMatchObject({
      depth: 2,
      parent: 'http://page.test/feed.json',
    });
    const { stdout } = await inProcess(['export', crawled.directory, '--format', 'edges']);
    const added = readLines<{ to: string; kind: string }>(stdout).filter(({ kind }) => kind === 'hook');
    expect(added.map(({ to }) => to)).toContain('http://elsewhere.test/');
    expect(asked('elsewhere.test'), 'what is out of scope is added in vain').toEqual([]);
  });

  it('what it adds is no way around robots.txt', async () => {
    own.web.site(
      'robots.test',
      pathSite({
        '/robots.txt': { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /private' },
        '/': page('Home'),
        '/private': page('Private'),
      }),
    );
    const crawled = await own.crawl(
      ['http://robots.test/'],
      hooks(`export default { page(page, { add }) { add('/private'); } };`),
    );
    expect(fates(crawled.pages)).toMatchObject({ 'http://robots.test/private': 'skipped robots' });
    expect(asked('robots.test')).not.toContain('/private');
  });

  it('may be async: others are read meanwhile, and its page waits; a .mjs may import TypeScript and this package', async () => {
    writeFileSync(join(own.folder, 'three.ts'), 'export const three: number = 3;');
    own.web.site(
      'async.test',
      pathSite({ '/': page('Home', ['/1', '/2', '/3']), '/1': page('1'), '/2': page('2'), '/3': page('3') }),
    );
    // The first of the three waits until the last has been seen.
    const crawled = await own.crawl(
      ['http://async.test/'],
      hooks(
        `
        import { defineHooks } from 'gossamer';
        import { three } from './three.ts';
        const seen = [];
        let go;
        const all = new Promise((resolve) => { go = resolve; });
        export default defineHooks({
          async page({ url }) {
            const { pathname } = new URL(url);
            if (pathname === '/') return;
            if (seen.push(pathname) === three) go();
            await all;
            return { seen: seen.length };
          },
        });`,
        'mjs',
      ),
    );
    expect(dataOf(crawled)).toEqual({ '/': null, '/1': { seen: 3 }, '/2': { seen: 3 }, '/3': { seen: 3 } });
  });
});

describe('a request hook', () => {
  beforeAll(() => {
    own.web.site(
      'ask.test',
      pathSite({ '/': page('Home', ['/yes', '/no', '/bad']), '/yes': page('Y'), '/no': page('N'), '/bad': page('B') }),
    );
  });

  it('adds headers to one request, and skips another with a reason that is kept', async () => {
    const crawled = await own.crawl(
      ['http://ask.test/'],
      hooks(`export default {
        async request({ url, method, kind, depth, attempt }) {
          await null;
          if (url.endsWith('/no')) return { skip: 'not today' };
          return { headers: { 'X-Asked': [method, kind, depth, attempt].join(' ') } };
        },
      };`),
    );
    const sent = Object.fromEntries(
      own.web.log.filter(({ host }) => host === 'ask.test').map(({ path, headers }) => [path, headers['x-asked']]),
    );
    expect(sent).toMatchObject({ '/': 'GET page 0 1', '/yes': 'GET page 1 1', '/robots.txt': undefined });
    expect(asked('ask.test')).not.toContain('/no');
    expect(crawled.pages.get('http://ask.test/no')).toMatchObject({
      state: 'skipped',
      reason: 'hook',
      message: 'not today',
      attempts: 0,
    });
  });

  it.each([
    ['User-Agent', 'cannot set the header User-Agent: use --user-agent'],
    ['host', 'Header host cannot be set'],
    ['Cookie', 'cannot set the header Cookie: cookies are set in start'],
    ['If-None-Match', 'cannot set the header If-None-Match'],
    ['X\\r\\nY', 'is not a name of a header'],
  ])('that sets %j fails its page, and nothing is sent', async (name, words) => {
    own.web.clearLog();
    const crawled = await own.crawl(
      ['http://ask.test/'],
      hooks(`export default {
        request: ({ url }) => url.endsWith('/bad') ? { headers: { "${name}": 'x' } } : undefined };`),
    );
    expect(crawled.pages.get('http://ask.test/bad')).toMatchObject({ state: 'failed', reason: 'hook' });
    expect(crawled.pages.get('http://ask.test/bad')!.message).toContain(words);
    expect(asked('ask.test')).not.toContain('/bad');
    expect(asked('ask.test')).toContain('/yes');
  });
});

describe('a link hook', () => {
  it('skips links with reasons; a URL is asked for where another link to it is followed', async () => {
    own.web.site(
      'link.test',
      pathSite({
        '/': page('Home', ['/login', '/print', '/a', 'http://out.test/']),
        '/a': page('A', ['/print']),
        '/login': page('L'),
        '/print': page('P'),
      }),
    );
    const crawled = await own.crawl(
      ['http://link.test/'],
      hooks(`
        const seen = [];
        export default {
          link(link, page) {
            if (link.url.includes('out.test')) return { skip: 'elsewhere' };
            if (link.url.endsWith('/login')) return { skip: 'login pages' };
            if (link.url.endsWith('/print') && page.url === 'http://link.test/') return false;
            if (link.kind !== 'a' || link.rel !== '' || link.text !== null) throw new Error('odd link');
          },
        };`),
    );
    expect(fates(crawled.pages)).toEqual({
      'http://link.test/': 'done',
      'http://link.test/a': 'done',
      'http://link.test/login': 'skipped link_hook',
      'http://link.test/print': 'done',
    });
    expect(asked('link.test')).not.toContain('/login');
    const notices = crawled.summary.notices.join('\n');
    expect(notices).toContain('kept 2 links from being followed');
    expect(notices).toContain('login pages (1)');
    // It would not have been followed anyway.
    expect(notices).not.toContain('elsewhere');
    const explained = async (url: string) => (await gossamer(['explain', crawled.directory, url])).stdout;
    expect(await explained('http://link.test/login')).toContain('link: login pages');
    expect(await explained('http://link.test/login')).toContain('skipped by the hook link: login pages');
    expect(await explained('http://link.test/print')).toContain('http://link.test/ (a, skipped by the hook link)');
    const { stdout } = await gossamer(['export', crawled.directory, '--format', 'edges']);
    expect(readLines<{ rel: string }>(stdout).map(({ rel }) => rel)).toEqual(['', '', '', '', '']);
  });

  it('gives ranks, by which --order priority asks', async () => {
    const names = ['/1', '/2', '/3', '/4', '/5'];
    own.web.site(
      'rank.test',
      pathSite({ '/': page('Home', names), ...Object.fromEntries(names.map((name) => [name, page(name)])) }),
    );
    await own.crawl(
      ['http://rank.test/'],
      [
        ...['--order', 'priority', '--max-inflight-per-host', '1', '--workers', '1', '--seeding-strategy', 'none'],
        ...hooks(`export default { link: ({ url }) => 7 - Number(url.at(-1)) };`),
      ],
    );
    expect(asked('rank.test').filter((path) => /\d/.test(path))).toEqual(['/5', '/4', '/3', '/2', '/1']);
  });

  it('that throws fails its page, and of its links those that were not judged are not followed', async () => {
    own.web.site(
      'oops.test',
      pathSite({
        '/': page('Home', ['/a']),
        '/a': page('A', ['/1', '/2', '/3']),
        '/1': page('1'),
        '/2': page('2'),
        '/3': page('3'),
      }),
    );
    const crawled = await own.crawl(
      ['http://oops.test/'],
      hooks(`export default { link({ url }) { if (url.endsWith('/2')) throw new TypeError('oh'); } };`),
    );
    expect(fates(crawled.pages)).toEqual({
      'http://oops.test/': 'done',
      'http://oops.test/1': 'done',
      'http://oops.test/2': 'skipped link_hook',
      'http://oops.test/3': 'skipped link_hook',
      'http://oops.test/a': 'failed hook',
    });
    expect(crawled.pages.get('http://oops.test/a')!.message).toBe('the hook link threw: oh');
  });

  it.each([
    ['8', 'the hook link returned: a rank is a whole number from 0 to 7, got 8'],
    ['Promise.resolve(true)', 'it must answer at once'],
    ['"yes"', "the hook link returns true, false, a rank or { skip: 'why' }, got a string"],
  ])('that returns %s fails its page by name', async (answer, words) => {
    const source = `export default { link: ({ url }) => url.endsWith('/1') ? ${answer} : undefined };`;
    const crawled = await own.crawl(['http://oops.test/'], hooks(source));
    expect(crawled.pages.get('http://oops.test/a')).toMatchObject({ state: 'failed', reason: 'hook' });
    expect(crawled.pages.get('http://oops.test/a')!.message).toContain(words);
  });
});
