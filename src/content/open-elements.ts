import { Element } from './element.js';
import { MARKERS, SCOPE, SPECIAL } from './tag-rules.js';

/**
 * No tree is deeper, as in browsers: the tags below count for nothing, their text stays. So whoever goes through a tree may recurse,
 * and no search among the open elements is long.
 */
export const MAX_DEPTH = 400;

/** The elements that are open, from the root to the one that text is added to. */
export class OpenElements {
  readonly formatting = new OpenFormatting();
  /** Tags that were too deep, as long as they are open. */
  tooDeep = 0;
  /** Paragraphs that are open: most tags would end one, and most of the time there is none. */
  paragraphs = 0;
  /** All elements so far in the order of the page; null if nobody wants them, or one was moved. It saves a walk through the tree. */
  inOrder: Element[] | null;
  readonly #stack: Element[];
  /** How many elements were open outside of each stretch of SVG or MathML, and of each stretch of HTML in those. */
  readonly #foreignFrom: number[] = [];

  constructor(root: Element, wantsOrder = false) {
    this.#stack = [root];
    this.inOrder = wantsOrder ? [] : null;
  }

  get length(): number {
    return this.#stack.length;
  }

  get current(): Element {
    return this.#stack[this.#stack.length - 1]!;
  }

  at(i: number): Element | undefined {
    return this.#stack[i];
  }

  has(name: string): boolean {
    return this.#stack.some((element) => element.name === name);
  }

  lastOf(...names: readonly string[]): number {
    return this.#stack.findLastIndex(({ name }) => names.includes(name));
  }

  placeOf(element: Element): number {
    return this.#stack.lastIndexOf(element);
  }

  /** The first place from `from` on that holds one of these. */
  firstOf(names: ReadonlySet<string>, from: number): number {
    return this.#stack.findIndex((element, i) => i >= from && names.has(element.name));
  }

  /** The innermost element of a name that is not behind a wall, or -1. */
  inScope(name: string, walls: ReadonlySet<string>): number {
    for (let i = this.#stack.length - 1; i > 0; i--) {
      const open = this.#stack[i]!.name;
      if (open === name) {
        return i;
      }
      if (walls.has(open)) {
        return -1;
      }
    }
    return -1;
  }

  /** An element that is not open: nothing can stand in it any more. */
  add(element: Element): void {
    this.current.append(element);
    this.inOrder?.push(element);
  }

  /** False if the tree is deep enough. A detached one is open but hangs on nothing, and is forgotten when it closes. */
  push(element: Element, isDetached = false): boolean {
    if (this.#stack.length >= MAX_DEPTH) {
      this.tooDeep++;
      return false;
    }
    if (isDetached) {
      this.inOrder = null;
    } else {
      this.add(element);
    }
    this.#stack.push(element);
    if (element.name === 'p') {
      this.paragraphs++;
    }
    return true;
  }

  pop(): Element {
    const element = this.#stack.pop()!;
    if (element.name === 'p') {
      this.paragraphs--;
    }
    while ((this.#foreignFrom.at(-1) ?? 0) >= this.#stack.length) {
      this.#foreignFrom.pop();
    }
    if (MARKERS.has(element.name)) {
      this.formatting.clearToMarker();
    }
    return element;
  }

  /** Closes what is open from a place on. */
  popDownTo(length: number): void {
    while (this.#stack.length > length) {
      this.pop();
    }
  }

  endInScope(name: string, walls: ReadonlySet<string>): void {
    const at = this.inScope(name, walls);
    if (at !== -1) {
      this.popDownTo(at);
    }
  }

  // The methods below move elements within the stack: formatting that is closed in the wrong order needs that.

  replace(i: number, element: Element): void {
    this.#stack[i] = element;
  }

  remove(element: Element): void {
    const at = this.#stack.lastIndexOf(element);
    if (at !== -1) {
      this.#stack.splice(at, 1);
    }
  }

  insertBehind(element: Element, added: Element): void {
    this.#stack.splice(this.#stack.lastIndexOf(element) + 1, 0, added);
  }

  // SVG and MathML.

  get hasForeign(): boolean {
    return this.#foreignFrom.length > 0;
  }

  get isForeign(): boolean {
    return this.#foreignFrom.length % 2 === 1;
  }

  /** Switches between HTML and SVG or MathML from here on. */
  turnForeign(): void {
    this.#foreignFrom.push(this.#stack.length - 1);
  }

  leaveForeign(): void {
    this.popDownTo(this.#foreignFrom.at(-1)!);
  }

  /** Whether the end tag was one of SVG or MathML. */
  endForeign(name: string): boolean {
    const from = this.#foreignFrom.at(-1)!;
    const wall = this.isForeign ? from : Math.max(from, this.#stack.length - 1);
    for (let i = this.#stack.length - 1; i >= wall; i--) {
      if (this.#stack[i]!.name !== name) {
        continue;
      }
      this.popDownTo(i);
      return true;
    }
    return false;
  }
}

/** A place that formatting does not cross: a cell, a caption. */
const MARKER = null;

/** As many as browsers reopen of the same kind. */
const SAME_KIND = 3;

/** A page that leaves more formatting open does not mean it, and each new block would repeat all of it. */
const MOST = 12;

/** Formatting elements that were opened and not ended: `<b>one<p>two` is bold in both. */
class OpenFormatting {
  readonly #entries: (Element | typeof MARKER)[] = [];

  get entries(): readonly (Element | null)[] {
    return this.#entries;
  }

  add(element: Element): void {
    let same = 0;
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      const entry = this.#entries[i]!;
      if (entry === MARKER) {
        break;
      }
      if (!isSame(entry, element)) {
        continue;
      }
      same++;
      if (same === SAME_KIND) {
        this.#entries.splice(i, 1);
      }
    }
    this.#entries.push(element);
    if (this.#entries.length > MOST) {
      this.#entries.shift();
    }
  }

  addMarker(): void {
    this.#entries.push(MARKER);
    if (this.#entries.length > MOST) {
      this.#entries.shift();
    }
  }

  clearToMarker(): void {
    while (this.#entries.length > 0 && this.#entries.pop() !== MARKER) {}
  }

  /** The last one of a name on this side of a marker. */
  find(name: string): Element | null {
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      const entry = this.#entries[i]!;
      if (entry === MARKER) {
        return null;
      }
      if (entry.name === name) {
        return entry;
      }
    }
    return null;
  }

  indexOf(element: Element): number {
    return this.#entries.lastIndexOf(element);
  }

  remove(element: Element): void {
    const at = this.indexOf(element);
    if (at !== -1) {
      this.#entries.splice(at, 1);
    }
  }

  replace(at: number, element: Element): void {
    this.#entries[at] = element;
  }

  insert(at: number, element: Element): void {
    this.#entries.splice(at, 0, element);
  }
}

function isSame(one: Element, other: Element): boolean {
  return (
    one.name === other.name &&
    one.attributes.length === other.attributes.length &&
    one.attributes.every((text, i) => text === other.attributes[i])
  );
}

const ROUNDS = 8;

/** The most formatting elements that are carried on around a block; HTML5 gives this number. */
const CARRIED = 3;

const copyOf = (element: Element): Element => new Element(element.name, element.attributes);

/** Formatting that the end of a block has cut off goes on in the next one: `<p><b>one<p>two`. */
export function reopenFormatting(open: OpenElements): void {
  const { formatting } = open;
  const { entries } = formatting;
  let from = entries.length;
  while (from > 0 && entries[from - 1] !== null && open.placeOf(entries[from - 1]!) === -1) {
    from--;
  }
  for (let i = from; i < entries.length; i++) {
    const copy = copyOf(entries[i]!);
    if (!open.push(copy)) {
      open.tooDeep--;
      return;
    }
    formatting.replace(i, copy);
  }
}

/**
 * The end tag of formatting, by the adoption agency of HTML5: `<b>1<p>2</b>3</p>` is bold up to 2. False if no formatting
 * of that name is open, and the tag ends what any other would.
 */
export function endFormatting(name: string, open: OpenElements): boolean {
  const { formatting } = open;
  if (open.current.name === name && formatting.indexOf(open.current) === -1) {
    open.pop();
    return true;
  }
  for (let round = 0; round < ROUNDS; round++) {
    const element = formatting.find(name);
    if (element === null) {
      return round > 0;
    }
    const at = open.placeOf(element);
    if (at === -1) {
      formatting.remove(element);
      return true;
    }
    if (open.inScope(name, SCOPE) === -1) {
      return true;
    }
    const block = open.firstOf(SPECIAL, at + 1);
    if (block === -1) {
      open.popDownTo(at);
      formatting.remove(element);
      return true;
    }
    adopt(element, at, block, open);
  }
  return true;
}

/** Takes a block out of formatting that ends within it, and puts the formatting around what the block has so far. */
function adopt(element: Element, at: number, blockAt: number, open: OpenElements): void {
  const { formatting } = open;
  open.inOrder = null;
  const block = open.at(blockAt)!;
  const parent = open.at(at - 1)!;
  let bookmark = formatting.indexOf(element);
  let last = block;
  for (let i = blockAt - 1, inner = 1; i > at; i--, inner++) {
    const node = open.at(i)!;
    const place = formatting.indexOf(node);
    if (place === -1 || inner > CARRIED) {
      if (place !== -1) {
        formatting.remove(node);
      }
      if (place !== -1 && place < bookmark) {
        bookmark--;
      }
      open.remove(node);
      continue;
    }
    const copy = copyOf(node);
    formatting.replace(place, copy);
    open.replace(i, copy);
    if (last === block) {
      bookmark = place + 1;
    }
    move(last, copy);
    last = copy;
  }
  move(last, parent);
  const copy = copyOf(element);
  for (const child of block.children.splice(0)) {
    copy.append(child);
  }
  block.append(copy);
  const old = formatting.indexOf(element);
  formatting.remove(element);
  formatting.insert(old < bookmark ? bookmark - 1 : bookmark, copy);
  open.remove(element);
  open.insertBehind(block, copy);
}

function move(element: Element, to: Element): void {
  const from = element.parent;
  if (from !== null) {
    from.children.splice(from.children.lastIndexOf(element), 1);
  }
  to.append(element);
}
