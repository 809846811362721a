import type { Element } from './element.js';
import { OpenFormatting } from './formatting.js';
import { MARKERS } from './tag-rules.js';

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
  readonly #stack: Element[];
  /** How many elements were open outside of each stretch of SVG or MathML, and of each stretch of HTML in those. */
  readonly #foreignFrom: number[] = [];

  constructor(root: Element) {
    this.#stack = [root];
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
      if (open === name) return i;
      if (walls.has(open)) return -1;
    }
    return -1;
  }

  /** False where the tree is deep enough. A detached one is open but hangs on nothing, and is forgotten when it closes. */
  push(element: Element, isDetached = false): boolean {
    if (this.#stack.length >= MAX_DEPTH) {
      this.tooDeep++;
      return false;
    }
    if (!isDetached) this.current.append(element);
    this.#stack.push(element);
    if (element.name === 'p') this.paragraphs++;
    return true;
  }

  pop(): Element {
    const element = this.#stack.pop()!;
    if (element.name === 'p') this.paragraphs--;
    while ((this.#foreignFrom.at(-1) ?? 0) >= this.#stack.length) this.#foreignFrom.pop();
    if (MARKERS.has(element.name)) this.formatting.clearToMarker();
    return element;
  }

  /** Closes what is open from a place on. */
  popDownTo(length: number): void {
    while (this.#stack.length > length) this.pop();
  }

  endInScope(name: string, walls: ReadonlySet<string>): void {
    const at = this.inScope(name, walls);
    if (at !== -1) this.popDownTo(at);
  }

  // For formatting that is closed in the wrong order.

  replace(i: number, element: Element): void {
    this.#stack[i] = element;
  }

  remove(element: Element): void {
    const at = this.#stack.lastIndexOf(element);
    if (at !== -1) this.#stack.splice(at, 1);
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

  /** From here on the other kind of markup holds. */
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
      if (this.#stack[i]!.name !== name) continue;
      this.popDownTo(i);
      return true;
    }
    return false;
  }
}
