import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';

/** `@Product.offers.price`: of the items of a type, or of all, the values under keys within each other. */
export interface JsonPath {
  readonly type: string | null;
  readonly keys: readonly string[];
}

type Json = string | number | boolean | null | object;

/** Words of JSON-LD itself begin with a small letter, types with a capital one. */
const TYPE = /^@[A-Z]/;
/** Looks at a value: no ordinary page has as many. */
const MOST_STEPS = 100_000;
/** Lists within lists, and items within items: nobody nests deeper. */
const DEEPEST = 20;

/** @throws UsageError that names the place in the path */
export function readJsonPath(text: string): JsonPath {
  const segments = text.trim().split('.');
  let place = text.length - text.trimStart().length;
  for (const segment of segments) {
    if (segment.trim() === '' || /[[\]\s]/.test(segment)) {
      const what = segment.trim() === '' ? 'a key is missing' : 'a key has no brackets and no white space';
      throw new UsageError(`path "${printable(text)}", character ${place + 1}: ${what}`);
    }
    place += segment.length + 1;
  }
  const type = TYPE.test(segments[0]!) ? segments[0]!.slice(1) : null;
  return { type, keys: type === null ? segments : segments.slice(1) };
}

/** The JSON-LD of a page. */
export class JsonLdBlocks {
  /** One of them is no JSON. */
  readonly areDamaged: boolean;
  readonly #items: object[] = [];

  constructor(texts: readonly string[]) {
    let areDamaged = false;
    for (const text of texts) {
      const value = parsed(text);
      if (value === undefined) {
        areDamaged = true;
      } else {
        addItems(value, this.#items, DEEPEST);
      }
    }
    this.areDamaged = areDamaged;
  }

  /** The values at a path, in the order of the page. Lists on the way stand for what is in them; a number is a place in a list. */
  find({ type, keys }: JsonPath, most: number): Json[] {
    const found: Json[] = [];
    let steps = MOST_STEPS;
    const follow = (value: unknown, at: number, depth: number): void => {
      if (found.length >= most || steps-- <= 0 || value === null || value === undefined) {
        return;
      }
      const key = keys[at];
      if (Array.isArray(value) && (key === undefined || !/^\d+$/.test(key))) {
        for (let i = 0; i < value.length && depth > 0; i++) {
          follow(value[i], at, depth - 1);
        }
      } else if (key === undefined) {
        found.push(value as Json);
      } else if (typeof value === 'object' && Object.hasOwn(value, key)) {
        follow((value as Record<string, unknown>)[key], at + 1, DEEPEST);
      }
    };
    for (const item of this.#items) {
      if (type === null || isOfType(item, type)) {
        follow(item, 0, DEEPEST);
      }
    }
    return found;
  }
}

/** Undefined where it is no JSON, even without the comment signs that some pages put around it. */
function parsed(text: string): unknown {
  for (const each of [
    text,
    text.replace(/^\s*(?:\/[/*])?\s*<!(?:--|\[CDATA\[)\s*(?:\*\/)?|(?:\/[/*])?\s*(?:-->|\]\]>)\s*(?:\*\/)?\s*$/g, ''),
  ]) {
    try {
      return JSON.parse(each);
    } catch {
      // Tried again, or said to be damaged.
    }
  }
  return undefined;
}

/** A block holds an item, a list of them, or a graph. */
function addItems(value: unknown, items: object[], depth: number): void {
  if (typeof value !== 'object' || value === null || depth === 0) {
    return;
  }
  if (Array.isArray(value)) {
    for (const each of value) {
      addItems(each, items, depth - 1);
    }
    return;
  }
  items.push(value);
  addItems((value as { '@graph'?: unknown })['@graph'], items, depth - 1);
}

function isOfType(item: object, type: string): boolean {
  const given = (item as { '@type'?: unknown })['@type'];
  return (Array.isArray(given) ? given : [given]).some(
    (each) => typeof each === 'string' && (each === type || each.endsWith(`/${type}`)),
  );
}
