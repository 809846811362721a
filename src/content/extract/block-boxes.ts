import { HEADINGS } from '../markdown/names.js';
import { SENTENCE } from './outline.js';
import { LEADS_AWAY, type PageBlocks, share, size } from './page-blocks.js';

/** As far as an element of some kind is looked for around a block; further away is nowhere. */
export const FAR = 24;
export const LEVELS = 4;

/** What stands around a block in the tree. */
export const BOX_FEATURES: readonly string[] = [
  ...'boxLead boxLeads boxText boxLinks'.split(' '),
  ...Array.from({ length: LEVELS }, (_, i) =>
    ['text', 'links', 'prose', 'blocks', 'share', 'images', 'fields', 'short'].map((name) => `up${i + 1} ${name}`),
  ).flat(),
  ...'twins twinLevel twinText pathBlocks pathText pathLinks sameText pathProse'.split(' '),
  ...'coreUp coreDown coreProse inMain inBest bestProse'.split(' '),
];
const UP = BOX_FEATURES.indexOf('up1 text');
const TWINS = BOX_FEATURES.indexOf('twins');
const CORE = BOX_FEATURES.indexOf('coreUp');

const CONTAINERS = new Set('body main article section div td center form span font'.split(' '));

/**
 * Writes the numbers of each block from the place `from` of its row on. `images` are counts by element, as the outline makes them.
 */
export function writeBoxes(page: PageBlocks, images: Int32Array, rows: Int16Array, width: number, from: number): void {
  writeAround(page, images, rows, width, from);
  writeTwins(page, rows, width, from + TWINS);
  writeCore(page, rows, width, from + CORE);
}

/** What stands around each block: how much, and how it begins. */
function writeAround(page: PageBlocks, images: Int32Array, rows: Int16Array, width: number, from: number): void {
  const { outline, body, blocks, leads } = page;
  const firsts = new Int32Array(outline.count);
  const counts = new Int32Array(outline.count);
  const shorts = new Int32Array(outline.count);
  const seen = new Uint8Array(outline.count);
  for (let b = 0; b < blocks.length; b++) {
    const isShort = outline.blockText(blocks[b]!) < SENTENCE;
    for (let i = blocks[b]!, up = 0; i > body && up < 40; i = outline.parents[i]!, up++) {
      counts[i]!++;
      shorts[i]! += isShort ? 1 : 0;
      if (seen[i] === 0) {
        seen[i] = 1;
        firsts[i] = leads[b]!;
      }
    }
  }
  const fields = outline.countsOf('input', 'textarea', 'select', 'button', 'label');
  const wholeProse = outline.prose(body);
  for (let b = 0; b < blocks.length; b++) {
    let box = -1;
    let boxUp = FAR;
    const self = blocks[b]!;
    let i = outline.parents[self]!;
    for (let up = 1; i > body && up < 12; i = outline.parents[i]!, up++) {
      if ((firsts[i]! & LEADS_AWAY) !== 0) {
        box = i;
        boxUp = up;
        break;
      }
    }
    const to = b * width + from;
    rows[to] = boxUp;
    rows[to + 1] = box === -1 ? 0 : firsts[box]! & LEADS_AWAY ? 31 - Math.clz32(firsts[box]! & LEADS_AWAY) + 1 : 0;
    rows[to + 2] = box === -1 ? 0 : size(outline.text(box));
    rows[to + 3] = box === -1 ? 0 : share(outline.linkText(box), outline.text(box));
    // Elements that hold nothing but the block are not counted as steps.
    let inner = self;
    let level = 0;
    for (let up = outline.parents[self]!; level < LEVELS; up = outline.parents[up]!) {
      const isTop = up <= body;
      if (!isTop && counts[up] === counts[inner]) {
        inner = up;
        continue;
      }
      const of = isTop ? body : up;
      const row = b * width + from + UP + level * 8;
      const blocksIn = isTop ? blocks.length : counts[of]!;
      rows[row] = size(outline.text(of));
      rows[row + 1] = share(outline.linkText(of), outline.text(of));
      rows[row + 2] = share(outline.prose(of), outline.text(of));
      rows[row + 3] = size(blocksIn);
      rows[row + 4] = share(outline.prose(of), wholeProse);
      rows[row + 5] = size(images[outline.ends[of]!]! - images[of]!);
      rows[row + 6] = size(fields[outline.ends[of]!]! - fields[of]!);
      rows[row + 7] = isTop ? 50 : share(shorts[of]!, counts[of]!);
      inner = of;
      level++;
      if (isTop) {
        for (; level < LEVELS; level++) {
          rows.copyWithin(b * width + from + UP + level * 8, row, row + 8);
        }
      }
    }
  }
}

/** Boxes that look alike beside each other are cards of a list; blocks in like places are alike too. */
function writeTwins(page: PageBlocks, rows: Int16Array, width: number, from: number): void {
  const { outline, body, blocks, texts, prose } = page;
  // Numbers stand for what elements are called, and hashes of them for places and paths.
  const names = new Map<string, Map<string, number>>();
  let count = 0;
  const nameOf = (i: number): number => {
    const { name, classes } = outline.elements[i]!;
    let byClass = names.get(name);
    if (byClass === undefined) {
      byClass = new Map();
      names.set(name, byClass);
    }
    const first = classes[0] ?? '';
    let number = byClass.get(first);
    if (number === undefined) {
      number = ++count;
      byClass.set(first, number);
    }
    return number;
  };
  const nameAt = new Int32Array(outline.count);
  const twins = new Map<number, number>();
  const key = (i: number): number => outline.parents[i]! * 65_536 + (nameAt[i]! & 65_535);
  const paths = new Map<number, number>();
  const pathOf: number[] = [];
  const pathBlocks: number[] = [];
  const pathText: number[] = [];
  const pathLinks: number[] = [];
  const pathProse: number[] = [];
  let whole = 0;
  const same = new Map<string, number>();
  for (let b = 0; b < blocks.length; b++) {
    const self = blocks[b]!;
    let path = 0;
    for (let i = self, up = 0; i > body && up < 10; i = outline.parents[i]!, up++) {
      if (nameAt[i] === 0) {
        nameAt[i] = nameOf(i);
        const one = key(i);
        twins.set(one, (twins.get(one) ?? 0) + 1);
      }
      if (up < 4) {
        path = (Math.imul(path, 0x01000193) ^ nameAt[i]!) >>> 0;
      }
    }
    let place = paths.get(path);
    if (place === undefined) {
      place = pathBlocks.length;
      paths.set(path, place);
      pathBlocks.push(0);
      pathText.push(0);
      pathLinks.push(0);
      pathProse.push(0);
    }
    pathOf.push(place);
    pathBlocks[place]!++;
    pathText[place]! += outline.blockText(self);
    pathLinks[place]! += outline.blockLinks(self);
    pathProse[place]! += prose[b]!;
    whole += prose[b]!;
    const text = texts[b]!.slice(0, 200);
    same.set(text, (same.get(text) ?? 0) + 1);
  }
  for (let b = 0; b < blocks.length; b++) {
    const self = blocks[b]!;
    let best = 0;
    let level = FAR;
    let text = 0;
    for (let i = self, up = 0; i > body && up < 10; i = outline.parents[i]!, up++) {
      const { name } = outline.elements[i]!;
      if (name === 'p' || HEADINGS.has(name) || outline.linkText(i) === 0) {
        continue;
      }
      const alike = twins.get(key(i))!;
      if (alike > best) {
        best = alike;
        level = up;
        text = outline.text(i);
      }
    }
    const row = b * width + from;
    const place = pathOf[b]!;
    rows[row] = size(best);
    rows[row + 1] = level;
    rows[row + 2] = size(text);
    rows[row + 3] = size(pathBlocks[place]!);
    rows[row + 4] = size(Math.trunc(pathText[place]! / pathBlocks[place]!));
    rows[row + 5] = share(pathLinks[place]!, pathText[place]!);
    rows[row + 6] = Math.min(30, same.get(texts[b]!.slice(0, 200))!);
    rows[row + 7] = share(pathProse[place]!, whole);
  }
}

/** How far each block is from the place whose paragraphs say most. */
function writeCore(page: PageBlocks, rows: Int16Array, width: number, from: number): void {
  const { outline, body, blocks, prose } = page;
  const direct = new Float64Array(outline.count);
  let whole = 0;
  for (let b = 0; b < blocks.length; b++) {
    const i = blocks[b]!;
    const { name } = outline.elements[i]!;
    const own = prose[b]!;
    whole += own;
    if (outline.blockText(i) < SENTENCE * 2 && name !== 'pre') {
      continue;
    }
    // A container's own text counts for itself, that of a paragraph for what it stands in.
    const of = CONTAINERS.has(name) ? i : outline.parents[i]!;
    const up = outline.parents[of]!;
    const upper = up < 0 ? -1 : outline.parents[up]!;
    direct[of]! += own * 6;
    if (up >= 0) {
      direct[up]! += own * 3;
    }
    if (upper >= 0) {
      direct[upper]! += own * 2;
    }
  }
  let best = body;
  for (let i = body + 1; i < outline.ends[body]!; i++) {
    if (direct[i]! > direct[best]!) {
      best = i;
    }
  }
  let main = -1;
  for (let i = body + 1; i < outline.ends[body]!; i++) {
    const element = outline.elements[i]!;
    if (
      (element.name === 'main' || element.attribute('role') === 'main') &&
      (main === -1 || outline.prose(i) > outline.prose(main))
    ) {
      main = i;
    }
  }
  const bestShare = share(outline.prose(best), whole);
  for (let b = 0; b < blocks.length; b++) {
    const self = blocks[b]!;
    let down = 0;
    let i = self;
    while (i > body && !outline.isIn(best, i) && down < 60) {
      i = outline.parents[i]!;
      down++;
    }
    let up = 0;
    for (let j = best; j > i && up < 60; j = outline.parents[j]!) {
      up++;
    }
    const row = b * width + from;
    rows[row] = up;
    rows[row + 1] = down;
    const holder = CONTAINERS.has(outline.elements[self]!.name) ? self : outline.parents[self]!;
    rows[row + 2] = direct[best]! === 0 ? 0 : share(direct[holder]!, direct[best]!);
    rows[row + 3] = main === -1 ? 2 : outline.isIn(self, main) ? 1 : 0;
    rows[row + 4] = outline.isIn(self, best) ? 1 : 0;
    rows[row + 5] = bestShare;
  }
}
