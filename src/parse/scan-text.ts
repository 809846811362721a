const SPACE = 1;
const DIGIT = 2;
const BYTE_CLASS = new Uint8Array(256).fill(DIGIT, 0x30, 0x3a);
for (const byte of [0x09, 0x0a, 0x0c, 0x0d, 0x20]) BYTE_CLASS[byte] = SPACE;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * A hash (FNV-1a) of the visible text as its bytes are written: white space and tags fold to one space, a run of digits to
 * one `0`, so that pages which differ in a number or in their layout only have one hash. References are not decoded.
 */
export class TextHash {
  #hash = FNV_OFFSET;
  #isEmpty = true;

  add(bytes: Uint8Array, start: number, end: number): void {
    let hash = this.#hash;
    let owesSpace = true;
    let inDigits = false;
    for (let i = start; i < end; i++) {
      let byte = bytes[i]!;
      const kind = BYTE_CLASS[byte]!;
      if (kind === SPACE) {
        owesSpace = true;
        inDigits = false;
        continue;
      }
      if (kind === DIGIT) {
        if (inDigits) continue;
        byte = 0x30;
      }
      inDigits = kind === DIGIT;
      if (owesSpace && !this.#isEmpty) hash = Math.imul(hash ^ 0x20, FNV_PRIME);
      owesSpace = false;
      this.#isEmpty = false;
      hash = Math.imul(hash ^ byte, FNV_PRIME);
    }
    this.#hash = hash;
  }

  get value(): number {
    return this.#hash >>> 0;
  }
}

/** Longer anchor texts are cut: one that was never closed would hold the rest of the page. */
const MAX_ANCHOR_TEXT = 1000;

/** Collects the text of the anchor that is open. Images count by their alternative text where there is no other. */
export class AnchorText {
  /** The place of the anchor's link, or -1 while none is open. */
  link = -1;
  #text = '';
  #alternatives = '';

  open(link: number): void {
    this.link = link;
    this.#text = '';
    this.#alternatives = '';
  }

  get wantsMore(): boolean {
    return this.link !== -1 && this.#text.length < MAX_ANCHOR_TEXT;
  }

  addText(text: string): void {
    this.#text += text;
  }

  addAlternative(text: string): void {
    if (this.#alternatives.length < MAX_ANCHOR_TEXT) this.#alternatives += ` ${text}`;
  }

  /** Ends the anchor and gives its text, white space folded. */
  close(fold: (text: string) => string): string {
    this.link = -1;
    const text = fold(this.#text.includes('\0') ? this.#text.replaceAll('\0', '') : this.#text);
    return cut(text === '' ? fold(this.#alternatives) : text);
  }
}

function cut(text: string): string {
  if (text.length <= MAX_ANCHOR_TEXT) return text;
  const last = text.charCodeAt(MAX_ANCHOR_TEXT - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? MAX_ANCHOR_TEXT - 1 : MAX_ANCHOR_TEXT);
}
