/**
 * Counts the words of the text between tags while it looks for the next `<`, sixteen bytes at a time. A word is a run of characters without
 * white space (that of ASCII, and the no-break space). Tags in `JOINING` stand within words, all others end them; comments are nothing.
 * Chinese and Japanese put no space between words: there each character counts as one, and their punctuation as white space.
 */
import { JOINING, JOINING_SLOTS, PAGE } from './memory';
import { beginPrint, endPrint, printBlock } from './text-print';

const TAB: u8 = 0x09;
const SPACE: u8 = 0x20;
const BANG: u8 = 0x21;
const AMPERSAND: u8 = 0x26;
const SLASH: u8 = 0x2f;
const SEMICOLON: u8 = 0x3b;
const LESS_THAN: u8 = 0x3c;
const GREATER_THAN: u8 = 0x3e;
const QUESTION: u8 = 0x3f;
const NUMBER_SIGN: u8 = 0x23;
const LETTER_N: u8 = 0x6e;
/** As four bytes of memory are read: the first is the lowest. */
const NBSP: u32 = 0x7073626e;
const NO_BREAK_SPACE: u32 = 0xa0;
/** Stands for all that is no white space and in no script without spaces. */
const LETTER: u32 = 0xe0;
const LOWER_CASE: u64 = ((<u64>0x20202020) << 32) | 0x20202020;
const LONGEST_JOINING: i32 = 7;
const HASH_FACTOR: u64 = 0x9e3779b1;
const LARGEST_CHARACTER: u32 = 0x10ffff;

/** Of the page so far. */
export let words: u32 = 0;
let isInWord: bool = false;
let isUtf8: bool = true;
/** A byte that is white space beside those of ASCII. */
let spaceByte: u8 = SPACE;

/** A page begins. In UTF-8 the no-break space is no single byte: 0. */
export function beginWords(noBreakSpace: u32): void {
  words = 0;
  isInWord = false;
  isUtf8 = noBreakSpace === 0;
  spaceByte = isUtf8 ? SPACE : <u8>noBreakSpace;
  beginPrint();
}

/** Takes the name of an element that stands within words: its letters as eight bytes of memory are read. */
export function addJoining(name: u64): void {
  let slot = slotOf(name);
  while (load<u64>(slot) !== 0) {
    slot = nextSlot(slot);
  }
  store<u64>(slot, name);
}

/** The place of the next `<`, or -1; the words before it are counted. */
export function passText(from: u32, length: u32): i32 {
  const end = PAGE + length;
  const open = passWords(PAGE + from, end);
  return open < end ? <i32>(open - PAGE) : -1;
}

/** The place of the next `<`, or the end; the words before it are counted and hashed. */
export function passWords(from: usize, end: usize): usize {
  const less = i8x16.splat(<i8>LESS_THAN);
  const space = i8x16.splat(<i8>SPACE);
  const otherSpace = i8x16.splat(<i8>spaceByte);
  const tab = i8x16.splat(<i8>TAB);
  const controls = i8x16.splat(4);
  let at = from;
  while (at < end) {
    const block = v128.load(at);
    const opens = i8x16.bitmask(i8x16.eq(block, less));
    const length = min<usize>(opens === 0 ? 16 : <usize>ctz<i32>(opens), end - at);
    const taken = (1 << (<i32>length)) - 1;
    const spaces = i8x16.bitmask(
      v128.or(
        v128.or(i8x16.eq(block, space), i8x16.eq(block, otherSpace)),
        i8x16.le_u(i8x16.sub(block, tab), controls),
      ),
    );
    const letters = ~spaces & taken;
    printBlock(at, letters);
    if (needsLook(at, block, taken)) {
      at = passCharacters(at, at + length);
    } else {
      words += popcnt<u32>(letters & ~((letters << 1) | (isInWord ? 1 : 0)));
      if (length !== 0) {
        isInWord = letters >> (<i32>length - 1) !== 0;
      }
      at += length;
    }
    if (length !== 16 && at < end && load<u8>(at) === LESS_THAN) {
      endPrint(at);
      meetTag(at);
      return at;
    }
  }
  endPrint(end);
  return end;
}

/** Whether a byte may begin a reference to white space or by number, a no-break space, or a character of a script without spaces. */
function needsLook(at: usize, block: v128, taken: i32): bool {
  const following = v128.load(at + 1);
  const references = v128.and(
    i8x16.eq(block, i8x16.splat(<i8>AMPERSAND)),
    v128.or(i8x16.eq(following, i8x16.splat(<i8>NUMBER_SIGN)), i8x16.eq(following, i8x16.splat(<i8>LETTER_N))),
  );
  if ((i8x16.bitmask(references) & taken) !== 0) {
    return true;
  }
  if (!isUtf8 || (i8x16.bitmask(block) & taken) === 0) {
    return false;
  }
  const leads = v128.or(
    i8x16.eq(block, i8x16.splat(<i8>0xc2)),
    v128.or(
      i8x16.le_u(i8x16.sub(block, i8x16.splat(<i8>0xe3)), i8x16.splat(6)),
      i8x16.le_u(i8x16.sub(block, i8x16.splat(<i8>0xef)), i8x16.splat(1)),
    ),
  );
  return (i8x16.bitmask(leads) & taken) !== 0;
}

/** One character after the other, up to the first that begins behind `end`. Bytes that are no UTF-8 are letters; a `<` is never part of one. */
function passCharacters(from: usize, end: usize): usize {
  let at = from;
  while (at < end) {
    const byte = load<u8>(at);
    if (byte === AMPERSAND) {
      at = passReference(at);
      continue;
    }
    const length = isUtf8 ? lengthOf(at, byte) : 1;
    meet(length > 1 ? characterAt(at, length) : byte === spaceByte ? NO_BREAK_SPACE : byte < 0x80 ? byte : LETTER);
    at += length;
  }
  return at;
}

function lengthOf(at: usize, byte: u8): usize {
  const length: usize = byte < 0xc2 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
  for (let next: usize = 1; next < length; next++) {
    if ((load<u8>(at + next) & 0xc0) !== 0x80) {
      return 1;
    }
  }
  return length;
}

function characterAt(at: usize, length: usize): u32 {
  let character = <u32>load<u8>(at) & (length === 2 ? 31 : length === 3 ? 15 : 7);
  for (let next: usize = 1; next < length; next++) {
    character = (character << 6) | (load<u8>(at + next) & 63);
  }
  return character;
}

/** One that is not white space is part of a word, whatever it means: `&nbsp;` and numbers alone are looked at. */
function passReference(ampersand: usize): usize {
  let at = ampersand + 1;
  if (load<u32>(at) === NBSP) {
    meet(NO_BREAK_SPACE);
    at += 4;
    return load<u8>(at) === SEMICOLON ? at + 1 : at;
  }
  if (load<u8>(at) !== NUMBER_SIGN) {
    meet(AMPERSAND);
    return at;
  }
  at++;
  const isHex = (load<u8>(at) | 0x20) === 0x78;
  if (isHex) {
    at++;
  }
  const digits = at;
  let character: u32 = 0;
  for (;;) {
    const digit = digitAt(at, isHex);
    if (digit < 0) {
      break;
    }
    character = min<u32>(character * (isHex ? 16 : 10) + <u32>digit, LARGEST_CHARACTER + 1);
    at++;
  }
  if (at === digits) {
    meet(AMPERSAND);
    return ampersand + 1;
  }
  meet(character);
  return load<u8>(at) === SEMICOLON ? at + 1 : at;
}

function digitAt(at: usize, isHex: bool): i32 {
  const byte = load<u8>(at);
  if (byte >= 0x30 && byte <= 0x39) {
    return byte - 0x30;
  }
  const lower = byte | 0x20;
  return isHex && lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function meet(character: u32): void {
  if (isSpace(character)) {
    isInWord = false;
  } else if (isWordAlone(character)) {
    words++;
    isInWord = false;
  } else if (!isInWord) {
    words++;
    isInWord = true;
  }
}

function isSpace(character: u32): bool {
  if (character < 0x3000) {
    return character === SPACE || (character >= 9 && character <= 13) || character === NO_BREAK_SPACE;
  }
  return (
    (character <= 0x303f && (character < 0x3005 || character > 0x3007)) ||
    character === 0x30fb ||
    (character >= 0xff01 &&
      character <= 0xff65 &&
      (character <= 0xff0f ||
        (character >= 0xff1a && character <= 0xff20) ||
        (character >= 0xff3b && character <= 0xff40) ||
        character >= 0xff5b))
  );
}

/** Ideographs and kana. */
function isWordAlone(character: u32): bool {
  return (
    character >= 0x3005 &&
    (character <= 0x30ff ||
      (character >= 0x31f0 && character <= 0x31ff) ||
      (character >= 0x3400 && character <= 0x4dbf) ||
      (character >= 0x4e00 && character <= 0x9fff) ||
      (character >= 0xf900 && character <= 0xfaff) ||
      (character >= 0x20000 && character <= 0x3ffff))
  );
}

/** At a `<`: a tag may end the word before it, and one that begins no tag is a character. */
function meetTag(open: usize): void {
  const byte = load<u8>(open + 1);
  if (byte === BANG || byte === QUESTION) {
    return;
  }
  const isEndTag = byte === SLASH;
  const nameStart = isEndTag ? open + 2 : open + 1;
  const isTag = isLetter(load<u8>(nameStart));
  if (!isTag && !isEndTag) {
    meet(LESS_THAN);
  } else if (isTag && isInWord) {
    isInWord = joins(nameStart);
  }
}

function joins(nameStart: usize): bool {
  const block = v128.load(nameStart);
  const ends = v128.or(
    i8x16.le_u(block, i8x16.splat(<i8>SPACE)),
    v128.or(i8x16.eq(block, i8x16.splat(<i8>GREATER_THAN)), i8x16.eq(block, i8x16.splat(<i8>SLASH))),
  );
  const length = ctz<i32>(i8x16.bitmask(ends) | (1 << 16));
  if (length > LONGEST_JOINING) {
    return false;
  }
  const name = (load<u64>(nameStart) | LOWER_CASE) & (((<u64>1) << ((<u64>length) << 3)) - 1);
  let slot = slotOf(name);
  while (load<u64>(slot) !== 0 && load<u64>(slot) !== name) {
    slot = nextSlot(slot);
  }
  return load<u64>(slot) === name;
}

function isLetter(byte: u8): bool {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function slotOf(name: u64): usize {
  return JOINING + ((<usize>((name * HASH_FACTOR) >> 32) & (JOINING_SLOTS - 1)) << 3);
}

function nextSlot(slot: usize): usize {
  return JOINING + ((slot + 8 - JOINING) & ((JOINING_SLOTS << 3) - 1));
}
