import type { Element } from '../element.js';
import { characters, type Outline } from './outline.js';

/** What a page says in one place. */
export interface TextBlock {
  /** Its element's place in the outline. */
  readonly at: number;
  /** Of its words and of where it stands; of a short block digits aside. */
  readonly fingerprint: number;
  /** Of where it stands alone. */
  readonly place: number;
  /** Characters without white space, and those of them in links. */
  readonly text: number;
  readonly links: number;
}

const LEVELS = 3;
/** A line with a date or a count in it is the same line on every page; a paragraph in which only figures differ says something else. */
const LONGEST_LINE = 100;
const START = 0x811c9dc5;
const PRIME = 0x01000193;

/** The blocks of a page that are not gone, in its order. */
export function textBlocks(outline: Outline): TextBlock[] {
  const { texts, owners } = outline.tree;
  const hashes = new Uint32Array(outline.count).fill(START);
  const figures = new Uint32Array(outline.count).fill(START);
  const counts = new Int32Array(outline.count);
  const links = new Int32Array(outline.count);
  const found: number[] = [];
  for (const [at, text] of texts.entries()) {
    const owner = owners[at]!;
    const length = outline.isGone(owner) ? 0 : characters(text);
    if (length === 0) continue;
    const block = outline.blocks[owner]!;
    if (counts[block] === 0) found.push(block);
    hashes[block] = addWords(hashes[block]!, text);
    figures[block] = addFigures(figures[block]!, text);
    counts[block]! += length;
    if (outline.linked[owner] === 1) links[block]! += length;
  }
  return found.map((at) => {
    const place = placeOf(outline.elements[at]!);
    const words = counts[at]! > LONGEST_LINE ? mix(hashes[at]!, figures[at]!) : hashes[at]!;
    return { at, place, fingerprint: mix(place, words), text: counts[at]!, links: links[at]! };
  });
}

/** Letters without case; runs of digits and of white space count as one sign each, so that dates and numbers do not matter. */
function addWords(hash: number, text: string): number {
  let known = hash;
  let last = 0;
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i);
    if (code <= 32 || code === 0xa0) continue;
    if (code >= 48 && code <= 57) code = 48;
    else if (code >= 65 && code <= 90) code += 32;
    if (code === 48 && last === 48) continue;
    last = code;
    known = Math.imul(known ^ code, PRIME);
  }
  return known >>> 0;
}

function addFigures(hash: number, text: string): number {
  let known = hash;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 48 && code <= 57) known = Math.imul(known ^ code, PRIME);
  }
  return known >>> 0;
}

/** Names and first classes of an element and of those around it. */
function placeOf(element: Element): number {
  let hash = START;
  let up: Element | null = element;
  for (let level = 0; up !== null && level < LEVELS; level++, up = up.parent) {
    hash = addWords(hash, `${up.name}.${up.classes[0]?.slice(0, 100) ?? ''}>`);
  }
  return hash;
}

function mix(a: number, b: number): number {
  return Math.imul(Math.imul(a, 0x85ebca6b) ^ b, 0xc2b2ae35) >>> 0;
}
