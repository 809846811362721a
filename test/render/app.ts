import { prose, Random } from '../web/random.js';
import { html, type Site, type SiteAnswer, text } from '../web/site.js';

export interface AppPage {
  title: string;
  links?: readonly string[];
  /** Stands before the script of the app. */
  before?: string;
}

export interface App {
  /** By path. */
  pages: Readonly<Record<string, AppPage>>;
  robots?: string;
  others?: Readonly<Record<string, SiteAnswer>>;
  /** Where the script is loaded from. */
  script?: string;
}

export const script = (body: string): SiteAnswer => ({ headers: { 'content-type': 'text/javascript' }, body });
export const json = (value: unknown): SiteAnswer => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

/** Fetches what the page is to say, and says it. */
export const APP = `fetch('/data' + location.pathname + '.json').then((answer) => answer.json()).then(({ title, text, links }) => {
  document.title = title;
  document.querySelector('#root').innerHTML = '<main><h1>' + title + '</h1>' + text.map((each) => '<p>' + each + '</p>').join('')
    + '<ul>' + links.map((link) => '<li><a href="' + link + '">' + link + '</a></li>').join('') + '</ul></main>';
});`;

/** What a page of the app says: other words on each, the same every time. */
export const sentences = (path: string): string[] => {
  const random = new Random([...path].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) >>> 0);
  return Array.from({ length: 6 }, () => `${prose(random, 20)}.`);
};

/** A site whose pages are empty frames, filled by a script from JSON. */
export function appSite({ pages, robots = '', others = {}, script: src = '/app.js' }: App): Site {
  return {
    handle({ path }) {
      const page = pages[path];
      if (page !== undefined) {
        return html(
          `<!doctype html><html lang="en"><head><title>App</title></head><body><noscript>Please switch JavaScript on</noscript>${page.before ?? ''}<div id="root"></div><script src="${src}"></script></body></html>`,
        );
      }
      const data = /^\/data(\/.*)\.json$/.exec(path)?.[1];
      if (data !== undefined && pages[data] !== undefined) {
        const { title, links = [] } = pages[data];
        return json({ title, text: sentences(data), links });
      }
      if (path === '/robots.txt') {
        return text(robots);
      }
      if (path === '/app.js') {
        return script(APP);
      }
      return others[path] ?? html('<!doctype html><title>Not found</title><p>Nothing here.', 404);
    },
  };
}

/** The same without a script: each page has its text. */
export const plainPage = (path: string, links: readonly string[] = []): SiteAnswer =>
  html(
    `<!doctype html><html lang="en"><head><title>${path}</title></head><body><main><h1>${path}</h1>${sentences(path)
      .map((each) => `<p>${each}</p>`)
      .join(
        '',
      )}<ul>${links.map((link) => `<li><a href="${link}">${link}</a></li>`).join('')}</ul></main><script src="/app.js"></script></body></html>`,
  );
