/**
 * The part of the link scanner that decides the speed of a crawl. It passes over what is of no interest where nobody asks for text or ids (text,
 * end tags, start tags without a rule), sixteen bytes at a time, counts the words of the text, and takes the addresses of plain anchors on the way. It knows the simple
 * shapes only; what is unusual in any way is left to scan.ts.
 */
import { BYTE_CLASS, HAS_RULE, HREFS, MOST_HREFS, PAGE } from './memory';
import { initialisePrint } from './text-print';
import { passWords } from './words';

const TAG_NAME_END: u8 = 1;
const SPACE: u8 = 2;
const NAME_END: u8 = 4;

const LONGEST_NAME: usize = 15;
const DOUBLE_QUOTE: u8 = 0x22;
const SINGLE_QUOTE: u8 = 0x27;
const SLASH: u8 = 0x2f;
const EQUALS: u8 = 0x3d;
const GREATER_THAN: u8 = 0x3e;
const LETTER_A: u8 = 0x61;
const LOWER_CASE: u32 = 0x20202020;
/** As four bytes of memory are read: the first is the lowest. */
const HREF: u32 = 0x66657268;
const REL: u32 = 0x6c6572;

export function initialiseMarkup(): void {
  initialisePrint();
  for (let byte: usize = 0; byte < 256; byte++) {
    const isSpace = byte === 0x09 || byte === 0x0a || byte === 0x0c || byte === 0x0d || byte === 0x20;
    const endsTagName = isSpace || byte === SLASH || byte === GREATER_THAN;
    store<u8>(
      BYTE_CLASS + byte,
      (isSpace ? SPACE : 0) | (endsTagName ? TAG_NAME_END | NAME_END : 0) | (byte === EQUALS ? NAME_END : 0),
    );
  }
}

/** The place of the next `<` that must be looked at, or -1 at the end. */
export function passPlainMarkup(from: u32, length: u32, takesAnchors: bool): i32 {
  const end = PAGE + length;
  store<u32>(HREFS, 0);
  let open = passWords(PAGE + from, end);
  while (open !== end) {
    const next = open + 3 < end ? endOfPlainTag(open, end, takesAnchors) : 0;
    if (next === 0) {
      return <i32>(open - PAGE);
    }
    open = passWords(next, end);
  }
  return -1;
}

/** The place of the next such byte, or -1. */
export function findByte(from: u32, length: u32, byte: u8): i32 {
  const end = PAGE + length;
  const at = find(PAGE + from, end, byte);
  return at < end ? <i32>(at - PAGE) : -1;
}

/** Behind the `>` of the tag, or 0 where it needs a closer look. */
function endOfPlainTag(open: usize, end: usize, takesAnchors: bool): usize {
  const isEndTag = load<u8>(open + 1) === SLASH;
  const nameStart = isEndTag ? open + 2 : open + 1;
  const first = load<u8>(nameStart) | 0x20;
  if (first < LETTER_A || first > 0x7a) {
    return 0;
  }
  let nameEnd = nameStart + 1;
  while (nameEnd < end && !is(nameEnd, TAG_NAME_END)) {
    nameEnd++;
  }
  if (isEndTag) {
    return endOfTag(nameEnd, end);
  }
  const nameLength = nameEnd - nameStart;
  if (nameLength === 1 && first === LETTER_A) {
    return takesAnchors && load<u32>(HREFS) < MOST_HREFS ? endOfAnchor(nameEnd, end) : 0;
  }
  const letters = ((<usize>first & 31) << 5) | (load<u8>(nameStart + 1) & 31);
  const hasRule = nameLength > LONGEST_NAME || load<u8>(HAS_RULE + ((letters << 4) | nameLength)) === 1;
  return hasRule ? 0 : endOfTag(nameEnd, end);
}

/** Over attributes in which nobody is interested. */
function endOfTag(from: usize, end: usize): usize {
  for (let at = from; at < end; at++) {
    const byte = load<u8>(at);
    // Letters come behind both of the bytes that matter.
    if (byte > GREATER_THAN) {
      continue;
    }
    if (byte === GREATER_THAN) {
      return at + 1;
    }
    if (byte !== EQUALS) {
      continue;
    }
    if (at + 1 >= end || load<u8>(at + 1) !== DOUBLE_QUOTE || is(at - 1, NAME_END)) {
      return 0;
    }
    at = find(at + 2, end, DOUBLE_QUOTE);
    if (at + 1 >= end || load<u8>(at + 1) === EQUALS) {
      return 0;
    }
  }
  return 0;
}

/** Over the attributes of an anchor, by the states of a tokenizer; it notes the address. One with a relation needs a closer look. */
function endOfAnchor(from: usize, end: usize): usize {
  let hrefStart: usize = 0;
  let hrefEnd: usize = 0;
  let at = from;
  for (;;) {
    while (at < end && (is(at, SPACE) || load<u8>(at) === SLASH)) {
      at++;
    }
    if (at >= end) {
      return 0;
    }
    if (load<u8>(at) === GREATER_THAN) {
      break;
    }
    const nameStart = at;
    while (at < end && !is(at, NAME_END)) {
      at++;
    }
    const nameLength = at - nameStart;
    const name = load<u32>(nameStart) | LOWER_CASE;
    const isHref = nameLength === 4 && name === HREF;
    if (nameLength === 3 && (name & 0xffffff) === REL) {
      return 0;
    }
    const hasValue = at + 1 < end && load<u8>(at) === EQUALS;
    if (!hasValue) {
      // An address without a value is empty; the sign of a value may come behind white space.
      if (isHref || nameLength === 0) {
        return 0;
      }
      while (at < end && is(at, SPACE)) {
        at++;
      }
      if (at >= end || load<u8>(at) === EQUALS) {
        return 0;
      }
      continue;
    }
    const quote = load<u8>(at + 1);
    if (nameLength === 0 || (quote !== DOUBLE_QUOTE && quote !== SINGLE_QUOTE)) {
      return 0;
    }
    const valueEnd = find(at + 2, end, quote);
    if (valueEnd === end) {
      return 0;
    }
    if (isHref && hrefStart === 0) {
      hrefStart = at + 2;
      hrefEnd = valueEnd;
      if (!isPlainValue(hrefStart, hrefEnd)) {
        return 0;
      }
    }
    at = valueEnd + 1;
  }
  if (hrefStart !== 0) {
    addHref(hrefStart, hrefEnd);
  }
  return at + 1;
}

function addHref(start: usize, end: usize): void {
  const found = load<u32>(HREFS);
  const place = HREFS + 4 + ((<usize>found) << 3);
  store<u32>(place, <u32>(start - PAGE));
  store<u32>(place + 4, <u32>(end - PAGE));
  store<u32>(HREFS, found + 1);
}

/** Its text is its bytes, but for references: no encoding, no NUL or line break that HTML replaces, no white space around it. */
function isPlainValue(start: usize, end: usize): bool {
  if (start === end) {
    return true;
  }
  if (is(start, SPACE) || is(end - 1, SPACE)) {
    return false;
  }
  const nul = i8x16.splat(0);
  const carriageReturn = i8x16.splat(0x0d);
  for (let at = start; at < end; at += 16) {
    const block = v128.load(at);
    // The mask of the bytes themselves is that of their highest bits.
    const notPlain = i8x16.bitmask(v128.or(block, v128.or(i8x16.eq(block, nul), i8x16.eq(block, carriageReturn))));
    const left = end - at;
    if ((left < 16 ? notPlain & ((1 << (<i32>left)) - 1) : notPlain) !== 0) {
      return false;
    }
  }
  return true;
}

function is(at: usize, byteClass: u8): bool {
  return (load<u8>(BYTE_CLASS + <usize>load<u8>(at)) & byteClass) !== 0;
}

/** The place of the byte, or the end. */
function find(from: usize, end: usize, byte: u8): usize {
  const wanted = i8x16.splat(<i8>byte);
  for (let at = from; at < end; at += 16) {
    const hits = i8x16.bitmask(i8x16.eq(v128.load(at), wanted));
    if (hits !== 0) {
      return min<usize>(at + <usize>ctz<i32>(hits), end);
    }
  }
  return end;
}
