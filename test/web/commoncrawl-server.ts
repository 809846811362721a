import { gzipSync } from 'node:zlib';
import { type Site, type SiteAnswer, text } from './site.js';

/** A stand-in for the index of Common Crawl: what it answers, and how it goes wrong. */
export interface CommonCrawlOptions {
  /** The URLs of each page of the index. None at all: it captured nothing, and says so with a 404. */
  pages: readonly (readonly string[])[];
  /** Where the list of collections says that the index is; its path is where it really is. */
  cdxApi?: string;
  /** The number of pages alone, and not in an object. */
  plainNumber?: boolean;
  lineEnd?: string;
  /** The last line of each page ends in its middle. */
  cutsLastLine?: boolean;
  gzip?: boolean;
  /** What the first requests for a page of the index get instead, one each. */
  first?: readonly SiteAnswer[];
}

export const COLLECTION = 'CC-MAIN-2024-10';

const json = (value: unknown, status = 200): SiteAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

export function commonCrawlServer(options: CommonCrawlOptions): Site {
  const { pages, cdxApi = `https://index.commoncrawl.org/${COLLECTION}-index`, plainNumber = false } = options;
  let asked = 0;
  return {
    handle({ path }) {
      const url = new URL(path, 'http://cc.test');
      if (url.pathname.endsWith('/collinfo.json')) {
        const older = { id: 'CC-MAIN-2013-20', 'cdx-api': 'https://index.commoncrawl.org/CC-MAIN-2013-20-index' };
        return json([{ id: COLLECTION, name: 'March 2024 Index', 'cdx-api': cdxApi }, older]);
      }
      if (!url.pathname.endsWith(`/${COLLECTION}-index`)) {
        return text('no such index', 404);
      }
      const { url: pattern, output, fl, filter, page, showNumPages } = Object.fromEntries(url.searchParams);
      if (output !== 'json' || fl !== 'url,status' || filter !== '=status:200' || pattern === undefined) {
        return text(`not a question: ${path}`, 400);
      }
      if (pages.length === 0) {
        return json({ message: `No Captures found for: ${pattern}` }, 404);
      }
      if (showNumPages === 'true') {
        return plainNumber ? text(`${pages.length}\n`) : json({ pages: pages.length, pageSize: 5, blocks: 9 });
      }
      return options.first?.[asked++] ?? indexPage(pages[Number(page)] ?? [], options);
    },
  };
}

function indexPage(urls: readonly string[], options: CommonCrawlOptions): SiteAnswer {
  const { lineEnd = '\n', cutsLastLine = false, gzip = false } = options;
  const lines = urls.map((url) => JSON.stringify({ url, status: '200' }) + lineEnd).join('');
  const body = Buffer.from(cutsLastLine ? lines.slice(0, -12) : lines);
  return {
    headers: { 'content-type': 'text/x-ndjson', ...(gzip ? { 'content-encoding': 'gzip' } : {}) },
    body: gzip ? gzipSync(body) : body,
  };
}
