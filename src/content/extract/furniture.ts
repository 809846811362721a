import type { Element } from '../element.js';
import { admonitionOf } from '../markdown/admonitions.js';
import { BLOCKS, HEADINGS } from '../markdown/names.js';
import { leadsHere } from './contents-list.js';
import type { Outline } from './outline.js';

/** Names of classes and ids that say what a box is for, as words: `postShareBar` and `post-share-bar` are `post share bar`. */
const FURNITURE_WORDS = new RegExp(
  `\\b(?:${[
    'nav(?:igation|bar|header|footer|links?)?|menu|submenu|topbar|masthead|toolbar|breadcrumbs?|pagination|paginator|pager|prev ?next|skip ?links?|back to top',
    'shar(?:e|ing)|social|follow us|newsletter|subscribe|subscription|signup|sign (?:up|in)|log ?in|opt ?in|cta|call to action',
    'cookie\\w*|consent|gdpr|onetrust|privacy (?:banner|notice)',
    'comments|comment (?:list|form|area|thread|section|respond|template)|commentlist|disqus|respond|responses|discussion|replies|webmentions?',
    'related|recommend(?:ed|ations?)|popular|trending|most (?:read|viewed|popular)|more (?:posts|stories|from|articles)|read (?:next|more)|also like|up next|post preview',
    'promo(?:tion|s)?|sponsor(?:ed|s|ship)?|advert(?:s|ising|isements?)?|ads?|ad ?slot|affiliate|outbrain|taboola',
    'sidebar|toc(?:set|view|list|bar|box|nav|menu)?|table ?of ?contents|on ?this ?page|\\w*footer|colophon',
    '(?:post|article|entry|page) tags|tag (?:list|cloud)|taxonomy|(?:author|about|byline) (?:box|bio|card|info|widget)|bio',
    'site (?:header|title|logo|name|branding|description)|search|search ?form',
    'modal|popup|pop up|overlay|dialog|lightbox|tooltip|toast|snackbar',
    'ratings?|votes?|feedback|helpful|rate page|claps|likes|reactions',
    'jump to|recipe (?:jump|print)|print|edit (?:this|page|link|on)|donat(?:e|ion)|paywall|language (?:switcher|navigation|selector)|ticker|tickers',
    'video player|player|embed ?code',
  ].join('|')})\\b`,
);
const ALL_FURNITURE_WORDS = new RegExp(FURNITURE_WORDS, 'g');
const NEUTRAL_WORDS = new Set(
  'the a site page main global local top bottom left right primary secondary block views news wrapper container area section bar box list banner prompt sdk widget content inner outer header head title form div region links link buttons button new js app root post entry article 1 2 3'.split(
    ' ',
  ),
);
/** Words of a wrapper's name that tell what it contains or looks like, not what it is. */
const OF_A_WRAPPER = /^(?:has|with|without|no|is|not|use|uses|show|hide|hides|js)\b/;
const FURNITURE_ELEMENTS = new Set(['nav', 'dialog', 'menu', 'search', 'marquee']);
const FURNITURE_ROLES = new Set(
  'navigation search contentinfo complementary dialog alertdialog menu menubar toolbar tablist doc-toc doc-pagelist doc-backlink'.split(
    ' ',
  ),
);
/** Elements whose ids are made from the headings in them. */
const NAMED_BY_HEADING = new Set(['section', 'article', 'p', 'dt', 'dd', 'li', 'table', 'pre', 'a', 'span']);
const CONTENTS = /^(?:toc|table-?of-?contents)$/i;
const NEVER = new Set(['html', 'body', 'main', '']);
const Certainty = { none: 0, likely: 1, clear: 2 } as const;
type Certainty = (typeof Certainty)[keyof typeof Certainty];

/** An element that is likely furniture is kept if it holds more of the page than this. */
const MOST = 0.35;
/** An element that is clearly furniture is kept only if nearly nothing would be left without it. */
const LEAST_LEFT = 20;
const CLEAR_WORDS =
  /\b(?:footer|colophon|cookies?|consent|navbar|navigation|breadcrumbs?|comments|disqus|toc(?:set|view|list|bar|box|nav|menu)?)\b/;
const LONGEST_NAME = 200;
const MOST_LINKED = 0.5;
const ALL_LINKED = 0.95;

/** Drops what is around the text on any page, by what elements are and are called. */
export function dropFurniture(outline: Outline, from: number, url: string | null): void {
  dropMasthead(outline, from, url);
  const whole = outline.weight(from);
  const text = outline.text(from);
  const titles = outline.counts(({ name }, i) => name === 'h1' && !outline.isGone(i));
  const candidates: number[] = [];
  for (const i of outline.within(from)) {
    const certainty = furnitureOf(outline.elements[i]!);
    if (certainty === Certainty.none) {
      continue;
    }
    const isTooMuch =
      certainty === Certainty.clear ? text - outline.text(i) < LEAST_LEFT : outline.weight(i) > whole * MOST;
    if (!isTooMuch && !holdsTitle(outline, i, titles) && !listsOtherPages(outline, i, url)) {
      candidates.push(i);
    }
  }
  for (const i of candidates) {
    outline.drop(i);
  }
}

/** The name of the site above the title of the page: a first heading that is a link to elsewhere, before one that is none. */
function dropMasthead(outline: Outline, from: number, url: string | null): void {
  const titles: number[] = [];
  for (const i of outline.within(from)) {
    if (outline.elements[i]!.name === 'h1' && !outline.isGone(i) && outline.text(i) > 0) {
      titles.push(i);
    }
    if (titles.length === 2) {
      break;
    }
  }
  const [first, second] = titles;
  if (second === undefined || outline.linkDensity(first!) < ALL_LINKED || outline.linkDensity(second) >= MOST_LINKED) {
    return;
  }
  for (const i of outline.within(first!)) {
    const href = outline.elements[i]!.name === 'a' ? outline.elements[i]!.attribute('href') : null;
    if (href !== null && !leadsHere(href, url)) {
      outline.drop(first!);
      return;
    }
  }
}

/** Whether an element that is named a table of contents lists other pages, and so belongs to the text. */
function listsOtherPages(outline: Outline, i: number, url: string | null): boolean {
  const element = outline.elements[i]!;
  if (element.name !== 'div' && element.name !== 'ul' && element.name !== 'dl') {
    return false;
  }
  if (
    ![element.id, ...element.classes].every(
      (name) => name === '' || !FURNITURE_WORDS.test(wordsOf(name)) || CONTENTS.test(name),
    )
  ) {
    return false;
  }
  let elsewhere = 0;
  let links = 0;
  for (const at of outline.within(i)) {
    const href = outline.elements[at]!.name === 'a' ? outline.elements[at]!.attribute('href') : null;
    if (href === null) {
      continue;
    }
    links++;
    if (!leadsHere(href, url)) {
      elsewhere++;
    }
  }
  return elsewhere * 2 > links;
}

function furnitureOf(element: Element): Certainty {
  const { name } = element;
  if (NEVER.has(name) || HEADINGS.has(name)) {
    return Certainty.none;
  }
  if (FURNITURE_ELEMENTS.has(name)) {
    return Certainty.clear;
  }
  if (name === 'footer') {
    return isIn(element, 'blockquote') || isIn(element, 'figure') ? Certainty.none : Certainty.clear;
  }
  if (name === 'aside') {
    return isNote(element) ? Certainty.none : Certainty.likely;
  }
  if (name === 'form') {
    return Certainty.likely;
  }
  if (name === 'header') {
    return isPageHeader(element) ? Certainty.likely : Certainty.none;
  }
  if (element.attributes.length === 0) {
    return Certainty.none;
  }
  const role = element.attribute('role') ?? '';
  if (FURNITURE_ROLES.has(role)) {
    return isNote(element) ? Certainty.none : Certainty.clear;
  }
  if (role === 'banner') {
    return Certainty.likely;
  }
  if (!BLOCKS.has(name) && name !== 'a') {
    return Certainty.none;
  }
  const certainty = certaintyByName(element);
  return certainty === Certainty.none || isNote(element) || isIn(element, 'pre') ? Certainty.none : certainty;
}

function certaintyByName(element: Element): Certainty {
  let certainty: Certainty = Certainty.none;
  for (const each of element.classes) {
    certainty = surer(certainty, certaintyOf(each));
  }
  const { id } = element;
  if (id === '' || NAMED_BY_HEADING.has(element.name) || isNamedByHeading(element, id)) {
    return certainty;
  }
  return isPlainName(id) ? surer(certainty, certaintyOf(id)) : certainty;
}

const surer = (a: Certainty, b: Certainty): Certainty => (a > b ? a : b);

/** Ids are often made of what a section is about: those count that have no other words. */
function isPlainName(id: string): boolean {
  return wordsOf(id)
    .replaceAll(ALL_FURNITURE_WORDS, ' ')
    .split(' ')
    .every((word) => word === '' || NEUTRAL_WORDS.has(word));
}

const MOST_KNOWN = 20_000;
const known = new Map<string, Certainty>();

/** Pages of a site call their boxes the same, so answers are kept. */
function certaintyOf(name: string): Certainty {
  const kept = known.get(name);
  if (kept !== undefined) {
    return kept;
  }
  const certainty = certaintyOfNew(name);
  if (known.size === MOST_KNOWN) {
    known.clear();
  }
  if (name.length <= LONGEST_NAME) {
    known.set(name, certainty);
  }
  return certainty;
}

function certaintyOfNew(name: string): Certainty {
  // Utility classes say how a box looks on some screen.
  if (name.length > LONGEST_NAME || name.includes(':')) {
    return Certainty.none;
  }
  const words = wordsOf(name);
  if (!FURNITURE_WORDS.test(words) || OF_A_WRAPPER.test(words)) {
    return Certainty.none;
  }
  return CLEAR_WORDS.test(words) ? Certainty.clear : Certainty.likely;
}

const wordsOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .toLowerCase();

/** As converters from Markdown and the like do: a box about comments is called "comments". */
function isNamedByHeading(element: Element, id: string): boolean {
  const first = element.children.find((child): child is Element => typeof child !== 'string');
  if (first === undefined || !HEADINGS.has(first.name)) {
    return false;
  }
  let text = '';
  for (const child of first.children) {
    if (typeof child === 'string') {
      text += child;
    }
  }
  return wordsOf(text) === wordsOf(id);
}

/** Boxes beside the text that belong to it. */
function isNote(element: Element): boolean {
  if (admonitionOf(element) !== null) {
    return true;
  }
  if ((element.attribute('role') ?? '').startsWith('doc-')) {
    return true;
  }
  return element.classes.some((each) => /footnote|endnote|admonition|callout|sidenote|topic/i.test(each));
}

function isIn(element: Element, name: string): boolean {
  for (let up = element.parent; up !== null; up = up.parent) {
    if (up.name === name) {
      return true;
    }
  }
  return false;
}

/** The header of an article has its title; that of the page stands outside. */
function isPageHeader(element: Element): boolean {
  return !isIn(element, 'article') && !isIn(element, 'main') && !isIn(element, 'section');
}

/** The only first heading of a page is its title, wherever it stands. */
function holdsTitle(outline: Outline, i: number, titles: Int32Array): boolean {
  const inside = titles[outline.ends[i]!]! - titles[i]!;
  return inside > 0 && inside === titles[outline.count] && outline.linkDensity(i) < MOST_LINKED;
}
