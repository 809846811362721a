import { ESCAPABLE_TEXT, foldSpace, PLAIN_TEXT, RAW_TEXT, trimSpace } from './html-rules.js';
import { LINK_KIND_NUMBER as KIND } from './links.js';
import { isFeedType } from './media-type.js';
import type { PageFacts } from './scan-facts.js';
import { ATTRIBUTE, attributeSet, NameTable } from './scan-page.js';

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
  property: PROPERTY,
  role: ROLE,
  'aria-hidden': ARIA_HIDDEN,
  'aria-label': ARIA_LABEL,
} = ATTRIBUTE;

/** How what follows a start tag is to be read: as markup, by other rules, or up to the end tag as it stands. */
export type Content =
  | 'markup'
  | 'template'
  | 'noscript'
  | 'foreign'
  | 'text'
  | 'hidden'
  | 'script'
  | 'title'
  | 'plaintext';

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
  if (srcset !== null) {
    for (const url of srcsetUrls(srcset)) {
      facts.addPartialLink(KIND.srcset, url, at);
    }
  }
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
  if (!facts.has(HREF)) {
    return;
  }
  facts.addLink(KIND.area, HREF, at, relOf(facts));
  facts.setLinkText(facts.value(ALT) ?? '');
}

function visitImage(facts: PageFacts, at: number): void {
  facts.addAsset(KIND.img, SRC, at);
  addSrcset(facts, SRCSET, at);
  facts.addAlternativeText();
}

function visitInput(facts: PageFacts, at: number): void {
  if (!facts.isWord(TYPE, 'image')) {
    return;
  }
  facts.addAsset(KIND.img, SRC, at);
  facts.addAlternativeText();
}

/** A page names the feeds of its site and of itself; nobody reads more of them. */
const MOST_FEEDS = 20;
/** No site has its pages in more languages and countries; page-fields.ts says so. */
const MOST_LANGUAGES = 200;
/** Of the meta elements of a page, where all are wanted. */
const MOST_METAS = 200;

function visitLink(facts: PageFacts, at: number): void {
  const relation = relationOf(facts.value(REL) ?? '');
  if (relation.isIgnored) {
    return;
  }
  const href = facts.url(HREF);
  if (href !== null && href !== '') {
    facts.addLink(facts.has(HREFLANG) ? relation.kindWithLanguage : relation.kind, HREF, at, relation.rel);
    if (relation.isCanonical) {
      facts.scan.canonical ??= href;
    }
    if (relation.isAlternate && facts.has(HREFLANG) && facts.scan.languages.length < MOST_LANGUAGES) {
      facts.scan.languages.push([trimSpace(facts.value(HREFLANG)!), href]);
    }
    if (relation.isAlternate && isFeedType(facts.value(TYPE)) && facts.scan.feeds.length < MOST_FEEDS) {
      facts.scan.feeds.push(href);
    }
  }
  addSrcset(facts, IMAGESRCSET, at);
}

/** What is collected only where somebody asks for all facts. */
function addMeta(facts: PageFacts): void {
  const metas = facts.scan.extras?.metas;
  if (metas === undefined || !facts.has(CONTENT)) {
    return;
  }
  const name = (facts.value(PROPERTY) ?? facts.value(NAME) ?? '').toLowerCase();
  if (name !== '' && metas.size < MOST_METAS && !metas.has(name)) {
    metas.set(name, foldSpace(facts.value(CONTENT)!));
  }
}

function visitMeta(facts: PageFacts, at: number): void {
  addMeta(facts);
  const isDescription = facts.isWord(NAME, 'description');
  const isRobots = facts.isWord(NAME, 'robots') || facts.isWord(NAME, facts.product);
  const isRefresh = facts.isWord(HTTP_EQUIV, 'refresh');
  if (!isDescription && !isRobots && !isRefresh) {
    return;
  }
  const content = facts.value(CONTENT);
  if (content === null) {
    return;
  }
  if (isDescription) {
    facts.scan.description ??= foldSpace(content);
  }
  if (isRobots) {
    facts.scan.robots.push(foldSpace(content).toLowerCase());
  }
  const url = isRefresh ? refreshUrl(content) : null;
  if (url !== null) {
    facts.addPartialLink(KIND.refresh, url, at);
  }
}

function visitBase(facts: PageFacts): void {
  facts.scan.base ??= facts.url(HREF);
}

function visitHtml(facts: PageFacts): void {
  if (facts.scan.lang === null && facts.has(LANG)) {
    facts.scan.lang = trimSpace(facts.value(LANG)!);
  }
}

const asset = (kind: number, attribute: number) => (facts: PageFacts, at: number) =>
  facts.addAsset(kind, attribute, at);

function rule(name: string, attributes: readonly number[], visit: ElementRule['visit'] = null): ElementRule {
  return { name, wants: attributeSet(...attributes), content: contentOf(name), visit };
}

const FOREIGN_ROOTS = new Set(['svg', 'math']);

/** Of what is no markup, that which a reader sees. */
const SHOWN_TEXT = new Set(['textarea', 'xmp']);

function contentOf(name: string): Content {
  if (name === 'template' || name === 'noscript' || name === 'script' || name === 'title' || name === PLAIN_TEXT) {
    return name;
  }
  if (RAW_TEXT.has(name) || ESCAPABLE_TEXT.has(name)) {
    return SHOWN_TEXT.has(name) ? 'text' : 'hidden';
  }
  return FOREIGN_ROOTS.has(name) ? 'foreign' : 'markup';
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
  rule('h1', []),
  rule('html', [LANG], visitHtml),
  rule('iframe', [SRC], asset(KIND.iframe, SRC)),
  // An old name of img, which browsers still take for it.
  rule('image', [SRC, SRCSET, ALT, ROLE, ARIA_HIDDEN, ARIA_LABEL], visitImage),
  rule('img', [SRC, SRCSET, ALT, ROLE, ARIA_HIDDEN, ARIA_LABEL], visitImage),
  rule('input', [TYPE, SRC, ALT], visitInput),
  rule('link', [HREF, REL, HREFLANG, TYPE, IMAGESRCSET], visitLink),
  rule('math', []),
  rule('meta', [CONTENT, HTTP_EQUIV, NAME, PROPERTY], visitMeta),
  rule('noembed', []),
  rule('noframes', []),
  rule('noscript', []),
  rule('object', [DATA], asset(KIND.object, DATA)),
  rule('plaintext', []),
  rule('script', [SRC, TYPE], asset(KIND.script, SRC)),
  rule('source', [SRC, SRCSET], (facts, at) => {
    facts.addAsset(KIND.media, SRC, at);
    addSrcset(facts, SRCSET, at);
  }),
  rule('style', [TYPE]),
  rule('svg', []),
  rule('template', []),
  rule('textarea', []),
  rule('title', []),
  rule('track', [SRC], asset(KIND.media, SRC)),
  rule('video', [SRC, POSTER], (facts, at) => {
    facts.addAsset(KIND.media, SRC, at);
    facts.addAsset(KIND.media, POSTER, at);
  }),
  rule('xmp', []),
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
    'data datalist dd del details dfn dialog dir div dl dt em fieldset figcaption figure font footer frameset h2 h3 h4 ' +
    'h5 h6 head header hgroup hr i ins kbd label legend li main map mark marquee menu meter nav nobr ol optgroup ' +
    'option output p picture pre progress q rp rt ruby s samp search section select slot small span strike strong sub ' +
    'summary sup table tbody td tfoot th thead time tr tt u ul var wbr'
  ).split(' '),
);

/** Elements that stand within words: `H<sub>2</sub>O` is one. All others part what is before them from what is in them. */
export const JOINING_ELEMENTS: readonly string[] = (
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q ruby s samp slot small span strike strong ' +
  'sub sup time tt u var wbr'
).split(' ');

export const isPlainElement = (name: string): boolean => PLAIN_ELEMENTS.has(name);

const COMMA = 0x2c;

const SPACE = '[\\t\\n\\f\\r ]';

/** The candidates of a srcset: a URL, then descriptors up to a comma that is not in parentheses. */
const LEADING = new RegExp(`(?:${SPACE}|,)+`, 'y');

const CANDIDATE_URL = /[^\t\n\f\r ]+/y;

function srcsetUrls(srcset: string): string[] {
  const urls: string[] = [];
  let at = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const taken = pattern.exec(srcset)?.[0] ?? '';
    at += taken.length;
    return taken;
  };
  while (at < srcset.length) {
    take(LEADING);
    const candidate = take(CANDIDATE_URL);
    if (candidate === '') {
      break;
    }
    const url = withoutTrailingCommas(candidate);
    urls.push(url);
    if (url.length === candidate.length) {
      at = endOfDescriptors(srcset, at);
    }
  }
  return urls;
}

/** By hand, like `trimSpace`: a pattern that ends in `+$` takes quadratic time on a hostile value. */
function withoutTrailingCommas(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === COMMA) {
    end--;
  }
  return text.slice(0, end);
}

function endOfDescriptors(srcset: string, from: number): number {
  let inParentheses = false;
  for (let i = from; i < srcset.length; i++) {
    const character = srcset[i];
    if (character === '(') {
      inParentheses = true;
    } else if (character === ')') {
      inParentheses = false;
    } else if (character === ',' && !inParentheses) {
      return i;
    }
  }
  return srcset.length;
}

const REFRESH_TIME = new RegExp(`^${SPACE}*(?:[0-9]+|(?=\\.))[0-9.]*`);

const REFRESH_SEPARATOR = new RegExp(`^${SPACE}*[;,]?${SPACE}*`);

const REFRESH_KEYWORD = new RegExp(`^url${SPACE}*=${SPACE}*`, 'i');

/** The URL in the content of a meta refresh, or null if it only reloads the page or is not one at all. */
function refreshUrl(content: string): string | null {
  const time = REFRESH_TIME.exec(content);
  if (time === null) {
    return null;
  }
  const rest = content.slice(time[0].length);
  const separator = REFRESH_SEPARATOR.exec(rest)![0];
  // `5url=x` is no refresh: something must part the two.
  if (separator === '') {
    return null;
  }
  let url = rest.slice(separator.length).replace(REFRESH_KEYWORD, '');
  const quote = url[0];
  if (quote === '"' || quote === "'") {
    url = url.slice(1);
    const close = url.indexOf(quote);
    if (close !== -1) {
      url = url.slice(0, close);
    }
  }
  url = trimSpace(url);
  return url === '' ? null : url;
}

/** What a rel attribute says. */
interface Relation {
  /** White space folded, lower case. */
  readonly rel: string;
  /** The kind of a link element that has it, without and with hreflang. */
  readonly kind: number;
  readonly kindWithLanguage: number;
  readonly isCanonical: boolean;
  /** The page in another form, such as a feed, that may be followed. */
  readonly isAlternate: boolean;
  /** Whether a link element that has it names no document. */
  readonly isIgnored: boolean;
}

/** Relations that only prepare a connection, and those of programs that take messages: a GET finds nothing there. */
const NO_DOCUMENT_RELS = new Set([
  ...['dns-prefetch', 'preconnect'],
  ...['pingback', 'webmention', 'micropub', 'microsub', 'authorization_endpoint', 'token_endpoint'],
]);

function kindOf(rels: readonly string[], hasLanguage: boolean): number {
  if (rels.includes('next')) {
    return KIND.next;
  }
  if (rels.includes('prev')) {
    return KIND.prev;
  }
  if (rels.includes('canonical')) {
    return KIND.canonical;
  }
  if (rels.includes('alternate') && hasLanguage) {
    return KIND.alternate;
  }
  return rels.includes('stylesheet') ? KIND.stylesheet : KIND.link;
}

function readRelation(attribute: string): Relation {
  const rel = foldSpace(attribute).toLowerCase();
  const rels = rel.split(' ');
  return {
    rel,
    kind: kindOf(rels, false),
    kindWithLanguage: kindOf(rels, true),
    isCanonical: rels.includes('canonical'),
    isAlternate: rels.includes('alternate') && !rels.includes('stylesheet') && !rels.includes('nofollow'),
    isIgnored: rel === '' || rels.every((token) => NO_DOCUMENT_RELS.has(token)),
  };
}

/** The web uses few; the bounds keep a hostile page from filling the memory with others. */
const MAX_REMEMBERED = 200;

const MAX_REMEMBERED_LENGTH = 100;

const remembered = new Map<string, Relation>();

export function relationOf(attribute: string): Relation {
  const known = remembered.get(attribute);
  if (known !== undefined) {
    return known;
  }
  const relation = readRelation(attribute);
  if (remembered.size < MAX_REMEMBERED && attribute.length <= MAX_REMEMBERED_LENGTH) {
    remembered.set(attribute, relation);
  }
  return relation;
}
