/**
 * From an href in the page to the number of the URL that it means, where the URL is known: the step that a crawl makes most often, since nearly
 * every link leads to a page that has been seen. No text is made of it. Known are URLs in normal form alone, and one is found only where folder and
 * href together are its very bytes: what the parser would change is never found. Only what does not belong to the folder at all (another
 * scheme, `//`, a bare query) has to be told apart, and is left to the parser.
 */
import {
  ADDITION,
  BASE,
  ENTRIES,
  FOLDERS,
  LONGEST_ADDITION,
  MOST_ENTRIES,
  MOST_FOLDERS,
  PAGE,
  SLOT_COUNT,
  SLOTS,
  URL_BYTES,
  URL_BYTES_END,
} from './memory';

/** Empty, or a fragment. */
const PAGE_ITSELF: i32 = 0;
/** Plain, and not known yet. */
const UNKNOWN: i32 = -1;
/** Only the parser can tell. */
const NOT_PLAIN: i32 = -2;

const NO_ROOM: i32 = -1;

const HASH_SIGN: u8 = 0x23;
const AMPERSAND: u8 = 0x26;
const DOT: u8 = 0x2e;
const SLASH: u8 = 0x2f;
const COLON: u8 = 0x3a;
const EQUALS: u8 = 0x3d;
const QUESTION: u8 = 0x3f;
/** As four bytes of memory are read: the first is the lowest. */
const AMP_SEMICOLON: u32 = 0x3b706d61;
const HTTP: u32 = 0x70747468;

const FNV_OFFSET: u32 = 0x811c9dc5;
const FNV_PRIME: u32 = 0x01000193;
/** Hashes can be made to collide: what is not found by then is not known. */
const MOST_PROBES: u32 = 16;

/** How many folders the base stands in; 0 while there is none. */
let folderCount: u32 = 0;
/** The number of URLs that are known. */
let known: u32 = 0;

/** The last question: how much of the base the URL begins with, how much is added, and the hash of both. */
export let folderLength: u32 = 0;
export let additionLength: u32 = 0;
let hash: u32 = 0;

/** BASE holds the URL of a folder, of this length; its origin ends in front of the first slash of the path. */
export function enterFolder(length: u32, originLength: u32): void {
  folderCount = 0;
  let state = FNV_OFFSET;
  for (let at: u32 = 0; at < length; at++) {
    const byte = load<u8>(BASE + at);
    state = (state ^ byte) * FNV_PRIME;
    if (byte !== SLASH || at < originLength) {
      continue;
    }
    if (folderCount === MOST_FOLDERS) {
      folderCount = 0;
      return;
    }
    store<u32>(FOLDERS + ((<usize>folderCount) << 3), at + 1);
    store<u32>(FOLDERS + ((<usize>folderCount) << 3) + 4, state);
    folderCount++;
  }
}

/** The number of the URL that the href between two places of the page means, or one of the constants above. */
export function findUrl(start: u32, end: u32): i32 {
  additionLength = 0;
  if (start === end || load<u8>(PAGE + start) === HASH_SIGN) {
    return PAGE_ITSELF;
  }
  if (folderCount === 0) {
    return NOT_PLAIN;
  }
  let at: usize = PAGE + start;
  const stop: usize = PAGE + end;
  let folder = folderCount - 1;
  let isRooted = false;
  const first = load<u8>(at);
  if (first === SLASH) {
    at++;
    if (at < stop && load<u8>(at) === SLASH) {
      return NOT_PLAIN;
    }
    folder = 0;
    isRooted = true;
  } else if (first === DOT) {
    at = pastDots(at, stop);
    for (let dots = PAGE + start; dots < at; ) {
      const isUp = load<u8>(dots + 1) === DOT;
      if (isUp && folder > 0) {
        folder--;
      }
      dots += isUp ? 3 : 2;
    }
    isRooted = true;
  } else if (first === QUESTION) {
    return NOT_PLAIN;
  } else if (isWhole(at, stop)) {
    folderLength = 0;
    hash = FNV_OFFSET;
    return add(at, stop, true) ? findHashed() : NOT_PLAIN;
  }
  folderLength = load<u32>(FOLDERS + ((<usize>folder) << 3));
  hash = load<u32>(FOLDERS + ((<usize>folder) << 3) + 4);
  return add(at, stop, isRooted) ? findHashed() : NOT_PLAIN;
}

/** Behind all `./` and `../`. */
function pastDots(from: usize, stop: usize): usize {
  let at = from;
  for (;;) {
    if (at + 2 < stop && load<u8>(at) === DOT && load<u8>(at + 1) === DOT && load<u8>(at + 2) === SLASH) {
      at += 3;
    } else if (at + 1 < stop && load<u8>(at) === DOT && load<u8>(at + 1) === SLASH) {
      at += 2;
    } else {
      break;
    }
  }
  return at;
}

/** `http:` or `https:` and a double slash. */
function isWhole(at: usize, stop: usize): bool {
  if (at + 8 >= stop || load<u32>(at) !== HTTP) {
    return false;
  }
  const colon = load<u8>(at + 4) === COLON ? at + 4 : at + 5;
  return load<u8>(colon) === COLON && load<u8>(colon + 1) === SLASH && load<u8>(colon + 2) === SLASH;
}

/** Takes the href up to its fragment, `&amp;` as what it means. Before the first slash a colon may end a scheme, unless it cannot. */
function add(from: usize, stop: usize, hasNoScheme: bool): bool {
  let mayBeScheme = !hasNoScheme;
  for (let at = from; at < stop; at++) {
    const byte = load<u8>(at);
    if (byte === HASH_SIGN) {
      break;
    }
    if (byte === COLON && mayBeScheme) {
      return false;
    }
    if (byte === SLASH || byte === QUESTION) {
      mayBeScheme = false;
    }
    if (byte === AMPERSAND) {
      const length = ampersandLength(at, stop);
      if (length === 0) {
        return false;
      }
      at += length - 1;
    }
    if (additionLength === LONGEST_ADDITION) {
      return false;
    }
    store<u8>(ADDITION + additionLength, byte);
    additionLength++;
    hash = (hash ^ byte) * FNV_PRIME;
  }
  return true;
}

/** How many bytes mean an ampersand: those of `&amp;`, or itself before a parameter, where it is no reference; 0 where it may be one. */
function ampersandLength(at: usize, stop: usize): usize {
  if (at + 4 < stop && load<u32>(at + 1) === AMP_SEMICOLON) {
    return 5;
  }
  let next = at + 1;
  while (next < stop && isAlphanumeric(load<u8>(next))) {
    next++;
  }
  return next > at + 1 && next < stop && load<u8>(next) === EQUALS ? 1 : 0;
}

function isAlphanumeric(byte: u8): bool {
  const lower = byte | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (byte >= 0x30 && byte <= 0x39);
}

function findHashed(): i32 {
  hash ^= hash >> 15;
  for (let probe: u32 = 0; probe < MOST_PROBES; probe++) {
    const entry = load<u32>(slotOf(probe));
    if (entry === 0) {
      return UNKNOWN;
    }
    if (load<u32>(ENTRIES + ((<usize>entry) << 3)) === hash && isUrl(entry)) {
      return entry;
    }
  }
  return UNKNOWN;
}

/** Takes the URL of the last question for known, and gives it the next number; NO_ROOM, or 0 where others have its places. */
export function rememberUrl(): i32 {
  const length = folderLength + additionLength;
  const start = known === 0 ? URL_BYTES : <usize>load<u32>(ENTRIES + ((<usize>(known + 1)) << 3) + 4);
  if (known === MOST_ENTRIES || start + length + 16 > URL_BYTES_END) {
    return NO_ROOM;
  }
  for (let probe: u32 = 0; probe < MOST_PROBES; probe++) {
    if (load<u32>(slotOf(probe)) !== 0) {
      continue;
    }
    known++;
    store<u32>(slotOf(probe), known);
    store<u32>(ENTRIES + ((<usize>known) << 3), hash);
    store<u32>(ENTRIES + ((<usize>known) << 3) + 4, <u32>start);
    store<u32>(ENTRIES + ((<usize>(known + 1)) << 3) + 4, <u32>start + length);
    memory.copy(start, BASE, folderLength);
    memory.copy(start + folderLength, ADDITION, additionLength);
    return known;
  }
  return 0;
}

export function forgetUrls(): void {
  memory.fill(SLOTS, 0, (<usize>SLOT_COUNT) << 2);
  known = 0;
}

function slotOf(probe: u32): usize {
  return SLOTS + ((<usize>(hash + probe) & (SLOT_COUNT - 1)) << 2);
}

function isUrl(entry: u32): bool {
  const start = <usize>load<u32>(ENTRIES + ((<usize>entry) << 3) + 4);
  const end = <usize>load<u32>(ENTRIES + ((<usize>(entry + 1)) << 3) + 4);
  return (
    end - start === folderLength + additionLength &&
    isSame(start, BASE, folderLength) &&
    isSame(start + folderLength, ADDITION, additionLength)
  );
}

function isSame(left: usize, right: usize, length: usize): bool {
  let at: usize = 0;
  for (; at + 16 <= length; at += 16) {
    if (!i8x16.all_true(i8x16.eq(v128.load(left + at), v128.load(right + at)))) {
      return false;
    }
  }
  if (at === length) {
    return true;
  }
  const differing = ~i8x16.bitmask(i8x16.eq(v128.load(left + at), v128.load(right + at)));
  return (differing & ((1 << (<i32>(length - at))) - 1)) === 0;
}
