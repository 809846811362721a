/** What a site of the web in a box is asked, and what it may answer. Sites describe; only the server touches sockets. */
export interface SiteRequest {
  /** The name in the Host header, lower case, without port. */
  readonly host: string;
  /** `http://name[:port]` as the client knows the site: what its absolute URLs start with. */
  readonly origin: string;
  readonly method: string;
  /** The request target exactly as it was sent, query included. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Number of the TCP connection it came over. */
  readonly connection: number;
}

export interface Site {
  handle(request: SiteRequest): SiteAnswer | Promise<SiteAnswer>;
}

export type Bytes = string | Buffer;
/** The n-th piece (from 0), or null at the end. */
export type Pieces = (n: number) => Bytes | null;
export type Headers = Record<string, string | string[]>;

interface Timed {
  /** Wait so long before the first byte. */
  afterMs?: number;
}

/** An ordinary response. */
export interface WholeAnswer extends Timed {
  status?: number;
  headers?: Headers;
  body?: Bytes;
}

/** A response whose body comes in pieces, framed by node:http (chunked unless there is a content-length). */
export interface PiecewiseAnswer extends Timed {
  status?: number;
  headers?: Headers;
  pieces: Pieces;
  /** Wait between pieces; 0 writes as fast as the client reads. */
  everyMs: number;
  end: 'finish' | 'reset' | 'open';
}

/** Bytes put on the socket as they are. After it the connection answers nothing more. */
export interface RawAnswer extends Timed {
  /** What the log shows; 0 (nothing that counts as a response) unless given. */
  status?: number;
  raw: Bytes | Pieces;
  everyMs?: number;
  end: 'close' | 'reset' | 'open';
}

export type SiteAnswer = WholeAnswer | PiecewiseAnswer | RawAnswer;

/** Takes the request and never answers. */
export const hang: RawAnswer = { raw: '', end: 'open' };
/** Takes the request and resets the connection. */
export const reset: RawAnswer = { raw: '', end: 'reset' };

export const html = (body: Bytes, status = 200): WholeAnswer => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body,
});

export const text = (body: Bytes, status = 200): WholeAnswer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body,
});

export const xml = (body: Bytes): WholeAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/xml; charset=utf-8' },
  body,
});

export const notFound: WholeAnswer = html('<!doctype html><title>Not found</title><p>Nothing here.', 404);

export const redirect = (location: string, status = 301): WholeAnswer => ({ status, headers: { location } });

/** Fixed answers by path; everything else, robots.txt and sitemaps included, is 404. */
export function pathSite(answers: Record<string, SiteAnswer | ((request: SiteRequest) => SiteAnswer)>): Site {
  const byPath = new Map(Object.entries(answers));
  return {
    handle(request) {
      const answer = byPath.get(request.path) ?? notFound;
      return typeof answer === 'function' ? answer(request) : answer;
    },
  };
}

export const escapeHtml = (raw: string): string =>
  raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** A small page: a title, a paragraph, and a list of links written as given. */
export function linkPage(title: string, hrefs: readonly string[], prose = ''): string {
  const links = hrefs.map((href) => `<li><a href="${escapeHtml(href)}">${escapeHtml(href)}</a></li>\n`).join('');
  return `<!doctype html>\n<html lang="en"><head><title>${escapeHtml(title)}</title></head>\n<body><h1>${escapeHtml(title)}</h1>\n<p>${prose}</p>\n<ul>\n${links}</ul></body></html>\n`;
}

export function urlset(urls: readonly string[]): string {
  const entries = urls.map((url) => `<url><loc>${escapeHtml(url)}</loc></url>\n`).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries}</urlset>\n`;
}

export function sitemapIndex(urls: readonly string[]): string {
  const entries = urls.map((url) => `<sitemap><loc>${escapeHtml(url)}</loc></sitemap>\n`).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries}</sitemapindex>\n`;
}
