/** Marks that stand on the character before them and take no cell of their own. */
const STANDS_ON_ANOTHER = /^[\p{Mn}\p{Me}]$/u;
/** What terminals draw two cells wide: East Asian scripts and signs in their full form, and emoji. */
const EMOJI = /^\p{Emoji_Presentation}$/u;
const WIDE_RANGES: readonly (readonly [from: number, to: number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4dc0, 0x4dff],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2fb],
  [0x1d300, 0x1d376],
  [0x1f000, 0x1f02f],
  [0x1f200, 0x1f265],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
];
/** Asks for the emoji form of the character before it, which may be a cell wider than the plain one. */
const EMOJI_FORM = 0xfe0f;

/** The most cells that a terminal gives a character. Where terminals differ it is the larger number: a line that is too short harms nobody. */
function cellsOf(character: string): number {
  const code = character.codePointAt(0)!;
  if (code < 0x300) {
    return 1;
  }
  if (code === EMOJI_FORM) {
    return 1;
  }
  if (STANDS_ON_ANOTHER.test(character)) {
    return 0;
  }
  return EMOJI.test(character) || WIDE_RANGES.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

/** How many cells of a terminal a text takes. Control characters are none of its business: they are taken out before. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    width += cellsOf(character);
  }
  return width;
}

/** The text, or as much of its beginning as fits beside an ellipsis. */
export function cutToWidth(text: string, width: number): string {
  let taken = 0;
  let end = 0;
  let endBesideEllipsis = 0;
  for (const character of text) {
    taken += cellsOf(character);
    if (taken > width) {
      return width < 1 ? '' : `${text.slice(0, endBesideEllipsis)}…`;
    }
    end += character.length;
    if (taken <= width - 1) {
      endBesideEllipsis = end;
    }
  }
  return text;
}
