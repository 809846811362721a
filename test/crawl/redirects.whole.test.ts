import { beforeAll, describe, expect, it } from 'vitest';
import { requestsTo } from '../web/judge.js';
import { html, linkPage, pathSite, redirect, type SiteAnswer, text } from '../web/site.js';
import { box, type Crawled } from './box.js';

const page = (title: string, hrefs: string[] = []) => html(linkPage(title, hrefs));

/** /name-0 → /name-1 → … → `end`, in `hops` hops. */
function chain(name: string, hops: number, end: string): Record<string, SiteAnswer> {
  const statuses = [301, 302, 303, 307, 308];
  const answers: Record<string, SiteAnswer> = {};
  for (let hop = 0; hop < hops; hop++) {
    answers[`/${name}-${hop}`] = redirect(hop + 1 === hops ? end : `/${name}-${hop + 1}`, statuses[hop % 5]);
  }
  return answers;
}

describe('redirects', () => {
  const own = box();
  let crawled: Crawled;
  const at = (path: string) => `http://moved.test${path}`;
  const entry = (path: string) => crawled.pages.get(at(path));

  beforeAll(async () => {
    const starts = [
      '/long-0',
      '/long-5',
      '/other-0',
      '/ring-a',
      '/into-ring',
      '/self',
      '/away',
      '/forbidden',
      '/host-0',
      '/dead',
    ];
    const odd = ['/fragment', '/mailto', '/no-url', '/nowhere', '/relative/x', '/private-address'];
    own.web.site(
      'moved.test',
      pathSite({
        '/robots.txt': text('User-agent: *\nDisallow: /closed\n'),
        '/': page('Home', [...starts, ...odd, '/deep']),
        ...chain('long', 12, '/end'),
        ...chain('other', 3, '/long-10'),
        '/end': page('The end', ['/after']),
        '/after': page('After'),
        '/ring-a': redirect('/ring-b'),
        '/ring-b': redirect('/ring-c', 302),
        '/ring-c': redirect('/ring-a', 307),
        '/into-ring': redirect('/ring-b'),
        '/self': redirect('/self'),
        '/away': redirect('http://elsewhere.test/page'),
        '/forbidden': redirect('/closed/page'),
        '/closed/page': page('Closed'),
        '/host-0': redirect('http://sub.moved.test/host-1'),
        '/host-2': page('Back again'),
        '/dead': redirect('/missing'),
        '/fragment': redirect('/end#middle'),
        '/mailto': redirect('mailto:someone@example.org'),
        '/no-url': redirect('http://[broken/'),
        '/nowhere': { status: 302 },
        '/relative/x': redirect('../relative/./y?q=1'),
        '/relative/y?q=1': page('Relative'),
        '/private-address': redirect('http://169.254.169.254/latest/meta-data/'),
        '/deep': page('Deep', ['/deeper-0']),
        '/deeper-0': redirect('/deeper-end'),
        '/deeper-end': page('Deeper'),
      }),
    );
    own.web.site('sub.moved.test', pathSite({ '/host-1': redirect('http://moved.test/host-2', 308) }));
    own.web.site('elsewhere.test', pathSite({ '/page': page('Elsewhere') }));
    crawled = await own.crawl(['http://moved.test/']);
  }, 60_000);

  it('of a chain are each done, with the end of the chain as their final URL, at the depth of its start', () => {
    for (let hop = 0; hop < 12; hop++) {
      expect(entry(`/long-${hop}`), String(hop)).toMatchObject({ state: 'done', finalUrl: at('/end'), depth: 1 });
      expect(entry(`/long-${hop}`)!.status, String(hop)).toBe([301, 302, 303, 307, 308][hop % 5]);
    }
    expect(entry('/end')).toMatchObject({ state: 'done', status: 200, finalUrl: at('/end'), depth: 1 });
    expect(entry('/after')).toMatchObject({ state: 'done', depth: 2 });
    expect(entry('/other-0')).toMatchObject({ state: 'done', finalUrl: at('/end') });
    expect(entry('/deeper-0')).toMatchObject({ depth: 2, finalUrl: at('/deeper-end') });
    expect(entry('/deeper-end')).toMatchObject({ depth: 2 });
  });

  it('lead to each target once, however many point at it', () => {
    for (const path of [
      '/end',
      '/long-5',
      '/long-10',
      '/ring-a',
      '/ring-b',
      '/ring-c',
      '/self',
      '/host-2',
      '/relative/y?q=1',
    ]) {
      expect(requestsTo(own.web.log, 'moved.test', path), path).toHaveLength(1);
    }
  });

  it('that run in a circle, or lead into one, fail as a loop', () => {
    for (const path of ['/ring-a', '/ring-b', '/ring-c', '/into-ring', '/self']) {
      expect(entry(path), path).toMatchObject({ state: 'failed', reason: 'redirect_loop' });
    }
  });

  it('out of the scope end at the URL they point to, which is not asked for', () => {
    expect(entry('/away')).toMatchObject({ state: 'done', finalUrl: 'http://elsewhere.test/page' });
    expect(requestsTo(own.web.log, 'elsewhere.test')).toEqual([]);
    expect(entry('/private-address')).toMatchObject({
      state: 'done',
      finalUrl: 'http://169.254.169.254/latest/meta-data/',
    });
  });

  it('to what robots.txt forbids end there, and it is not asked for', () => {
    expect(entry('/forbidden')).toMatchObject({ state: 'done', finalUrl: at('/closed/page') });
    expect(entry('/closed/page')).toMatchObject({ state: 'skipped', reason: 'robots' });
    expect(requestsTo(own.web.log, 'moved.test', '/closed/page')).toEqual([]);
  });

  it('go from host to host within the scope', () => {
    expect(entry('/host-0')).toMatchObject({ state: 'done', finalUrl: at('/host-2') });
    expect(crawled.pages.get('http://sub.moved.test/host-1')).toMatchObject({ state: 'done', finalUrl: at('/host-2') });
  });

  it('are read as any link is: relative, with a fragment, or no URL at all', () => {
    expect(entry('/relative/x')).toMatchObject({ state: 'done', finalUrl: at('/relative/y?q=1') });
    expect(entry('/fragment')).toMatchObject({ state: 'done', finalUrl: at('/end') });
    expect(entry('/no-url')).toMatchObject({ state: 'failed', reason: 'invalid_url' });
    expect(entry('/mailto')).toMatchObject({ state: 'done', status: 301 });
    expect(entry('/nowhere')).toMatchObject({ state: 'failed', reason: 'invalid_url', status: 302 });
    expect(entry('/dead')).toMatchObject({ state: 'done', finalUrl: at('/missing') });
    expect(entry('/missing')).toMatchObject({ state: 'failed', reason: 'http_4xx' });
  });
});

describe('--max-redirects', () => {
  const own = box();

  it('ends a chain that is longer, and says redirect_limit for what cannot be followed to its end', async () => {
    own.web.site(
      'chain.test',
      pathSite({ '/': page('Home', ['/c-0']), ...chain('c', 8, '/end'), '/end': page('End') }),
    );
    const { pages } = await own.crawl(['http://chain.test/'], ['--max-redirects', '3']);
    expect(pages.get('http://chain.test/c-0')).toMatchObject({ state: 'failed', reason: 'redirect_limit' });
    const asked = requestsTo(own.web.log, 'chain.test').map(({ path }) => path);
    expect(asked.filter((path) => path.startsWith('/c-'))).toHaveLength(4);
    expect(asked).not.toContain('/end');
  });

  it('is 100 unless given, and 0 follows a chain of any length', async () => {
    own.web.site(
      'endless.test',
      pathSite({ '/': page('Home', ['/c-0']), ...chain('c', 130, '/end'), '/end': page('End') }),
    );
    const limited = await own.crawl(['http://endless.test/']);
    expect(limited.pages.get('http://endless.test/c-0')).toMatchObject({ state: 'failed', reason: 'redirect_limit' });
    expect(limited.pages.has('http://endless.test/end')).toBe(false);
    const free = await own.crawl(['http://endless.test/'], ['--max-redirects', '0']);
    expect(free.pages.get('http://endless.test/c-0')).toMatchObject({
      state: 'done',
      finalUrl: 'http://endless.test/end',
    });
  });
});
