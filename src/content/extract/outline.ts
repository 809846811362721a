import type { Element } from '../element.js';
import { BLOCKS, HEADINGS } from '../markdown/names.js';
import { isNoise, isSourceLink } from '../markdown/noise.js';

/** Fewer characters are a label rather than a sentence. */
export const SENTENCE = 40;
/** The weight of a label against a sentence of the same length. */
const LABEL_WEIGHT = 0.2;
/** A block with more of its text in links leads somewhere instead of saying something. */
const MOST_LINKED = 0.5;
/** Texts that are looked at for how an element begins. */
const MOST_TEXTS = 256;

/** The elements of a page with what stands in each of them: lists instead of calls, so that depth costs nothing. */
export class Outline {
  readonly elements: readonly Element[];
  readonly parents: Int32Array;
  readonly ends: Int32Array;
  readonly tree: FlatTree;
  /** Nearest element that stands on lines of its own. */
  readonly blocks: Int32Array;
  /** Whether it is a link or in one. */
  readonly linked: Uint8Array;
  /** Of each text how many characters it has, without white space. */
  readonly lengths: Int32Array;
  /** Characters directly in it, without white space. */
  readonly #own: Int32Array;
  readonly #gone: Uint8Array;
  readonly #mute: Uint8Array;
  /** Blocks that other pages have too. */
  readonly #common: Uint8Array;
  #measures: Measures | null = null;

  constructor(root: Element) {
    this.tree = flatten(root);
    const { elements, parents, ends, texts, owners } = this.tree;
    this.elements = elements;
    this.parents = parents;
    this.ends = ends;
    const count = elements.length;
    this.blocks = new Int32Array(count);
    this.linked = new Uint8Array(count);
    this.#own = new Int32Array(count);
    this.#gone = new Uint8Array(count);
    this.#mute = new Uint8Array(count);
    this.#common = new Uint8Array(count);
    for (let i = 0; i < count; i++) {
      const element = elements[i]!;
      const parent = parents[i]!;
      this.blocks[i] = parent < 0 || BLOCKS.has(element.name) ? i : this.blocks[parent]!;
      const isLink = element.name === 'a' && element.has('href');
      this.linked[i] = isLink || (parent >= 0 && this.linked[parent] === 1) ? 1 : 0;
    }
    this.lengths = new Int32Array(texts.length);
    for (let at = 0; at < texts.length; at++) {
      this.lengths[at] = characters(texts[at]!);
      this.#own[owners[at]!]! += this.lengths[at]!;
    }
  }

  get count(): number {
    return this.elements.length;
  }

  isGone(i: number): boolean {
    return this.#gone[i] === 1;
  }

  drop(i: number): void {
    if (this.#gone[i] === 1) {
      return;
    }
    this.#gone.fill(1, i, this.ends[i]!);
    this.#measures = null;
  }

  /** What is gone now, to be restored. */
  remember(): Uint8Array {
    return this.#gone.slice();
  }

  restore(gone: Uint8Array): void {
    this.#gone.set(gone);
    this.#measures = null;
  }

  /** Drops the words of a block, but not the blocks in it. */
  mute(block: number): void {
    for (let i = block; i < this.ends[block]!; i++) {
      if (this.blocks[i] === block) {
        this.#mute[i] = 1;
      } else {
        i = this.ends[i]! - 1;
      }
    }
    this.#measures = null;
  }

  /** Whether the words that stand directly in an element are dropped. */
  isMute(i: number): boolean {
    return this.#mute[i] === 1;
  }

  /** Marks blocks that other pages have too, so that they do not count as sentences of this one. */
  setCommon(blocks: Iterable<number>): void {
    for (const i of blocks) {
      this.#common[i] = 1;
    }
    this.#measures = null;
  }

  /** Drops elements that nobody reads on any page: hidden ones, controls, permalinks, line numbers. */
  dropNoise(): void {
    for (let i = 0; i < this.count; i++) {
      const element = this.elements[i]!;
      if (this.#gone[i] === 0 && (isNoise(element) || isSourceLink(element))) {
        this.drop(i);
      }
    }
  }

  /** Characters of an element and all in it that is not gone. */
  text(i: number): number {
    return this.#measured.text[i]!;
  }

  /** How many of these characters are in links. */
  linkText(i: number): number {
    return this.#measured.links[i]!;
  }

  /** How much of it is sentences, code and cells rather than labels and links. */
  prose(i: number): number {
    return this.#measured.prose[i]!;
  }

  /** Text of the blocks in it that are mostly links. */
  ways(i: number): number {
    return this.#measured.ways[i]!;
  }

  /** Characters of a block alone, without the blocks in it. */
  blockText(i: number): number {
    return this.#measured.blockText[i]!;
  }

  /** How many of these characters are in links. */
  blockLinks(i: number): number {
    return this.#measured.blockLinks[i]!;
  }

  isCommon(i: number): boolean {
    return this.#common[i] === 1;
  }

  /** For each place how many elements of these names are before it. */
  countsOf(...names: readonly string[]): Int32Array {
    const counts = new Int32Array(this.count + 1);
    const wanted = new Set(names);
    for (let i = 0; i < this.count; i++) {
      counts[i + 1] = counts[i]! + (wanted.has(this.elements[i]!.name) ? 1 : 0);
    }
    return counts;
  }

  /** What an element is worth beside others: sentences count in full, labels and links a little. */
  weight(i: number): number {
    const prose = this.prose(i);
    return prose + (this.text(i) - prose) * LABEL_WEIGHT;
  }

  /** Share of the text that is links. */
  linkDensity(i: number): number {
    const text = this.text(i);
    return text === 0 ? 0 : this.linkText(i) / text;
  }

  isIn(i: number, outer: number): boolean {
    return i >= outer && i < this.ends[outer]!;
  }

  /** Elements directly in one that are not gone. */
  *childrenOf(i: number): Generator<number> {
    for (let child = i + 1; child < this.ends[i]!; child = this.ends[child]!) {
      if (this.#gone[child] === 0) {
        yield child;
      }
    }
  }

  /** An element and those in it that are not gone. */
  *within(i: number): Generator<number> {
    for (let at = i; at < this.ends[i]!; at++) {
      if (this.#gone[at] === 1) {
        at = this.ends[at]! - 1;
      } else {
        yield at;
      }
    }
  }

  /** How an element's text begins, white space folded, without what is gone; all of it where that is short. */
  beginning(i: number, length: number): string {
    const { texts, owners, textStarts, textEnds } = this.tree;
    const last = Math.min(textEnds[i]!, textStarts[i]! + MOST_TEXTS);
    let text = '';
    let block = -1;
    for (let at = textStarts[i]!; at < last && text.length <= length; at++) {
      const owner = owners[at]!;
      if (this.#gone[owner] === 1 || this.#mute[owner] === 1) {
        continue;
      }
      if (this.blocks[owner] !== block) {
        text += ' ';
      }
      block = this.blocks[owner]!;
      text = (text + texts[at]!.slice(0, length * 4)).replace(SPACES, ' ').trimStart();
    }
    return text.trim();
  }

  /** For each place how many elements before it pass a test: so many pass in an element as the numbers at its ends differ. */
  counts(test: (element: Element, i: number) => boolean): Int32Array {
    const counts = new Int32Array(this.count + 1);
    for (let i = 0; i < this.count; i++) {
      counts[i + 1] = counts[i]! + (test(this.elements[i]!, i) ? 1 : 0);
    }
    return counts;
  }

  get #measured(): Measures {
    this.#measures ??= this.#measure();
    return this.#measures;
  }

  #measure(): Measures {
    const text = new Int32Array(this.count);
    const links = new Int32Array(this.count);
    const prose = new Float64Array(this.count);
    const ways = new Int32Array(this.count);
    // The counts are those of the block alone, without the blocks in it.
    const blockText = new Int32Array(this.count);
    const blockLinks = new Int32Array(this.count);
    for (let i = 0; i < this.count; i++) {
      if (this.#gone[i] === 1) {
        continue;
      }
      const own = this.#mute[i] === 1 ? 0 : this.#own[i]!;
      text[i] = own;
      blockText[this.blocks[i]!]! += own;
      if (this.linked[i] === 0) {
        continue;
      }
      links[i] = own;
      blockLinks[this.blocks[i]!]! += own;
    }
    for (let i = this.count - 1; i >= 0; i--) {
      if (this.#gone[i] === 1) {
        continue;
      }
      if (this.#common[i] === 0) {
        prose[i]! += proseOf(this.elements[i]!, blockText[i]!, blockLinks[i]!);
      }
      if (isWay(this.elements[i]!, blockText[i]!, blockLinks[i]!)) {
        ways[i]! += blockText[i]!;
      }
      const parent = this.parents[i]!;
      if (parent < 0) {
        continue;
      }
      text[parent]! += text[i]!;
      links[parent]! += links[i]!;
      prose[parent]! += prose[i]!;
      ways[parent]! += ways[i]!;
    }
    return { text, links, prose, ways, blockText, blockLinks };
  }
}

interface Measures {
  readonly text: Int32Array;
  readonly links: Int32Array;
  readonly prose: Float64Array;
  readonly ways: Int32Array;
  readonly blockText: Int32Array;
  readonly blockLinks: Int32Array;
}

const SPACES = /[\s\u200b-\u200d\u2060\ufeff]+/g;

function proseOf(element: Element, text: number, links: number): number {
  if (element.name === 'pre') {
    return text;
  }
  if (text === 0 || isWay(element, text, links) || HEADINGS.has(element.name)) {
    return 0;
  }
  return text < SENTENCE ? (text - links) * LABEL_WEIGHT : text - links;
}

/** Whether a block is mostly links. Code counts as text, even where it is linked. */
function isWay({ name }: Element, text: number, links: number): boolean {
  return links > text * MOST_LINKED && name !== 'pre';
}

/** Counts characters, without white space and characters of no width. */
export function characters(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 32 && code !== 0xa0 && code !== 0x200b && code !== 0xfeff) {
      count++;
    }
  }
  return count;
}

/** A tree as lists in the order of the page. An element and all in it are the places from its own to its end. */
interface FlatTree {
  readonly elements: readonly Element[];
  readonly parents: Int32Array;
  readonly ends: Int32Array;
  readonly texts: readonly string[];
  /** The element that each text stands directly in. */
  readonly owners: Int32Array;
  /** Of each element the first of the texts in it, and the first behind it. */
  readonly textStarts: Int32Array;
  readonly textEnds: Int32Array;
}

function flatten(root: Element): FlatTree {
  const elements: Element[] = [root];
  const parents = [-1];
  const ends: number[] = [];
  const texts: string[] = [];
  const owners: number[] = [];
  const textStarts = [0];
  const textEnds: number[] = [];
  const open = [0];
  const nextChild = [0];
  while (open.length > 0) {
    const at = open[open.length - 1]!;
    const child = elements[at]!.children[nextChild[nextChild.length - 1]!++];
    if (child === undefined) {
      ends[at] = elements.length;
      textEnds[at] = texts.length;
      open.pop();
      nextChild.pop();
    } else if (typeof child === 'string') {
      texts.push(child);
      owners.push(at);
    } else {
      open.push(elements.length);
      nextChild.push(0);
      elements.push(child);
      parents.push(at);
      textStarts.push(texts.length);
    }
  }
  return {
    elements,
    parents: Int32Array.from(parents),
    ends: Int32Array.from(ends),
    texts,
    owners: Int32Array.from(owners),
    textStarts: Int32Array.from(textStarts),
    textEnds: Int32Array.from(textEnds),
  };
}
