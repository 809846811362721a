import type { OutputFile, OutputFiles } from './output.js';
import { xmlComment, xmlUrl } from './xml.js';

export interface SitemapCaps {
  maxUrls: number;
  /** Of a file before compression. */
  maxBytes: number;
}

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const URLS_START = `<urlset ${NAMESPACE}>\n`;
const URLS_END = '</urlset>\n';

/** The sitemap of one origin: a file, or as many as the caps ask for and an index of them. */
export class SitemapSet {
  readonly origin: string;
  readonly #files: OutputFiles;
  readonly #caps: SitemapCaps;
  readonly #head: string;
  readonly #parts: OutputFile[] = [];
  #partUrls = 0;
  #partBytes = 0;

  constructor(origin: string, files: OutputFiles, caps: SitemapCaps, remarks: readonly string[]) {
    this.origin = origin;
    this.#files = files;
    this.#caps = caps;
    this.#head = XML + remarks.map(xmlComment).join('');
  }

  async add(entry: string): Promise<void> {
    const bytes = Buffer.byteLength(entry);
    const isFull = this.#partUrls >= this.#caps.maxUrls || this.#partBytes + bytes > this.#caps.maxBytes;
    // An entry that is over the cap alone still has to go somewhere.
    if (this.#parts.length === 0 || (isFull && this.#partUrls > 0)) {
      await this.close();
      await this.#openPart();
    }
    this.#partUrls++;
    this.#partBytes += bytes;
    await this.#parts.at(-1)!.write(entry);
  }

  /** All its URLs have been added. */
  async close(): Promise<void> {
    const part = this.#parts.at(-1);
    await part?.write(URLS_END);
    await part?.close();
  }

  /** Names its files, `suffix` telling them from those of other origins, and writes the index where there are several. */
  async place(suffix: string): Promise<number> {
    if (this.#parts.length === 1) {
      this.#parts[0]!.place(suffix);
      return 1;
    }
    const names = this.#parts.map((part, i) => part.place(suffix === '' ? `-${i + 1}` : `${suffix}_part${i + 1}`));
    const index = this.#files.create();
    index.place(suffix);
    await index.write(`${this.#head}<sitemapindex ${NAMESPACE}>\n`);
    for (const name of names) {
      await index.write(`<sitemap><loc>${xmlUrl(`${this.origin}/${name}`)}</loc></sitemap>\n`);
    }
    await index.write('</sitemapindex>\n');
    await index.close();
    return names.length + 1;
  }

  async #openPart(): Promise<void> {
    const part = this.#files.create();
    this.#parts.push(part);
    const start = this.#head + URLS_START;
    this.#partUrls = 0;
    this.#partBytes = Buffer.byteLength(start + URLS_END);
    await part.write(start);
  }
}
