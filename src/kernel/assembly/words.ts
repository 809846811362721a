/**
 * Copies the text between tags, sixteen bytes at a time, while it looks for the next `<`; when all of it is there, or there is no more room, its
 * words are counted and hashed in one go, 64 bytes at a time. A word is a run of characters without white space (that of ASCII, and the no-break
 * space). Tags in `JOINING` stand within words, all others end them; comments are nothing. Chinese and Japanese put no space between words: there
 * each character counts as one, and their punctuation as white space.
 */
import { JOINING, JOINING_SLOTS, PAGE, TEXT, TEXT_END } from './memory';
import { beginPrint, finishPrint, printBlock } from './text-print';

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
/** Behind the last byte of a text others are read, and passed over. */
const SLACK: usize = 128;

/** Of the page so far. */
export let words: u32 = 0;
let isInWord: bool = false;
let isUtf8: bool = true;
/** A byte that is white space beside those of ASCII. */
let spaceByte: u8 = SPACE;
/** Behind the text that is not counted yet. */
let textEnd: usize = TEXT;

/** A page begins. In UTF-8 the no-break space is no single byte: 0. */
export function beginWords(noBreakSpace: u32): void {
  words = 0;
  isInWord = false;
  textEnd = TEXT;
  store<u8>(TEXT - 1, SPACE);
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

/** The place of the next `<`, or -1; the text before it is taken. */
export function passText(from: u32, length: u32): i32 {
  const end = PAGE + length;
  const open = passWords(PAGE + from, end);
  return open < end ? <i32>(open - PAGE) : -1;
}

/** The place of the next `<`, or the end; the text before it is taken. */
export function passWords(from: usize, end: usize): usize {
  const less = i8x16.splat(<i8>LESS_THAN);
  let to = textEnd;
  let at = from;
  while (at < end) {
    const block = v128.load(at);
    v128.store(to, block);
    const opens = i8x16.bitmask(i8x16.eq(block, less));
    if (opens !== 0) {
      const open = at + <usize>ctz<i32>(opens);
      if (open >= end) {
        break;
      }
      textEnd = to + (open - at);
      meetTag(open);
      return open;
    }
    at += 16;
    to += 16;
    if (to > TEXT_END - SLACK) {
      textEnd = to;
      makeRoom();
      to = textEnd;
    }
  }
  textEnd = to + end - at;
  return end;
}

/** The page is over: counts and hashes what is left. */
export function finishText(): void {
  takeWords(textEnd);
  finishPrint();
}

/** Counts and hashes all but the word that may not be over. One that fills all the room is hashed in parts. */
function makeRoom(): void {
  let end = textEnd;
  while (end > TEXT && !isBlank(load<u8>(end - 1))) {
    end--;
  }
  takeWords(end === TEXT ? textEnd : end);
}

/** Counts and hashes the words before `end`; what is behind it stands at the beginning then. */
function takeWords(end: usize): void {
  if (end === textEnd) {
    // What is behind the text is no part of its last character.
    v128.store(end, i8x16.splat(<i8>SPACE));
  }
  readWords(end);
  store<u8>(TEXT - 1, load<u8>(end - 1));
  const rest = textEnd - end;
  memory.copy(TEXT, end, rest);
  textEnd = TEXT + rest;
}

function readWords(end: usize): void {
  let start: usize = 0;
  // A character may reach into the next block.
  let counted: usize = TEXT;
  for (let at = TEXT; at <= end; at += 64) {
    const left = end - at;
    const taken = left < 64 ? ((<u64>1) << (<u64>left)) - 1 : ~(<u64>0);
    const letters =
      taken & (lettersOf(at) | (lettersOf(at + 16) << 16) | (lettersOf(at + 32) << 32) | (lettersOf(at + 48) << 48));
    start = printBlock(at, letters ^ ((letters << 1) | (start !== 0 ? 1 : 0)), start);
    if (left === 0) {
      break;
    }
    if (counted <= at && !isUnusual(at)) {
      words += <u32>popcnt<u64>(letters & ~((letters << 1) | (isInWord ? 1 : 0)));
      isInWord = ((letters >> (min<u64>(<u64>left, 64) - 1)) & 1) !== 0;
      continue;
    }
    const size = min<usize>(left, 64);
    let unusual =
      taken & (unusualOf(at) | (unusualOf(at + 16) << 16) | (unusualOf(at + 32) << 32) | (unusualOf(at + 48) << 48));
    let done: usize = counted > at ? counted - at : 0;
    while (unusual !== 0) {
      const place = <usize>ctz<u64>(unusual);
      unusual &= unusual - 1;
      if (place >= done) {
        countWords(letters, done, place);
        done = passCharacter(at + place) - at;
      }
    }
    if (done < size) {
      countWords(letters, done, size);
    }
    counted = at + done;
  }
}

/** Those of a part of a block in which all characters are bytes. */
function countWords(letters: u64, from: usize, end: usize): void {
  const length = <u64>(end - from);
  if (length !== 0) {
    const own = (letters >> <u64>from) & (~(<u64>0) >> (64 - length));
    words += <u32>popcnt<u64>(own & ~((own << 1) | (isInWord ? 1 : 0)));
    isInWord = own >> (length - 1) !== 0;
  }
}

/** Of sixteen bytes those that are no white space: a bit for each. */
function lettersOf(at: usize): u64 {
  const block = v128.load(at);
  const spaces = v128.or(
    v128.or(i8x16.eq(block, i8x16.splat(<i8>SPACE)), i8x16.eq(block, i8x16.splat(<i8>spaceByte))),
    i8x16.le_u(i8x16.sub(block, i8x16.splat(<i8>TAB)), i8x16.splat(4)),
  );
  return ~(<u64>i8x16.bitmask(spaces)) & 0xffff;
}

/** Whether there may be more among 64 bytes than letters and white space of one byte each. */
function isUnusual(at: usize): bool {
  const ampersand = i8x16.splat(<i8>AMPERSAND);
  const one = v128.load(at);
  const two = v128.load(at + 16);
  const three = v128.load(at + 32);
  const four = v128.load(at + 48);
  const references = v128.or(
    v128.or(i8x16.eq(one, ampersand), i8x16.eq(two, ampersand)),
    v128.or(i8x16.eq(three, ampersand), i8x16.eq(four, ampersand)),
  );
  // The mask of the bytes themselves is that of their highest bits.
  const bytes = isUtf8 ? v128.or(references, v128.or(v128.or(one, two), v128.or(three, four))) : references;
  return i8x16.bitmask(bytes) !== 0;
}

function isBlank(byte: u8): bool {
  return byte === SPACE || <u8>(byte - TAB) <= 4;
}

/** Of sixteen bytes those that may begin a reference to white space or by number, a no-break space, or a character of a script without spaces. */
function unusualOf(at: usize): u64 {
  const block = v128.load(at);
  const following = v128.load(at + 1);
  const references = v128.and(
    i8x16.eq(block, i8x16.splat(<i8>AMPERSAND)),
    v128.or(i8x16.eq(following, i8x16.splat(<i8>NUMBER_SIGN)), i8x16.eq(following, i8x16.splat(<i8>LETTER_N))),
  );
  if (!isUtf8) {
    return <u64>i8x16.bitmask(references);
  }
  const leads = v128.or(
    i8x16.eq(block, i8x16.splat(<i8>0xc2)),
    v128.or(
      i8x16.le_u(i8x16.sub(block, i8x16.splat(<i8>0xe3)), i8x16.splat(6)),
      i8x16.le_u(i8x16.sub(block, i8x16.splat(<i8>0xef)), i8x16.splat(1)),
    ),
  );
  return <u64>i8x16.bitmask(v128.or(references, leads));
}

/** Behind the one that begins there. Bytes that are no UTF-8 are letters; a `<` is never part of a character. */
function passCharacter(at: usize): usize {
  const byte = load<u8>(at);
  if (byte === AMPERSAND) {
    return passReference(at);
  }
  const length = lengthOf(at, byte);
  meet(length > 1 ? characterAt(at, length) : LETTER);
  return at + length;
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
  const isEndTag = byte === SLASH;
  const nameStart = isEndTag ? open + 2 : open + 1;
  if (!isLetter(load<u8>(nameStart))) {
    if (isEndTag || byte === BANG || byte === QUESTION) {
      endReference();
    } else {
      add(LESS_THAN);
    }
  } else if (!isBlank(load<u8>(textEnd - 1))) {
    if (joins(nameStart)) {
      endReference();
    } else {
      add(SPACE);
    }
  }
}

/** What comes is no part of a reference that is not over, though it may be of the same word. */
function endReference(): void {
  const last = v128.load(textEnd - 16);
  if (i8x16.bitmask(i8x16.eq(last, i8x16.splat(<i8>AMPERSAND))) !== 0) {
    takeWords(textEnd);
  }
}

/** There is room for it: a block was looked at since room was made. */
function add(byte: u8): void {
  store<u8>(textEnd, byte);
  textEnd++;
  if (textEnd > TEXT_END - SLACK) {
    makeRoom();
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
