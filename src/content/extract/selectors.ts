import type { Element } from '../element.js';
import type { Outline } from './outline.js';

/** One part of a selector: what an element has to be and have. */
interface Compound {
  readonly name: string;
  readonly id: string;
  readonly classes: readonly string[];
  readonly attributes: readonly { readonly name: string; readonly value: string | null }[];
}

interface Selector {
  readonly own: Compound;
  /** What has to stand around it, the nearest first. */
  readonly around: readonly Compound[];
}

const PIECE = /([#.]?)([A-Za-z_][\w-]*)|\[([\w-]+)(?:=([^\]]*))?\]/g;

/**
 * The few selectors that rules are written in, as in style sheets: `div#id.class[attribute=value]`, and `around own` for what stands anywhere
 * in another. Found by id, class or name, so that many of them cost little.
 */
export class Selectors {
  readonly #byKey = new Map<string, Selector[]>();

  constructor(list: readonly string[]) {
    for (const each of list) this.#add(parse(each));
  }

  matches(element: Element): boolean {
    const { attributes } = element;
    if (this.#matchesKey(element.name, element)) return true;
    if (attributes.length === 0) return false;
    if (element.id !== '' && this.#matchesKey(`#${element.id}`, element)) return true;
    for (const each of element.classes) if (this.#matchesKey(`.${each}`, element)) return true;
    return this.#matchesKey('', element);
  }

  /** The first of a page that matches and is not gone; -1 where none does. */
  first(outline: Outline): number {
    for (let i = 0; i < outline.count; i++) {
      if (!outline.isGone(i) && this.matches(outline.elements[i]!)) return i;
    }
    return -1;
  }

  #add(selector: Selector): void {
    const { id, classes, name } = selector.own;
    const key = id !== '' ? `#${id}` : classes.length > 0 ? `.${classes[0]}` : name;
    const known = this.#byKey.get(key);
    if (known === undefined) this.#byKey.set(key, [selector]);
    else known.push(selector);
  }

  #matchesKey(key: string, element: Element): boolean {
    const selectors = this.#byKey.get(key);
    return selectors?.some((selector) => isMatch(selector, element)) ?? false;
  }
}

function parse(text: string): Selector {
  const compounds = text.split(' ').map((part): Compound => {
    let name = '';
    let id = '';
    const classes: string[] = [];
    const attributes: { name: string; value: string | null }[] = [];
    for (const [, sign, word, attribute, value] of part.matchAll(PIECE)) {
      if (attribute !== undefined) attributes.push({ name: attribute, value: value ?? null });
      else if (sign === '#') id = word!;
      else if (sign === '.') classes.push(word!);
      else name = word!;
    }
    return { name, id, classes, attributes };
  });
  return { own: compounds.at(-1)!, around: compounds.slice(0, -1).reverse() };
}

function isMatch({ own, around }: Selector, element: Element): boolean {
  if (!fits(own, element)) return false;
  let up = element.parent;
  for (const compound of around) {
    while (up !== null && !fits(compound, up)) up = up.parent;
    if (up === null) return false;
    up = up.parent;
  }
  return true;
}

function fits({ name, id, classes, attributes }: Compound, element: Element): boolean {
  if (name !== '' && element.name !== name) return false;
  if (id !== '' && element.id !== id) return false;
  if (!classes.every((each) => element.hasClass(each))) return false;
  return attributes.every((wanted) => {
    const value = element.attribute(wanted.name);
    return value !== null && (wanted.value === null || value === wanted.value);
  });
}
