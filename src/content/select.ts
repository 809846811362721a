import { _compileUnsafe as compileTokens } from 'css-select';
import {
  type AttributeSelector,
  isTraversal,
  type PseudoSelector,
  parse,
  SelectorType,
  type Selector as Token,
} from 'css-what';
import nthCheck from 'nth-check';
import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { type Child, type Element, textOf as wholeText } from './element.js';
import { faultOfSigns, type SelectorFault, selectorFault, UnusablePart } from './selector-fault.js';

export { attributeOf, htmlOf, textOf } from './serialise.js';

/*
 * CSS selectors over the tree of a page. css-select does the matching, over an adapter. What would look at all siblings of an element
 * again for each of them is done here instead, so that a flat page of a hundred thousand elements takes no longer than a deep one. All
 * other work is counted, and stopped where it is too much: selectors come from the user, but pages come from strangers.
 */

/** A selector that was read, to be used on any number of pages. */
export interface Selector {
  readonly text: string;
  /** What each element that it finds has; null if it is not that simple. */
  readonly key: Key | null;
  /** For `Selection` alone. */
  readonly test: Test;
}

interface Key {
  readonly kind: 'name' | 'class';
  readonly value: string;
}

/** A selector has looked at too much of a page, and was stopped. Steps are counted and not seconds, so it is the same on every machine. */
export class SelectionTooLong extends Error {}

/** No selector that a person writes is longer. */
const LONGEST_SELECTOR = 4_096;
/** Looks at an element. Ordinary selectors need a few for each element of a page; so many take some tenths of a second. */
const MOST_STEPS = 10_000_000;
/** Text is looked through much faster than elements: so many characters are one step. */
const CHARACTERS_A_STEP = 64;
const ATTRIBUTES_A_STEP = 8;
/** Among fewer siblings an element is looked for; of more, the places are noted. */
const FEW_SIBLINGS = 16;

type Test = (element: Element) => boolean;

/** @throws UsageError that names the place in the selector */
export function compileSelector(text: string): Selector {
  if (text.length > LONGEST_SELECTOR) {
    throw new UsageError(`a selector has at most ${LONGEST_SELECTOR} characters, and this one has ${text.length}`);
  }
  const fault = faultOfSigns(text);
  if (fault !== null) {
    throw refusal(text, fault);
  }
  try {
    const branches = parse(text);
    refuseRelative(branches);
    return { text, key: keyOf(branches), test: compiled(branches, false) };
  } catch (error) {
    throw refusal(text, selectorFault(text, error));
  }
}

const refusal = (text: string, { place, what }: SelectorFault): UsageError =>
  new UsageError(`selector "${printable(text)}", character ${place + 1}: ${printable(what)}`);

/** The first element within `root`, in the order of the page. */
export const selectFirst = (root: Element, selector: Selector): Element | null => new Selection(root).first(selector);

/** All elements within `root`, in the order of the page, or the first `most` of them. */
export const selectAll = (root: Element, selector: Selector, most?: number): Element[] =>
  new Selection(root).all(selector, most);

/**
 * Several selectors on one tree that nobody changes meanwhile: they share what was noted about it, and the bound on their work.
 * `first` and `all` throw SelectionTooLong.
 */
export class Selection {
  readonly #root: Element;
  readonly #notes: Notes;
  #elements: Element[] | null;
  /** Of the selectors that were announced: the elements that have their keys. */
  #byKey: ReadonlyMap<Key, Element[]> | null = null;

  /** @param elements all within `root`, in their order, where that is known */
  constructor(root: Element, elements: Element[] | null = null) {
    this.#root = root;
    this.#elements = elements;
    this.#notes = new Notes(root);
  }

  /** These selectors follow: what they need of the tree is looked up in one go. */
  announce(selectors: readonly Selector[]): void {
    const keys = selectors.flatMap(({ key }) => key ?? []);
    this.#byKey = withKeys(this.#all(), keys);
  }

  first(selector: Selector): Element | null {
    return this.all(selector, 1)[0] ?? null;
  }

  all({ key, test }: Selector, most = Number.POSITIVE_INFINITY): Element[] {
    notes = this.#notes;
    const elements = (key === null ? null : this.#byKey?.get(key)) ?? this.#all();
    const found: Element[] = [];
    for (let i = 0; i < elements.length && found.length < most; i++) {
      if (test(elements[i]!)) {
        found.push(elements[i]!);
      }
    }
    return found;
  }

  #all(): Element[] {
    this.#elements ??= elementsWithin(this.#root);
    return this.#elements;
  }
}

/** Goes through all elements once, so that few are left for each selector to test. */
function withKeys(elements: readonly Element[], keys: readonly Key[]): Map<Key, Element[]> {
  const found = new Map<Key, Element[]>(keys.map((key) => [key, []]));
  const listsOf = (kind: Key['kind'], values: readonly string[]): Element[][] =>
    keys.filter((key) => key.kind === kind && values.includes(key.value)).map((key) => found.get(key)!);
  const names = new Map(keys.map(({ value }) => [value, listsOf('name', [value])]));
  const hasClasses = keys.some(({ kind }) => kind === 'class');
  // Many elements of a page have the same classes.
  const classes = new Map<string, Element[][]>();
  for (let i = 0; i < elements.length; i++) {
    const element = elements[i]!;
    addTo(names.get(element.name), element);
    const value = hasClasses && element.attributes.length > 0 ? element.attribute('class') : null;
    if (value !== null) {
      let lists = classes.get(value);
      if (lists === undefined) {
        lists = listsOf('class', element.classes);
        classes.set(value, lists);
      }
      addTo(lists, element);
    }
  }
  return found;
}

function addTo(lists: readonly Element[][] | undefined, element: Element): void {
  if (lists !== undefined) {
    for (let i = 0; i < lists.length; i++) {
      lists[i]!.push(element);
    }
  }
}

/** Of what stands behind the last combinator. */
function keyOf(branches: readonly Token[][]): Key | null {
  const [branch, ...others] = branches;
  if (branch === undefined || others.length > 0) {
    return null;
  }
  const last = branch.slice(branch.findLastIndex(isTraversal) + 1);
  for (const token of last) {
    if (token.type === SelectorType.Attribute && isClass(token)) {
      return { kind: 'class', value: token.value };
    }
  }
  for (const token of last) {
    if (token.type === SelectorType.Tag) {
      return { kind: 'name', value: token.name.toLowerCase() };
    }
  }
  return null;
}

/** `.name`, and not `[class~=name]`. */
const isClass = ({ name, ignoreCase }: AttributeSelector): boolean => name === 'class' && ignoreCase === 'quirks';

function elementsWithin(root: Element): Element[] {
  const found: Element[] = [];
  // It may recurse, because no tree is deeper than MAX_DEPTH.
  const add = ({ children }: Element): void => {
    for (let i = 0; i < children.length; i++) {
      const child = children[i]!;
      if (typeof child !== 'string') {
        found.push(child);
        add(child);
      }
    }
  };
  add(root);
  return found;
}

/** What the selectors of one selection know of its tree, and how much they may still look at. */
class Notes {
  readonly root: Element;
  stepsLeft = MOST_STEPS;
  readonly #ofPart = new Map<object, Map<object, unknown>>();
  readonly #places = new Map<readonly Child[], Map<Child, number>>();

  constructor(root: Element) {
    this.root = root;
  }

  spend(steps: number): void {
    this.stepsLeft -= steps;
    if (this.stepsLeft < 0) {
      throw new SelectionTooLong(`it needs more than ${MOST_STEPS.toLocaleString('en')} steps`);
    }
  }

  /** What one part of a selector has found out about an element, or about a list of siblings. */
  once<T>(part: object, about: object, find: () => T): T {
    let known = this.#ofPart.get(part) as Map<object, T> | undefined;
    if (known === undefined) {
      known = new Map();
      this.#ofPart.set(part, known);
    }
    let value = known.get(about);
    if (value === undefined) {
      value = find();
      known.set(about, value);
    }
    return value;
  }

  placeOf(element: Element, siblings: readonly Child[]): number {
    if (siblings.length <= FEW_SIBLINGS) {
      return siblings.indexOf(element);
    }
    let places = this.#places.get(siblings);
    if (places === undefined) {
      this.spend(siblings.length);
      places = new Map();
      for (let i = 0; i < siblings.length; i++) {
        if (typeof siblings[i] !== 'string') {
          places.set(siblings[i]!, i);
        }
      }
      this.#places.set(siblings, places);
    }
    return places.get(element)!;
  }
}

/** Of the selection under way: a test runs to its end before the next begins. */
let notes: Notes;

const siblingsOf = (element: Element): Child[] => element.parent?.children ?? [element];
/** The root of a tree is the document, and no element. */
const isElement = (node: Child): node is Element => typeof node !== 'string' && node.name !== '';

const ADAPTER = {
  isTag: (node: Child): node is Element => {
    notes.spend(1);
    return isElement(node);
  },
  getName: ({ name }: Element) => name,
  getParent: ({ parent }: Element) => parent,
  getChildren: (node: Child) => (typeof node === 'string' ? [] : node.children),
  getSiblings: (node: Child) => siblingsOf(node as Element),
  prevElementSibling: (node: Child) => {
    const siblings = siblingsOf(node as Element);
    for (let i = notes.placeOf(node as Element, siblings) - 1; i >= 0; i--) {
      if (typeof siblings[i] !== 'string') {
        return siblings[i] as Element;
      }
    }
    return null;
  },
  getText: (node: Child) => {
    const text = wholeText(node);
    notes.spend(text.length / CHARACTERS_A_STEP);
    return text;
  },
  getAttributeValue: (element: Element, name: string) => {
    const value = element.attribute(name);
    notes.spend(element.attributes.length / ATTRIBUTES_A_STEP + (value?.length ?? 0) / CHARACTERS_A_STEP);
    return value ?? undefined;
  },
  hasAttrib: (element: Element, name: string) => {
    notes.spend(element.attributes.length / ATTRIBUTES_A_STEP);
    return element.has(name);
  },
  removeSubsets: (nodes: Child[]) => nodes,
};

/**
 * The test for what was parsed. Some parts are replaced by pseudo-classes of our own. Their names have capitals, which no name in a
 * selector has once it is parsed.
 */
function compiled(branches: Token[][], isWithinHas: boolean): Test {
  const own: Record<string, Test> = {};
  const tokens = branches.map((branch) => replaced(branch, replacer(own), isWithinHas));
  return compileTokens<Child, Element>(tokens, { adapter: ADAPTER, pseudos: own, cacheResults: false });
}

type Replace = (test: Test) => PseudoSelector;

const replacer =
  (own: Record<string, Test>): Replace =>
  (test) => {
    const name = `OWN-${Object.keys(own).length}`;
    own[name] = test;
    return { type: SelectorType.Pseudo, name, data: null };
  };

function replaced(branch: Token[], replace: Replace, isWithinHas: boolean): Token[] {
  const at = branch.findLastIndex(({ type }) => type === SelectorType.Sibling);
  const left = branch.slice(0, Math.max(at, 0));
  // In `:has(a b ~ c)` the `a` has to be within the element too: css-select sees to that.
  if (left.length === 0 || (isWithinHas && left.some(isTraversal))) {
    return branch.flatMap((token) => replacedPart(token, replace, isWithinHas));
  }
  const right = branch.slice(at + 1).flatMap((token) => replacedPart(token, replace, isWithinHas));
  return [replace(isBehind(compiled([left], isWithinHas))), ...right];
}

const COUNTING = /^nth-(last-)?(child|of-type)$/;
const COUNTED: Readonly<Record<string, readonly string[]>> = {
  'first-child': ['nth-child'],
  'last-child': ['nth-last-child'],
  'only-child': ['nth-child', 'nth-last-child'],
  'first-of-type': ['nth-of-type'],
  'last-of-type': ['nth-last-of-type'],
  'only-of-type': ['nth-of-type', 'nth-last-of-type'],
};
/** What a person does with a page. */
const NEVER = new Set(['hover', 'active', 'visited', 'focus', 'focus-within', 'focus-visible', 'target']);

function replacedPart(token: Token, replace: Replace, isWithinHas: boolean): Token | Token[] {
  refuseUnusable(token);
  if (token.type === SelectorType.Attribute && isClass(token)) {
    return replace(hasClass(token.value));
  }
  if (token.type !== SelectorType.Pseudo) {
    return token;
  }
  const { name, data } = token;
  if (COUNTING.test(name)) {
    return replace(isCounted(name, data as string | null));
  }
  if (COUNTED[name] !== undefined && data === null) {
    return COUNTED[name].map((each) => replace(isCounted(each, '1')));
  }
  if (name === 'scope' && !isWithinHas) {
    return replace(isScope);
  }
  if (name === 'empty' && data === null) {
    return replace(isEmpty);
  }
  if (Array.isArray(data) && name === 'has') {
    const test = compileHas(data);
    return replace((element) => notes.once(test, element, () => test(element)));
  }
  return Array.isArray(data) ? { ...token, data: data.map((branch) => replaced(branch, replace, isWithinHas)) } : token;
}

function refuseUnusable(token: Token): void {
  if (token.type === SelectorType.PseudoElement) {
    const hint = { text: ': write @text behind the selector', attr: ': write @NAME behind the selector' }[token.name];
    throw new UnusablePart(`::${token.name}`, `a page has no elements for ::${token.name}${hint ?? ''}`);
  }
  if (token.type === SelectorType.Parent) {
    throw new UnusablePart('<', '"<" is no combinator; :has() asks for what is within');
  }
  if (token.type === SelectorType.ColumnCombinator || ('namespace' in token && token.namespace !== null)) {
    throw new UnusablePart('|', '"|" is for namespaces and columns, which are not known here');
  }
  if (token.type === SelectorType.Pseudo && NEVER.has(token.name)) {
    throw new UnusablePart(`:${token.name}`, `:${token.name} never matches, because nobody uses the page`);
  }
}

/** A selector is for the whole page; what begins with a combinator would need something before it. */
function refuseRelative(branches: readonly Token[][]): void {
  const first = branches.map(([token]) => token!).find(isTraversal);
  if (first !== undefined) {
    const signs: Readonly<Record<string, string>> = { child: '>', sibling: '~', adjacent: '+' };
    const sign = signs[first.type] ?? '<';
    throw new UnusablePart(sign, `nothing stands before the "${sign}"`);
  }
}

// What is done here and not by css-select.

const hasClass =
  (name: string): Test =>
  (element) => {
    const { classes } = element;
    if (classes.length > ATTRIBUTES_A_STEP) {
      notes.spend(classes.length / ATTRIBUTES_A_STEP);
    }
    return classes.includes(name);
  };

/** The element that is searched, or the topmost one where that is the page. */
const isScope: Test = (element) => (notes.root.name === '' ? element.parent === notes.root : element === notes.root);

/** As browsers have it: white space is content. */
const isEmpty: Test = ({ children }) => children.every((child) => child === '');

function compileHas(data: Token[][]): Test {
  const own: Record<string, Test> = {};
  const replace = replacer(own);
  const tokens = data.map((branch) => replaced(branch, replace, true));
  const has: PseudoSelector = { type: SelectorType.Pseudo, name: 'has', data: tokens };
  return compileTokens<Child, Element>([[has]], { adapter: ADAPTER, pseudos: own, cacheResults: false });
}

/** Whether a sibling before an element passes a test: the first that does is looked for once. */
function isBehind(test: Test): Test {
  const firstIn = (siblings: readonly Child[]): number => {
    for (let i = 0; i < siblings.length; i++) {
      const sibling = siblings[i]!;
      if (ADAPTER.isTag(sibling) && test(sibling)) {
        return i;
      }
    }
    return Number.POSITIVE_INFINITY;
  };
  return (element) => {
    const siblings = siblingsOf(element);
    const first = notes.once(test, siblings, () => firstIn(siblings));
    return first < siblings.length && first < notes.placeOf(element, siblings);
  };
}

const OF = /^(.+?)\sof\s(.+)$/is;

/** `:nth-child(2n+1 of S)` and the like. Places are counted once for all siblings. */
function isCounted(name: string, data: string | null): Test {
  const [, isLast, kind] = COUNTING.exec(name)!;
  const [, formula, of] = (kind === 'child' && OF.exec(data ?? '')) || [null, data ?? '', null];
  let check: (place: number) => boolean;
  try {
    check = nthCheck(formula!.trim());
  } catch {
    throw new UnusablePart(`:${name}`, `:${name} needs a number or a formula, as in :${name}(2n+1)`);
  }
  const isOne = of === null || of === undefined ? null : compiled(parse(of.trim()), false);
  const part = {};
  const count = (siblings: readonly Child[]): Map<Child, number> => {
    const elements = siblings.filter((each) => ADAPTER.isTag(each) && (isOne === null || isOne(each)));
    const seen = new Map<string, number>();
    const places = new Map<Child, number>();
    for (const element of (isLast === undefined ? elements : elements.reverse()) as Element[]) {
      const group = kind === 'of-type' ? element.name : '';
      const place = seen.get(group) ?? 0;
      places.set(element, place);
      seen.set(group, place + 1);
    }
    return places;
  };
  return (element) => {
    const siblings = siblingsOf(element);
    const place = notes.once(part, siblings, () => count(siblings)).get(element);
    return place !== undefined && check(place);
  };
}
