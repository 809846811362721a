import { createGzip, type Gzip } from 'node:zlib';
import type { OutputFile, OutputFiles } from './output.js';

/** Files that are packed while they are written: for a name that ends in `.gz`. */
export class PackedFiles implements OutputFiles {
  readonly several: boolean;
  readonly #files: OutputFiles;

  constructor(files: OutputFiles) {
    this.#files = files;
    this.several = files.several;
  }

  create(): OutputFile {
    return new PackedFile(this.#files.create());
  }
}

class PackedFile implements OutputFile {
  readonly #file: OutputFile;
  readonly #gzip: Gzip = createGzip();
  #packed: Buffer[] = [];

  constructor(file: OutputFile) {
    this.#file = file;
    this.#gzip.on('data', (piece: Buffer) => this.#packed.push(piece));
  }

  async write(bytes: Uint8Array): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#gzip.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
    await this.#handOn();
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#gzip.once('end', resolve).once('error', reject).end();
    });
    await this.#handOn();
    await this.#file.close();
  }

  place(suffix: string): string {
    return this.#file.place(suffix);
  }

  async #handOn(): Promise<void> {
    for (const piece of this.#packed.splice(0)) {
      await this.#file.write(piece);
    }
  }
}
