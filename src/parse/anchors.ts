import { decodeXml } from './encodings.js';
import { decodeReferences } from './html-rules.js';

/** Stands among the names of a page whose text a script draws; no page can have it for a name of its own. */
export const DRAWN_BY_SCRIPT = '\0';

/** Stand among the names of a page that a browser has rendered: what it is by its routes. */
export const DRAWS_BY_ROUTES = '\0routes';
export const ROUTE_VIEW = { own: '\0own view', unknown: '\0unknown view', untold: '\0untold view' } as const;

/**
 * A name that a fragment can point at, in 64 bits. Of one page there are some hundred at most, so two that differ do not meet; and it is
 * cheap, for each id of each page goes through it.
 */
export function hashAnchor(name: string, into: Uint32Array, at: number): void {
  let one = 0xdeadbeef;
  let other = 0x41c6ce57;
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    one = Math.imul(one ^ unit, 2654435761);
    other = Math.imul(other ^ unit, 1597334677);
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909);
  other = Math.imul(other ^ (other >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
  into[at] = one;
  into[at + 1] = other;
}

/** Two words a name, in their order; each name once. */
export function packAnchors(names: Iterable<string>): Uint32Array {
  const unique = new Set(names);
  const words = new Uint32Array(unique.size * 2);
  let at = 0;
  for (const name of unique) {
    hashAnchor(name, words, at);
    at += 2;
  }
  return words;
}

/** Asks packed names for one of them. */
export class AnchorSet {
  readonly #words: ReadonlySet<number>;
  readonly size: number;

  constructor(packed: Uint32Array) {
    const words = new Set<number>();
    for (let i = 0; i < packed.length; i += 2) {
      words.add(inOne(packed, i));
    }
    this.#words = words;
    this.size = words.size;
  }

  has(name: string): boolean {
    const words = new Uint32Array(2);
    hashAnchor(name, words, 0);
    return this.#words.has(inOne(words, 0));
  }
}

/** 53 of the 64 bits, as a number. */
const inOne = (words: Uint32Array, at: number): number => (words[at + 1]! & 0x1fffff) * 0x1_0000_0000 + words[at]!;

const ID = /\s(?:xml:)?id\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;

const SCRIPT = /<(?:[\w-]+:)?script[\s/>]/;

/**
 * What a fragment can point at in an SVG document: ids, wherever they seem to stand. One in a comment is taken for an id too: better a link
 * that is wrongly fine than one that is wrongly missing.
 */
export function svgAnchors(bytes: Uint8Array): string[] {
  const text = decodeXml(bytes);
  const ids = Array.from(text.matchAll(ID), ([, double, single]) => decodeReferences((double ?? single)!.trim(), true));
  return SCRIPT.test(text) ? [...ids, DRAWN_BY_SCRIPT] : ids;
}
