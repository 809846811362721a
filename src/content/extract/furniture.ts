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
    'comments?|disqus|respond|responses|discussion|replies|webmentions?',
    'related|recommend(?:ed|ations?)|popular|trending|most (?:read|viewed|popular)|more (?:posts|stories|from|articles)|read (?:next|more)|also like|up next|post preview',
    'promo(?:tion|s)?|sponsor(?:ed|s|ship)?|advert(?:s|ising|isements?)?|ads?|ad ?slot|affiliate|outbrain|taboola',
    'sidebar|toc|table ?of ?contents|on ?this ?page|footer|colophon',
    '(?:post|article|entry|page) tags|tag (?:list|cloud)|taxonomy|(?:author|about|byline) (?:box|bio|card|info|widget)|bio',
    'site (?:header|title|logo|name|branding|description)|search|search ?form',
    'modal|popup|pop up|overlay|dialog|lightbox|tooltip|toast|snackbar',
    'ratings?|votes?|feedback|helpful|rate page|claps|likes|reactions',
    'jump to|print|edit (?:this|page|link|on)|donat(?:e|ion)|paywall|language (?:switcher|navigation|selector)|ticker|tickers',
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
const NEVER = new Set(['html', 'body', 'main', '']);
/** Furniture that holds more of the page's sentences is no furniture. */
const MOST_PROSE = 0.35;
const LONGEST_NAME = 200;

/** Drops what is around the text on any page, by what elements are and are called. */
export function dropFurniture(outline: Outline, from: number): void {
  const most = outline.prose(from) * MOST_PROSE;
  const candidates: number[] = [];
  for (const i of outline.within(from)) if (isFurniture(outline, i)) candidates.push(i);
  const holds = new Set(candidates.filter((i) => outline.prose(i) > most || holdsTitle(outline, i)));
  for (const i of candidates) if (!holds.has(i)) outline.drop(i);
}

function isFurniture(outline: Outline, i: number): boolean {
  const element = outline.elements[i]!;
  const { name } = element;
  if (NEVER.has(name) || HEADINGS.has(name)) return false;
  if (FURNITURE_ELEMENTS.has(name)) return true;
  if (name === 'footer') return !isIn(element, 'blockquote') && !isIn(element, 'figure');
  if (name === 'aside') return !isNote(element);
  if (name === 'form') return true;
  if (name === 'header') return isPageHeader(element);
  if (element.attributes.length === 0) return false;
  if (FURNITURE_ROLES.has(element.attribute('role') ?? '')) return !isNote(element);
  if (element.attribute('role') === 'banner') return true;
  if (!BLOCKS.has(name) && name !== 'a') return false;
  return isNamedFurniture(element) && !isNote(element) && !isIn(element, 'pre');
}

function isNamedFurniture(element: Element): boolean {
  for (const each of element.classes) if (saysFurniture(each)) return true;
  const { id } = element;
  return id !== '' && !NAMED_BY_HEADING.has(element.name) && saysFurniture(id) && !isNamedByHeading(element, id);
}

export function saysFurniture(name: string): boolean {
  // Utility classes say how a box looks on some screen.
  if (name.length > LONGEST_NAME || name.includes(':')) return false;
  const words = wordsOf(name);
  return FURNITURE_WORDS.test(words) && !OF_A_WRAPPER.test(words);
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
