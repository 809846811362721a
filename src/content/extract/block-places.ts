import { HEADINGS } from '../markdown/names.js';
import { SENTENCE } from './outline.js';
import { headingRank, LEADS_AWAY, leadBits, type PageBlocks, share, size, stepsUp } from './page-blocks.js';

/** What is before and behind a block on its page. */
export const PLACE_FEATURES: readonly string[] = [
  ...'placeChars placeBlocks proseBefore proseAfter afterTitle fromTitle isTitle depth'.split(' '),
  ...'headingLeads headingNear headingBlocks headingProse headingRank'.split(' '),
  ...['prev2', 'prev', 'next', 'next2'].flatMap((name) =>
    ['chars', 'links', 'up', 'leads', 'tag'].map((what) => `${name} ${what}`),
  ),
  ...'sentenceBefore sentenceAfter longBefore longAfter common pictureBefore pictureAfter'.split(' '),
  ...'aheadProse aheadLinks behindProse behindLinks farAheadProse farBehindProse'.split(' '),
  ...'sectionProse sectionLinks sectionBlocks fromByline'.split(' '),
];
const at = (name: string): number => PLACE_FEATURES.indexOf(name);
const HEADING = at('headingLeads');
const NEIGHBOURS = at('prev2 chars');
const PARAGRAPHS = at('sentenceBefore');
const COMMON = at('common');

const DISTANCES = [-2, -1, 1, 2] as const;
const NEAR = 6;
const FARTHER = 20;
const BYLINE = leadBits('updated', 'date', 'author');
const LONGEST_BYLINE = 120;

/** Writes the numbers of each block from the place `from` of its row on. `images` are counts by element, as the outline makes them. */
export function writePlaces(
  page: PageBlocks,
  title: number,
  images: Int32Array,
  rows: Int16Array,
  width: number,
  from: number,
): void {
  writeOrder(page, title, rows, width, from);
  writeNeighbours(page, rows, width, from + NEIGHBOURS);
  writeParagraphs(page, rows, width, from + PARAGRAPHS);
  writeStretches(page, images, rows, width, from + COMMON);
}

/** How much is before and behind each block, from the title and from its heading on. */
function writeOrder(page: PageBlocks, title: number, rows: Int16Array, width: number, from: number): void {
  const { outline, body, blocks, leads, prose } = page;
  const count = blocks.length;
  const chars = outline.text(body);
  const whole = prose.reduce((sum, each) => sum + each, 0);
  const depths = new Uint16Array(outline.count);
  for (let i = 1; i < outline.count; i++) {
    depths[i] = Math.min(65_535, depths[outline.parents[i]!]! + 1);
  }
  let sum = 0;
  let before = 0;
  let titleSum = 0;
  let heading = -1;
  let headingBefore = 0;
  for (let b = 0; b < count; b++) {
    const i = blocks[b]!;
    const row = b * width + from;
    if (b === title) {
      titleSum = before;
    }
    rows[row] = share(sum, chars);
    rows[row + 1] = share(b, count);
    rows[row + 2] = share(before, whole);
    rows[row + 3] = share(whole - before - prose[b]!, whole);
    rows[row + 4] = title === -1 ? -1 : b < title ? 0 : b === title ? 1 : 2;
    rows[row + 5] = title === -1 ? 99 : b < title ? -size(title - b) : size(Math.trunc((before - titleSum) / 10));
    rows[row + 6] = title === -1 ? 99 : Math.max(-60, Math.min(60, b - title));
    rows[row + 7] = Math.min(60, depths[i]!);
    const to = row + HEADING;
    rows[to] = heading !== -1 && leads[heading]! & LEADS_AWAY ? 1 : 0;
    rows[to + 1] = heading === -1 ? 60 : stepsUp(page, heading, b);
    rows[to + 2] = heading === -1 ? 99 : Math.min(99, b - heading);
    rows[to + 3] = heading === -1 ? 99 : size(before - headingBefore);
    rows[to + 4] = heading === -1 ? 0 : headingRank(outline.elements[blocks[heading]!]!.name);
    sum += outline.blockText(i);
    before += prose[b]!;
    if (HEADINGS.has(outline.elements[i]!.name)) {
      heading = b;
      headingBefore = before;
    }
  }
}

function writeNeighbours(page: PageBlocks, rows: Int16Array, width: number, from: number): void {
  const { outline, blocks, leads } = page;
  for (let b = 0; b < blocks.length; b++) {
    const { name: own } = outline.elements[blocks[b]!]!;
    for (let n = 0; n < DISTANCES.length; n++) {
      const row = b * width + from + n * 5;
      const other = b + DISTANCES[n]!;
      if (other < 0 || other >= blocks.length) {
        rows[row + 2] = 60;
        continue;
      }
      const i = blocks[other]!;
      rows[row] = size(outline.blockText(i));
      rows[row + 1] = share(outline.blockLinks(i), outline.blockText(i));
      rows[row + 2] = stepsUp(page, other, b);
      rows[row + 3] = leads[other]! & LEADS_AWAY ? 1 : 0;
      const { name } = outline.elements[i]!;
      rows[row + 4] = name === own ? 1 : HEADINGS.has(name) ? 2 : name === 'p' ? 3 : 0;
    }
  }
}

/** Blocks since the last long paragraph, and until the next one; and how far that is in the tree. */
function writeParagraphs(page: PageBlocks, rows: Int16Array, width: number, from: number): void {
  const { outline, blocks } = page;
  const isParagraph = (b: number): boolean => {
    const text = outline.blockText(blocks[b]!);
    return text >= SENTENCE * 3 && outline.blockLinks(blocks[b]!) * 4 < text;
  };
  let last = -1;
  for (let b = 0; b < blocks.length; b++) {
    const row = b * width + from;
    rows[row] = last === -1 ? 99 : Math.min(99, b - last);
    rows[row + 2] = last === -1 ? 60 : stepsUp(page, last, b);
    if (isParagraph(b)) {
      last = b;
    }
  }
  last = -1;
  for (let b = blocks.length - 1; b >= 0; b--) {
    const row = b * width + from;
    rows[row + 1] = last === -1 ? 99 : Math.min(99, last - b);
    rows[row + 3] = last === -1 ? 60 : stepsUp(page, last, b);
    if (isParagraph(b)) {
      last = b;
    }
  }
}

/** What the blocks before and behind one, and those under its heading, say together. */
function writeStretches(page: PageBlocks, images: Int32Array, rows: Int16Array, width: number, from: number): void {
  const { outline, body, blocks, leads, prose } = page;
  const count = blocks.length;
  const prosed = new Float64Array(count + 1);
  const texts = new Float64Array(count + 1);
  const links = new Float64Array(count + 1);
  const sections = new Int32Array(count);
  const starts = [0];
  for (let b = 0; b < count; b++) {
    prosed[b + 1] = prosed[b]! + prose[b]!;
    texts[b + 1] = texts[b]! + outline.blockText(blocks[b]!);
    links[b + 1] = links[b]! + outline.blockLinks(blocks[b]!);
    if (HEADINGS.has(outline.elements[blocks[b]!]!.name)) {
      starts.push(b);
    }
    sections[b] = starts.length - 1;
  }
  starts.push(count);
  const proseShare = (a: number, z: number): number => share(prosed[z]! - prosed[a]!, texts[z]! - texts[a]!);
  const linkShare = (a: number, z: number): number => share(links[z]! - links[a]!, texts[z]! - texts[a]!);
  let byline = -1;
  for (let b = 0; b < count; b++) {
    const i = blocks[b]!;
    let to = b * width + from;
    rows[to++] = outline.isCommon(i) ? 1 : 0;
    rows[to++] = images[i]! > images[b === 0 ? body : blocks[b - 1]!]! ? 1 : 0;
    rows[to++] = images[b === count - 1 ? outline.ends[body]! : blocks[b + 1]!]! > images[i]! ? 1 : 0;
    for (const [a, z] of [
      [b + 1, Math.min(count, b + 1 + NEAR)],
      [Math.max(0, b - NEAR), b],
    ] as const) {
      rows[to++] = z <= a ? -1 : size(prosed[z]! - prosed[a]!);
      rows[to++] = z <= a ? -1 : linkShare(a, z);
    }
    rows[to++] = proseShare(b + 1, Math.max(b + 1, Math.min(count, b + 1 + FARTHER)));
    rows[to++] = proseShare(Math.max(0, b - FARTHER), b);
    const start = starts[sections[b]!]!;
    const end = starts[sections[b]! + 1]!;
    rows[to++] = size(prosed[end]! - prosed[start]!);
    rows[to++] = linkShare(start, end);
    rows[to++] = size(end - start);
    rows[to++] = byline === -1 ? 99 : Math.min(99, b - byline);
    if ((leads[b]! & BYLINE) !== 0 && outline.blockText(i) < LONGEST_BYLINE) {
      byline = b;
    }
  }
}
