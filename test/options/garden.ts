import { html, linkPage, pathSite, type Site, text, urlset, xml } from '../web/site.js';
import type { Seen } from './harness.js';
import { asked } from './questions.js';
import { crawlOf } from './stages.js';

export const page = (title: string, ...hrefs: string[]) => html(linkPage(title, hrefs));

/** One page of everything that the options about input and identity decide on. */
const gardenSite = (): Site =>
  pathSite({
    '/robots.txt': text('User-agent: *\nDisallow: /closed\nUser-agent: mybot\nDisallow: /not-for-mybot\n'),
    '/sitemap.xml': xml(urlset(['http://www.garden.test/docs/only-in-sitemap'])),
    '/docs/only-in-sitemap': page('Only in the sitemap'),
    '/docs/': html(
      `${linkPage('Garden', [
        '/docs/deep/1',
        '/beside',
        '/closed/1',
        '/not-for-mybot',
        '/query?b=2&a=1&utm_source=mail',
        '/marked-by-meta',
        '/marked-by-header',
        'http://sub.www.garden.test/',
        'http://shop.garden.test/',
        'http://elsewhere.test/page',
        `/${'long'.repeat(20)}`,
        '/s/e/g/m/n/t',
        '/r/x/r/y/r',
      ])}<a rel=nofollow href="/marked-by-rel">x</a><img src="/picture.png">`,
    ),
    '/docs/deep/1': page('Deep', '/docs/deep/2'),
    '/docs/deep/2': page('Deeper'),
    '/beside': page('Beside'),
    '/closed/1': page('Closed'),
    '/not-for-mybot': page('Not for mybot'),
    '/query?b=2&a=1&utm_source=mail': page('Query'),
    '/marked-by-rel': page('Marked'),
    '/marked-by-meta': html(
      '<!doctype html><title>Meta</title><meta name=robots content=nofollow><a href="/behind-meta">x</a>',
    ),
    '/marked-by-header': {
      ...page('Header', '/behind-header'),
      headers: { 'content-type': 'text/html', 'x-robots-tag': 'nofollow' },
    },
    '/behind-meta': page('Behind'),
    '/behind-header': page('Behind'),
    '/picture.png': { headers: { 'content-type': 'image/png' }, body: 'no real picture' },
  });

export const GARDEN = 'http://www.garden.test';
export const gardenSites = (): Record<string, Site> => ({
  'www.garden.test': gardenSite(),
  'sub.www.garden.test': pathSite({ '/': page('Below') }),
  'shop.garden.test': pathSite({ '/': page('Next door') }),
  'elsewhere.test': pathSite({ '/page': page('Elsewhere', '/further'), '/further': page('Further') }),
  'second.test': pathSite({ '/': page('Second') }),
});

/** The crawl that most rows look at: with no value it is the same for all of them, and played once. */
export const garden = crawlOf({ name: 'garden', sites: gardenSites, seeds: [`${GARDEN}/docs/`] });

/** Which of these were asked for. */
export const has = (seen: Seen, ...urls: string[]): boolean[] => {
  const all = new Set(asked(seen));
  return urls.map((url) => all.has(url));
};
