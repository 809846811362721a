import { DOUBLE_QUOTE, EQUALS, GREATER_THAN, LESS_THAN, SLASH } from './scan-bytes.js';
import { ELEMENT_RULES } from './scan-elements.js';
import type { ScannablePage } from './scan-pieces.js';

const LETTER = 1;
const NAME_END = 2;
const TAG_NAME_END = 4;
const BYTE_CLASS = new Uint8Array(256).fill(LETTER, 0x41, 0x5b).fill(LETTER, 0x61, 0x7b);
for (const byte of [0x09, 0x0a, 0x0c, 0x0d, 0x20, SLASH, GREATER_THAN]) BYTE_CLASS[byte] = NAME_END | TAG_NAME_END;
BYTE_CLASS[EQUALS] = NAME_END;

/** First letters and lengths of the names that have a rule; all others can be passed over without a closer look. */
const MAX_NAME_LENGTH = 15;
const keyOf = (firstByte: number, length: number): number => ((firstByte & 31) << 4) | length;
const HAS_RULE = new Uint8Array(512);
for (const { name } of ELEMENT_RULES) {
  // A line break only matters to text that somebody listens to.
  if (name !== 'br') HAS_RULE[keyOf(name.charCodeAt(0), name.length)] = 1;
}

/**
 * Where nobody asks for text or ids, most of a page is of no interest: text, end tags, and start tags without a rule. This
 * passes over all of that, and returns the next `<` that must be looked at, or -1 at the end. It knows only the simple
 * shapes; what is unusual in any way is left to the scanner. One flat loop on purpose: it decides the speed of a crawl.
 */
export function passPlainMarkup({ bytes, latin1 }: ScannablePage, from: number): number {
  const end = bytes.length;
  let next = from;
  for (;;) {
    // Tags often follow each other at once or on the next line: a look is cheaper than a search.
    let open = next;
    if (open + 1 >= end || (bytes[open] !== LESS_THAN && bytes[++open] !== LESS_THAN)) open = latin1.indexOf('<', next);
    if (open === -1 || open + 3 >= end) return open;
    const isEndTag = bytes[open + 1] === SLASH;
    const nameStart = isEndTag ? open + 2 : open + 1;
    if (BYTE_CLASS[bytes[nameStart]!] !== LETTER) return open;
    let i = nameStart + 1;
    while (i < end && (bytes[i]! > GREATER_THAN || (BYTE_CLASS[bytes[i]!]! & TAG_NAME_END) === 0)) i++;
    if (!isEndTag) {
      const length = i - nameStart;
      if (length > MAX_NAME_LENGTH || HAS_RULE[keyOf(bytes[nameStart]!, length)] === 1) return open;
    }
    for (; ; i++) {
      if (i >= end) return open;
      const byte = bytes[i]!;
      // Letters come behind both of the bytes that matter.
      if (byte > GREATER_THAN) continue;
      if (byte === GREATER_THAN) break;
      if (byte !== EQUALS) continue;
      if (i + 1 === end || bytes[i + 1] !== DOUBLE_QUOTE || (BYTE_CLASS[bytes[i - 1]!]! & NAME_END) !== 0) return open;
      i = latin1.indexOf('"', i + 2);
      if (i === -1 || i + 1 === end || bytes[i + 1] === EQUALS) return open;
    }
    next = i + 1;
  }
}
