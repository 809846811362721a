import type { Reader } from '../store/reader.js';
import { printableJson, recordOutput, TextWriter } from './output.js';
import { pageLine } from './page-line.js';
import { type Sink, SinkFile } from './sinks.js';

/** pages.jsonl: a line of JSON for every URL, in the order they were found. */
export const pagesJsonl = recordOutput(function* (reader: Reader) {
  for (const { text, count } of reader.lines(pageLine)) {
    yield { text: printableJson(text), count };
  }
});

/** pages.jsonl while the crawl goes on: the same lines, in the order of settling. */
export class PagesSink implements Sink {
  // Stores of earlier versions have the mark under this name.
  readonly key = 'pagesStream';
  readonly isRewritten = true;
  readonly #file: SinkFile;
  #lines: TextWriter;

  constructor(path: string) {
    this.#file = new SinkFile(path, Buffer.from('\n'));
    this.#lines = new TextWriter(this.#file);
  }

  open(at: number): boolean {
    // What a failure left of earlier lines goes with the old one.
    this.#lines = new TextWriter(this.#file);
    return this.#file.open(at);
  }

  lines(text: string): void {
    this.#lines.write(text);
  }

  commit(): number {
    this.#lines.flush();
    return this.#file.length;
  }

  close(): void {
    this.#file.close();
  }
}
