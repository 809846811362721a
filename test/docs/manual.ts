import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { html, notFound, type Site, type SiteAnswer, type SiteRequest, text } from '../web/site.js';

export interface ManualPage {
  title: string;
  /** HTML of what a person came to read. */
  body: string;
}

export interface ManualOptions {
  /** What the pages can be asked with when they are asked again. */
  validators?: 'etag' | 'last-modified' | 'none';
  /** Named in a sitemap; left out: there is none. Of each page a lastmod, or null. */
  sitemap?: (path: string) => string | null;
  /** Before an answer is given. */
  afterMs?: (path: string) => number;
  robots?: string;
}

/** A documentation site that can be changed while it stands: each page has navigation on it, and a footer. */
export class Manual implements Site {
  readonly pages = new Map<string, ManualPage>();
  readonly #options: ManualOptions;

  constructor(pages: Iterable<readonly [string, ManualPage]>, options: ManualOptions = {}) {
    for (const [path, page] of pages) {
      this.pages.set(path, page);
    }
    this.#options = options;
  }

  handle(request: SiteRequest): SiteAnswer {
    const answer = this.#answer(request);
    return { ...answer, afterMs: this.#options.afterMs?.(request.path) ?? 0 };
  }

  #answer({ path, origin, headers }: SiteRequest): SiteAnswer {
    const { robots, sitemap, validators = 'etag' } = this.#options;
    if (path === '/robots.txt' && robots !== undefined) {
      return text(robots);
    }
    if (path === '/sitemap.xml' && sitemap !== undefined) {
      return this.#sitemap(origin, sitemap);
    }
    const page = this.pages.get(path);
    if (page === undefined) {
      return notFound;
    }
    const answer = html(this.#render(page));
    const etag = `"${createHash('md5')
      .update(page.title + page.body)
      .digest('hex')}"`;
    if (validators === 'etag') {
      if (headers['if-none-match'] === etag) {
        return { status: 304, headers: { etag } };
      }
      answer.headers!.etag = etag;
    }
    if (validators === 'last-modified') {
      const at = 'Mon, 02 Nov 2026 10:00:00 GMT';
      if (headers['if-modified-since'] === at) {
        return { status: 304 };
      }
      answer.headers!['last-modified'] = at;
    }
    return answer;
  }

  #sitemap(origin: string, lastmodOf: (path: string) => string | null): SiteAnswer {
    const entries = [...this.pages.keys()].map((path) => {
      const lastmod = lastmodOf(path);
      return `<url><loc>${origin}${path}</loc>${lastmod === null ? '' : `<lastmod>${lastmod}</lastmod>`}</url>`;
    });
    return {
      status: 200,
      headers: { 'content-type': 'application/xml' },
      body: `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>`,
    };
  }

  #render({ title, body }: ManualPage): string {
    const links = [...this.pages].map(([path, page]) => `<li><a href="${path}">${page.title}</a></li>`);
    return `<!doctype html><html lang="en"><head><title>${title} - The Manual</title></head><body>
<nav class="sidebar"><p>Contents of the manual</p><ul>${links.slice(0, 600).join('')}</ul></nav>
<main><article><h1>${title}</h1>${body}</article></main>
<footer><p>Copyright of the manual's owner, all rights reserved.</p></footer></body></html>`;
  }
}

/** `/docs/` and so many chapters, each with words of its own. */
export function chapters(count: number): [string, ManualPage][] {
  const of = (n: number): [string, ManualPage] => [
    `/docs/chapter-${n}.html`,
    {
      title: `Chapter ${n}`,
      body: `<p>${words(n, 60)}</p><h2>Details of ${n}</h2><p>${words(n + 7_000, 40)} See <a href="chapter-${n + 1}.html">the next</a>.</p><pre><code class="language-python">print(${n})</code></pre>`,
    },
  ];
  return [
    ['/docs/', { title: 'The Manual', body: `<p>${words(99_999, 50)}</p>` }],
    ...Array.from({ length: count }, (_, n) => of(n + 1)),
  ];
}

/** A text that is like no other's. */
export function words(seed: number, count: number): string {
  let state = (seed + 1) * 2_654_435_761;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return `w${(state >>> 8).toString(36)}`;
  }).join(' ');
}

/** Every file below a folder with its bytes, by its path. */
export function filesOf(folder: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) {
        waiting.push(path);
      } else {
        files.set(relative(folder, path), readFileSync(path));
      }
    }
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export const readIndex = (folder: string) => JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'));
export const inodeOf = (path: string): string => {
  const { ino, mtimeMs } = statSync(path);
  return `${ino} ${mtimeMs}`;
};
