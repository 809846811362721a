import { type DefaultTreeAdapterTypes, html as htmlNames, parse } from 'parse5';
import { LINK_KINDS, type PageScan } from '../../src/parse/links.js';
import { scanPage } from '../../src/parse/scan.js';

type Element = DefaultTreeAdapterTypes.Element;

/** What a page says, found by walking the tree that parse5 builds: slow, simple, and with no code of the scanner. */
export interface Facts {
  links: string[];
  positions: string[];
  /** Of each link, whether its own element is marked to be left out. */
  ignored: boolean[];
  title: string | null;
  description: string | null;
  canonical: string | null;
  lang: string | null;
  base: string | null;
  robots: string[];
  anchors: string[];
  /** Codes of the parse errors that mean: the input ended too early. */
  eofErrors: string[];
}

const isSpaceOnly = /^[\t\n\f\r ]+|[\t\n\f\r ]+$/g;
const strip = (text: string) => text.replace(isSpaceOnly, '');
const fold = (text: string) => strip(text.replace(/[\t\n\f\r ]+/g, ' '));

function elementsOf(source: string, errors: string[]): Element[] {
  const document = parse(source, {
    scriptingEnabled: false,
    sourceCodeLocationInfo: true,
    onParseError: (error) => errors.push(error.code),
  });
  // Formatting elements are cloned, and what stands in the wrong place is moved: back to one element a tag, in order.
  const byOffset = new Map<number, Element>();
  const walk = (node: DefaultTreeAdapterTypes.ParentNode): void => {
    for (const child of node.childNodes) {
      if (!('tagName' in child)) {
        continue;
      }
      const offset = child.sourceCodeLocation?.startTag?.startOffset ?? (child.tagName === 'html' ? -1 : undefined);
      if (offset !== undefined && !byOffset.has(offset)) {
        byOffset.set(offset, child);
      }
      walk(child);
    }
  };
  walk(document);
  return [...byOffset].sort(([a], [b]) => a - b).map(([, element]) => element);
}

const NO_DOCUMENT = ['preconnect', 'dns-prefetch', 'pingback', 'webmention', 'micropub', 'microsub'].concat([
  'authorization_endpoint',
  'token_endpoint',
]);

const attribute = (element: Element, name: string, prefix = ''): string | null =>
  element.attrs.find((attr) => attr.name === name && (attr.prefix ?? '') === prefix)?.value ?? null;

function textOf(element: Element): string {
  return element.childNodes.map((child) => ('value' in child ? child.value : '')).join('');
}

function srcsetOf(value: string | null): string[] {
  const urls: string[] = [];
  let rest = value ?? '';
  for (;;) {
    rest = rest.replace(/^[\s,]+/, '');
    const url = /^\S+/.exec(rest)?.[0];
    if (url === undefined) {
      return urls;
    }
    rest = rest.slice(url.length);
    urls.push(url.replace(/,+$/, ''));
    if (!url.endsWith(',')) {
      rest = rest.replace(/^(?:\([^)]*(?:\)|$)|[^,(])*/, '');
    }
  }
}

function linkKind(rels: string[], hasLanguage: boolean): string {
  const known = ['next', 'prev', 'canonical', ...(hasLanguage ? ['alternate'] : []), 'stylesheet'];
  return known.find((rel) => rels.includes(rel)) ?? 'link';
}

/** [kind, url] of each link of an element, in the documented order. */
function linksOf(element: Element): [string, string][] {
  const url = (name: string) => {
    const value = attribute(element, name);
    return value === null ? null : strip(value);
  };
  const one = (kind: string, name: string): [string, string][] => (url(name) ? [[kind, url(name)!]] : []);
  const srcset = (name: string) => srcsetOf(attribute(element, name)).map((each): [string, string] => ['srcset', each]);
  if (element.namespaceURI !== htmlNames.NS.HTML) {
    const href = url('href') ?? attribute(element, 'href', 'xlink');
    return element.tagName === 'a' && href !== null ? [['a', strip(href)]] : [];
  }
  switch (element.tagName) {
    case 'a':
    case 'area':
      return url('href') === null ? [] : [[element.tagName, url('href')!]];
    case 'link': {
      const rels = fold(attribute(element, 'rel') ?? '')
        .toLowerCase()
        .split(' ')
        .filter((rel) => rel !== '');
      if (rels.every((rel) => NO_DOCUMENT.includes(rel))) {
        return [];
      }
      const kind = linkKind(rels, attribute(element, 'hreflang') !== null);
      return [...one(kind, 'href'), ...srcset('imagesrcset')];
    }
    case 'img':
      return [...one('img', 'src'), ...srcset('srcset')];
    case 'input':
      return attribute(element, 'type')?.toLowerCase() === 'image' ? one('img', 'src') : [];
    case 'source':
      return [...one('media', 'src'), ...srcset('srcset')];
    case 'video':
      return [...one('media', 'src'), ...one('media', 'poster')];
    case 'audio':
    case 'track':
      return one('media', 'src');
    case 'script':
    case 'iframe':
    case 'frame':
    case 'embed':
      return one(element.tagName, 'src');
    case 'object':
      return one('object', 'data');
    case 'form':
      return one('form', 'action');
    case 'meta': {
      const content = attribute(element, 'content');
      if (content === null || attribute(element, 'http-equiv')?.toLowerCase() !== 'refresh') {
        return [];
      }
      const afterTime = /^\s*(?:\d|(?=\.))[\d.]*(?:\s*[;,]\s*|\s+)(.*)$/s.exec(content)?.[1] ?? '';
      const quoted = afterTime.replace(/^url\s*=\s*/i, '');
      const target = strip(/^(["'])(.*?)(?:\1|$)/s.exec(quoted)?.[2] ?? quoted);
      return target === '' ? [] : [['refresh', target]];
    }
    default:
      return [];
  }
}

/** From the offset, since parse5 counts a line twice that ends in `&`. */
function positionOf(source: string, offset: number): string {
  const lines = source.slice(0, offset).split(/\r\n?|\n/);
  return `${lines.length}:${lines.at(-1)!.length + 1}`;
}

export function expectedFacts(source: string): Facts {
  const errors: string[] = [];
  const elements = elementsOf(source, errors);
  const html = (name: string) =>
    elements.filter(({ tagName, namespaceURI }) => tagName === name && namespaceURI === htmlNames.NS.HTML);
  const metas = (...names: string[]) =>
    html('meta').flatMap((meta) => {
      const content = attribute(meta, 'content');
      return content !== null && names.includes(attribute(meta, 'name')?.toLowerCase() ?? '') ? [fold(content)] : [];
    });
  const hasCanonical = (link: Element) =>
    fold(attribute(link, 'rel') ?? '')
      .toLowerCase()
      .split(' ')
      .includes('canonical') && strip(attribute(link, 'href') ?? '') !== '';
  const canonical = html('link').find(hasCanonical);
  const base = html('base').find((element) => attribute(element, 'href') !== null);
  const title = html('title')[0];
  const withLinks = elements.map((element) => ({
    links: linksOf(element),
    at: element.sourceCodeLocation?.startTag,
    isIgnored: attribute(element, 'data-gossamer-ignore') !== null,
  }));
  return {
    links: withLinks.flatMap(({ links }) => links.map(([kind, url]) => `${kind} ${url}`)),
    positions: withLinks.flatMap(({ links, at }) => links.map(() => positionOf(source, at!.startOffset))),
    ignored: withLinks.flatMap(({ links, isIgnored }) => links.map(() => isIgnored)),
    title: title === undefined ? null : fold(textOf(title)),
    description: metas('description')[0] ?? null,
    canonical: canonical === undefined ? null : strip(attribute(canonical, 'href')!),
    lang: strip(attribute(html('html')[0]!, 'lang') ?? '') || null,
    base: base === undefined ? null : strip(attribute(base, 'href')!),
    robots: metas('robots', 'gossamer').map((content) => content.toLowerCase()),
    anchors: elements.flatMap((element) => {
      const name =
        element.tagName === 'a' && element.namespaceURI === htmlNames.NS.HTML ? attribute(element, 'name') : null;
      return [attribute(element, 'id'), name].filter((each): each is string => each !== null && each !== '');
    }),
    eofErrors: errors.filter((code) => code.startsWith('eof-')),
  };
}

export const scanText = (source: string, options = {}): PageScan => scanPage(Buffer.from(source), 'utf-8', options);

export const kindsAndUrls = ({ links }: PageScan): string[] =>
  links.hrefs.map((href, i) => `${LINK_KINDS[links.kinds[i]!]} ${href}`);

/** The same facts by the scanner. */
export function scannedFacts(source: string): Omit<Facts, 'eofErrors'> & { truncated: boolean } {
  const scan = scanText(source, {
    positions: true,
    anchors: true,
    anchorText: true,
    textHash: true,
    ignoreMarks: true,
  });
  const { title, description, canonical, lang, base, robots, anchors, truncated, links } = scan;
  return {
    links: kindsAndUrls(scan),
    positions: links.lines!.map((line, i) => `${line}:${links.columns![i]}`),
    ignored: links.ignored!,
    title,
    description,
    canonical,
    lang,
    base,
    robots,
    anchors: anchors!,
    truncated,
  };
}
