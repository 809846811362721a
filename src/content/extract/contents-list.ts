import { HEADINGS } from '../markdown/names.js';
import type { Outline } from './outline.js';

/** Share of the links of a list that have to be named as headings of the page are. */
const MOST = 0.7;
const FEWEST_LINKS = 2;
const LONGEST_HEADING = 300;
const LISTS = new Set(['ul', 'ol', 'dl']);

/** Drops tables of contents of the page itself: lists of links to places on it that say what the headings say. */
export function dropContentsLists(outline: Outline, from: number, url: string | null): void {
  const headings = new Set<string>();
  for (const i of outline.within(from)) {
    if (HEADINGS.has(outline.elements[i]!.name)) headings.add(plain(outline.beginning(i, LONGEST_HEADING)));
  }
  if (headings.size < FEWEST_LINKS) return;
  const lists: number[] = [];
  for (const i of outline.within(from)) {
    const isInAnother = lists.length > 0 && outline.isIn(i, lists.at(-1)!);
    if (isInAnother || !LISTS.has(outline.elements[i]!.name) || !isContentsList(outline, i, headings, url)) continue;
    lists.push(boxOf(outline, i, from));
  }
  for (const i of lists) outline.drop(i);
}

function isContentsList(outline: Outline, list: number, headings: ReadonlySet<string>, url: string | null): boolean {
  if (outline.text(list) === 0 || outline.linkDensity(list) < MOST) return false;
  let links = 0;
  let named = 0;
  for (const i of outline.within(list)) {
    const element = outline.elements[i]!;
    const href = element.name === 'a' ? element.attribute('href') : null;
    if (href === null) continue;
    if (!leadsHere(href, url)) return false;
    links++;
    if (headings.has(plain(outline.beginning(i, LONGEST_HEADING)))) named++;
  }
  return links >= FEWEST_LINKS && named >= links * MOST;
}

/** The box around a list, as long as there is little else in that: its title. */
function boxOf(outline: Outline, list: number, from: number): number {
  const most = outline.text(list) + 40;
  let box = list;
  for (let up = outline.parents[box]!; up > from && outline.text(up) <= most; up = outline.parents[box]!) {
    if (HEADINGS.has(outline.elements[up]!.name) || holdsTitle(outline, up)) break;
    box = up;
  }
  return box;
}

function holdsTitle(outline: Outline, i: number): boolean {
  for (const at of outline.within(i)) if (outline.elements[at]!.name === 'h1') return true;
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
