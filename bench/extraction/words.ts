import type { Label, LabelledBlock } from './sample.js';

/** A word of a page, in its place. */
export interface Word {
  readonly text: string;
  readonly label: Label;
  /** Number of its block. */
  readonly block: number;
}

/** Signs of permalinks count as words: they are furniture like any other. */
const WORD = /[\p{L}\p{N}\p{M}_]+|[¶§]/gu;

export const wordsOf = (text: string): string[] => text.match(WORD) ?? [];

export function pageWords(blocks: readonly LabelledBlock[]): Word[] {
  return blocks.flatMap((block, number) =>
    piecesOf(block).flatMap(({ label, text }) => wordsOf(text).map((word) => ({ text: word, label, block: number }))),
  );
}

/** A block's text, cut at its parts. */
function piecesOf({ text, label, parts }: LabelledBlock): { label: Label; text: string }[] {
  const pieces = [];
  let at = 0;
  for (const part of parts) {
    pieces.push({ label, text: text.slice(at, part.at) }, part);
    at = part.at + part.text.length;
  }
  return [...pieces, { label, text: text.slice(at) }];
}
