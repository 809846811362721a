import { widthOf } from '../../src/cli/text-width.js';

/**
 * A terminal of a few rows that obeys what the live view sends, and nothing else: it throws on any other control character. Rows that leave
 * at the top are kept; where it becomes narrower, rows are wrapped anew, as most terminals do.
 */
export class EmulatedTerminal {
  readonly isTTY = true;
  columns: number;
  rows: number;
  /** Everything from the first line on, those that have left the screen among them; a row knows whether the next one goes on with it. */
  #lines: { text: string[]; wraps: boolean }[] = [{ text: [], wraps: false }];
  #row = 0;
  #column = 0;
  #listeners = new Set<() => void>();

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  /** Rows that hold something, those that have left the screen among them, without colours. */
  get text(): string[] {
    const rows = this.#lines.map(({ text }) => text.join('').trimEnd());
    return rows.slice(0, rows.findLastIndex((row) => row !== '') + 1);
  }

  get cursor(): { row: number; column: number } {
    return { row: this.#row, column: this.#column };
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  on(_event: 'resize', listener: () => void): void {
    this.#listeners.add(listener);
  }

  off(_event: 'resize', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  resize(columns: number, rows: number): void {
    this.#reflow(columns);
    this.columns = columns;
    this.rows = rows;
    for (const listener of this.#listeners) {
      listener();
    }
  }

  write(text: string): void {
    for (let rest = text; rest !== ''; ) {
      const [sequence, count, command] = /^\u001b\[(\d*)([AJKm])/.exec(rest) ?? [];
      if (sequence !== undefined) {
        this.#obey(command!, Number(count || 0));
        rest = rest.slice(sequence.length);
        continue;
      }
      const character = String.fromCodePoint(rest.codePointAt(0)!);
      this.#put(character);
      rest = rest.slice(character.length);
    }
  }

  get #top(): number {
    return Math.max(0, this.#lines.length - this.rows);
  }

  #obey(command: string, count: number): void {
    const line = this.#lines[this.#row]!;
    if (command === 'A') {
      this.#row = Math.max(this.#top, this.#row - Math.max(1, count));
    } else if (command === 'K') {
      line.text.length = Math.min(line.text.length, this.#column);
    } else if (command === 'J') {
      line.text.length = Math.min(line.text.length, this.#column);
      line.wraps &&= this.#column > 0;
      for (const below of this.#lines.slice(this.#row + 1)) {
        below.text = [];
        below.wraps = false;
      }
    }
  }

  #put(character: string): void {
    if (character === '\r') {
      this.#column = 0;
    } else if (character === '\n') {
      // A row that was wrapped stays so until it is cleared whole, as in tmux.
      this.#down();
    } else if (/[\u0000-\u001f\u007f-\u009f]/.test(character)) {
      throw new Error(`the terminal was sent U+${character.charCodeAt(0).toString(16)}`);
    } else {
      this.#letter(character);
    }
  }

  #letter(character: string): void {
    const cells = widthOf(character);
    if (this.#column + cells > this.columns) {
      this.#lines[this.#row]!.wraps = true;
      this.#down();
    }
    const { text } = this.#lines[this.#row]!;
    while (text.length < this.#column) {
      text.push(' ');
    }
    if (cells === 0) {
      text[Math.max(0, this.#column - 1)] += character;
      return;
    }
    text[this.#column] = character;
    // The second cell of a wide character holds nothing of its own.
    if (cells === 2) {
      text[this.#column + 1] = '';
    }
    this.#column += cells;
  }

  #down(): void {
    this.#row++;
    this.#column = 0;
    if (this.#row === this.#lines.length) {
      this.#lines.push({ text: [], wraps: false });
    }
  }

  #reflow(columns: number): void {
    const below = this.#lines.slice(this.#row);
    if (this.#column !== 0 || below.some(({ text }) => text.length > 0)) {
      throw new Error('the cursor does not wait at the beginning of an empty row, with nothing below');
    }
    const whole: string[][] = [];
    let goesOn = false;
    for (const { text, wraps } of this.#lines.slice(0, this.#row)) {
      if (goesOn) {
        whole.at(-1)!.push(...text);
      } else {
        whole.push([...text]);
      }
      goesOn = wraps;
    }
    const rows = whole.flatMap((text) => {
      const pieces: { text: string[]; wraps: boolean }[] = [];
      for (let from = 0; from === 0 || from < text.length; from += columns) {
        pieces.push({ text: text.slice(from, from + columns), wraps: from + columns < text.length });
      }
      return pieces;
    });
    this.#lines = [...rows, { text: [], wraps: false }];
    this.#row = this.#lines.length - 1;
  }
}
