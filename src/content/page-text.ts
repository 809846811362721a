import { detectEncoding } from '../parse/charset.js';
import { decodeText } from '../parse/encodings.js';
import { isHtmlType, isMarkdownType, isMdxType, isPlainType, isRstType } from '../parse/media-type.js';
import { type TokenHandler, tokenize } from './tokenizer.js';

/** Elements of which a reader sees nothing. */
const UNSEEN: ReadonlySet<string> = new Set('noscript template svg math datalist object audio video canvas'.split(' '));
/** Elements within a line; all others begin a new one. */
const INLINE: ReadonlySet<string> = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i img input ins kbd label mark nobr output q ruby rb rp rt s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);
const BLANKS = /[\s\u00a0]+/g;

/** What a reader sees of an answer; null if it is no text for people. */
export function textOfPage(body: Uint8Array, contentType: string | null): string | null {
  const { encoding } = detectEncoding(body, contentType);
  if (contentType === null || isHtmlType(contentType)) {
    return pageText(decodeText(body, encoding).text);
  }
  const isText = [isMarkdownType, isMdxType, isRstType, isPlainType].some((is) => is(contentType));
  return isText ? decodeText(body, encoding).text : null;
}

/** What a reader sees of a page: its title and its text, a line for each block, without the markup. It builds no tree. */
export function pageText(html: string): string {
  const gatherer = new TextGatherer();
  tokenize(html, gatherer);
  return gatherer.finish();
}

class TextGatherer implements TokenHandler {
  readonly isForeign = false;
  readonly #lines: string[] = [];
  #line = '';
  #unseen = '';
  #nested = 0;

  start(name: string, _attributes: readonly string[], selfClosing: boolean, content: string | null): void {
    if (this.#unseen !== '') {
      this.#nested += name === this.#unseen && !selfClosing ? 1 : 0;
      return;
    }
    if (!INLINE.has(name)) {
      this.#endLine();
    }
    if (name === 'title' && content !== null) {
      this.#line = content;
      this.#endLine();
    } else if (UNSEEN.has(name) && !selfClosing && content === null) {
      this.#unseen = name;
      this.#nested = 1;
    }
  }

  end(name: string): void {
    if (this.#unseen !== '') {
      if (name === this.#unseen && --this.#nested === 0) {
        this.#unseen = '';
      }
      return;
    }
    if (!INLINE.has(name)) {
      this.#endLine();
    }
  }

  text(text: string): void {
    if (this.#unseen === '') {
      this.#line += text;
    }
  }

  finish(): string {
    this.#endLine();
    return this.#lines.join('\n');
  }

  #endLine(): void {
    const line = this.#line.replace(BLANKS, ' ').trim();
    if (line !== '') {
      this.#lines.push(line);
    }
    this.#line = '';
  }
}
