/** One start or end tag, by the grammar that CommonMark has for raw HTML. */
export interface HtmlTag {
  /** Lower case. */
  name: string;
  isEnd: boolean;
  /** Behind the `>`. */
  end: number;
  /** By name in lower case, where the value begins and ends; of two with one name the first counts. */
  attributes: Map<string, { start: number; end: number }>;
}

const NAME = /<(\/?)([A-Za-z][A-Za-z0-9-]*)/y;
const SPACE = /[ \t\n]*/y;
const ATTRIBUTE_NAME = /[A-Za-z_:][A-Za-z0-9_.:-]*/y;
const ASSIGNMENT = /[ \t\n]*=[ \t\n]*/y;
const UNQUOTED = /[^ \t\n"'=<>`]+/y;

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/**
 * Reads raw HTML in one text; all attempts together take linear time. A tag that begins inside a value of one that could not be read
 * never agrees with it on where a value ends, and there are two quotes: so at most three attempts pass over one place.
 */
export class HtmlReader {
  readonly #text: string;
  /** Ends that do not come any more, and from where on. */
  readonly #missing = new Map<string, number>();

  constructor(text: string) {
    this.#text = text;
  }

  tagAt(at: number): HtmlTag | null {
    NAME.lastIndex = at;
    const match = NAME.exec(this.#text);
    if (match === null) return null;
    const tag: HtmlTag = {
      name: match[2]!.toLowerCase(),
      isEnd: match[1] === '/',
      end: NAME.lastIndex,
      attributes: new Map(),
    };
    if (tag.isEnd) {
      const close = endOf(SPACE, this.#text, tag.end);
      tag.end = close + 1;
      return this.#text[close] === '>' ? tag : null;
    }
    return this.#readAttributes(tag) ? tag : null;
  }

  /** The end of a comment, a processing instruction, a declaration or a CDATA section that begins here, or -1. */
  declarationEnd(at: number): number {
    const text = this.#text;
    if (text.startsWith('<!--', at)) {
      if (text.startsWith('>', at + 4)) return at + 5;
      if (text.startsWith('->', at + 4)) return at + 6;
      return this.#behind('-->', at + 4);
    }
    if (text.startsWith('<?', at)) return this.#behind('?>', at + 2);
    if (text.startsWith('<![CDATA[', at)) return this.#behind(']]>', at + 9);
    return /[A-Za-z]/.test(text[at + 2] ?? '') && text.startsWith('<!', at) ? this.#behind('>', at + 2) : -1;
  }

  #behind(end: string, from: number): number {
    const isMissing = from >= (this.#missing.get(end) ?? Number.POSITIVE_INFINITY);
    const found = isMissing ? -1 : this.#text.indexOf(end, from);
    if (found === -1 && !isMissing) this.#missing.set(end, from);
    return found === -1 ? -1 : found + end.length;
  }

  #readAttributes(tag: HtmlTag): boolean {
    const text = this.#text;
    let at = tag.end;
    for (;;) {
      const next = endOf(SPACE, text, at);
      const close = text[next] === '/' ? next + 1 : next;
      if (text[close] === '>') {
        tag.end = close + 1;
        return true;
      }
      at = next === at ? -1 : this.#readAttribute(tag, next);
      if (at === -1) return false;
    }
  }

  /** The end of the attribute, or -1. */
  #readAttribute(tag: HtmlTag, at: number): number {
    const text = this.#text;
    const nameEnd = endOf(ATTRIBUTE_NAME, text, at);
    if (nameEnd === -1) return -1;
    let start = endOf(ASSIGNMENT, text, nameEnd);
    let end = start;
    let after = nameEnd;
    if (start === -1) {
      start = nameEnd;
      end = nameEnd;
    } else if (text[start] === '"' || text[start] === "'") {
      const quote = text[start]!;
      end = this.#behind(quote, start + 1) - 1;
      if (end < 0) return -1;
      start++;
      after = end + 1;
    } else {
      end = endOf(UNQUOTED, text, start);
      if (end === -1) return -1;
      after = end;
    }
    const name = text.slice(at, nameEnd).toLowerCase();
    if (!tag.attributes.has(name)) tag.attributes.set(name, { start, end });
    return after;
  }
}
