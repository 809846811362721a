import { prose, Random } from './random.js';
import { html, linkPage, notFound, pathSite, type Site, type SiteRequest } from './site.js';

/** Sites without end, and one that only looks like it. Each also has honest pages at /about and /contact. */
const HONEST = ['/about', '/contact'];

function trapSite(start: string, page: (request: SiteRequest, url: URL) => ReturnType<typeof html> | null): Site {
  const honest = pathSite({
    '/': html(linkPage('Home', [...HONEST, start])),
    '/about': html(linkPage('About us', ['/'])),
    '/contact': html(linkPage('Contact', ['/'])),
  });
  return {
    handle(request) {
      if (request.path === '/' || HONEST.includes(request.path)) {
        return honest.handle(request);
      }
      return page(request, new URL(request.origin + request.path)) ?? notFound;
    },
  };
}

/** Every month has a next one. */
export const calendar = (): Site =>
  trapSite('/calendar/2024/01', (_request, { pathname }) => {
    const date = /^\/calendar\/(\d{4,})\/(\d\d)$/.exec(pathname);
    if (!date) {
      return null;
    }
    const months = Number(date[1]) * 12 + Number(date[2]) - 1;
    const at = (m: number): string => `/calendar/${Math.floor(m / 12)}/${String((m % 12) + 1).padStart(2, '0')}`;
    return html(linkPage(`${date[1]}-${date[2]}`, [at(months + 1), '/'], 'No events this month.'));
  });

/** Filters that can be combined at will: 6 filters of 8 values each and any order give millions of URLs for the same goods. */
export const facets = (): Site =>
  trapSite('/goods', (_request, { pathname, searchParams }) => {
    if (pathname !== '/goods') {
      return null;
    }
    const chosen = [...searchParams].map(([name, value]) => `${name}=${value}`);
    const hrefs: string[] = [];
    for (const name of ['colour', 'size', 'brand', 'price', 'rating', 'sort']) {
      if (searchParams.has(name)) {
        continue;
      }
      for (let value = 1; value <= 8; value++) {
        hrefs.push(`/goods?${[...chosen, `${name}=${value}`].join('&')}`);
      }
    }
    return html(linkPage('Goods', hrefs, 'Seven cups, two saucers and a teapot.'));
  });

/** Every page hands out new session ids: the same five pages under ever new URLs. */
export function sessionIds(place: 'path' | 'query'): Site {
  let issued = 0;
  const fresh = (page: number): string => {
    const id = (issued++ * 2654435761 + 0x1000000000).toString(16).padStart(12, '0');
    return place === 'path' ? `/s/${id}/page${page}` : `/page${page}?sid=${id}`;
  };
  const pattern = place === 'path' ? /^\/s\/[0-9a-f]+\/page([1-5])$/ : /^\/page([1-5])\?sid=[0-9a-f]+$/;
  return trapSite(place === 'path' ? '/s/000000000000/page1' : '/page1?sid=000000000000', ({ path }) => {
    const page = pattern.exec(path);
    // The ids stand in the addresses alone: what a reader sees is the same each time.
    const shelves = [1, 2, 3, 4, 5].map((shelf) => `<a href="${fresh(shelf)}">Shelf ${shelf}</a>`).join(' ');
    const body = linkPage(`Shelf ${page?.[1]}`, [], 'The same books as ever.');
    return page && html(body.replace('<ul>', `<nav>${shelves}</nav>\n<ul>`));
  });
}

/** A relative link that forgets its slash: /a/b/ leads to /a/b/a/b/ and so on. */
export const recursion = (): Site =>
  trapSite('/a/b/', ({ path }) =>
    /^\/(a\/b\/)+$/.test(path) ? html(linkPage('Deeper', ['a/b/', '/'], 'Mind the missing slash.')) : null,
  );

/** Page n + 1 always exists, and nothing is on it. */
export const pagination = (): Site =>
  trapSite('/list?page=1', ({ path }) => {
    const page = /^\/list\?page=(\d+)$/.exec(path);
    return page && html(linkPage(`Page ${page[1]}`, [`/list?page=${Number(page[1]) + 1}`, '/'], 'No more entries.'));
  });

/** Not a trap: as many query variants of one path as there are products, each with a text of its own. All must be fetched. */
export function shop(products = 20_000): Site {
  const perList = 100;
  return trapSite('/products/1', ({ path }) => {
    const list = Number(/^\/products\/(\d+)$/.exec(path)?.[1] ?? 0);
    if (list >= 1 && (list - 1) * perList < products) {
      const first = (list - 1) * perList;
      const ids = Array.from({ length: Math.min(perList, products - first) }, (_, i) => first + i + 1);
      const next = first + perList < products ? [`/products/${list + 1}`] : [];
      return html(
        linkPage(`Products ${list}`, [...ids.map((id) => `/item?id=${id}`), ...next], prose(new Random(-list), 12)),
      );
    }
    const id = Number(/^\/item\?id=([1-9]\d*)$/.exec(path)?.[1] ?? 0);
    if (id < 1 || id > products) {
      return null;
    }
    return html(linkPage(`Product ${id}`, ['/'], prose(new Random(id), 40)));
  });
}
