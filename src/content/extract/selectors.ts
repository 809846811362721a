import type { Element } from '../element.js';

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
  readonly #byId = new Map<string, Selector[]>();
  readonly #byClass = new Map<string, Selector[]>();
  readonly #byName = new Map<string, Selector[]>();

  constructor(list: readonly string[]) {
    for (const selector of list.map(parse)) {
      const { id, classes, name } = selector.own;
      if (id !== '') add(this.#byId, id, selector);
      else if (classes.length > 0) add(this.#byClass, classes[0]!, selector);
      else add(this.#byName, name, selector);
    }
  }

  matches(element: Element): boolean {
    if (isAny(this.#byName.get(element.name), element)) return true;
    if (element.attributes.length === 0) return false;
    if (this.#byId.size > 0 && isAny(this.#byId.get(element.id), element)) return true;
    return this.#byClass.size > 0 && element.classes.some((each) => isAny(this.#byClass.get(each), element));
  }
}

function add(map: Map<string, Selector[]>, key: string, selector: Selector): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [selector]);
  else known.push(selector);
}

const isAny = (selectors: readonly Selector[] | undefined, element: Element): boolean =>
  selectors?.some((selector) => isMatch(selector, element)) ?? false;

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
