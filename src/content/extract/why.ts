import type { Element } from '../element.js';
import { FAR } from './block-boxes.js';
import type { BlockTable } from './block-features.js';
import { type Share, sharesOf, type Verdict } from './block-judge.js';
import { wordsOfFeature } from './feature-words.js';
import { characters, Outline } from './outline.js';

/** A block of a page, and what became of it. */
export interface WhyBlock {
  kept: boolean;
  /** Which step decided. */
  by: 'noise' | 'rule' | 'score' | 'title' | 'consent' | 'contents' | 'repeats' | 'content' | 'remove' | 'empty';
  /** In plain words. */
  reason: string;
  /** In thousandths; kept from `enough` on. Null where no score decided. */
  score: number | null;
  enough: number | null;
  /** What counted most for the decision, the strongest first. */
  features: Share[];
  /** Tags with ids and classes, from the outside; of a long one the end. */
  path: string;
  /** The beginning of its text. */
  text: string;
}

type Decision = Omit<WhyBlock, 'path' | 'text'>;
type Step = 'noise' | 'rule' | 'score' | 'contents' | 'repeats';
type Judged = { verdict: Verdict; shares: () => Share[] };

const MOST_FEATURES = 2;
const LONGEST_TEXT = 80;
const LONGEST_NAME = 40;
const LEVELS = 6;

const DROPPED: Readonly<Record<Exclude<Step, 'rule' | 'score'>, string>> = {
  noise: 'hidden, a control, a permalink or a line number',
  contents: 'a table of contents of the page itself',
  repeats: 'it repeats on the site: many of its pages have this here',
};

/** Listens while the content of one page is looked for. It decides nothing. */
export class Why {
  readonly #dropped = new Map<Element, Step>();
  readonly #judged = new Map<Element, Judged>();
  readonly #kept = new Set<Element>();
  #system: string | null = null;
  #isRuled = false;

  /** What is gone now and was not before went at this step. */
  dropped(outline: Outline, step: Step): void {
    for (const [i, element] of outline.elements.entries()) {
      if (outline.isGone(i) && !this.#dropped.has(element)) {
        this.#dropped.set(element, step);
      }
    }
  }

  /** @param isRuled whether the rule for the system has found the text */
  ruled(outline: Outline, system: string | null, isRuled: boolean): void {
    this.dropped(outline, 'rule');
    this.#system = system;
    this.#isRuled = isRuled;
  }

  judges(outline: Outline, table: BlockTable): (block: number, verdict: Verdict) => void {
    return (b, verdict) =>
      this.#judged.set(outline.elements[table.blocks[b]!]!, { verdict, shares: () => sharesOf(table, b) });
  }

  found(outline: Outline, places: readonly number[]): void {
    for (const place of places) {
      for (const i of outline.within(place)) {
        if (!outline.isMute(i)) {
          this.#kept.add(outline.elements[i]!);
        }
      }
    }
  }

  /** @param owners the elements that the text of the block stands directly in */
  of(block: Element, owners: readonly Element[]): Decision {
    const kept = owners.some((owner) => this.#kept.has(owner));
    const judged = this.#judged.get(block);
    if (kept) {
      return judged === undefined
        ? plain(true, 'rule', `in what the rule for ${this.#system} takes for the text`)
        : decided(true, judged);
    }
    const step = this.#dropped.get(owners[0]!);
    if (step === 'noise' || step === 'contents' || step === 'repeats') {
      return plain(false, step, DROPPED[step]);
    }
    if (step === 'rule') {
      return plain(false, 'rule', `the rule for ${this.#system} leaves it out`);
    }
    if (judged !== undefined) {
      return decided(false, judged);
    }
    return this.#isRuled
      ? plain(false, 'rule', `outside of what the rule for ${this.#system} takes for the text`)
      : plain(false, 'empty', 'it is outside of the body of the page');
  }
}

export const plain = (kept: boolean, by: WhyBlock['by'], reason: string): Decision => ({
  ...{ kept, by, reason, score: null, enough: null, features: [] },
});

function decided(kept: boolean, { verdict, shares }: Judged): Decision {
  if (verdict.by !== 'score') {
    const { by } = verdict;
    return plain(kept, by, by === 'title' ? 'the title of the page' : 'it asks for consent');
  }
  const { score, enough } = verdict;
  const sign = kept ? 1 : -1;
  const features = shares()
    .filter(({ adds }) => adds * sign > 0)
    .sort((a, b) => (b.adds - a.adds) * sign)
    .slice(0, MOST_FEATURES);
  const words = new Set(features.map(({ feature, value }) => wordsOfFeature(feature, value, FAR)));
  const numbers = `score ${thousandths(score)}, ${thousandths(enough)} is enough`;
  const causes = words.size === 0 ? '' : `; ${kept ? 'for' : 'against'} it: ${[...words].join(', ')}`;
  return { kept, by: 'score', reason: numbers + causes, score, enough, features };
}

const thousandths = (score: number): string => (score / 1000).toFixed(2);

/** A block as it stands in a page of which nothing is gone. */
export interface SeenBlock {
  element: Element;
  owners: Element[];
  path: string;
  text: string;
}

/** The blocks of a page in its order, but for those of its head. */
export function seenBlocks(tree: Element): SeenBlock[] {
  const outline = new Outline(tree);
  const { texts, owners } = outline.tree;
  const isHead = outline.counts(({ name }) => name === 'head' || name === 'title');
  const found = new Map<number, SeenBlock>();
  let headEnd = 0;
  for (const [at, text] of texts.entries()) {
    const owner = owners[at]!;
    if (isHead[owner + 1]! > isHead[owner]!) {
      headEnd = Math.max(headEnd, outline.ends[owner]!);
    }
    if (owner < headEnd || characters(text) === 0) {
      continue;
    }
    const place = outline.blocks[owner]!;
    const element = outline.elements[place]!;
    const block = found.get(place) ?? { element, owners: [], path: pathOf(element), text: '' };
    found.set(place, block);
    block.owners.push(outline.elements[owner]!);
    if (block.text.length < LONGEST_TEXT) {
      block.text = `${block.text}${text.slice(0, 4 * LONGEST_TEXT)}`.replace(/\s+/g, ' ').trimStart();
    }
  }
  return [...found.values()].map((block) => ({ ...block, text: shortened(block.text.trim(), LONGEST_TEXT) }));
}

function pathOf(element: Element): string {
  const names: string[] = [];
  let up: Element | null = element;
  for (; up !== null && up.name !== '' && names.length < LEVELS; up = up.parent) {
    const mark = up.id !== '' ? `#${up.id}` : up.classes[0] === undefined ? '' : `.${up.classes[0]}`;
    names.unshift(shortened(up.name + mark, LONGEST_NAME));
  }
  return (up === null || up.name === '' ? '' : '… > ') + names.join(' > ');
}

const shortened = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
