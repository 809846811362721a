const MAX_HEADERS = 512;
const MAX_VALUE_LENGTH = 16 * 1024;

/** Headers of which a second one is a mistake of the server; of all others the values are joined. */
const SINGLE = new Set([
  'content-length',
  'content-type',
  'date',
  'etag',
  'last-modified',
  'location',
  'retry-after',
  'content-disposition',
]);

/**
 * The headers of a response as the server sent them: hostile text, decoded as latin1, bounded in number and length.
 * Nothing is decoded until it is asked for, since of ten headers a crawl looks at two.
 */
export class ResponseHeaders {
  readonly #raw: readonly Buffer[];
  readonly #isText: boolean;

  /**
   * @param raw names and values in turn
   * @param isText values came as text of which each character was a byte, and that was made into bytes as UTF-8: undici does so with HTTP/2
   */
  constructor(raw: readonly Buffer[], isText = false) {
    this.#isText = isText;
    this.#raw = raw.length > 2 * MAX_HEADERS ? raw.slice(0, 2 * MAX_HEADERS) : raw;
  }

  /** `name` in lower case. */
  get(name: string): string | null {
    let found: string | null = null;
    for (let i = 0; i + 1 < this.#raw.length; i += 2) {
      const key = this.#raw[i]!;
      if (key.length !== name.length || key.toString('latin1').toLowerCase() !== name) continue;
      const value = this.#valueAt(i + 1);
      if (SINGLE.has(name)) return value;
      found = found === null ? value : `${found}, ${value}`;
    }
    return found;
  }

  /** The same where the value is a URL: bytes beyond ASCII are escaped as they came, whatever text they were meant for. Browsers do so too. */
  url(name: string): string | null {
    return (
      this.get(name)?.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`) ?? null
    );
  }

  /** The values of all headers of that name, one by one. */
  all(name: string): string[] {
    return this.list()
      .filter(([each]) => each === name)
      .map(([, value]) => value);
  }

  /** All of them in the order of the wire, names in lower case. */
  list(): [string, string][] {
    const list: [string, string][] = [];
    for (let i = 0; i + 1 < this.#raw.length; i += 2) {
      list.push([this.#raw[i]!.toString('latin1').toLowerCase(), this.#valueAt(i + 1)]);
    }
    return list;
  }

  #valueAt(index: number): string {
    const value = this.#raw[index]!;
    const text = this.#isText
      ? value.toString('utf8', 0, 2 * MAX_VALUE_LENGTH).slice(0, MAX_VALUE_LENGTH)
      : value.toString('latin1', 0, MAX_VALUE_LENGTH);
    // The HTTP parsers refuse these; outputs that write headers again must not depend on it.
    return /[\0\r\n]/.test(text) ? text.replace(/[\0\r\n]/g, ' ') : text;
  }
}
