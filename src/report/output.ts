import type { Reader } from '../store/reader.js';

/** One output of a crawl. It reads the store and writes; where the text goes and when it takes its name is not its concern. */
export interface Output {
  write(reader: Reader, files: OutputFiles): Promise<OutputNotes>;
}

/** What there is to say of an output. */
export interface OutputNotes {
  /** Lines, rows or URLs. */
  records: number;
  /** What was written. */
  files: number;
  /** What was read but does not belong there, by cause. */
  leftOut?: Readonly<Record<string, number>>;
}

export interface OutputFiles {
  /** False where all goes to one place, such as stdout. */
  readonly several: boolean;
  create(): OutputFile;
}

export interface OutputFile {
  /** A promise where the writer should wait before it goes on. */
  write(text: string): void | Promise<void>;
  /** Nothing more will be written to it. */
  close(): void | Promise<void>;
  /**
   * Names it after the file that was asked for, `-1` making sitemap.xml sitemap-1.xml, and returns that name. A file that is
   * never placed takes the name itself.
   */
  place(suffix: string): string;
}

/** Text is handed on in pieces of about this many characters. */
export const PIECE_LENGTH = 64 * 1024;

/** An output of one file that is a sequence of records, each with its line end. */
export function recordOutput(
  records: (reader: Reader) => Iterable<string>,
  header?: (reader: Reader) => string,
): Output {
  return {
    async write(reader, files) {
      const file = files.create();
      let count = 0;
      await file.write(header?.(reader) ?? '');
      for (const record of records(reader)) {
        const wait = file.write(record);
        if (wait !== undefined) {
          await wait;
        }
        count++;
      }
      await file.close();
      return { records: count, files: 1 };
    },
  };
}
