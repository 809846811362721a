import type { Output, OutputFile, OutputFiles, OutputNotes } from '../../src/report/output.js';
import type { Reader } from '../../src/store/reader.js';

/** Keeps what an output writes, by name. */
class MemoryFiles implements OutputFiles {
  readonly several = true;
  readonly #files: { name: string; text: string }[] = [];
  readonly #stem: string;
  readonly #extension: string;

  constructor(stem: string, extension: string) {
    this.#stem = stem;
    this.#extension = extension;
  }

  create(): OutputFile {
    const file = { name: `${this.#stem}${this.#extension}`, text: '' };
    this.#files.push(file);
    return {
      write: (bytes) => {
        file.text += Buffer.from(bytes).toString();
      },
      close() {},
      place: (suffix) => {
        file.name = `${this.#stem}${suffix}${this.#extension}`;
        return file.name;
      },
    };
  }

  byName(): Record<string, string> {
    return Object.fromEntries(this.#files.map(({ name, text }) => [name, text]));
  }
}

export async function written(
  output: Output,
  reader: Reader,
): Promise<{ notes: OutputNotes; files: Record<string, string>; text: string }> {
  const memory = new MemoryFiles('out', '.xml');
  const notes = await output.write(reader, memory);
  const files = memory.byName();
  return { notes, files, text: files['out.xml'] ?? '' };
}
