import { BOX_FEATURES, FAR, writeBoxes } from './block-boxes.js';
import { KINDS, kindsOf } from './block-names.js';
import { PLACE_FEATURES, writePlaces } from './block-places.js';
import { type TitleWords, titleWords, WORD_FEATURES, writeWords } from './block-words.js';
import { guess } from './guess.js';
import type { Outline } from './outline.js';
import { headingRank, type PageBlocks, pageBlocks, share, size } from './page-blocks.js';
import { SaidText } from './said-text.js';

const OF_PAGE: readonly string[] =
  'pageText pageLinks pageProse pageBlocks pageTitles pageShared pageCode pageTerms pageImages pageTables'.split(' ');

/** Names of what is known of a block, in the order of its numbers. All are whole numbers. */
export const FEATURES: readonly string[] = [
  ...WORD_FEATURES,
  ...KINDS.map((name) => `in ${name}`),
  ...'furniture furnitureProse contentProse'.split(' '),
  ...PLACE_FEATURES,
  ...BOX_FEATURES,
  ...'guess guessNear'.split(' '),
  ...OF_PAGE,
];
const at = (name: string): number => FEATURES.indexOf(name);
const WORDS = 0;
const IN = at(`in ${KINDS[0]}`);
const PLACES = at(PLACE_FEATURES[0]!);
const BOXES = at(BOX_FEATURES[0]!);
const GUESS = at('guess');
const PAGE = at(OF_PAGE[0]!);

const kindsNamed = (names: string): ReadonlySet<number> => new Set(names.split(' ').map((name) => KINDS.indexOf(name)));
const FURNITURE = kindsNamed(
  'nav share related comment newsletter ad author tags footer side overlay tool toc shop <aside> <footer> <nav> <form>',
);
const CONTENT = kindsNamed('content article body <article> <main> articleBody');

const LONGEST_TITLE = 300;
const NEAR = 3;

/** What is known of the blocks of a page, a row of numbers for each. */
export interface BlockTable {
  /** Elements of the outline, in the order in which their text begins. */
  readonly blocks: Int32Array;
  readonly rows: Int16Array;
  readonly width: number;
  /** The block that is the page's title; -1 where none can be told. */
  readonly title: number;
  text(block: number): string;
}

export function blockTable(outline: Outline, body: number, head: string, url: string | null): BlockTable {
  const steps = guess(outline, body, head, url);
  const page = pageBlocks(outline, body, url);
  const { blocks, texts } = page;
  const width = FEATURES.length;
  const rows = new Int16Array(blocks.length * width);
  const words = titleWords(page, head);
  const title = titleOf(page, words, steps);
  const images = outline.countsOf('img', 'picture', 'video', 'iframe');
  writeWords(page, words, new SaidText(outline), rows, width, WORDS);
  writeKinds(page, rows, width, IN);
  writePlaces(page, title, images, rows, width, PLACES);
  writeBoxes(page, images, rows, width, BOXES);
  writeGuess(page, steps, rows, width, GUESS);
  const ofPage = numbersOf(page);
  for (let b = 0; b < blocks.length; b++) {
    rows.set(ofPage, b * width + PAGE);
  }
  return { blocks, rows, width, title, text: (b) => texts[b]! };
}

/** The block of the page's title; -1 where none can be told. */
function titleOf({ outline, blocks, texts }: PageBlocks, words: TitleWords, steps: Uint8Array): number {
  let best = -1;
  let bestScore = 0;
  for (let b = 0; b < blocks.length; b++) {
    if (texts[b]!.length > LONGEST_TITLE || words.words[b] === 0) {
      continue;
    }
    let i = blocks[b]!;
    let rank = headingRank(outline.elements[i]!.name);
    for (let up = 0; rank === 0 && up < 2 && outline.parents[i]! > 0; up++) {
      i = outline.parents[i]!;
      rank = headingRank(outline.elements[i]!.name);
    }
    // Twice the share of words that both have, and something for a heading.
    const common = Math.trunc((200 * words.known[b]!) / (words.words[b]! + Math.max(words.count, 1)));
    const score = common + (rank === 1 ? 60 : rank === 2 ? 20 : rank > 0 ? 10 : 0) - (steps[blocks[b]!] === 0 ? 0 : 50);
    if (score > bestScore && (rank > 0 || common >= 80)) {
      best = b;
      bestScore = score;
    }
  }
  return bestScore >= 60 ? best : -1;
}

/** How near an element of each kind is around each block. */
function writeKinds({ outline, body, blocks }: PageBlocks, rows: Int16Array, width: number, from: number): void {
  const kinds = KINDS.length;
  // Elements of some kind, found once each; a block asks those around it.
  const known: (readonly number[] | undefined)[] = new Array(outline.count);
  const whole = Math.max(1, outline.prose(body));
  const wholeText = Math.max(1, outline.text(body));
  for (let b = 0; b < blocks.length; b++) {
    const row = b * width + from;
    rows.fill(FAR, row, row + kinds);
    let furniture = -1;
    let content = -1;
    for (let i = blocks[b]!, up = 0; i > body && up < FAR; i = outline.parents[i]!, up++) {
      let of = known[i];
      if (of === undefined) {
        of = kindsOf(outline.elements[i]!);
        known[i] = of;
      }
      for (let k = 0; k < of.length; k++) {
        const kind = of[k]!;
        if (rows[row + kind] === FAR) {
          rows[row + kind] = up;
        }
        if (furniture === -1 && FURNITURE.has(kind)) {
          furniture = i;
        }
        if (content === -1 && CONTENT.has(kind)) {
          content = i;
        }
      }
    }
    const last = row + kinds;
    rows[last] = furniture === -1 ? -1 : share(outline.text(furniture), wholeText);
    rows[last + 1] = furniture === -1 ? -1 : share(outline.prose(furniture), whole);
    rows[last + 2] = content === -1 ? -1 : share(outline.prose(content), whole);
  }
}

function writeGuess({ blocks }: PageBlocks, steps: Uint8Array, rows: Int16Array, width: number, from: number): void {
  for (let b = 0; b < blocks.length; b++) {
    let near = 0;
    for (let o = Math.max(0, b - NEAR); o <= Math.min(blocks.length - 1, b + NEAR); o++) {
      near += steps[blocks[o]!] === 0 ? 1 : 0;
    }
    rows[b * width + from] = steps[blocks[b]!]!;
    rows[b * width + from + 1] = near;
  }
}

/** What tells a manual from a newspaper, and a long page from a short one. */
function numbersOf({ outline, body, blocks, prose }: PageBlocks): number[] {
  let shared = 0;
  let code = 0;
  let terms = 0;
  let images = 0;
  let tables = 0;
  for (let i = 0; i < outline.count; i++) {
    const element = outline.elements[i]!;
    switch (element.name) {
      case 'meta':
        shared += element.attribute('property')?.startsWith('og:') === true ? 1 : 0;
        break;
      case 'pre':
      case 'code':
      case 'tt':
        code += outline.text(i);
        break;
      case 'dt':
        terms++;
        break;
      case 'img':
        images++;
        break;
      case 'table':
        tables++;
    }
  }
  let titles = 0;
  for (let b = 0; b < blocks.length; b++) {
    titles += outline.elements[blocks[b]!]!.name === 'h1' ? 1 : 0;
  }
  const chars = outline.text(body);
  return [
    ...[size(chars), share(outline.linkText(body), chars)],
    ...[
      share(
        prose.reduce((sum, each) => sum + each, 0),
        chars,
      ),
      size(blocks.length),
      Math.min(20, titles),
    ],
    ...[size(shared), share(code, chars), size(terms), size(images), size(tables)],
  ];
}
