import type { ResponseHeaders } from '../fetch/response-headers.js';
import { isAssetKind, LINK_KIND_NUMBER, type ScannedExtras, type ScannedLinks } from '../parse/links.js';
import { isHttp } from '../url/host.js';
import { registrableDomain } from '../url/scope.js';
import { technologies } from './technologies.js';

/** What a page says of itself for other programs, and what it is made of and with: what `--facts all` keeps. */

const MOST_TEXT = 500;
const MOST_LISTED = 50;

const AUTHOR = ['author', 'article:author', 'dc.creator', 'twitter:creator'];
const PUBLISHED = [
  'article:published_time',
  'date',
  'dc.date',
  'dc.date.issued',
  'dcterms.created',
  'pubdate',
  'og:published_time',
];
const MODIFIED = ['article:modified_time', 'last-modified', 'dcterms.modified', 'og:updated_time', 'revised'];

/** As JSON; null if nothing is known. */
export function pageExtras(
  { metas, jsonLd }: ScannedExtras,
  links: ScannedLinks,
  headers: ResponseHeaders | null,
  pageUrl: string,
  resolve: (href: string) => string | null,
): string | null {
  const cookies = cookieNames(headers);
  const loaded = loadedUrls(links, resolve);
  const data = jsonLd.flatMap(parsed);
  const known = {
    openGraph: openGraph(metas),
    jsonLd: listed(data.flatMap(typesOf)),
    author: first(metas, AUTHOR) ?? textOf(data, 'author'),
    published: first(metas, PUBLISHED) ?? textOf(data, 'datePublished'),
    modified: first(metas, MODIFIED) ?? textOf(data, 'dateModified'),
    keywords: listed((metas.get('keywords') ?? '').split(',').map((word) => word.trim())),
    cookies: listed(cookies),
    thirdParties: thirdParties(loaded, pageUrl),
    technology: listed(technologies({ headers, metas, cookies, loaded })),
  };
  const entries = Object.entries(known).filter(([, value]) => value !== null);
  return entries.length === 0 ? null : JSON.stringify(Object.fromEntries(entries));
}

const cut = (text: string): string => (text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text);

/** Each once; null if there are none. */
function listed(texts: readonly string[]): string[] | null {
  const unique = [...new Set(texts.filter((text) => text !== '').map(cut))].slice(0, MOST_LISTED);
  return unique.length === 0 ? null : unique;
}

function first(metas: ReadonlyMap<string, string>, names: readonly string[]): string | null {
  const name = names.find((each) => (metas.get(each) ?? '') !== '');
  return name === undefined ? null : cut(metas.get(name)!);
}

function openGraph(metas: ReadonlyMap<string, string>): Record<string, string> | null {
  const entries = [...metas].filter(([name]) => name.startsWith('og:')).slice(0, MOST_LISTED);
  return entries.length === 0 ? null : Object.fromEntries(entries.map(([name, value]) => [name.slice(3), cut(value)]));
}

/** Names alone: values of cookies are secrets. */
function cookieNames(headers: ResponseHeaders | null): string[] {
  return (headers?.all('set-cookie') ?? []).map((line) => line.split(/[=;]/, 1)[0]!.trim());
}

function loadedUrls(links: ScannedLinks, resolve: (href: string) => string | null): string[] {
  const hrefs = new Set<string>();
  for (const [link, kind] of links.kinds.entries()) {
    if (loads(kind, links.rels[link]!)) {
      hrefs.add(links.href(link));
    }
  }
  return [...hrefs].flatMap((href) => resolve(href) ?? []).filter(isHttp);
}

/** A frame is loaded with the page. A link element is, where it is an icon or a font, and mostly it is not. */
const loads = (kind: number, rel: string): boolean =>
  kind === LINK_KIND_NUMBER.iframe ||
  (isAssetKind(kind) && (kind !== LINK_KIND_NUMBER.link || /\b(?:icon|preload|modulepreload|manifest)\b/.test(rel)));

/** Hosts of other sites, by registrable domain. */
function thirdParties(loaded: readonly string[], pageUrl: string): string[] | null {
  const own = registrableDomain(new URL(pageUrl).hostname);
  const urls = loaded.map((url) => new URL(url));
  return listed(urls.filter(({ hostname }) => registrableDomain(hostname) !== own).map(({ host }) => host));
}

/** Nodes of JSON-LD, those of an @graph too; none of what is no JSON. */
function parsed(text: string): Record<string, unknown>[] {
  try {
    return nodesOf(JSON.parse(text), 0);
  } catch {
    return [];
  }
}

const DEEPEST_GRAPH = 3;

function nodesOf(value: unknown, depth: number): Record<string, unknown>[] {
  if (depth > DEEPEST_GRAPH || typeof value !== 'object' || value === null) {
    return [];
  }
  if (Array.isArray(value)) {
    return value.slice(0, MOST_LISTED).flatMap((each) => nodesOf(each, depth + 1));
  }
  const node = value as Record<string, unknown>;
  return [node, ...nodesOf(node['@graph'], depth + 1)];
}

const typesOf = (node: Record<string, unknown>): string[] =>
  [node['@type']].flat().filter((type): type is string => typeof type === 'string');

/** The first text that a node has under this name, or the name of what stands there. */
function textOf(nodes: readonly Record<string, unknown>[], name: string): string | null {
  for (const node of nodes) {
    const [value] = [node[name]].flat() as unknown[];
    const text = typeof value === 'object' && value !== null ? (value as Record<string, unknown>).name : value;
    if (typeof text === 'string' && text !== '') {
      return cut(text);
    }
  }
  return null;
}
