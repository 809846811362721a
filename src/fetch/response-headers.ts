const MAX_HEADERS = 512;
const MAX_VALUE_LENGTH = 16 * 1024;

/** Headers that may come once: a second one is a mistake of the server. The values of all others are joined. */
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

/** The headers of a response as the server sent them: hostile text of which each character is a byte, bounded in number and length. */
export class ResponseHeaders {
  readonly #flat: readonly string[];
  /** Status line and headers as they came, with the empty line after them; null if they did not come as text. */
  readonly head: string | null;

  /** @param flat names, in lower case, and values in turn */
  constructor(flat: readonly string[], head: string | null = null) {
    this.head = head;
    this.#flat = flat.length > 2 * MAX_HEADERS ? flat.slice(0, 2 * MAX_HEADERS) : flat;
  }

  /** `name` in lower case. */
  get(name: string): string | null {
    let found: string | null = null;
    for (let i = 0; i < this.#flat.length; i += 2) {
      if (this.#flat[i] !== name) {
        continue;
      }
      const value = this.#valueAt(i + 1);
      if (SINGLE.has(name)) {
        return value;
      }
      found = found === null ? value : `${found}, ${value}`;
    }
    return found;
  }

  /** Gets a header whose value is a URL: bytes beyond ASCII are escaped as they are, whatever encoding they were meant in. Browsers do so too. */
  url(name: string): string | null {
    return (
      this.get(name)?.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`) ?? null
    );
  }

  /** The values of all headers of that name, one by one. */
  all(name: string): string[] {
    const values: string[] = [];
    for (let i = 0; i < this.#flat.length; i += 2) {
      if (this.#flat[i] === name) {
        values.push(this.#valueAt(i + 1));
      }
    }
    return values;
  }

  /** Headers with the given names, each cut to that many characters; null if there are none. */
  some(names: ReadonlySet<string>, mostCharacters: number): Record<string, string> | null {
    let found: Record<string, string> | null = null;
    for (let i = 0; i < this.#flat.length; i += 2) {
      const name = this.#flat[i]!;
      if (names.has(name)) {
        found ??= {};
        found[name] ??= this.get(name)!.slice(0, mostCharacters);
      }
    }
    return found;
  }

  /** All of them in the order of the wire, names in lower case. */
  list(): [string, string][] {
    const list: [string, string][] = [];
    for (let i = 0; i < this.#flat.length; i += 2) {
      list.push([this.#flat[i]!, this.#valueAt(i + 1)]);
    }
    return list;
  }

  #valueAt(index: number): string {
    const value = this.#flat[index]!;
    const text = value.length > MAX_VALUE_LENGTH ? value.slice(0, MAX_VALUE_LENGTH) : value;
    // The readers of HTTP refuse these characters, but outputs that write headers again must not depend on that.
    return /[\0\r\n]/.test(text) ? text.replace(/[\0\r\n]/g, ' ') : text;
  }
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const IMF_FIXDATE = /^[a-z]{3}, (?<day>\d{1,2}) (?<month>[a-z]{3}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) gmt$/i;
const RFC_850 = /^[a-z]{3,9}, (?<day>\d{1,2})-(?<month>[a-z]{3})-(?<year>\d{2}|\d{4}) (?<time>\d{2}:\d{2}:\d{2}) gmt$/i;
const ASCTIME = /^[a-z]{3} (?<month>[a-z]{3}) (?<day>[ \d]?\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/i;

/**
 * Milliseconds from now that a Retry-After header asks to wait (RFC 9110, 10.2.3): a whole number of seconds, or a date in any
 * of the three formats of HTTP, a day of one digit included. 0 for a date in the past, null for no header or one that cannot be read. Not capped,
 * but never more than a safe integer.
 */
export function parseRetryAfter(value: string | null, wallNowMs: number): number | null {
  const text = value?.trim() ?? '';
  if (text === '') {
    return null;
  }
  if (/^\d+$/.test(text)) {
    return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER);
  }
  const dateMs = parseHttpDate(text, wallNowMs);
  return dateMs === null ? null : Math.max(0, dateMs - wallNowMs);
}

function parseHttpDate(text: string, wallNowMs: number): number | null {
  const parts = (IMF_FIXDATE.exec(text) ?? RFC_850.exec(text) ?? ASCTIME.exec(text))?.groups;
  if (parts === undefined) {
    return null;
  }
  const year = parts.year!.length === 2 ? fullYear(Number(parts.year), wallNowMs) : Number(parts.year);
  const month = MONTHS.indexOf(parts.month!.toLowerCase());
  const day = Number(parts.day);
  const [hour, minute, second] = parts.time!.split(':').map(Number) as [number, number, number];
  // 60 is a leap second.
  if (month < 0 || hour > 23 || minute > 59 || second > 60) {
    return null;
  }
  const midnight = new Date(Date.UTC(year, month, day));
  const isRealDay = midnight.getUTCMonth() === month && midnight.getUTCDate() === day;
  return isRealDay ? midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 : null;
}

/** A year of two digits that would be more than 50 years ahead is the last year in the past with these digits. */
function fullYear(twoDigits: number, wallNowMs: number): number {
  const thisYear = new Date(wallNowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
