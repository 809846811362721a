import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { decodePage } from './page-charset.js';
import { hrefsOfPage } from './page-links.js';
import { urlsOfStylesheet } from './stylesheet-urls.js';

type Element = DefaultTreeAdapterTypes.Element;
type Node = DefaultTreeAdapterTypes.Node;

/** What is wrong with the links of a site, by its files alone. */
export interface LinkTruth {
  /** URLs without fragment that lead to no file. */
  dead: Set<string>;
  /** URL#fragment where the file has no such id or name. */
  missing: Set<string>;
  pages: number;
}

type Found = { kind: 'file'; path: string; url: string } | { kind: 'missing' } | { kind: 'refused' };

const FOLLOWED: ReadonlySet<string> = new Set([
  ...['a', 'area', 'iframe', 'frame', 'refresh', 'next', 'prev', 'canonical', 'alternate'],
]);
const HTML = /\.html?$/i;
/** What one loads is looked for, whatever led to it. */
const STYLESHEET = /\.css$/i;

/**
 * Goes from file to file as the links lead, and asks no server and none of the checker's code. Knows what nginx does with folders:
 * one without an index is refused, one without its slash redirects.
 */
export function linkTruth(root: string, startUrl: string): LinkTruth {
  const truth: LinkTruth = { dead: new Set(), missing: new Set(), pages: 0 };
  const { origin } = new URL(startUrl);
  const idsOf = new Map<string, Set<string>>();
  const pointers: { url: string; path: string; fragment: string }[] = [];
  const seen = new Set<string>([startUrl]);
  const queue = [startUrl];
  for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
    const found = find(root, url);
    if (found.kind !== 'file') {
      continue;
    }
    let links: ReturnType<typeof hrefsOfPage> = [];
    if (HTML.test(found.path)) {
      const html = decodePage(readFileSync(found.path), 'text/html');
      idsOf.set(found.path, namesIn(html));
      truth.pages++;
      links = hrefsOfPage(html, found.url);
    } else if (STYLESHEET.test(found.path)) {
      const urls = urlsOfStylesheet(readFileSync(found.path, 'utf8'));
      links = urls.map((text) => ({ href: { text, base: found.url }, kind: 'css' }));
    }
    for (const { href, kind } of links) {
      if (kind === 'form' || !URL.canParse(href.text, href.base)) {
        continue;
      }
      const target = new URL(href.text, href.base);
      if (target.origin !== origin) {
        continue;
      }
      const fragment = target.hash.slice(1);
      target.hash = '';
      const bare = target.href.replace(/%[0-9a-f]{2}/gi, (sequence) => sequence.toUpperCase());
      const end = find(root, bare);
      if (end.kind === 'missing') {
        truth.dead.add(bare);
      }
      if (end.kind !== 'file') {
        continue;
      }
      if (fragment !== '' && fragment.toLowerCase() !== 'top' && HTML.test(end.path)) {
        pointers.push({ url: bare, path: end.path, fragment: href.text.slice(href.text.indexOf('#') + 1) });
      }
      if ((FOLLOWED.has(kind) || STYLESHEET.test(end.path)) && !seen.has(bare)) {
        seen.add(bare);
        queue.push(bare);
      }
    }
  }
  for (const { url, path, fragment } of pointers) {
    const names = idsOf.get(path) ?? namesIn(decodePage(readFileSync(path), 'text/html'));
    idsOf.set(path, names);
    if (!names.has(fragment) && !names.has(unescaped(fragment))) {
      truth.missing.add(`${url}#${fragment}`);
    }
  }
  return truth;
}

function find(root: string, url: string): Found {
  const { pathname } = new URL(url);
  const path = join(root, unescaped(pathname));
  if (!existsSync(path)) {
    return { kind: 'missing' };
  }
  if (!statSync(path).isDirectory()) {
    return pathname.endsWith('/') ? { kind: 'missing' } : { kind: 'file', path, url };
  }
  if (!pathname.endsWith('/')) {
    return find(root, `${url}/`);
  }
  const index = join(path, 'index.html');
  return existsSync(index) ? { kind: 'file', path: index, url } : { kind: 'refused' };
}

function namesIn(html: string): Set<string> {
  const names = new Set<string>();
  const waiting: Node[] = [parse(html, { scriptingEnabled: false })];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const { name, value } of (node as Element).attrs ?? []) {
      if (name === 'id' || (name === 'name' && (node as Element).tagName === 'a')) {
        names.add(value);
      }
    }
    if ('childNodes' in node) {
      waiting.push(...node.childNodes);
    }
  }
  return names;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
