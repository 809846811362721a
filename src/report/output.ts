import { createHash } from 'node:crypto';
import type { ExportTable } from '../config/option-spec.js';
import type { Reader } from '../store/reader.js';

/** One output of a crawl. It reads the store and writes; where the bytes go and when they take a name is not its concern. */
export interface Output {
  write(reader: Reader, files: OutputFiles, options?: OutputOptions): Promise<OutputNotes>;
}

/** What only some outputs look at. */
export interface OutputOptions {
  /** Of what a table is; left out: of pages. */
  table?: ExportTable;
  /** A file for a spreadsheet begins with the mark of UTF-8. */
  bom?: boolean;
  /** A sitemap names images and other languages of its pages. */
  sitemapExtras?: boolean;
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

export interface OutputFile extends ByteTarget {
  /** Nothing more will be written to it. */
  close(): void | Promise<void>;
  /**
   * Names it after the file that was asked for, `-1` making sitemap.xml sitemap-1.xml, and returns that name. A file that is
   * never placed takes the name itself.
   */
  place(suffix: string): string;
}

/** Whatever takes bytes. */
export interface ByteTarget {
  /** Nothing holds them back: pieces should not be too small. A promise where the writer should wait before it goes on. */
  write(bytes: Uint8Array): void | Promise<void>;
}

/** Text is handed on in pieces of about this many characters. */
const PIECE_LENGTH = 64 * 1024;

/** Joins text into such pieces and hands them on as bytes; the last one with `flush`. */
export class TextWriter {
  readonly #target: ByteTarget;
  #texts: string[] = [];
  #length = 0;

  constructor(target: ByteTarget) {
    this.#target = target;
  }

  /** A promise where the caller should wait before it goes on. */
  write(text: string): void | Promise<void> {
    this.#texts.push(text);
    this.#length += text.length;
    return this.#length >= PIECE_LENGTH ? this.flush() : undefined;
  }

  flush(): void | Promise<void> {
    if (this.#length === 0) {
      return;
    }
    const bytes = Buffer.from(this.#texts.join(''));
    this.#texts = [];
    this.#length = 0;
    return this.#target.write(bytes);
  }
}

/** Several records in one text. */
export interface Records {
  text: string;
  count: number;
}

/** An output of one file that is a sequence of records, each with its line end. */
export function recordOutput(
  records: (reader: Reader) => Iterable<string | Records>,
  header?: (reader: Reader) => string,
): Output {
  return {
    async write(reader, files) {
      const file = files.create();
      const text = new TextWriter(file);
      let count = 0;
      await text.write(header?.(reader) ?? '');
      for (const record of records(reader)) {
        const isOne = typeof record === 'string';
        const wait = text.write(isOne ? record : record.text);
        if (wait !== undefined) {
          await wait;
        }
        count += isOne ? 1 : record.count;
      }
      await text.flush();
      await file.close();
      return { records: count, files: 1 };
    },
  };
}

const LONGEST_HOST = 100;

/**
 * The part of a file name that stands for an origin: `b.test`, `b.test_8080` with its port, `b.test_http` where its scheme is not
 * the usual one. Two origins never share one: `_` is in no host that is written out, and every other host goes by its hash.
 */
export function fileNamePart(origin: string, usualScheme: string): string {
  const [, scheme = '', host = '', port] = /^([a-z]+):\/\/(.*?)(?::(\d+))?$/.exec(origin) ?? [];
  const name = isPlain(host) ? host : `${host.replace(/[^a-z0-9.-]/g, '-').slice(0, 60)}__${shortHash(host)}`;
  return `${name}${port === undefined ? '' : `_${port}`}${scheme === usualScheme ? '' : `_${scheme}`}`;
}

/** A number alone would be taken for the number of a part. */
const isPlain = (host: string): boolean =>
  host.length <= LONGEST_HOST && /^[a-z0-9.-]+$/.test(host) && !/^\d+$/.test(host);

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Text from the net goes into an output as JSON, as a cell of CSV or as XML. */

/** C1 controls, DEL, the marks that reorder or hide text, and noncharacters: JSON allows them as they are, a terminal or YAML does not. */
const UNPRINTABLE = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]/g;

/** One line of JSON. Exact: what is not fit for a terminal is escaped, and every parser gives it back as it was. */
export const jsonLine = (value: unknown): string => `${printableJson(JSON.stringify(value))}\n`;

/** The same for JSON that is text already. */
export const printableJson = (text: string): string => text.replace(UNPRINTABLE, escaped);

/** The same for people: a line a value. */
export const jsonLines = (value: unknown): string =>
  `${JSON.stringify(value, null, 2).replace(UNPRINTABLE, escaped)}\n`;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

export type CsvCell = string | number | boolean | null;

export function csvRow(cells: readonly CsvCell[]): string {
  return `${cells.map((cell) => (typeof cell === 'string' ? csvText(cell) : String(cell ?? ''))).join(',')}\r\n`;
}

/** Tab and line ends can stand in a quoted cell; all other controls and the marks that reorder or hide text cannot be wanted. */
const NOT_FOR_CELLS =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
/** A spreadsheet takes a cell that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r\n]/;

export function csvText(text: string): string {
  const clean = text.replace(NOT_FOR_CELLS, '\ufffd');
  const defused = FORMULA.test(clean) ? `'${clean}` : clean;
  return /[",\t\r\n]/.test(defused) ? `"${defused.replaceAll('"', '""')}"` : defused;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** What XML 1.0 cannot hold, not even escaped: most controls, lone surrogates, two non-characters. */
const FORBIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Nearly every URL is of characters that mean nothing in XML. */
const PLAIN_URL = /^[!#-%(-;=?-~]*$/;

/** A URL as the text of an element. */
export function xmlUrl(url: string): string {
  if (PLAIN_URL.test(url)) {
    return url;
  }
  return url.replace(FORBIDDEN, percentEncoded).replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

const percentEncoded = (character: string): string =>
  [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');

/** Two hyphens would end the comment. */
export const xmlComment = (text: string): string => `<!-- ${text.replace(/-(?=-|$)/g, '- ')} -->\n`;

/** Text from the net, in an element or an attribute. Not exact: what XML cannot hold is replaced. */
export const xmlText = (text: string): string =>
  text.replace(FORBIDDEN, '\ufffd').replace(/[&<>"']/g, (character) => ESCAPES[character]!);
