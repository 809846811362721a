/**
 * What tells texts apart, and which are nearly the same, in one pass over the words that a reader sees. A word here is a run of bytes without
 * white space of ASCII between two tags.
 *   the text      a hash of all words in their order
 *   its sketch    every three words in a row are hashed; the hash picks one of 64 bins, and each bin keeps the smallest. Two texts agree in
 *                 about as many bins as they share of such threes, whatever their length (one permutation min-hashing).
 */
import { BINS, MASKS, SKETCH } from './memory';

const MOST_BINS: u32 = 64;
const EMPTY: u32 = 0xffff_ffff;
const FACTOR: u64 = ((<u64>0x9e37_79b9) << 32) | 0x7f4a_7c15;
const OTHER_FACTOR: u64 = ((<u64>0xd6e8_feb8) << 32) | 0x6659_fd93;

let text: u64 = 0;
let before: u64 = 0;
let beforeThat: u64 = 0;

/** By length, what lets so many bytes of sixteen through. */
export function initialisePrint(): void {
  for (let length: usize = 0; length <= 16; length++) {
    for (let i: usize = 0; i < 16; i++) {
      store<u8>(MASKS + (length << 4) + i, i < length ? 0xff : 0);
    }
  }
}

/** A page begins. */
export function beginPrint(): void {
  text = 0;
  before = 0;
  beforeThat = 0;
  start = 0;
  for (let bin: u32 = 0; bin < MOST_BINS; bin++) {
    store<u32>(BINS + (bin << 2), EMPTY);
  }
}

/** Where the word began that is not over yet; 0 while there is none. */
let start: usize = 0;

/** Takes the words of a block of sixteen bytes by the mask of what is no white space; bits behind the text are 0. */
export function printBlock(at: usize, letters: i32): void {
  // Where words begin, and where they are over: a bit for each change.
  let changes = (letters ^ ((letters << 1) | (start !== 0 ? 1 : 0))) & 0xffff;
  while (changes !== 0) {
    const place = at + <usize>ctz<i32>(changes);
    changes &= changes - 1;
    if (start === 0) {
      start = place;
    } else {
      meetWord(start, place);
      start = 0;
    }
  }
}

/** The text ends here, at a tag. */
export function endPrint(at: usize): void {
  if (start !== 0) {
    meetWord(start, at);
    start = 0;
  }
}

function meetWord(from: usize, end: usize): void {
  let at = from;
  let word: u64 = 0;
  while (end - at > 16) {
    word = rotl<u64>(word ^ (load<u64>(at) * FACTOR) ^ load<u64>(at + 8), 29) * OTHER_FACTOR;
    at += 16;
  }
  // What is behind the word is masked away, so that words of any usual length take one way.
  const last = v128.and(v128.load(at), v128.load(MASKS + ((end - at) << 4)));
  word ^= i64x2.extract_lane(last, 0) * FACTOR;
  word ^= rotl<u64>(<u64>i64x2.extract_lane(last, 1) * OTHER_FACTOR, 31);
  word = (word ^ (word >> 32)) * OTHER_FACTOR;
  text = rotl<u64>(text, 7) * FACTOR + word;
  const three = ((rotl<u64>(beforeThat, 21) + rotl<u64>(before, 42)) ^ word) * FACTOR;
  beforeThat = before;
  before = word;
  const bin = BINS + ((<usize>(three >> 58)) << 2);
  store<u32>(bin, min<u32>(<u32>(three >> 26), load<u32>(bin)));
}

/** Writes the hash of the text, eight bytes, and behind it a byte for each bin: 0 for one that is empty. */
export function finishPrint(): void {
  store<u64>(SKETCH, (text ^ (text >> 32)) * OTHER_FACTOR);
  for (let bin: u32 = 0; bin < MOST_BINS; bin++) {
    const value = load<u32>(BINS + (bin << 2));
    store<u8>(SKETCH + 8 + bin, value === EMPTY ? 0 : <u8>((value % 255) + 1));
  }
}
