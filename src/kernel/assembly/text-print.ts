/**
 * What tells texts apart, and which are nearly the same, in one pass over the words that a reader sees. A word here is a run of bytes without
 * white space of ASCII; tags within words are nothing.
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
  for (let bin: u32 = 0; bin < MOST_BINS; bin++) {
    store<u32>(BINS + (bin << 2), EMPTY);
  }
}

/**
 * Takes the words of a block of 64 bytes, by the places where one begins or is over: a bit for each.
 *
 * @param start where the word began that was not over before this block; 0 for none
 * @returns the same after it
 */
export function printBlock(at: usize, places: u64, start: usize): usize {
  // In locals, because each word waits for what the one before has left.
  let all = text;
  let last = before;
  let lastButOne = beforeThat;
  let from = start;
  let changes = places;
  while (changes !== 0) {
    const place = at + <usize>ctz<u64>(changes);
    changes &= changes - 1;
    if (from === 0) {
      from = place;
      continue;
    }
    let word: u64 = 0;
    while (place - from > 16) {
      word = rotl<u64>(word ^ (load<u64>(from) * FACTOR) ^ load<u64>(from + 8), 29) * OTHER_FACTOR;
      from += 16;
    }
    // What is behind the word is masked away, so that words of any usual length take one way.
    const mask = MASKS + ((place - from) << 4);
    word ^= load<u64>(from) & load<u64>(mask);
    word ^= (load<u64>(from + 8) & load<u64>(mask + 8)) * FACTOR;
    word *= OTHER_FACTOR;
    word ^= word >> 32;
    from = 0;
    all = rotl<u64>(all, 7) * FACTOR + word;
    const three = ((rotl<u64>(lastButOne, 21) + rotl<u64>(last, 42)) ^ word) * FACTOR;
    lastButOne = last;
    last = word;
    const bin = BINS + ((<usize>(three >> 58)) << 2);
    store<u32>(bin, min<u32>(<u32>(three >> 26), load<u32>(bin)));
  }
  text = all;
  before = last;
  beforeThat = lastButOne;
  return from;
}

/** Writes the hash of the text, eight bytes, and behind it a byte for each bin: 0 for one that is empty. */
export function finishPrint(): void {
  store<u64>(SKETCH, (text ^ (text >> 32)) * OTHER_FACTOR);
  for (let bin: u32 = 0; bin < MOST_BINS; bin++) {
    const value = load<u32>(BINS + (bin << 2));
    store<u8>(SKETCH + 8 + bin, value === EMPTY ? 0 : <u8>((value % 255) + 1));
  }
}
