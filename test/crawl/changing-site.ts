import { createHash } from 'node:crypto';
import {
  html,
  linkPage,
  notFound,
  redirect,
  type Site,
  type SiteAnswer,
  type SiteRequest,
  text,
  type WholeAnswer,
  xml,
} from '../web/site.js';

export const HOST = 'news.test';
export const ORIGIN = `http://${HOST}`;
const PAGES = 500;

/** A site that says of each page whether it has changed, and whose pages can be changed, added and removed. */
export class ChangingSite implements Site {
  /** Pages by path: what stands on them. */
  readonly pages = new Map<string, string>();
  /** Headers of some pages, beside their tag. */
  readonly headers = new Map<string, Record<string, string>>();
  readonly others = new Map<string, SiteAnswer>();
  /** Pages that tell the date of their last change, and have no tag. */
  readonly dated = new Set<string>();
  /** Each answer, as path and status. */
  readonly answered: { path: string; status: number }[] = [];
  onAnswer: (() => void) | null = null;

  handle(request: SiteRequest): SiteAnswer {
    const answer = this.#answer(request);
    this.answered.push({ path: request.path, status: answer.status ?? 200 });
    this.onAnswer?.();
    return answer;
  }

  /** Paths that were answered so since the last question, in alphabetical order; nothing stands in it twice. */
  takePaths(isWanted: (status: number) => boolean): string[] {
    return [...new Set(this.answered.filter(({ status }) => isWanted(status)).map(({ path }) => path))].sort();
  }

  #answer({ path, headers }: SiteRequest): WholeAnswer {
    const body = this.pages.get(path);
    if (body === undefined) {
      return (this.others.get(path) as WholeAnswer | undefined) ?? notFound;
    }
    const own = this.headers.get(path) ?? {};
    const hash = createHash('sha256').update(body).digest('hex').slice(0, 16);
    const validator = this.dated.has(path)
      ? { 'last-modified': new Date(1_000 * (1_500_000_000 + Number.parseInt(hash.slice(0, 6), 16))).toUTCString() }
      : { etag: `"${hash}"` };
    const [value] = Object.values(validator) as [string];
    const isSame = this.dated.has(path)
      ? headers['if-none-match'] === undefined && headers['if-modified-since'] === value
      : headers['if-none-match'] === value;
    const said = { ...validator, ...own };
    return isSame ? { status: 304, headers: said } : { ...html(body), headers: { ...html('').headers, ...said } };
  }
}

const pathOf = (n: number): string => (n === 0 ? '/' : `/p${n}`);

/** So many pages of which each leads to some others, and one of everything that pages can have. */
export function changingSite(): ChangingSite {
  const site = new ChangingSite();
  for (let n = 0; n < PAGES; n++) {
    const next = [2 * n + 1, 2 * n + 2, n + 1, (n * 7) % PAGES].filter((target) => target < PAGES).map(pathOf);
    site.pages.set(pathOf(n), linkPage(`Page ${n}`, next, `Words of page ${n}.`));
    if (n % 5 === 4) {
      site.dated.add(pathOf(n));
    }
  }
  site.pages.set(
    '/',
    `<!doctype html><html lang="en"><title>Home</title><meta name="description" content="All of it.">
     <link rel="canonical" href="${ORIGIN}/"><link rel="alternate" type="application/rss+xml" href="/feed.xml"><h1>Home</h1>
     <a href="/p1">one</a> <a href="/p2" rel="nofollow sponsored">two</a> <a href="/old">moved</a> <a href="/gone">gone</a>
     <a href="/private/x">forbidden</a> <a href="/paper.pdf">paper</a> <a href="/silent">silent</a> <a href="/quiet">quiet</a>
     <a href="http://elsewhere.test/far">far</a> <a href="mailto:me@news.test">me</a> <a href="/p1?utm_source=x">one</a>
     <a href="/p1#part">part</a><img src="/logo.png"><script src="/code.js"></script><form action="/search"></form>`,
  );
  site.pages.set(
    '/silent',
    '<!doctype html><title>Silent</title><meta name="robots" content="nofollow"><a href="/unfollowed">x</a>',
  );
  site.pages.set('/quiet', '<!doctype html><title>Quiet</title><a href="/unfollowed">x</a><a href="/p3">y</a>');
  site.headers.set('/quiet', { 'x-robots-tag': 'nofollow' });
  site.pages.set('/from-feed', linkPage('From a feed', ['/p9']));
  site.others.set('/robots.txt', text('User-agent: *\nDisallow: /private\nSitemap: /sitemap.xml\n'));
  site.others.set(
    '/sitemap.xml',
    xml(`<urlset><url><loc>${ORIGIN}/p5</loc></url><url><loc>${ORIGIN}/p499</loc></url></urlset>`),
  );
  site.others.set('/feed.xml', {
    headers: { 'content-type': 'application/rss+xml' },
    body: `<rss version="2.0"><channel><item><link>${ORIGIN}/from-feed</link></item></channel></rss>`,
  });
  site.others.set('/old', redirect('/p7'));
  site.others.set('/paper.pdf', { headers: { 'content-type': 'application/pdf', etag: '"pdf"' }, body: '%PDF-1.4' });
  return site;
}

/** Three pages are other than they were, two are new, and one is gone with the links to it. */
export function change(site: ChangingSite): { changed: string[]; added: string[]; removed: string[] } {
  const edit = (path: string, from: string | RegExp, to: string): void => {
    site.pages.set(path, site.pages.get(path)!.replace(from, to));
  };
  edit('/p10', 'Words of page 10.', 'Other words.');
  edit('/p20', /Page 20/g, 'Page twenty');
  edit('/p30', '</ul>', '<li><a href="/new1">new1</a></li><li><a href="/new2">new2</a></li></ul>');
  site.pages.set('/new1', linkPage('New 1', ['/p1']));
  site.pages.set('/new2', linkPage('New 2', ['/']));
  site.pages.delete('/from-feed');
  site.others.set('/feed.xml', {
    headers: { 'content-type': 'application/rss+xml' },
    body: '<rss version="2.0"><channel></channel></rss>',
  });
  return { changed: ['/p10', '/p20', '/p30'], added: ['/new1', '/new2'], removed: ['/from-feed'] };
}
