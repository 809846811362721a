import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import type { LinkKind } from '../../src/parse/links.js';
import { urlsOfStylesheet } from './stylesheet-urls.js';

type Element = DefaultTreeAdapterTypes.Element;
type Node = DefaultTreeAdapterTypes.Node;

export interface PageLink {
  to: string;
  kind: LinkKind;
  rel: string;
  /** Whether a walk may go there: a followed kind and no nofollow, neither on the link nor on the page. */
  follow: boolean;
}

const FOLLOWED_KINDS: ReadonlySet<LinkKind> = new Set<LinkKind>([
  'a',
  'area',
  'iframe',
  'frame',
  'refresh',
  'next',
  'prev',
  'canonical',
  'alternate',
]);

/**
 * The links of a page as parse5's tree has them, in the order of their tags in the source. Shares no code with the
 * crawler's own scanner, so that the two can judge each other.
 */
export function linksOfPage(html: string, pageUrl: string): PageLink[] {
  const elements = elementsInSourceOrder(parse(html, { scriptingEnabled: false, sourceCodeLocationInfo: true }));
  const base = baseOf(elements, pageUrl);
  const pageAllows = !elements.some(forbidsFollowing);
  const links: PageLink[] = [];
  for (const element of elements) {
    const rel = (attribute(element, 'rel') ?? '').trim().toLowerCase().split(/\s+/).join(' ');
    for (const [href, kind] of hrefsOf(element, rel)) {
      const to = identityOf(href, base);
      if (to === null) {
        continue;
      }
      const follow = pageAllows && FOLLOWED_KINDS.has(kind) && !rel.split(' ').includes('nofollow');
      links.push({ to, kind, rel, follow });
    }
  }
  return links;
}

/** The links of a page as they stand there, and what they are relative to; with what its styles load. */
export function hrefsOfPage(html: string, pageUrl: string): { href: { text: string; base: string }; kind: LinkKind }[] {
  const elements = elementsInSourceOrder(parse(html, { scriptingEnabled: false, sourceCodeLocationInfo: true }));
  const base = baseOf(elements, pageUrl);
  return elements.flatMap((element) => {
    const rel = (attribute(element, 'rel') ?? '').trim().toLowerCase().split(/\s+/).join(' ');
    const styled = stylesOf(element).flatMap(urlsOfStylesheet);
    return [...hrefsOf(element, rel), ...styled.map((url): [string, LinkKind] => [url, 'css'])].map(([text, kind]) => ({
      href: { text, base },
      kind,
    }));
  });
}

/** Its style attribute, and the text of a style element in CSS. */
function stylesOf(element: Element): string[] {
  const styles = [attribute(element, 'style') ?? ''];
  if (element.tagName === 'style' && /^(?:text\/css)?$/i.test(attribute(element, 'type') ?? '')) {
    styles.push(...element.childNodes.map((node) => ('value' in node ? node.value : '')));
  }
  return styles;
}

/** The normal form of a URL, or null where it is none. Only http(s) URLs are changed beyond what the standard does. */
export function identityOf(href: string, base: string): string | null {
  if (!URL.canParse(href, base)) {
    return null;
  }
  const url = new URL(href, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return url.href;
  }
  url.hash = '';
  url.username = '';
  url.password = '';
  return url.href.replace(/%[0-9a-f]{2}/gi, (sequence) => sequence.toUpperCase());
}

/** Whether a list of robots directives, of a meta element or an X-Robots-Tag, forbids to follow links. */
export function saysNofollow(directives: string): boolean {
  return /(^|[\s,:])(nofollow|none)\s*(,|$)/i.test(directives);
}

/**
 * Tree construction moves elements (foster parenting) and copies them (unclosed formatting elements). A link is an occurrence in
 * the source: so the order is that of the tags, copies share the place of their tag or have none, and template contents,
 * which are no part of the document, are not entered.
 */
function elementsInSourceOrder(document: Node): Element[] {
  const byOffset = new Map<number, Element>();
  const pending: Node[] = [document];
  while (pending.length > 0) {
    const node = pending.pop() as Node;
    if ('tagName' in node) {
      const offset = node.sourceCodeLocation?.startOffset;
      if (offset !== undefined) {
        byOffset.set(offset, node);
      }
    }
    if ('childNodes' in node) {
      for (const child of node.childNodes) {
        pending.push(child);
      }
    }
  }
  return [...byOffset].sort(([a], [b]) => a - b).map(([, element]) => element);
}

function attribute(element: Element, name: string): string | null {
  return element.attrs.find((attr) => attr.name === name && !attr.prefix)?.value ?? null;
}

function baseOf(elements: Element[], pageUrl: string): string {
  const first = elements.find((element) => element.tagName === 'base' && attribute(element, 'href') !== null);
  const href = first ? (attribute(first, 'href') as string) : '';
  if (!URL.canParse(href, pageUrl)) {
    return pageUrl;
  }
  const url = new URL(href, pageUrl);
  return url.protocol === 'data:' || url.protocol === 'javascript:' ? pageUrl : url.href;
}

function forbidsFollowing(element: Element): boolean {
  if (element.tagName !== 'meta') {
    return false;
  }
  const name = attribute(element, 'name')?.trim().toLowerCase();
  return (name === 'robots' || name === 'gossamer') && saysNofollow(attribute(element, 'content') ?? '');
}

function* hrefsOf(element: Element, rel: string): Iterable<[string, LinkKind]> {
  const one = function* (name: string, kind: LinkKind): Iterable<[string, LinkKind]> {
    const value = attribute(element, name);
    if (value !== null) {
      yield [value, kind];
    }
  };
  const candidates = function* (name: string): Iterable<[string, LinkKind]> {
    for (const url of srcsetUrls(attribute(element, name) ?? '')) {
      yield [url, 'srcset'];
    }
  };
  switch (element.tagName) {
    case 'a':
    case 'area':
      yield* one('href', element.tagName);
      break;
    case 'iframe':
    case 'frame':
      yield* one('src', element.tagName);
      break;
    case 'meta':
      if (attribute(element, 'http-equiv')?.toLowerCase() === 'refresh') {
        const url = refreshUrl(attribute(element, 'content') ?? '');
        if (url !== null) {
          yield [url, 'refresh'];
        }
      }
      break;
    case 'link': {
      const kind = linkElementKind(rel.split(' '), attribute(element, 'hreflang') !== null);
      // Without rel, or without href, a link element makes no link (HTML standard, 4.2.4).
      if (kind !== null && rel !== '' && attribute(element, 'href') !== '') {
        yield* one('href', kind);
        yield* candidates('imagesrcset');
      }
      break;
    }
    case 'img':
      yield* one('src', 'img');
      yield* candidates('srcset');
      break;
    case 'input':
      if (attribute(element, 'type')?.toLowerCase() === 'image') {
        yield* one('src', 'img');
      }
      break;
    case 'script':
      yield* one('src', 'script');
      break;
    case 'source':
      yield* one('src', 'media');
      yield* candidates('srcset');
      break;
    case 'audio':
    case 'track':
      yield* one('src', 'media');
      break;
    case 'video':
      yield* one('src', 'media');
      yield* one('poster', 'media');
      break;
    case 'embed':
      yield* one('src', 'embed');
      break;
    case 'object':
      yield* one('data', 'object');
      break;
    case 'form':
      // An empty action means the page itself and names nothing.
      if (attribute(element, 'action') !== '') {
        yield* one('action', 'form');
      }
      break;
  }
}

/** Hints, and programs that take messages. */
const NO_DOCUMENT = new Set(['dns-prefetch', 'preconnect', 'pingback', 'webmention', 'micropub']);

/** The first rel token that has a kind of its own; null for hints that name no document. */
function linkElementKind(tokens: string[], hasHreflang: boolean): LinkKind | null {
  for (const token of tokens) {
    if (token === 'next' || token === 'prev' || token === 'canonical' || token === 'stylesheet') {
      return token;
    }
    if (token === 'alternate' && hasHreflang) {
      return token;
    }
  }
  return tokens.some((token) => NO_DOCUMENT.has(token)) ? null : 'link';
}

/** "Shared declarative refresh steps" of the HTML standard: `url=` may be left out. */
function refreshUrl(content: string): string | null {
  const delay = /^[\t\n\f\r ]*(?:\d[\d.]*|\.[\d.]*)/.exec(content);
  if (delay === null) {
    return null;
  }
  const afterDelay = content.slice(delay[0].length);
  if (!/^[\t\n\f\r ;,]/.test(afterDelay)) {
    return null;
  }
  const written = afterDelay.replace(/^[\t\n\f\r ]*[;,]?[\t\n\f\r ]*/, '');
  if (written === '') {
    return null;
  }
  const rest = written.replace(/^url[\t\n\f\r ]*=[\t\n\f\r ]*/i, '');
  const quote = rest[0];
  if (quote !== '"' && quote !== "'") {
    return rest;
  }
  const end = rest.indexOf(quote, 1);
  return rest.slice(1, end === -1 ? undefined : end);
}

/** "Parse a srcset attribute" of the HTML standard, the URLs only. */
function srcsetUrls(srcset: string): string[] {
  const urls: string[] = [];
  let position = 0;
  while (position < srcset.length) {
    position += (/^[\t\n\f\r ,]*/.exec(srcset.slice(position)) as RegExpExecArray)[0].length;
    const written = (/^[^\t\n\f\r ]*/.exec(srcset.slice(position)) as RegExpExecArray)[0];
    position += written.length;
    const url = written.replace(/,+$/, '');
    if (url !== '') {
      urls.push(url);
    }
    // Commas in parentheses belong to a descriptor; a URL that ended in a comma has no descriptors.
    if (url === written) {
      position += (/^(?:\([^)]*\)?|[^,(])*/.exec(srcset.slice(position)) as RegExpExecArray)[0].length;
    }
  }
  return urls;
}
