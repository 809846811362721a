import type { Outline } from './outline.js';

const LONGEST_DESCRIPTION = 2000;
const LONGEST_DATA = 200_000;
/** Less is no text of a page. */
const SHORTEST_TEXT = 100;
const SHORTEST_BEGINNING = 12;
const SAID = /"(articleBody|description)"\s*:\s*"([^"\\]*(?:\\.[^"\\]*)*)"/gs;
const DESCRIPTIONS = new Set(['description', 'og:description', 'twitter:description']);

/** What a page says of itself for machines: its description, and its text where that is there too. */
export class SaidText {
  readonly isEmpty: boolean;
  readonly #description: string;
  readonly #text: string;

  constructor(outline: Outline) {
    let description = '';
    let text = '';
    for (const element of outline.elements) {
      if (element.name === 'meta') {
        const name = (element.attribute('name') ?? element.attribute('property') ?? '').toLowerCase();
        if (DESCRIPTIONS.has(name)) {
          description += ` ${(element.attribute('content') ?? '').slice(0, LONGEST_DESCRIPTION)}`;
        }
      } else if (element.name === 'script' && element.attribute('type') === 'application/ld+json') {
        const [data] = element.children;
        for (const [, key, value] of (typeof data === 'string' ? data.slice(0, LONGEST_DATA) : '').matchAll(SAID)) {
          if (key === 'description') {
            description += ` ${plain(value!)}`;
          } else {
            text += ` ${plain(value!)}`;
          }
        }
      }
    }
    this.#description = folded(description);
    this.#text = text.length < SHORTEST_TEXT ? '' : folded(text);
    this.isEmpty = this.#description === '' && this.#text === '';
  }

  /** Whether a block that begins so, in the letters and digits that `folded` leaves, is part of it; -1 where there is none. */
  inDescription = (beginning: string): number => isIn(this.#description, beginning);
  inText = (beginning: string): number => isIn(this.#text, beginning);
}

const isIn = (said: string, beginning: string): number =>
  said === '' ? -1 : beginning.length >= SHORTEST_BEGINNING && said.includes(beginning) ? 1 : 0;

/** Of a string of JSON, what is text in it. */
const plain = (json: string): string =>
  json
    .replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\[nrt]/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&[#\w]+;/g, '');

/** Letters and digits, so that signs and white space make no difference. */
export function folded(text: string): string {
  const lower = text.toLowerCase();
  return isAscii(lower) ? lower.replace(/[^a-z0-9]+/g, '') : lower.replace(/[^\p{L}\p{N}]+/gu, '');
}

const ASCII = /^[\x00-\x7f]*$/;
export const isAscii = (text: string): boolean => ASCII.test(text);
