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

  /** Names and values in turn. */
  constructor(raw: readonly Buffer[]) {
    this.#raw = raw.length > 2 * MAX_HEADERS ? raw.slice(0, 2 * MAX_HEADERS) : raw;
  }

  /** `name` in lower case. */
  get(name: string): string | null {
    let found: string | null = null;
    for (let i = 0; i + 1 < this.#raw.length; i += 2) {
      const key = this.#raw[i]!;
      if (key.length !== name.length || key.toString('latin1').toLowerCase() !== name) continue;
      const value = readValue(this.#raw[i + 1]!);
      if (SINGLE.has(name)) return value;
      found = found === null ? value : `${found}, ${value}`;
    }
    return found;
  }

  /** Each line of that name by itself, `name` in lower case. */
  all(name: string): string[] {
    return this.list().flatMap(([key, value]) => (key === name ? [value] : []));
  }

  /** All of them in the order of the wire, names in lower case. */
  list(): [string, string][] {
    const list: [string, string][] = [];
    for (let i = 0; i + 1 < this.#raw.length; i += 2) {
      list.push([this.#raw[i]!.toString('latin1').toLowerCase(), readValue(this.#raw[i + 1]!)]);
    }
    return list;
  }
}

function readValue(value: Buffer): string {
  const text = value.toString('latin1', 0, MAX_VALUE_LENGTH);
  // The HTTP parsers refuse these; outputs that write headers again must not depend on it.
  return /[\0\r\n]/.test(text) ? text.replace(/[\0\r\n]/g, ' ') : text;
}
