/** Where what stands, in bytes. A page comes last: it may be of any length. */

/** The hash of a page's text and its sketch, then the bins that the sketch is made of. */
export const SKETCH: usize = 0x10;
export const SKETCH_BYTES: u32 = 72;
export const BINS: usize = 0x200;
/** By length, sixteen bytes that let so many through. */
export const MASKS: usize = 0x300;
/** By byte, what it can be in markup. */
export const BYTE_CLASS: usize = 0x100;
/** The lengths and hashes of the folders that a base stands in, from its origin on. */
export const FOLDERS: usize = 0x500;
export const MOST_FOLDERS: u32 = 64;
/** The URL of the folder that hrefs are seen from. */
export const BASE: usize = 0x800;
export const LONGEST_BASE: u32 = 2_048;
/** What a href adds to a folder. */
export const ADDITION: usize = 0x1000;
export const LONGEST_ADDITION: u32 = 2_032;
/** The names of elements that stand within words, each as a word of eight bytes; a hash table. */
export const JOINING: usize = 0x1800;
export const JOINING_SLOTS: usize = 128;
/** By the first two letters and the length of a name, whether it may have a rule. */
export const HAS_RULE: usize = 0x2000;
/** A word that says how many addresses were found, then two for each: the places of its first byte and behind its last. */
export const HREFS: usize = 0x6000;
export const MOST_HREFS: u32 = 5_000;

/** Of URLs that are known: a hash table of their numbers (from 1), then for each its hash and where its bytes begin, then the bytes. */
export const SLOTS: usize = 0x1_0000;
export const SLOT_COUNT: u32 = 0x2_0000;
export const ENTRIES: usize = 0x9_0000;
export const MOST_ENTRIES: u32 = 0xff00;
export const URL_BYTES: usize = 0x11_0000;
export const URL_BYTES_END: usize = 0x50_0000;

/** What a reader sees of the page, piece by piece; before it what was last counted, and behind it room for the bytes of a few blocks more. */
export const TEXT: usize = 0x50_0040;
export const TEXT_END: usize = 0x51_0000;

export const PAGE: usize = 0x52_0000;
