import { align, NONE, SHORTEST_RUN } from './align.js';
import { countCode } from './code.js';
import type { LabelledBlock } from './sample.js';
import { pageWords, type Word, wordsOf } from './words.js';

/** Words, and what there is of them in an extract. */
export interface Counts {
  readonly main: number;
  readonly mainKept: number;
  readonly chrome: number;
  readonly chromeLeft: number;
  /** Words of the extract but for those that are arguable. */
  readonly extract: number;
  readonly code: number;
  readonly codeKept: number;
  /** Of tables: those with a word of the main content. */
  readonly cells: number;
  readonly cellsKept: number;
}

export interface Score {
  /** Share of the main text that is in the extract. */
  readonly recall: number;
  /** Share of the extract that is main text. */
  readonly precision: number;
  readonly f1: number;
  /** Share of the page's furniture that is in the extract. */
  readonly left: number;
}

/** How much of a page's main content an extract has, and of the rest. */
export function measure(blocks: readonly LabelledBlock[], extract: string): Counts {
  const words = pageWords(blocks);
  const out = wordsOf(extract);
  const indices = words.map((_, index) => index);
  const { toPage, pageUsed } = align(
    words.map(({ text }) => text),
    out,
    [
      indices.filter((index) => words[index]!.label === 'main'),
      indices.filter((index) => words[index]!.label !== 'chrome'),
      indices,
    ],
  );
  settleShortRuns(words, out, toPage, pageUsed);

  const count = (isCounted: (word: Word, index: number) => boolean): number => words.filter(isCounted).length;
  const arguable = count(({ label }, index) => label === 'either' && pageUsed[index] === 1);
  return {
    main: count(({ label }) => label === 'main'),
    mainKept: count(({ label }, index) => label === 'main' && pageUsed[index] === 1),
    chrome: count(({ label }) => label === 'chrome'),
    chromeLeft: count(({ label }, index) => label === 'chrome' && pageUsed[index] === 1),
    extract: out.length - arguable,
    ...countCode(blocks, extract),
    ...countCells(blocks, words, pageUsed),
  };
}

export function scoreOf({ main, mainKept, chrome, chromeLeft, extract }: Counts): Score {
  const recall = share(mainKept, main);
  const precision = share(mainKept, extract);
  return {
    recall,
    precision,
    f1: share(2 * recall * precision, recall + precision),
    left: share(chromeLeft, chrome),
  };
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/**
 * One or two words between matched ones are main where they are a whole block of it that is nowhere else in the extract. Otherwise they
 * are furniture where the page has such furniture: main text cannot explain them.
 */
function settleShortRuns(
  words: readonly Word[],
  out: readonly string[],
  toPage: Int32Array,
  pageUsed: Uint8Array,
): void {
  const shortBlocks = freeShortBlocks(words, pageUsed);
  const chrome = new Map<string, number[]>();
  words.forEach(({ text, label }, index) => {
    if (label === 'chrome' && pageUsed[index] === 0) {
      chrome.set(text, [...(chrome.get(text) ?? []), index]);
    }
  });
  const match = (at: number, index: number | undefined): void => {
    if (index === undefined) {
      return;
    }
    toPage[at] = index;
    pageUsed[index] = 1;
  };
  for (let from = 0; from < out.length; from += 1) {
    if (toPage[from] !== NONE) {
      continue;
    }
    let to = from;
    while (to < out.length && toPage[to] === NONE) {
      to += 1;
    }
    if (to - from < SHORTEST_RUN) {
      const block = shortBlocks.get(out.slice(from, to).join(' '))?.shift();
      for (let at = from; at < to; at += 1) {
        match(at, block === undefined ? chrome.get(out[at]!)?.shift() : block + at - from);
      }
    }
    from = to;
  }
}

/** Where main blocks begin that are too short for a run and matched nothing, by their words. */
function freeShortBlocks(words: readonly Word[], pageUsed: Uint8Array): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (let from = 0; from < words.length; ) {
    let to = from;
    while (to < words.length && words[to]!.block === words[from]!.block && words[to]!.label === words[from]!.label) {
      to += 1;
    }
    const isFree = !pageUsed.subarray(from, to).includes(1);
    if (words[from]!.label === 'main' && to - from < SHORTEST_RUN && isFree) {
      const key = words
        .slice(from, to)
        .map(({ text }) => text)
        .join(' ');
      found.set(key, [...(found.get(key) ?? []), from]);
    }
    from = to;
  }
  return found;
}

function countCells(
  blocks: readonly LabelledBlock[],
  words: readonly Word[],
  pageUsed: Uint8Array,
): { cells: number; cellsKept: number } {
  const complete = new Map<number, boolean>();
  words.forEach(({ block, label }, index) => {
    const { cell } = blocks[block]!;
    if (cell === null || label !== 'main') {
      return;
    }
    complete.set(cell, (complete.get(cell) ?? true) && pageUsed[index] === 1);
  });
  return { cells: complete.size, cellsKept: [...complete.values()].filter(Boolean).length };
}
