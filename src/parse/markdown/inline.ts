import { bareUrlEnd } from './bare-url.js';
import type { Definition, Definitions } from './destination.js';
import { isPunctuation, labelKey, meaningOf, readInlineTarget, readLabel } from './destination.js';
import { type FoundLink, HtmlFacts, HtmlReader } from './html.js';
import { PlainText } from './plain-text.js';
import type { Content } from './source.js';

/** A `[` or `![` that waits for its `]`. */
interface Opener {
  isImage: boolean;
  /** Behind the bracket. */
  start: number;
  /** Links and pieces of text that were there before it. */
  links: number;
  piece: number;
  /** A bracket behind it, so that what it holds cannot be a label. */
  holdsBracket: boolean;
}

interface Target {
  kind: 'inline' | 'reference';
  href: string;
  offset: number;
  /** Behind the whole link. */
  after: number;
}

const AUTOLINK = /<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\u0000-\u0020<>]*)>/y;
const EMAIL = /<([\w.!#$%&'*+/=?^`{|}~-]{1,320}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*)>/y;
const REFERENCE = /&(?:#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});/y;

const CHARACTER_KIND = new Uint8Array(128);
const MARK = 1;
const MAY_BEGIN_URL = 2;

for (const character of '\\`<[]!&*_') {
  CHARACTER_KIND[character.charCodeAt(0)] = MARK;
}

for (const character of 'hHwWfF') {
  CHARACTER_KIND[character.charCodeAt(0)] = MAY_BEGIN_URL;
}

/** Reads the links of a paragraph, a heading or a cell. Every step is amortised constant time, whatever the text. */
export class InlineReader {
  readonly plain = new PlainText();
  readonly html: HtmlFacts;
  readonly #content: Content;
  readonly #text: string;
  readonly #definitions: Definitions;
  readonly #links: FoundLink[];
  readonly #codeSpans: CodeSpans;
  readonly #reader: HtmlReader;
  readonly #openers: Opener[] = [];
  readonly #keepsAlternatives: boolean;
  /** Links cannot hold links: brackets that were opened before this place are text. */
  #lastLinkStart = -1;
  #at = 0;

  /** @param links where what is found is added */
  constructor(content: Content, definitions: Definitions, links: FoundLink[], keepsAlternatives: boolean) {
    this.#content = content;
    this.#text = content.text;
    this.#definitions = definitions;
    this.#links = links;
    this.#keepsAlternatives = keepsAlternatives;
    this.#codeSpans = new CodeSpans(content.text);
    this.#reader = new HtmlReader(content.text);
    this.html = new HtmlFacts(content, links, this.plain);
  }

  read(): void {
    const text = this.#text;
    let plainStart = 0;
    while (this.#at < text.length) {
      const code = text.charCodeAt(this.#at);
      const special = code < 128 ? CHARACTER_KIND[code]! : 0;
      const urlEnd = special === MAY_BEGIN_URL ? bareUrlEnd(text, this.#at, this.#openers.length > 0) : -1;
      if (special !== MARK && urlEnd === -1) {
        this.#at++;
        continue;
      }
      this.plain.add(text.slice(plainStart, this.#at));
      if (urlEnd === -1) {
        this.#readMark(text[this.#at]!);
      } else {
        this.#addBareUrl(urlEnd);
      }
      plainStart = this.#at;
    }
    this.plain.add(text.slice(plainStart));
  }

  #readMark(character: string): void {
    const next = this.#text[this.#at + 1];
    if (character === '\\') {
      this.#pass(isPunctuation(next) ? 2 : 1, next);
    } else if (character === '`') {
      this.#readBackticks();
    } else if (character === '<') {
      this.#readAngle();
    } else if (character === '[') {
      this.#open(1, false);
    } else if (character === '!') {
      if (next === '[') {
        this.#open(2, true);
      } else {
        this.#pass(1);
      }
    } else if (character === ']') {
      this.#close();
    } else if (character === '&') {
      this.#readReference();
    } else {
      this.#readMarks(character);
    }
  }

  /** Goes past characters that are text. */
  #pass(length: number, text = this.#text.slice(this.#at, this.#at + length)): void {
    this.plain.add(length === 1 ? this.#text[this.#at]! : text);
    this.#at += length;
  }

  #readBackticks(): void {
    const start = this.#at;
    const open = this.#runEnd('`');
    const end = this.#codeSpans.closedAt(open, open - start);
    if (end === -1) {
      this.#passTo(open);
    } else {
      this.plain.add(this.#text.slice(open, end - (open - start)));
      this.#at = end;
    }
  }

  #readMarks(mark: string): void {
    const start = this.#at;
    const end = this.#runEnd(mark);
    this.plain.addMarks(this.#text.slice(start, end), this.#text[start - 1], this.#text[end]);
    this.#at = end;
  }

  #runEnd(character: string): number {
    let end = this.#at + 1;
    while (this.#text[end] === character) {
      end++;
    }
    return end;
  }

  #passTo(end: number): void {
    this.plain.add(this.#text.slice(this.#at, end));
    this.#at = end;
  }

  #readReference(): void {
    REFERENCE.lastIndex = this.#at;
    const reference = REFERENCE.exec(this.#text)?.[0];
    if (reference === undefined) {
      this.#pass(1);
    } else {
      this.#pass(reference.length, meaningOf(reference));
    }
  }

  #readAngle(): void {
    const at = this.#at;
    AUTOLINK.lastIndex = at;
    EMAIL.lastIndex = at;
    const url = AUTOLINK.exec(this.#text)?.[1];
    const email = url === undefined ? EMAIL.exec(this.#text)?.[1] : undefined;
    const written = url ?? email;
    if (written !== undefined) {
      this.#add('autolink', url ?? `mailto:${email}`, written, at + 1);
      this.plain.add(written);
      this.#at = at + written.length + 2;
      return;
    }
    const end = this.#reader.declarationEnd(at);
    const tag = end === -1 ? this.#reader.tagAt(at) : null;
    if (tag !== null) {
      this.html.add(tag);
    }
    if (end === -1 && tag === null) {
      this.#pass(1);
    } else {
      this.#at = tag?.end ?? end;
    }
  }

  #addBareUrl(end: number): void {
    const url = this.#text.slice(this.#at, end);
    this.#add('bare', meaningOf(/^www\./i.test(url) ? `http://${url}` : url), url, this.#at);
    this.#passTo(end);
  }

  #open(length: number, isImage: boolean): void {
    const outer = this.#openers.at(-1);
    if (outer !== undefined) {
      outer.holdsBracket = true;
    }
    const piece = this.plain.length;
    this.#passTo(this.#at + length);
    const { length: links } = this.#links;
    this.#openers.push({ isImage, start: this.#at, links, piece, holdsBracket: false });
  }

  #close(): void {
    const opener = this.#openers.pop();
    const isText = opener === undefined || (!opener.isImage && opener.start <= this.#lastLinkStart);
    const target = isText ? null : (this.#inlineTarget() ?? this.#referenceTarget(opener));
    if (isText || target === null) {
      this.#pass(1);
    } else {
      this.#addBracketed(opener, target);
    }
  }

  #addBracketed(opener: Opener, { kind, href, offset, after }: Target): void {
    const { isImage, piece, start } = opener;
    this.#dropInner(opener);
    this.plain.blank(piece);
    const text = this.plain.from(piece);
    this.#links.push({ kind: isImage ? 'image' : kind, element: isImage ? 'img' : 'a', href, text, offset });
    if (isImage && !this.#keepsAlternatives) {
      this.plain.cutAt(piece);
    }
    if (!isImage) {
      this.#lastLinkStart = start;
    }
    this.#at = after;
  }

  /** In the text of an image nothing is a link; in that of a link no bare URL is. */
  #dropInner(opener: Opener): void {
    const kept = opener.isImage ? [] : this.#links.slice(opener.links).filter(({ kind }) => kind !== 'bare');
    this.#links.length = opener.links;
    for (const link of kept) {
      this.#links.push(link);
    }
  }

  #inlineTarget(): Target | null {
    const open = this.#at + 1;
    const found = this.#text[open] === '(' ? readInlineTarget(this.#text, open) : null;
    if (found === null) {
      return null;
    }
    const { start, end, after } = found;
    const offset = this.#content.offsetOf(start);
    return { kind: 'inline', href: meaningOf(this.#text.slice(start, end)), offset, after };
  }

  #referenceTarget(opener: Opener): Target | null {
    const text = this.#text;
    const close = this.#at;
    const label = readLabel(text, close + 1);
    const written = label === null ? '' : text.slice(label.start, label.end);
    if (label !== null && labelKey(written) !== null && !written.startsWith('^')) {
      const definition = this.#definitions.use(written);
      if (definition !== null) {
        return referenceTo(definition, label.end + 1);
      }
      this.#addUndefined(opener, written, label.start, text[label.end + 1]);
      return null;
    }
    const definition = opener.holdsBracket ? null : this.#definitions.use(text.slice(opener.start, close));
    // `[]` behind it says that its text is its label; a label that is none is text.
    return definition === null
      ? null
      : referenceTo(definition, label !== null && written === '' ? label.end + 1 : close + 1);
  }

  /** A label without a definition. `list[0][1]` is more likely code, and `[a][b][c]` may yet be a link to c. */
  #addUndefined(opener: Opener, label: string, start: number, next: string | undefined): void {
    const before = this.#text[opener.start - (opener.isImage ? 3 : 2)] ?? ' ';
    if (next === '[' || next === '(' || /[\p{L}\p{N}_)\]]/u.test(before)) {
      return;
    }
    const text = this.plain.from(opener.piece + 1);
    const offset = this.#content.offsetOf(start);
    this.#links.push({ kind: 'undefined', element: opener.isImage ? 'img' : 'a', href: label, text, offset });
  }

  #add(kind: FoundLink['kind'], href: string, text: string, start: number): void {
    this.#links.push({ kind, element: 'a', href, text, offset: this.#content.offsetOf(start) });
  }
}

function referenceTo({ href, offset }: Definition, after: number): Target {
  return { kind: 'reference', href, offset, after };
}

/** Finds the ends of code spans; all searches of one text together are one pass over it. */
class CodeSpans {
  readonly #text: string;
  /** By length, the places of the runs of backticks, and how many of them are behind us. */
  #runs: Map<number, { places: number[]; passed: number }> | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  /** Where the run ends that closes the one of this length which ends at `from`, or -1. */
  closedAt(from: number, length: number): number {
    this.#runs ??= this.#findRuns();
    const runs = this.#runs.get(length);
    if (runs === undefined) {
      return -1;
    }
    while (runs.passed < runs.places.length && runs.places[runs.passed]! < from) {
      runs.passed++;
    }
    const place = runs.places[runs.passed];
    return place === undefined ? -1 : place + length;
  }

  #findRuns(): Map<number, { places: number[]; passed: number }> {
    const found = new Map<number, { places: number[]; passed: number }>();
    for (const { index, 0: run } of this.#text.matchAll(/`+/g)) {
      const runs = found.get(run.length);
      if (runs === undefined) {
        found.set(run.length, { places: [index], passed: 0 });
      } else {
        runs.places.push(index);
      }
    }
    return found;
  }
}
