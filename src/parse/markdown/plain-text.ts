/** Longer texts of links are cut. */
const LONGEST_TEXT = 1000;

const WORD = /[\p{L}\p{N}]/u;
const SPACE = /\s/;

/** What is left of inline content when its markup is gone, in pieces, so that a link can take the last of them for its text. */
export class PlainText {
  readonly #pieces: string[] = [];
  /** Runs of `_` or `*` that may open emphasis. */
  readonly #openers: { piece: number; mark: string }[] = [];

  get length(): number {
    return this.#pieces.length;
  }

  add(text: string): void {
    if (text !== '') {
      this.#pieces.push(text);
    }
  }

  /** A run of one mark of emphasis, with the characters around it: those that pair off are no text. */
  addMarks(run: string, before: string | undefined, after: string | undefined): void {
    const mark = run[0]!;
    const opens = after !== undefined && !SPACE.test(after) && (mark === '*' || !isWord(before));
    const closes = before !== undefined && !SPACE.test(before) && (mark === '*' || !isWord(after));
    const opener = this.#openers.at(-1);
    if (closes && opener?.mark === mark && opener.piece < this.#pieces.length) {
      this.#openers.pop();
      const paired = Math.min(this.#pieces[opener.piece]!.length, run.length);
      this.#pieces[opener.piece] = this.#pieces[opener.piece]!.slice(paired);
      this.add(run.slice(paired));
      return;
    }
    if (opens) {
      this.#openers.push({ piece: this.#pieces.length, mark });
    }
    this.#pieces.push(run);
  }

  /** Takes away one piece. */
  blank(piece: number): void {
    this.#pieces[piece] = '';
  }

  /** Takes away what was added from a piece on. */
  cutAt(piece: number): void {
    this.#pieces.length = piece;
    while ((this.#openers.at(-1)?.piece ?? -1) >= piece) {
      this.#openers.pop();
    }
  }

  /** All of it, as it stands on one line. */
  get line(): string {
    return this.#pieces.join('').replaceAll('\n', ' ').trim();
  }

  /** The text from a piece on, white space folded. */
  from(piece: number): string {
    let text = '';
    // No piece counts for more than one character here, so that empty ones without end are not looked at again and again.
    const last = Math.min(this.#pieces.length, piece + LONGEST_TEXT);
    for (let i = piece; i < last && text.length <= LONGEST_TEXT; i++) {
      text += this.#pieces[i];
    }
    return text.replace(/\s+/g, ' ').trim().slice(0, LONGEST_TEXT);
  }
}

const isWord = (character: string | undefined): boolean => character !== undefined && WORD.test(character);
