import { HEADINGS } from '../markdown/names.js';
import { dropFurniture } from './furniture.js';
import type { Outline } from './outline.js';
import { trim } from './trim.js';

/** What may hold a whole text: nobody puts an article into a paragraph. */
const CONTAINERS = new Set(
  'body main article section div td tr tbody table center form span font app-root fieldset details figure'.split(' '),
);
/** An element with so much of the text around it is the text. */
const MOST = 0.85;
/** In what the page calls its main part, little is beside the text. */
const MOST_OF_MAIN = 0.97;
const LEAST_OF_BODY = 0.5;
/** With less of it in sentences a page is an index, and its links are what people came for. */
const LEAST_PROSE = 0.3;
/** A character of a way elsewhere counts as much as so many of sentences. */
const WAY_WEIGHT = 4;
/** A place with less of the page's sentences is one text of many. */
const LEAST_OF_PROSE = 0.65;
/** A block of so many characters beside the text, mostly not links, belongs to it. */
const PARAGRAPH = 80;
const FEW_LINKS = 0.25;
const SHORTEST_TITLE = 8;

/** Where the text of any page is: the smallest place that has most of its sentences. What is around it is dropped. */
export function findGeneral(outline: Outline, title: string, url: string | null): number[] {
  const body = Math.max(
    0,
    outline.elements.findIndex(({ name }) => name === 'body'),
  );
  dropFurniture(outline, body, url);
  const start = semantic(outline, body);
  const core = start === body ? densest(outline, start) : descend(outline, start, MOST_OF_MAIN);
  keepOnly(outline, start, core, title);
  trim(outline, start);
  return [start];
}

function semantic(outline: Outline, body: number): number {
  let best = body;
  let most = outline.weight(body) * LEAST_OF_BODY;
  for (const i of outline.within(body)) {
    const { name } = outline.elements[i]!;
    if (name !== 'main' && outline.elements[i]!.attribute('role') !== 'main') continue;
    if (outline.weight(i) >= most && outline.text(i) > 0) {
      best = i;
      most = outline.weight(i);
    }
  }
  return best;
}

/** The place that says most and leads away least; where nothing does, the one that has most of the page. */
function densest(outline: Outline, start: number): number {
  if (outline.prose(start) < outline.text(start) * LEAST_PROSE) return descend(outline, start, MOST);
  const worth = (i: number): number => outline.prose(i) - outline.ways(i) * WAY_WEIGHT;
  let best = start;
  for (const i of outline.within(start)) {
    if (worth(i) >= worth(best) && CONTAINERS.has(outline.elements[i]!.name)) best = i;
  }
  const isText = worth(best) > 0 && outline.prose(best) >= outline.prose(start) * LEAST_OF_PROSE;
  return descend(outline, isText ? best : start, MOST);
}

/** Goes down as long as one place has most of the text. */
function descend(outline: Outline, start: number, most: number): number {
  let at = start;
  for (;;) {
    let best = -1;
    for (const child of outline.childrenOf(at))
      if (best === -1 || outline.weight(child) > outline.weight(best)) best = child;
    if (best === -1 || !CONTAINERS.has(outline.elements[best]!.name)) return at;
    const isArticle = outline.elements[best]!.name === 'article';
    if (outline.weight(best) < outline.weight(at) * (isArticle ? MOST : most) || outline.text(best) === 0) return at;
    at = best;
    if (isArticle) return at;
  }
}

/** Around the core only its title and whole paragraphs stay. */
function keepOnly(outline: Outline, start: number, core: number, title: string): void {
  const hasTitle = holdsTitle(outline, core);
  const dropped: number[] = [];
  for (let inner = core; inner !== start; inner = outline.parents[inner]!) {
    for (const child of outline.childrenOf(outline.parents[inner]!)) {
      if (child !== inner && !belongs(outline, child, hasTitle ? null : title)) dropped.push(child);
    }
  }
  for (const child of dropped) outline.drop(child);
}

/** `title` is what the head says, null where the core has a heading of the first rank. */
function belongs(outline: Outline, i: number, title: string | null): boolean {
  if (
    title !== null &&
    (HEADINGS.has(outline.elements[i]!.name) || holdsTitle(outline, i) || isSaid(outline, i, title))
  )
    return true;
  return outline.prose(i) >= PARAGRAPH && outline.linkDensity(i) <= FEW_LINKS;
}

/** A title that no heading marks, as on old pages: the head has it too. */
function isSaid(outline: Outline, i: number, title: string): boolean {
  const text = outline.linkDensity(i) > FEW_LINKS ? '' : outline.beginning(i, title.length);
  return text.length >= SHORTEST_TITLE && title.includes(text);
}

function holdsTitle(outline: Outline, i: number): boolean {
  for (const at of outline.within(i)) if (outline.elements[at]!.name === 'h1') return true;
  return false;
}
