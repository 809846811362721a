import { type BlockTable, blockTable } from './block-features.js';
import { judge } from './block-judge.js';
import type { Outline } from './outline.js';
import type { Why } from './why.js';

/** Elements that show something without a word. */
const SEEN = new Set('img picture figure math hr'.split(' '));

/** Keeps of any page the blocks that are its text, each judged by itself and by those around it. */
export function findGeneral(outline: Outline, title: string, url: string | null, why?: Why): number[] {
  const body = Math.max(
    0,
    outline.elements.findIndex(({ name }) => name === 'body'),
  );
  const table = blockTable(outline, body, title, url);
  keepBlocks(outline, body, table, judge(table, why?.judges(outline, table)));
  why?.dropped(outline, 'score');
  return [body];
}

/** Drops all other blocks, and pictures that stand among those. */
function keepBlocks(outline: Outline, body: number, { blocks }: BlockTable, kept: Uint8Array): void {
  const held = new Int32Array(outline.count + 1);
  const keeps = new Int32Array(outline.count + 1);
  for (let b = 0; b < blocks.length; b++) {
    held[blocks[b]! + 1] = 1;
    keeps[blocks[b]! + 1] = kept[b]!;
  }
  for (let i = 0; i < outline.count; i++) {
    held[i + 1]! += held[i]!;
    keeps[i + 1]! += keeps[i]!;
  }
  const holdsText = (i: number): boolean => held[outline.ends[i]!]! > held[i]!;
  const isKept = (i: number): boolean => keeps[outline.ends[i]!]! > keeps[i]!;
  for (let b = 0; b < blocks.length; b++) {
    if (kept[b] === 0 && isKept(blocks[b]!)) {
      outline.mute(blocks[b]!);
    }
  }
  // A picture goes with the text behind it in its box, else with that before it.
  const isAmongKept = (picture: number): boolean => {
    let box = picture;
    while (box > body && !holdsText(box)) {
      box = outline.parents[box]!;
    }
    const isLast = held[outline.ends[box]!]! === held[picture]!;
    const place = isLast ? held[picture]! - 1 : held[picture]!;
    return keptByPlace[place] === 1;
  };
  const keptByPlace = new Uint8Array(blocks.length);
  for (let b = 0; b < blocks.length; b++) {
    keptByPlace[held[blocks[b]!]!] = kept[b]!;
  }
  const dropped: number[] = [];
  for (let i = body + 1; i < outline.ends[body]!; i++) {
    if (outline.isGone(i)) {
      i = outline.ends[i]! - 1;
      continue;
    }
    const isOut = holdsText(i) ? !isKept(i) : SEEN.has(outline.elements[i]!.name) && !isAmongKept(i);
    if (isOut) {
      dropped.push(i);
      i = outline.ends[i]! - 1;
    }
  }
  for (const i of dropped) {
    outline.drop(i);
  }
}
