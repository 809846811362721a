import { widthOf } from './text-width.js';

/** The part of a terminal's stream that is drawn on. */
export interface ScreenStream {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

const CLEAR_TO_END_OF_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
const COLORS_OF_OURS = /\u001b\[\d+m/g;

/**
 * A few lines at the end of what a terminal shows, drawn anew in place. The cursor waits below them, at the beginning of an empty line, and
 * the terminal is never switched into another mode: whatever ends the program, even SIGKILL, leaves a usable terminal behind.
 */
export class LiveScreen {
  readonly #stream: ScreenStream;
  /** The widths of the lines that are on the screen. */
  #shown: readonly number[] = [];
  /** How wide the screen was when they were drawn. */
  #columns = 0;

  constructor(stream: ScreenStream) {
    this.#stream = stream;
  }

  /** Puts these lines in the place of those that are shown. None may be as wide as the screen. */
  draw(lines: readonly string[]): void {
    const text = lines.map((line) => `${line}${CLEAR_TO_END_OF_LINE}\n`).join('');
    const { columns = 0 } = this.#stream;
    // Rows that a terminal has wrapped it takes for one line still, whatever is written over them. Only to clear them whole ends that.
    const begin = columns === this.#columns || this.#shown.length === 0 ? this.#back() : this.#cleared();
    this.#columns = columns;
    this.#stream.write(`${begin}${text}${CLEAR_BELOW}`);
    this.#shown = lines.map((line) => widthOf(line.replace(COLORS_OF_OURS, '')));
  }

  /** Takes the lines away. */
  clear(): void {
    if (this.#shown.length > 0) {
      this.#stream.write(this.#cleared());
    }
  }

  /** Writes a text, which stays, in the place of the lines: they are to be drawn again below it. */
  write(text: string): void {
    this.#stream.write(`${this.#cleared()}${text}`);
  }

  #cleared(): string {
    if (this.#shown.length === 0) {
      return '';
    }
    const back = this.#back();
    this.#shown = [];
    return `${back}${CLEAR_BELOW}`;
  }

  /** To the beginning of the first line. A screen that became narrower since has wrapped the lines that are too wide for it. */
  #back(): string {
    const columns = this.#stream.columns || Number.POSITIVE_INFINITY;
    const rows = this.#shown.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    return rows === 0 ? '\r' : `\r\u001b[${rows}A`;
  }
}
