/**
 * The edges of a page as they cross threads and stand in the store: two 32-bit words an edge, in document order.
 *   word 0   id of the target; while PENDING is set, the place of the target among the page's new URLs
 *   word 1   kind (5 bits) | followed (1 bit) | held back (1 bit) | index into the page's list of rel values (23 bits, 0 = none)
 *            | zone (2 bits): where on the page it stands, in a crawl for a corpus
 * Followed: leads to a page and may be followed. Held back: leads to a page but is marked nofollow. Both: an asset that a check asks for.
 * Neither: an asset or a form.
 */
export const PENDING = 0x8000_0000;
export const FOLLOWED = 32;
export const HELD_BACK = 64;
export const LOADED = 96;
/** How a link leads on, as it stands in its word; 0 where it leads nowhere. */
export type Follow = 0 | typeof FOLLOWED | typeof HELD_BACK | typeof LOADED;

const MOST_RELS = (1 << 23) - 1;

export const edgeWord = (kind: number, follow: Follow, relIndex: number, zone = 0): number =>
  (kind | follow | (Math.min(relIndex, MOST_RELS) << 7) | (zone << 30)) >>> 0;
export const edgeKind = (word: number): number => word & 31;
export const edgeLoads = (word: number): boolean => (word & LOADED) === LOADED;
export const edgeFollowed = (word: number): boolean => (word & FOLLOWED) !== 0;
/** Leads to a page at all, whether or not it may be followed. */
export const edgeLeads = (word: number): boolean => (word & (FOLLOWED | HELD_BACK)) !== 0;
export const edgeRel = (word: number): number => (word >>> 7) & MOST_RELS;
export const edgeZone = (word: number): number => word >>> 30;

/** A blob from the database is not aligned for a Uint32Array: copy it. */
export function edgesFromBlob(blob: Uint8Array): Uint32Array {
  const words = new Uint32Array(blob.byteLength >> 2);
  new Uint8Array(words.buffer).set(blob);
  return words;
}
