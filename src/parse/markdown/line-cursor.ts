const TAB = 0x09;
const SPACE = 0x20;

/** Goes through one line from marker to marker. White space is counted in columns, since a tab reaches to the next multiple of four. */
export class LineCursor {
  readonly text: string;
  readonly end: number;
  /** Where the next character stands that is no white space; `end` where there is none. */
  content = 0;
  #contentColumn = 0;
  #column = 0;

  constructor(text: string, start: number, end: number) {
    this.text = text;
    this.end = end;
    this.#findContent(start, 0);
  }

  get isBlank(): boolean {
    return this.content === this.end;
  }

  /** Columns of white space before the content. */
  get indent(): number {
    return this.#contentColumn - this.#column;
  }

  /** The line from the content on. */
  get rest(): string {
    return this.text.slice(this.content, this.end);
  }

  dropIndent(columns: number): void {
    this.#column += Math.min(columns, this.indent);
  }

  /** Goes past characters of the content. */
  take(characters: number): void {
    this.#column = this.#contentColumn + characters;
    this.#findContent(this.content + characters, this.#column);
  }

  #findContent(from: number, column: number): void {
    let at = from;
    let reached = column;
    for (; at < this.end; at++) {
      const code = this.text.charCodeAt(at);
      if (code === TAB) reached += 4 - (reached % 4);
      else if (code === SPACE) reached++;
      else break;
    }
    this.content = at;
    this.#contentColumn = reached;
  }
}
