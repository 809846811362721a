import { type TokenHandler, tokenize } from './tokenizer.js';

/** How much a page gives to read, and whether it runs scripts that might give more. */
export interface Readable {
  /** Characters that are no white space, without what stands in navigation, footers and controls. */
  text: number;
  hasScripts: boolean;
}

/** Elements whose text is not shown, or is not what a person came to read. */
const PASSED_OVER: ReadonlySet<string> = new Set(
  'nav footer aside noscript template svg button select datalist dialog object'.split(' '),
);
const RUNS = /^\s*$|javascript|ecmascript|^\s*module\s*$/i;

/** It takes one pass and builds no tree, because it is called for every page. */
export function readableText(html: string): Readable {
  const counter = new Counter();
  tokenize(html, counter);
  return { text: counter.characters, hasScripts: counter.hasScripts };
}

class Counter implements TokenHandler {
  readonly isForeign = false;
  characters = 0;
  hasScripts = false;
  #passedOver = '';
  #nested = 0;

  start(name: string, attributes: readonly string[], selfClosing: boolean): void {
    if (name === 'script') {
      this.hasScripts ||= RUNS.test(typeOf(attributes));
    } else if (this.#passedOver === '' ? PASSED_OVER.has(name) && !selfClosing : name === this.#passedOver) {
      this.#passedOver = name;
      this.#nested++;
    }
  }

  end(name: string): void {
    if (name === this.#passedOver && --this.#nested === 0) {
      this.#passedOver = '';
    }
  }

  text(text: string): void {
    for (let i = 0; this.#passedOver === '' && i < text.length; i++) {
      this.characters += text.charCodeAt(i) > 0x20 ? 1 : 0;
    }
  }
}

function typeOf(attributes: readonly string[]): string {
  for (let i = 0; i < attributes.length; i += 2) {
    if (attributes[i] === 'type') {
      return attributes[i + 1]!;
    }
  }
  return '';
}
