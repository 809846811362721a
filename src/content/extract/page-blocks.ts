import { HEADINGS } from '../markdown/names.js';
import { LEADS } from './block-leads.js';
import { type Outline, SENTENCE } from './outline.js';

/** Longer texts are no labels, however they begin. */
const LONGEST_LABEL = 500;
const LONGEST_LEAD = 90;

/** The blocks of a page: the words that stand directly in one element of its own lines. */
export interface PageBlocks {
  readonly outline: Outline;
  readonly body: number;
  readonly url: string | null;
  /** Elements of the outline, in the order in which their text begins. */
  readonly blocks: Int32Array;
  readonly texts: readonly string[];
  /** How each block begins: a bit for each of `LEADS`. */
  readonly leads: Int32Array;
  /** How many characters of sentences and code each block has. */
  readonly prose: Float64Array;
}

export function pageBlocks(outline: Outline, body: number, url: string | null): PageBlocks {
  const { texts: all, owners, textStarts, textEnds } = outline.tree;
  const places = new Int32Array(outline.count).fill(-1);
  const found: number[] = [];
  const texts: string[] = [];
  for (let t = textStarts[body]!; t < textEnds[body]!; t++) {
    const owner = owners[t]!;
    if (outline.isGone(owner)) {
      continue;
    }
    const text = all[t]!;
    const block = outline.blocks[owner]!;
    const place = places[block]!;
    if (place !== -1) {
      texts[place] += text;
    } else if (outline.lengths[t]! > 0) {
      places[block] = found.length;
      found.push(block);
      texts.push(text);
    }
  }
  const leads = new Int32Array(found.length);
  const prose = new Float64Array(found.length);
  for (let b = 0; b < found.length; b++) {
    texts[b] = texts[b]!.replaceAll('\u00ad', '').replace(/\s+/g, ' ').trim();
    leads[b] = leadsOf(texts[b]!);
    prose[b] = proseOf(outline, found[b]!);
  }
  return { outline, body, url, blocks: Int32Array.from(found), texts, leads, prose };
}

function leadsOf(text: string): number {
  if (text.length > LONGEST_LABEL) {
    return 0;
  }
  const lead = text.length > LONGEST_LEAD ? text.slice(0, LONGEST_LEAD) : text;
  let leads = 0;
  for (let k = 0; k < LEADS.length; k++) {
    if (LEADS[k]![1].test(lead)) {
      leads |= 1 << k;
    }
  }
  return leads;
}

/** The bits of `leads` that stand for these. */
export const leadBits = (...names: readonly string[]): number =>
  names.reduce((bits, name) => bits | (1 << LEADS.findIndex(([each]) => each === name)), 0);

export const LEADS_AWAY = leadBits(
  ...['also', 'related', 'share', 'sign up', 'comments', 'ad', 'author', 'tags', 'contents'],
);

function proseOf(outline: Outline, i: number): number {
  const text = outline.blockText(i);
  const links = outline.blockLinks(i);
  const { name } = outline.elements[i]!;
  if (name === 'pre') {
    return text;
  }
  return text < SENTENCE || links * 2 > text || HEADINGS.has(name) ? 0 : text - links;
}

export const headingRank = (name: string): number => (HEADINGS.has(name) ? name.charCodeAt(1) - 48 : 0);

/** How many steps up from block `b` the nearest element is that holds block `other` too. */
export function stepsUp({ outline, blocks }: PageBlocks, other: number, b: number): number {
  const j = blocks[other]!;
  let i = blocks[b]!;
  let up = 0;
  while (up < 40 && i > 0 && !outline.isIn(j, i)) {
    i = outline.parents[i]!;
    up++;
  }
  return up;
}

// Numbers are whole: every machine decides the same.

/** Grows ever slower: differences of size count as shares do. */
export function size(count: number): number {
  if (count < 16) {
    return count;
  }
  const bits = 31 - Math.clz32(count);
  return (bits << 2) + ((count >> (bits - 2)) & 3);
}

export const share = (part: number, whole: number): number =>
  whole <= 0 ? 0 : Math.min(100, Math.trunc((part * 100) / whole));
