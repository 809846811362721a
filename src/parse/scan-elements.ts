import { LINK_KIND_NUMBER as KIND } from './links.js';
import { isFeedType } from './media-type.js';
import { ATTRIBUTE, attributeSet } from './scan-attributes.js';
import type { PageFacts } from './scan-facts.js';
import { NameTable } from './scan-names.js';
import { relationOf } from './scan-relations.js';
import { foldSpace, refreshUrl, srcsetUrls, trimSpace } from './scan-values.js';

const {
  href: HREF,
  rel: REL,
  src: SRC,
  srcset: SRCSET,
  name: NAME,
  content: CONTENT,
  'http-equiv': HTTP_EQUIV,
  hreflang: HREFLANG,
  imagesrcset: IMAGESRCSET,
  poster: POSTER,
  data: DATA,
  action: ACTION,
  alt: ALT,
  lang: LANG,
  type: TYPE,
} = ATTRIBUTE;

/** How what follows a start tag is to be read: as markup, by other rules, or up to the end tag as it stands. */
export type Content = 'markup' | 'template' | 'foreign' | 'text' | 'hidden' | 'script' | 'title' | 'plaintext';

export interface ElementRule {
  readonly name: string;
  /** The set of attributes that it reads. */
  readonly wants: number;
  readonly content: Content;
  /** Takes what the crawl needs; where one tag gives several links, they come in the order of the lines here. */
  readonly visit: ((facts: PageFacts, at: number) => void) | null;
}

function addSrcset(facts: PageFacts, attribute: number, at: number): void {
  const srcset = facts.value(attribute);
  if (srcset !== null) for (const url of srcsetUrls(srcset)) facts.addPartialLink(KIND.srcset, url, at);
}

const relOf = (facts: PageFacts): string => (facts.has(REL) ? relationOf(facts.value(REL)!).rel : '');

function visitAnchor(facts: PageFacts, at: number): void {
  facts.closeAnchor();
  if (facts.has(HREF)) {
    facts.addLink(KIND.a, HREF, at, relOf(facts));
    facts.openAnchor();
  }
  facts.addAnchor(NAME);
}

function visitArea(facts: PageFacts, at: number): void {
  if (!facts.has(HREF)) return;
  facts.addLink(KIND.area, HREF, at, relOf(facts));
  facts.setLinkText(facts.value(ALT) ?? '');
}

function visitImage(facts: PageFacts, at: number): void {
  facts.addAsset(KIND.img, SRC, at);
  addSrcset(facts, SRCSET, at);
  facts.addAlternativeText();
}

function visitInput(facts: PageFacts, at: number): void {
  if (!facts.isWord(TYPE, 'image')) return;
  facts.addAsset(KIND.img, SRC, at);
  facts.addAlternativeText();
}

/** A page names the feeds of its site and of itself; nobody reads more of them. */
const MOST_FEEDS = 20;

function visitLink(facts: PageFacts, at: number): void {
  const relation = relationOf(facts.value(REL) ?? '');
  if (relation.isIgnored) return;
  const href = facts.url(HREF);
  if (href !== null && href !== '') {
    facts.addLink(facts.has(HREFLANG) ? relation.kindWithLanguage : relation.kind, HREF, at, relation.rel);
    if (relation.isCanonical) facts.scan.canonical ??= href;
    if (relation.isAlternate && isFeedType(facts.value(TYPE)) && facts.scan.feeds.length < MOST_FEEDS) {
      facts.scan.feeds.push(href);
    }
  }
  addSrcset(facts, IMAGESRCSET, at);
}

function visitMeta(facts: PageFacts, at: number): void {
  const isDescription = facts.isWord(NAME, 'description');
  const isRobots = facts.isWord(NAME, 'robots') || facts.isWord(NAME, facts.product);
  const isRefresh = facts.isWord(HTTP_EQUIV, 'refresh');
  if (!isDescription && !isRobots && !isRefresh) return;
  const content = facts.value(CONTENT);
  if (content === null) return;
  if (isDescription) facts.scan.description ??= foldSpace(content);
  if (isRobots) facts.scan.robots.push(foldSpace(content).toLowerCase());
  const url = isRefresh ? refreshUrl(content) : null;
  if (url !== null) facts.addPartialLink(KIND.refresh, url, at);
}

function visitBase(facts: PageFacts): void {
  facts.scan.base ??= facts.url(HREF);
}

function visitHtml(facts: PageFacts): void {
  if (facts.scan.lang === null && facts.has(LANG)) facts.scan.lang = trimSpace(facts.value(LANG)!);
}

const asset = (kind: number, attribute: number) => (facts: PageFacts, at: number) =>
  facts.addAsset(kind, attribute, at);

function rule(
  name: string,
  attributes: readonly number[],
  visit: ElementRule['visit'] = null,
  content: Content = 'markup',
): ElementRule {
  return { name, wants: attributeSet(...attributes), content, visit };
}

/** Every element that is more than its text; the rest of a page is passed over. */
export const ELEMENT_RULES: readonly ElementRule[] = [
  rule('a', [HREF, REL], visitAnchor),
  rule('area', [HREF, REL, ALT], visitArea),
  rule('audio', [SRC], asset(KIND.media, SRC)),
  rule('base', [HREF], visitBase),
  rule('br', [], (facts) => facts.addLineBreak()),
  rule('embed', [SRC], asset(KIND.embed, SRC)),
  rule('form', [ACTION, REL], (facts, at) => facts.addAsset(KIND.form, ACTION, at, relOf(facts))),
  rule('frame', [SRC], asset(KIND.frame, SRC)),
  rule('html', [LANG], visitHtml),
  rule('iframe', [SRC], asset(KIND.iframe, SRC), 'hidden'),
  // An old name of img, which browsers still take for it.
  rule('image', [SRC, SRCSET, ALT], visitImage),
  rule('img', [SRC, SRCSET, ALT], visitImage),
  rule('input', [TYPE, SRC, ALT], visitInput),
  rule('link', [HREF, REL, HREFLANG, TYPE, IMAGESRCSET], visitLink),
  rule('math', [], null, 'foreign'),
  rule('meta', [CONTENT, HTTP_EQUIV, NAME], visitMeta),
  rule('noembed', [], null, 'hidden'),
  rule('noframes', [], null, 'hidden'),
  rule('object', [DATA], asset(KIND.object, DATA)),
  rule('plaintext', [], null, 'plaintext'),
  rule('script', [SRC], asset(KIND.script, SRC), 'script'),
  rule('source', [SRC, SRCSET], (facts, at) => {
    facts.addAsset(KIND.media, SRC, at);
    addSrcset(facts, SRCSET, at);
  }),
  rule('style', [TYPE], null, 'hidden'),
  rule('svg', [], null, 'foreign'),
  rule('template', [], null, 'template'),
  rule('textarea', [], null, 'text'),
  rule('title', [], null, 'title'),
  rule('track', [SRC], asset(KIND.media, SRC)),
  rule('video', [SRC, POSTER], (facts, at) => {
    facts.addAsset(KIND.media, SRC, at);
    facts.addAsset(KIND.media, POSTER, at);
  }),
  rule('xmp', [], null, 'text'),
];

const table = new NameTable(ELEMENT_RULES.map(({ name }) => name));

/** The rule of the element whose name is at [start, end), or null for one that a crawl passes over. */
export function findElement(bytes: Buffer, start: number, end: number): ElementRule | null {
  const index = table.find(bytes, start, end);
  return index === -1 ? null : ELEMENT_RULES[index]!;
}

/** The other elements of HTML, by which a page is known to be one. */
const PLAIN_ELEMENTS = new Set(
  (
    'abbr acronym address article aside b bdi bdo big blockquote body button canvas caption center cite code col colgroup ' +
    'data datalist dd del details dfn dialog dir div dl dt em fieldset figcaption figure font footer frameset h1 h2 h3 h4 ' +
    'h5 h6 head header hgroup hr i ins kbd label legend li main map mark marquee menu meter nav nobr noscript ol optgroup ' +
    'option output p picture pre progress q rp rt ruby s samp search section select slot small span strike strong sub ' +
    'summary sup table tbody td tfoot th thead time tr tt u ul var wbr'
  ).split(' '),
);

export const isPlainElement = (name: string): boolean => PLAIN_ELEMENTS.has(name);
