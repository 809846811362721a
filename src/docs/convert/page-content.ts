import { inflateRawSync } from 'node:zlib';
import { type Child, type Element, walk } from '../../content/element.js';
import { mainContent } from '../../content/extract/main-content.js';
import type { SiteMemory } from '../../content/extract/site-memory.js';
import { plain, seenBlocks, Why, type WhyBlock } from '../../content/extract/why.js';
import { type LinkedPlace, linkedPlaces } from '../../content/markdown/linked-places.js';
import type { LinkOptions, PagePlace } from '../../content/markdown/links.js';
import { toMarkdown } from '../../content/markdown/markdown.js';
import { parseTree } from '../../content/tree-builder.js';
import { detectEncoding } from '../../parse/charset.js';
import { decodeText } from '../../parse/encodings.js';
import { isMarkdownPage, isTextPage } from '../../parse/text-page.js';
import { barePathOf } from '../../url/host.js';
import { imagePlaces } from './link-places.js';
import { ANY_SHAPE, type PageShape, removeUnwanted, wantedParts } from './page-shape.js';
import { titleOfText } from './plain-text.js';
import { markdownOfText } from './text-markdown.js';

/** A page as it is kept. */
export interface KeptPage {
  url: string;
  type: string | null;
  packed: Uint8Array;
}

export interface PageText {
  title: string;
  markdown: string;
  text: string;
  /** Share of the page's own text, from 0 to 1: see `MainContent`. */
  kept: number;
}

/** What is behind it is cut off by hand: an expression that does so takes its time with a line of blanks. */
const FIRST_HEADING = /^#[ \t]+(\S.*)$/m;
const LONGEST_TITLE = 300;

/** What has to be known of all pages before the first of them can be read. */
export interface PageFacts {
  /** For a memory of the site. */
  fingerprints: readonly number[];
  /** Places on this page and on others that it links to. */
  linked: readonly LinkedPlace[];
}

export function factsOf(page: KeptPage, shape = ANY_SHAPE): PageFacts {
  if (isMarkdown(page) || isText(page)) {
    return { fingerprints: [], linked: [] };
  }
  const { tree, place } = treeOf(page);
  removeUnwanted(tree, shape);
  const parts = wantedParts(tree, shape);
  if (parts.length > 0) {
    // What the user names is the text, whatever other pages say.
    return { fingerprints: [], linked: linkedPlaces(parts, place) };
  }
  const { nodes, fingerprints } = mainContent(tree, { url: page.url });
  return { fingerprints, linked: linkedPlaces(nodes, place) };
}

/**
 * What a person came to read, as Markdown with absolute links. A page that is Markdown already is taken as it is.
 * `linkedIds` are places on it that pages of the site link to.
 */
export function readPage(
  page: KeptPage,
  memory: SiteMemory,
  linkedIds: ReadonlySet<string>,
  shape = ANY_SHAPE,
): PageText {
  const { url } = page;
  if (isMarkdown(page)) {
    const { text: whole } = textOf(page);
    const markdown = shape.dropsImages === true ? withoutImages(whole) : whole;
    return { title: firstHeading(markdown), markdown, text: markdown, kept: 1 };
  }
  if (isText(page)) {
    const { text } = textOf(page);
    return { title: titleOfText(text), markdown: markdownOfText(text), text, kept: 1 };
  }
  return readHtml({ url, ...textOf(page) }, { memory, linkedIds, shape });
}

export interface HtmlPage {
  url: string;
  text: string;
  encoding: string;
}

export interface HtmlReading {
  memory?: SiteMemory;
  linkedIds: ReadonlySet<string>;
  shape: PageShape;
  /** What a link becomes; left out: the whole URL. */
  linkFor?: LinkOptions['linkFor'];
}

const wholeLink = (to: string, fragment: string): string => (fragment === '' ? to : `${to}#${fragment}`);

/** The same of a page that is HTML. */
export function readHtml(page: HtmlPage, { memory, linkedIds, shape, linkFor = wholeLink }: HtmlReading): PageText {
  const { tree, place } = treeOfText(page);
  const { dropsImages = false } = shape;
  removeUnwanted(tree, shape);
  const parts = wantedParts(tree, shape);
  if (parts.length > 0) {
    const { markdown, text } = toMarkdown(parts, { ...place, linkFor, linkedIds, dropsImages });
    return { title: firstHeading(markdown), markdown, text, kept: 1 };
  }
  const { nodes, title, kept } = mainContent(tree, { url: page.url, ...(memory === undefined ? {} : { memory }) });
  const { markdown, text } = toMarkdown(nodes, { ...place, linkFor, linkedIds, dropsImages });
  return { title, markdown, text, kept };
}

/** A text in Markdown with the words that stand for its images in their place. */
function withoutImages(markdown: string): string {
  let text = '';
  let from = 0;
  for (const { start, end } of imagePlaces(markdown)) {
    const open = markdown.lastIndexOf('![', start);
    const close = markdown.indexOf(')', end);
    const words = markdown.slice(open + 2, start);
    const ends = words.lastIndexOf('](');
    if (open >= from && close >= 0 && ends >= 0) {
      text += markdown.slice(from, open) + words.slice(0, ends);
      from = close + 1;
    }
  }
  return text + markdown.slice(from);
}

/** What `readPage` keeps of each block of the page, and why; null for a page that is Markdown already. */
export function whyOfPage(page: KeptPage, memory: SiteMemory, shape = ANY_SHAPE): WhyBlock[] | null {
  if (isMarkdown(page) || isText(page)) {
    return null;
  }
  const { tree } = treeOf(page);
  const blocks = seenBlocks(tree);
  removeUnwanted(tree, shape);
  const left = new Set<Child>(walk(tree));
  const parts = wantedParts(tree, shape);
  const wanted = new Set<Child>(parts.flatMap((part) => [...walk(part)]));
  const why = new Why();
  if (parts.length === 0) {
    mainContent(tree, { url: page.url, memory, why });
  }
  return blocks.map(({ element, owners, path, text }) => {
    const rest = owners.filter((owner) => left.has(owner));
    const isWanted = rest.some((owner) => wanted.has(owner));
    const decision =
      rest.length === 0
        ? plain(false, 'remove', '--remove matches it')
        : parts.length > 0
          ? plain(isWanted, 'content', `${isWanted ? 'in' : 'outside of'} what --content matches`)
          : why.of(element, rest);
    return { ...decision, path, text };
  });
}

/** Of a text in Markdown, without signs that close it. */
export function firstHeading(markdown: string): string {
  const heading = FIRST_HEADING.exec(markdown)?.[1]?.trimEnd() ?? '';
  let end = heading.length;
  while (heading[end - 1] === '#') {
    end--;
  }
  const isClosed = end < heading.length && /\s/.test(heading[end - 1] ?? ' ');
  return (isClosed ? heading.slice(0, end).trimEnd() : heading).slice(0, LONGEST_TITLE);
}

const isMarkdown = ({ type, url }: KeptPage): boolean => isMarkdownPage(type, barePathOf(url));
const isText = ({ type, url }: KeptPage): boolean => isTextPage(type, barePathOf(url));

/** With what its links are read by, which is what the crawl has read them by. */
const treeOf = (page: KeptPage): { tree: Element; place: PagePlace } => treeOfText({ url: page.url, ...textOf(page) });

function treeOfText({ url, text, encoding }: HtmlPage): { tree: Element; place: PagePlace } {
  const tree = parseTree(text);
  return { tree, place: { pageUrl: url, baseHref: baseHrefOf(tree), encoding } };
}

function textOf({ packed, type }: KeptPage): { text: string; encoding: string } {
  const bytes = inflateRawSync(packed);
  const { encoding } = detectEncoding(bytes, type);
  return { text: decodeText(bytes, encoding).text, encoding };
}

/** The first `<base href>` counts, wherever it stands. */
function baseHrefOf(tree: Element): string | null {
  const waiting: Element[] = [tree];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    if (element.name === 'base') {
      const href = element.attribute('href');
      if (href !== null) {
        return href;
      }
    }
    for (const child of element.children.toReversed()) {
      if (typeof child !== 'string') {
        waiting.push(child);
      }
    }
  }
  return null;
}
