import type { Element } from './element.js';

/** A place that formatting does not cross: a cell, a caption. */
const MARKER = null;

/** As many as browsers reopen of the same kind. */
const SAME_KIND = 3;
/** A page that leaves more open than this means nothing by it, and would be copied again and again. */
const MOST = 12;

/** Formatting elements that were opened and not ended: `<b>one<p>two` is bold in both. */
export class OpenFormatting {
  readonly #entries: (Element | typeof MARKER)[] = [];

  get entries(): readonly (Element | null)[] {
    return this.#entries;
  }

  add(element: Element): void {
    let same = 0;
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      const entry = this.#entries[i]!;
      if (entry === MARKER) break;
      if (!isSame(entry, element)) continue;
      same++;
      if (same === SAME_KIND) this.#entries.splice(i, 1);
    }
    this.#entries.push(element);
    if (this.#entries.length > MOST) this.#entries.shift();
  }

  addMarker(): void {
    this.#entries.push(MARKER);
    if (this.#entries.length > MOST) this.#entries.shift();
  }

  clearToMarker(): void {
    while (this.#entries.length > 0 && this.#entries.pop() !== MARKER);
  }

  /** The last one of a name on this side of a marker. */
  find(name: string): Element | null {
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      const entry = this.#entries[i]!;
      if (entry === MARKER) return null;
      if (entry.name === name) return entry;
    }
    return null;
  }

  indexOf(element: Element): number {
    return this.#entries.lastIndexOf(element);
  }

  remove(element: Element): void {
    const at = this.indexOf(element);
    if (at !== -1) this.#entries.splice(at, 1);
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
