import type { Element } from '../element.js';
import { admonitionOf } from '../markdown/admonitions.js';
import { BLOCKS, HEADINGS } from '../markdown/names.js';
import type { Outline } from './outline.js';

/** Names of classes and ids that say what a box is for, as words: `postShareBar` and `post-share-bar` are `post share bar`. */
const FURNITURE_WORDS = new RegExp(
  `\\b(?:${[
    'nav|navigation|navbar|menu|submenu|topbar|masthead|toolbar|breadcrumbs?|pagination|paginator|pager|prev ?next|skip ?links?|back to top',
    'shar(?:e|ing)|social|follow us|newsletter|subscribe|subscription|signup|sign (?:up|in)|log ?in|opt ?in|cta|call to action',
    'cookies?|consent|gdpr|onetrust|privacy (?:banner|notice)',
    'comments|comment (?:list|form|area|thread|section|respond|template)|commentlist|disqus|respond|responses|discussion|replies|webmentions?',
    'related|recommend(?:ed|ations?)|popular|trending|most (?:read|viewed|popular)|more (?:posts|stories|from|articles)|read (?:next|more)|also like|up next|post preview',
    'promo(?:tion|s)?|sponsor(?:ed|s|ship)?|advert(?:s|ising|isements?)?|ads?|ad ?slot|affiliate|outbrain|taboola',
    'sidebar|toc|table ?of ?contents|on ?this ?page|footer|colophon',
    '(?:post|article|entry|page) tags|tag (?:list|cloud)|taxonomy|(?:author|about|byline) (?:box|bio|card|info|widget)|bio',
    'site (?:header|title|logo|name|branding|description)|search|search ?form',
    'modal|popup|pop up|overlay|dialog|lightbox|tooltip|toast|snackbar',
    'ratings?|votes?|feedback|helpful|rate page|claps|likes|reactions',
    'jump to|recipe (?:jump|print)|print|edit (?:this|page|link|on)|donat(?:e|ion)|paywall|language (?:switcher|navigation|selector)|ticker|tickers',
    'video player|player|embed ?code',
  ].join('|')})\\b`,
);
/** A wrapper that says what it has or looks like is not that thing. */
const OF_A_WRAPPER = /^(?:has|with|without|no|is|not|use|uses|show|hide|hides|js)\b/;
const FURNITURE_ELEMENTS = new Set(['nav', 'dialog', 'menu', 'search', 'marquee']);
const FURNITURE_ROLES = new Set(
  'navigation search contentinfo complementary dialog alertdialog menu menubar toolbar tablist doc-toc doc-pagelist doc-backlink'.split(
    ' ',
  ),
);
/** Ids of these are made of the headings in them. */
const NAMED_BY_HEADING = new Set(['section', 'article', 'p', 'dt', 'dd', 'li', 'table', 'pre', 'a', 'span']);
const CONTENTS = /^(?:toc|table-?of-?contents)$/i;
const NEVER = new Set(['html', 'body', 'main', '']);
/** Furniture that holds more of the page is no furniture, surely if its name has other meanings. */
const MOST = 0.35;
const MOST_OF_CLEAR = 0.7;
const CLEAR_WORDS = /\b(?:footer|colophon|cookies?|consent|navbar|navigation|breadcrumbs?|comments|disqus|toc)\b/;
const LONGEST_NAME = 200;

/** Drops what is around the text on any page, by what elements are and are called. */
export function dropFurniture(outline: Outline, from: number): void {
  const whole = outline.weight(from);
  const candidates: number[] = [];
  for (const i of outline.within(from)) {
    const certainty = furnitureOf(outline.elements[i]!);
    if (certainty === 0 || outline.weight(i) > whole * certainty) continue;
    if (!holdsTitle(outline, i) && !listsOtherPages(outline, i)) candidates.push(i);
  }
  for (const i of candidates) outline.drop(i);
}

/** Called a table of contents, in the text: the pages below this one are listed there. */
function listsOtherPages(outline: Outline, i: number): boolean {
  const element = outline.elements[i]!;
  if (element.name !== 'div' && element.name !== 'ul' && element.name !== 'dl') return false;
  if (![element.id, ...element.classes].every((name) => name === '' || !FURNITURE_WORDS.test(wordsOf(name)) || CONTENTS.test(name)))
    return false;
  let elsewhere = 0;
  let links = 0;
  for (const at of outline.within(i)) {
    const href = outline.elements[at]!.name === 'a' ? outline.elements[at]!.attribute('href') : null;
    if (href === null) continue;
    links++;
    if (!href.includes('#')) elsewhere++;
  }
  return elsewhere * 2 > links;
}

/** How much of the page an element may hold and be furniture all the same; 0 where nothing says that it is. */
function furnitureOf(element: Element): number {
  const { name } = element;
  if (NEVER.has(name) || HEADINGS.has(name)) return 0;
  if (FURNITURE_ELEMENTS.has(name)) return MOST_OF_CLEAR;
  if (name === 'footer') return isIn(element, 'blockquote') || isIn(element, 'figure') ? 0 : MOST_OF_CLEAR;
  if (name === 'aside') return isNote(element) ? 0 : MOST;
  if (name === 'form') return MOST;
  if (name === 'header') return isPageHeader(element) ? MOST : 0;
  if (element.attributes.length === 0) return 0;
  const role = element.attribute('role') ?? '';
  if (FURNITURE_ROLES.has(role)) return isNote(element) ? 0 : MOST_OF_CLEAR;
  if (role === 'banner') return MOST;
  if (!BLOCKS.has(name) && name !== 'a') return 0;
  const certainty = certaintyByName(element);
  return certainty === 0 || isNote(element) || isIn(element, 'pre') ? 0 : certainty;
}

function certaintyByName(element: Element): number {
  let certainty = 0;
  for (const each of element.classes) certainty = Math.max(certainty, certaintyOf(each));
  const { id } = element;
  if (id === '' || NAMED_BY_HEADING.has(element.name) || isNamedByHeading(element, id)) return certainty;
  return Math.max(certainty, certaintyOf(id));
}

function certaintyOf(name: string): number {
  // Utility classes say how a box looks on some screen.
  if (name.length > LONGEST_NAME || name.includes(':')) return 0;
  const words = wordsOf(name);
  if (!FURNITURE_WORDS.test(words) || OF_A_WRAPPER.test(words)) return 0;
  return CLEAR_WORDS.test(words) ? MOST_OF_CLEAR : MOST;
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
  if (first === undefined || !HEADINGS.has(first.name)) return false;
  let text = '';
  for (const child of first.children) if (typeof child === 'string') text += child;
  return wordsOf(text) === wordsOf(id);
}

/** Boxes beside the text that belong to it. */
function isNote(element: Element): boolean {
  if (admonitionOf(element) !== null) return true;
  if ((element.attribute('role') ?? '').startsWith('doc-')) return true;
  return element.classes.some((each) => /footnote|endnote|admonition|callout|sidenote|topic/i.test(each));
}

function isIn(element: Element, name: string): boolean {
  for (let up = element.parent; up !== null; up = up.parent) if (up.name === name) return true;
  return false;
}

/** The header of an article has its title; that of the page stands outside. */
function isPageHeader(element: Element): boolean {
  return !isIn(element, 'article') && !isIn(element, 'main') && !isIn(element, 'section');
}

/** The only first heading of a page is its title, wherever it stands. */
function holdsTitle(outline: Outline, i: number): boolean {
  let inside = 0;
  for (let at = i; at < outline.ends[i]!; at++)
    if (outline.elements[at]!.name === 'h1' && !outline.isGone(at)) inside++;
  if (inside === 0) return false;
  for (let at = 0; at < outline.count; at++) {
    if (outline.elements[at]!.name === 'h1' && !outline.isGone(at) && !outline.isIn(at, i)) return false;
  }
  return outline.linkDensity(i) < 0.5;
}
