import type { Child, Element } from '../element.js';
import { dropContentsLists } from './contents-list.js';
import { findGeneral } from './general.js';
import { type Head, readHead } from './head.js';
import { Outline, SENTENCE } from './outline.js';
import { dropRepeats, fingerprintsOf, type TextBlock, textBlocks } from './repeats.js';
import type { SiteMemory } from './site-memory.js';
import { findBySystem, Landmarks, recognise } from './systems.js';
import type { Why } from './why.js';

export interface MainContent {
  /** What a person came to read, in the page's order. They are parts of the tree, which has lost all else that was in them. */
  readonly nodes: readonly Child[];
  readonly title: string;
  /** The documentation system that made the page, null where none is known. */
  readonly system: string | null;
  /**
   * Which share of the page's own text that is, from 0 to 1 in thousandths: of its sentences, code and cells, but for what is hidden, what is
   * mostly links and what half of the site's pages say. 1 where the page has no such text.
   */
  readonly kept: number;
  /** What a memory of the site learns from the page; the same with and without such a memory. */
  readonly fingerprints: readonly number[];
}

export interface ExtractOptions {
  /** Where the page is from: links to its own address lead to places on it. */
  readonly url?: string;
  /** What is known of other pages of the site. */
  readonly memory?: SiteMemory;
  /** Whether rules for known documentation systems are used. */
  readonly rules?: boolean;
  /** Hears what becomes of each part of the page, and why. */
  readonly why?: Why;
}

const LONGEST_TITLE = 300;
/** Elements whose words are text however few they are. */
const ALWAYS_TEXT = new Set(['pre', 'td', 'dd']);

export function mainContent(tree: Element, options: ExtractOptions = {}): MainContent {
  const outline = new Outline(tree);
  const head = readHead(outline);
  const { memory, why } = options;
  outline.dropNoise();
  why?.dropped(outline, 'noise');
  const blocks = textBlocks(outline);
  if (memory !== undefined) {
    outline.setCommon(blocks.filter(({ fingerprint }) => memory.isFrequent(fingerprint)).map(({ at }) => at));
  }
  const { places, system } = find(outline, head, options);
  for (const place of places) {
    dropContentsLists(outline, place, options.url ?? null);
  }
  why?.dropped(outline, 'contents');
  if (memory !== undefined) {
    dropRepeats(outline, blocks.filter(isIn(outline, places)), memory);
  }
  why?.dropped(outline, 'repeats');
  why?.found(outline, places);
  const kept = keptShare(outline, blocks, places, memory);
  const title = titleOf(outline, places) || head.title;
  for (const place of places) {
    prune(outline, place);
  }
  const nodes = places.map((place) => outline.elements[place]!);
  return { nodes, title, system, kept, fingerprints: [...fingerprintsOf(outline, blocks)] };
}

function find(
  outline: Outline,
  head: Head,
  { rules, url, why }: ExtractOptions,
): { places: number[]; system: string | null } {
  const landmarks = new Landmarks(outline);
  const system = rules === false ? null : recognise(head, landmarks);
  const places = system === null ? null : findBySystem(outline, landmarks, system);
  why?.ruled(outline, system?.name ?? null, places !== null);
  return { places: places ?? findGeneral(outline, head.title, url ?? null, why), system: system?.name ?? null };
}

const isIn =
  (outline: Outline, places: readonly number[]) =>
  ({ at }: TextBlock): boolean =>
    !outline.isGone(at) && !outline.isMute(at) && places.some((place) => outline.isIn(at, place));

function titleOf(outline: Outline, places: readonly number[]): string {
  for (const place of places) {
    for (const i of outline.within(place)) {
      if (outline.elements[i]!.name === 'h1') {
        return outline.beginning(i, LONGEST_TITLE);
      }
    }
  }
  return '';
}

/** Labels count where there is nothing longer. */
function keptShare(
  outline: Outline,
  blocks: readonly TextBlock[],
  places: readonly number[],
  memory: SiteMemory | undefined,
): number {
  const isKept = isIn(outline, places);
  for (const least of [SENTENCE, 1]) {
    let all = 0;
    let kept = 0;
    for (const block of blocks) {
      const { at, text, links, fingerprint } = block;
      const isOwn = links * 2 <= text && memory?.isFrequent(fingerprint) !== true;
      if (!isOwn || (text < least && !ALWAYS_TEXT.has(outline.elements[at]!.name))) {
        continue;
      }
      all += text;
      kept += isKept(block) ? text : 0;
    }
    if (all > 0) {
      return Math.round((kept * 1000) / all) / 1000;
    }
  }
  return blocks.length > 0 && !blocks.some(isKept) ? 0 : 1;
}

/** Takes out of the tree what is gone. */
function prune(outline: Outline, from: number): void {
  for (const i of outline.within(from)) {
    const { children } = outline.elements[i]!;
    let place = i + 1;
    let kept = 0;
    const isMute = outline.isMute(i);
    for (const child of children) {
      const isGone = typeof child !== 'string' && outline.isGone(place);
      if (typeof child !== 'string') {
        place = outline.ends[place]!;
      }
      if (!isGone && !(isMute && typeof child === 'string')) {
        children[kept++] = child;
      }
    }
    children.length = kept;
  }
}
