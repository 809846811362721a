import type { Element } from '../element.js';
import { admonitionOf } from '../markdown/admonitions.js';
import { HEADINGS } from '../markdown/names.js';
import { type Outline, SENTENCE } from './outline.js';
import type { SiteMemory } from './site-memory.js';

/** What a page says in one place. */
export interface TextBlock {
  /** Its element's place in the outline. */
  readonly at: number;
  /** Of its words and of where it stands; of a short block digits aside. */
  readonly fingerprint: number;
  /** The hash of where it stands, without its words. */
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
  for (let at = 0; at < texts.length; at++) {
    const text = texts[at]!;
    const owner = owners[at]!;
    const length = outline.isGone(owner) ? 0 : outline.lengths[at]!;
    if (length === 0) {
      continue;
    }
    const block = outline.blocks[owner]!;
    if (counts[block] === 0) {
      found.push(block);
    }
    hashes[block] = addWords(hashes[block]!, text);
    figures[block] = addFigures(figures[block]!, text);
    counts[block]! += length;
    if (outline.linked[owner] === 1) {
      links[block]! += length;
    }
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
    if (code <= 32 || code === 0xa0) {
      continue;
    }
    if (code >= 48 && code <= 57) {
      code = 48;
    } else if (code >= 65 && code <= 90) {
      code += 32;
    }
    if (code === 48 && last === 48) {
      continue;
    }
    last = code;
    known = Math.imul(known ^ code, PRIME);
  }
  return known >>> 0;
}

function addFigures(hash: number, text: string): number {
  let known = hash;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 48 && code <= 57) {
      known = Math.imul(known ^ code, PRIME);
    }
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

/** What says the same on many pages as part of what they say: "Parameters", "Since 1.2", a licence in a comment. */
const CONTENT = new Set(['table', 'dl', 'pre', 'blockquote', 'figure']);

const MOST_LINKED = 0.7;

/** Drops what many pages of the site have at their edges, and whole boxes that nearly all of them have. */
export function dropRepeats(outline: Outline, blocks: readonly TextBlock[], memory: SiteMemory): void {
  const frame = new Frame(outline, blocks);
  dropEdge(outline, blocks, memory, frame);
  dropEdge(outline, blocks.toReversed(), memory, frame);
  dropBoxes(outline, blocks, memory, frame);
}

function dropEdge(outline: Outline, blocks: readonly TextBlock[], memory: SiteMemory, frame: Frame): void {
  const dropped: number[] = [];
  for (const block of blocks) {
    const { at } = block;
    const { name } = outline.elements[at]!;
    if (outline.isGone(at) || name === 'h1') {
      continue;
    }
    if (frame.isInContent(at)) {
      break;
    }
    const isHeading = HEADINGS.has(name);
    const isKnown = isHeading ? memory.isNearlyEverywhere(block.fingerprint) : memory.isFrequent(block.fingerprint);
    const isOfFrame =
      (isKnown && frame.isOnce(block)) || (isWay(outline, block) && memory.isNearlyEverywhere(wayOf(block)));
    if (isOfFrame && outline.text(at) <= block.text) {
      dropped.push(at);
    } else if (block.text >= SENTENCE || isHeading || name === 'li') {
      break;
    }
  }
  for (const at of dropped) {
    outline.drop(at);
  }
}

/** Links alone, in no list: a way back, to the next page, to the source. They differ from page to page and stand in one place. */
function isWay(outline: Outline, { at, text, links }: TextBlock): boolean {
  const { name } = outline.elements[at]!;
  return name !== 'li' && !HEADINGS.has(name) && links > text * MOST_LINKED;
}

/** What is learned of the place of a block of links, whatever they say. */
const wayOf = ({ place }: TextBlock): number => (place ^ 0x5bd1e995) >>> 0;

/** All that is to be learned from a page. */
export function* fingerprintsOf(outline: Outline, blocks: readonly TextBlock[]): Generator<number> {
  for (const block of blocks) {
    yield block.fingerprint;
    if (isWay(outline, block)) {
      yield wayOf(block);
    }
  }
}

/** Boxes of several blocks, all of them the same on nearly all pages. */
function dropBoxes(outline: Outline, blocks: readonly TextBlock[], memory: SiteMemory, frame: Frame): void {
  const repeated = new Int32Array(outline.count);
  const many = new Int32Array(outline.count);
  for (const block of blocks) {
    if (outline.isGone(block.at) || !frame.isOnce(block) || !memory.isNearlyEverywhere(block.fingerprint)) {
      continue;
    }
    repeated[block.at] = block.text;
    many[block.at] = 1;
  }
  for (let i = outline.count - 1; i > 0; i--) {
    repeated[outline.parents[i]!]! += repeated[i]!;
    many[outline.parents[i]!]! += many[i]!;
  }
  const boxes: number[] = [];
  for (let i = 1; i < outline.count; i++) {
    if (many[i]! < 2 || outline.isGone(i) || repeated[i] !== outline.text(i) || frame.holdsContent(i)) {
      continue;
    }
    boxes.push(i);
    i = outline.ends[i]! - 1;
  }
  for (const i of boxes) {
    outline.drop(i);
  }
}

/** Finds the blocks of a page that may belong to the site's frame. */
class Frame {
  readonly #outline: Outline;
  readonly #times = new Map<number, number>();
  readonly #content: Int32Array;
  /** Whether an element is part of what repeats by right. */
  readonly #inContent: Uint8Array;

  constructor(outline: Outline, blocks: readonly TextBlock[]) {
    this.#outline = outline;
    for (const { fingerprint } of blocks) {
      this.#times.set(fingerprint, (this.#times.get(fingerprint) ?? 0) + 1);
    }
    this.#inContent = new Uint8Array(outline.count);
    for (let i = 1; i < outline.count; i++) {
      const isIn = this.#inContent[outline.parents[i]!] === 1 || isContent(outline.elements[i]!);
      this.#inContent[i] = isIn ? 1 : 0;
    }
    this.#content = outline.counts(({ name }, i) => !outline.isGone(i) && (name === 'h1' || this.#inContent[i] === 1));
  }

  /** Whether the page has the block only once. A block that it repeats itself belongs to its text. */
  isOnce({ fingerprint }: TextBlock): boolean {
    return this.#times.get(fingerprint) === 1;
  }

  isInContent(i: number): boolean {
    return this.#inContent[i] === 1;
  }

  holdsContent(i: number): boolean {
    return this.#content[this.#outline.ends[i]!]! > this.#content[i]!;
  }
}

function isContent(element: Element): boolean {
  return CONTENT.has(element.name) || (element.classes.length > 0 && admonitionOf(element) !== null);
}
