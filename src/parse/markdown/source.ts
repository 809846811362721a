/** The text of a file and where its lines are. */
export class MarkdownSource {
  readonly text: string;
  readonly #starts: number[];

  constructor(text: string) {
    this.text = text;
    this.#starts = [text.startsWith('\ufeff') ? 1 : 0];
    for (const { index, 0: end } of text.matchAll(/\r\n?|\n/g)) {
      this.#starts.push(index + end.length);
    }
  }

  get lineCount(): number {
    return this.#starts.length;
  }

  /** Where a line, counted from 0, begins and ends, its line end left out. */
  line(number: number): Span {
    const start = this.#starts[number]!;
    let end = this.#starts[number + 1] ?? this.text.length;
    while (end > start && (this.text[end - 1] === '\n' || this.text[end - 1] === '\r')) {
      end--;
    }
    return { start, end };
  }

  /** Line and column, both from 1; columns are UTF-16 units. */
  placeOf(offset: number): { line: number; column: number } {
    const line = lastAtMost(this.#starts, offset);
    return { line: line + 1, column: offset - this.#starts[line]! + 1 };
  }
}

export interface Span {
  start: number;
  end: number;
}

/** Pieces of the file read as one text, with a line feed between them: what a paragraph is when its markers are gone. */
export class Content {
  readonly text: string;
  readonly #starts: number[] = [];
  readonly #spans: readonly Span[];

  constructor(source: string, spans: readonly Span[]) {
    let length = 0;
    for (const { start, end } of spans) {
      this.#starts.push(length);
      length += end - start + 1;
    }
    this.text = spans.map(({ start, end }) => source.slice(start, end)).join('\n');
    this.#spans = spans;
  }

  /** Where a character of the text stands in the file. */
  offsetOf(index: number): number {
    const span = lastAtMost(this.#starts, index);
    return this.#spans[span]!.start + index - this.#starts[span]!;
  }
}

/** The place of the last number that is not above the wanted one; the first number never is. */
function lastAtMost(sorted: readonly number[], wanted: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sorted[middle]! <= wanted) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}
