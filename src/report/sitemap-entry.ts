import type { PageResult } from '../store/reader.js';
import { isHttp } from '../url/host.js';
import { w3cDate } from './w3c-date.js';
import { xmlUrl } from './xml.js';

/** Why a URL is not in the sitemap; the first that holds counts. */
export const LEFT_OUT = [
  'external',
  'notFetched',
  'notOk',
  'redirect',
  'notHtml',
  'noindex',
  'canonical',
  'notHttp',
  'tooLong',
] as const;
export type LeftOut = (typeof LEFT_OUT)[number];

/** The protocol: a URL has fewer characters than this. */
const URL_LENGTH_LIMIT = 2048;

export function whyLeftOut(page: PageResult): LeftOut | null {
  if (page.external) return 'external';
  if (page.state === 'skipped' || page.state === 'deferred') return 'notFetched';
  if (page.state !== 'done') return 'notOk';
  if (page.finalUrl !== page.url) return 'redirect';
  if (page.status !== 200) return 'notOk';
  if (!isHtml(page.contentType)) return 'notHtml';
  if (isNoindex(page.robotsMeta)) return 'noindex';
  if (page.canonical !== null && page.canonical !== page.url) return 'canonical';
  if (!isHttp(page.url)) return 'notHttp';
  return page.url.length >= URL_LENGTH_LIMIT ? 'tooLong' : null;
}

export function sitemapEntry(page: PageResult): string {
  const lastmod = page.lastModified === null ? null : w3cDate(page.lastModified);
  return `<url><loc>${xmlUrl(page.url)}</loc>${lastmod === null ? '' : `<lastmod>${lastmod}</lastmod>`}</url>\n`;
}

function isHtml(contentType: string | null): boolean {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  return type === 'text/html' || type === 'application/xhtml+xml';
}

/** `none` is short for `noindex, nofollow`. */
function isNoindex(robotsMeta: string | null): boolean {
  const directives = robotsMeta?.split(',').map((directive) => directive.trim()) ?? [];
  return directives.includes('noindex') || directives.includes('none');
}
