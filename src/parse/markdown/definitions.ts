import { labelKey, readDestination, readLabel, skipSpace, titleEnd } from './destination.js';
import { meaningOf } from './escapes.js';
import type { Content } from './source.js';

/** `[label]: destination "title"` */
export interface Definition {
  href: string;
  /** Of the destination, in the file. */
  offset: number;
  isUsed: boolean;
}

/** All definitions of a file; of two with one label the first counts. */
export class Definitions {
  readonly all: Definition[] = [];
  readonly #byLabel = new Map<string, Definition>();

  /** The definition of a label, which counts as used from now on. */
  use(label: string): Definition | null {
    const key = labelKey(label);
    const found = (key === null ? undefined : this.#byLabel.get(key)) ?? null;
    if (found !== null) found.isUsed = true;
    return found;
  }

  /** Takes the definitions that a paragraph begins with, and gives the place where the rest of it begins. */
  takeFrom(content: Content): number {
    let at = 0;
    for (;;) {
      const end = this.#takeOne(content, at);
      if (end === -1) return at;
      at = end;
    }
  }

  /** The end of the definition that begins here, or -1. */
  #takeOne(content: Content, at: number): number {
    const { text } = content;
    const label = readLabel(text, at);
    if (label === null || text[label.end + 1] !== ':') return -1;
    const key = labelKey(text.slice(label.start, label.end));
    const from = skipSpace(text, label.end + 2);
    const destination = from === text.length || key === null ? null : readDestination(text, from);
    // Empty is only what stands in angle brackets.
    if (destination === null || destination.after === from) return -1;
    const end = definitionEnd(text, destination.after);
    if (end === -1) return -1;
    const definition = {
      href: meaningOf(text.slice(destination.start, destination.end)),
      offset: content.offsetOf(destination.start),
      isUsed: false,
    };
    this.all.push(definition);
    if (!this.#byLabel.has(key!)) this.#byLabel.set(key!, definition);
    return end;
  }
}

/** Behind an optional title and the line end; what is on the next line and is no title is not part of it. */
function definitionEnd(text: string, from: number): number {
  const next = skipSpace(text, from);
  const title = next > from ? titleEnd(text, next) : -1;
  const behindTitle = title === -1 ? -1 : lineEnd(text, title);
  return behindTitle === -1 ? lineEnd(text, from) : behindTitle;
}

const LINE_END = /[ \t]*(?:\n|$)/y;

function lineEnd(text: string, at: number): number {
  LINE_END.lastIndex = at;
  return LINE_END.test(text) ? LINE_END.lastIndex : -1;
}
