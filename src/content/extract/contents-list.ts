import { HEADINGS } from '../markdown/names.js';
import type { Outline } from './outline.js';

/** Share of the links of a list that have to be named as headings of the page are. */
const MOST = 0.7;
const FEWEST_LINKS = 2;
const LONGEST_HEADING = 300;
const LISTS = new Set(['ul', 'ol', 'dl']);

/** A heading of the page: where it stands and what it says. */
interface Heading {
  readonly at: number;
  readonly isTitle: boolean;
  readonly text: string;
}

/** Drops tables of contents of the page itself: lists of links to places on it that say what the headings say. */
export function dropContentsLists(outline: Outline, from: number, url: string | null): void {
  const headings: Heading[] = [];
  for (const i of outline.within(from)) {
    const { name } = outline.elements[i]!;
    if (HEADINGS.has(name)) {
      headings.push({ at: i, isTitle: name === 'h1', text: plain(outline.beginning(i, LONGEST_HEADING)) });
    }
  }
  if (new Set(headings.map(({ text }) => text)).size < FEWEST_LINKS) {
    return;
  }
  const lists: number[] = [];
  for (const i of outline.within(from)) {
    const isInAnother = lists.length > 0 && outline.isIn(i, lists.at(-1)!);
    if (isInAnother || !LISTS.has(outline.elements[i]!.name) || !isContentsList(outline, i, headings, url)) {
      continue;
    }
    lists.push(boxOf(outline, i, from));
  }
  for (const i of lists) {
    outline.drop(i);
  }
}

function isContentsList(outline: Outline, list: number, headings: readonly Heading[], url: string | null): boolean {
  if (outline.text(list) === 0 || outline.linkDensity(list) < MOST) {
    return false;
  }
  const links: string[] = [];
  for (const i of outline.within(list)) {
    const element = outline.elements[i]!;
    const href = element.name === 'a' ? element.attribute('href') : null;
    if (href === null) {
      continue;
    }
    if (!leadsHere(href, url)) {
      return false;
    }
    links.push(plain(outline.beginning(i, LONGEST_HEADING)));
  }
  if (links.length < FEWEST_LINKS) {
    return false;
  }
  const named = new Set(links);
  const known = headings.filter(({ text }) => named.has(text));
  const texts = new Set(known.map(({ text }) => text));
  if (links.filter((text) => texts.has(text)).length < links.length * MOST) {
    return false;
  }
  return known.length * 2 >= headings.length || leadsIn(headings, outline.ends[list]!, texts);
}

/** Whether the sections that the list names follow it. Otherwise it is a list within the text that refers to sections elsewhere. */
function leadsIn(headings: readonly Heading[], end: number, named: ReadonlySet<string>): boolean {
  const next = headings.find(({ at }) => at >= end);
  return next === undefined || next.isTitle || named.has(next.text);
}

/** The box around a list, as long as there is little else in that: its title. */
function boxOf(outline: Outline, list: number, from: number): number {
  const most = outline.text(list) + 40;
  let box = list;
  for (let up = outline.parents[box]!; up > from && outline.text(up) <= most; up = outline.parents[box]!) {
    if (HEADINGS.has(outline.elements[up]!.name) || holdsTitle(outline, up)) {
      break;
    }
    box = up;
  }
  return box;
}

function holdsTitle(outline: Outline, i: number): boolean {
  for (const at of outline.within(i)) {
    if (outline.elements[at]!.name === 'h1') {
      return true;
    }
  }
  return false;
}

/** Whether a link leads to a place on its own page. */
export function leadsHere(href: string, url: string | null): boolean {
  const hash = href.indexOf('#');
  return hash === 0 || (hash > 0 && url !== null && fileOf(href.slice(0, hash)) === fileOf(url));
}

const fileOf = (path: string): string => path.replace(/[?#].*$/s, '').replace(/^.*\//s, '');

/** Without numbers and signs: "3.1 On time" and "On time" are one heading. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/^[\d.\s]+/, '')
    .replace(/[^\p{L}\p{N}]+/gu, '');
