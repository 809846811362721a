import { inWords } from './random.js';
import { html, linkPage, notFound, type Site, type SiteAnswer } from './site.js';

/** Sites whose shape is all there is to them. Page 0 is `/`, page n is `/p<n>`. */
export const pagePath = (number: number): string => (number === 0 ? '/' : `/p${number}`);

const DIGITS = /^\/p([1-9]\d{0,8})$/;

/** -1 for what is not a page. */
function pageNumber(path: string, pages: number): number {
  if (path === '/') {
    return 0;
  }
  const number = Number(DIGITS.exec(path)?.[1] ?? -1);
  return number < pages ? number : -1;
}

function shapedSite(pages: number, linksOf: (number: number) => number[]): Site {
  return {
    handle({ path }) {
      const number = pageNumber(path, pages);
      if (number < 0) {
        return notFound;
      }
      return html(linkPage(`Page ${number} of ${pages}`, linksOf(number).map(pagePath), inWords(number)));
    },
  };
}

/** Each page leads to the next. */
export const line = (pages: number): Site => shapedSite(pages, (n) => (n + 1 < pages ? [n + 1] : []));

const all = (pages: number): number[] => Array.from({ length: pages }, (_, i) => i);

/** The home page leads to all others, they lead back. */
export const star = (pages: number): Site => shapedSite(pages, (n) => (n === 0 ? all(pages).slice(1) : [0]));

/** Every page leads to every page, itself included. */
export const complete = (pages: number): Site => shapedSite(pages, () => all(pages));

export interface TreeOptions {
  pages: number;
  /** Children per page. */
  arity?: number;
  /** Links per page, children included; the others lead home, up, and to pages at fixed distances. */
  links?: number;
  /** Size of each page; filled up with text. A page is never smaller than its links. */
  bodyBytes?: number;
  /** Pages kept as bytes: those that fit in so much are made once. */
  cacheBytes?: number;
}

/** A k-ary tree of any number of pages: the big site of the benchmarks. Its pages are cheap to serve. */
export function tree(options: TreeOptions): Site {
  const { pages, arity = 10, links = arity, bodyBytes = 0, cacheBytes = 256 * 1024 * 1024 } = options;
  const made = new Map<number, SiteAnswer>();
  let madeBytes = 0;
  const filler = 'The quick brown fox jumps over the lazy dog, and the patient spider waits. '.repeat(
    Math.ceil(bodyBytes / 75),
  );

  const make = (number: number): Buffer => {
    const targets = new Set<number>();
    for (let child = number * arity + 1; child <= number * arity + arity && child < pages; child++) {
      targets.add(child);
    }
    if (number > 0) {
      targets.add(0).add(Math.floor((number - 1) / arity));
    }
    // Coprime to the number of pages, so that every page is met in the end.
    const stride = pages % 7919 === 0 ? 1 : 7919;
    for (let step = 1; targets.size < Math.min(links, pages); step++) {
      targets.add((number + step * stride) % pages);
    }
    let list = '';
    for (const target of targets) {
      list += `<li><a href="${pagePath(target)}">page ${target}</a></li>\n`;
    }
    const head = `<!doctype html>\n<html lang="en"><head><title>Page ${number}</title></head>\n<body><h1>${inWords(number)}</h1>\n<ul>\n${list}</ul>\n<p>`;
    const tail = '</p></body></html>\n';
    return Buffer.from(head + filler.slice(0, Math.max(0, bodyBytes - head.length - tail.length)) + tail, 'latin1');
  };

  return {
    handle({ path }) {
      const number = pageNumber(path, pages);
      if (number < 0) {
        return notFound;
      }
      const known = made.get(number);
      if (known) {
        return known;
      }
      const body = make(number);
      const answer = html(body);
      if (madeBytes + body.length <= cacheBytes) {
        madeBytes += body.length;
        made.set(number, answer);
      }
      return answer;
    },
  };
}
