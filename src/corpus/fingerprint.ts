import { hash } from 'node:crypto';

/** Words in a shingle, and the numbers of a signature: the estimate of a resemblance of 0.9 is off by 0.03. */
const SHINGLE = 5;
const SIZE = 128;

export type Signature = Uint32Array;

/** The words of a text, in lower case. */
export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** Equal where two texts differ in nothing but white space and forms of Unicode; null of an empty one. */
export function textHash(text: string): string | null {
  const normal = text.normalize('NFC').replace(/\s+/g, ' ').trim();
  return normal === '' ? null : hash('sha256', normal, 'hex');
}

/** The title and the first heading: two copies of one page agree in them. */
export const titleKey = (title: string, markdown: string): string =>
  hash(
    'sha256',
    `${wordsOf(title).join(' ')}\n${wordsOf(/^ {0,3}# (.*)/m.exec(markdown)?.[1] ?? '').join(' ')}`,
    'hex',
  );

/** MinHash of the text's runs of five words. */
export function signatureOf(text: string): Signature {
  const signature = new Uint32Array(SIZE).fill(0xffffffff);
  for (const shingle of shinglesOf(wordsOf(text))) {
    for (let i = 0; i < SIZE; i++) {
      const mixed = Math.imul(shingle, FACTORS[i]!) + OFFSETS[i]!;
      const value = (mixed ^ (mixed >>> 16)) >>> 0;
      if (value < signature[i]!) {
        signature[i] = value;
      }
    }
  }
  return signature;
}

/** The share of runs of five words that two texts have in common, 0…1. */
export function sharedRuns(a: string, b: string): number {
  const [first, second] = [shinglesOf(wordsOf(a)), shinglesOf(wordsOf(b))];
  let shared = 0;
  for (const shingle of first) {
    if (second.has(shingle)) {
      shared++;
    }
  }
  return shared / (first.size + second.size - shared);
}

/** About the share of runs of five words that two texts have in common, 0…1. */
export function resemblance(a: Signature, b: Signature): number {
  let equal = 0;
  for (let i = 0; i < SIZE; i++) {
    if (a[i] === b[i]) {
      equal++;
    }
  }
  return equal / SIZE;
}

/** Two signatures that resemble each other by 0.9 share one of these with a chance of 0.9999. */
export function bandsOf(signature: Signature): string[] {
  const rows = 8;
  return Array.from({ length: SIZE / rows }, (_, band) => `${band}:${signature.slice(band * rows, (band + 1) * rows)}`);
}

function shinglesOf(words: readonly string[]): Set<number> {
  const hashes = words.map(hash32);
  const shingles = new Set<number>();
  for (let i = 0; i === 0 || i + SHINGLE <= hashes.length; i++) {
    let mixed = 0;
    for (let j = i; j < Math.min(i + SHINGLE, hashes.length); j++) {
      mixed = (Math.imul(mixed ^ hashes[j]!, 0x9e3779b1) + j - i) | 0;
    }
    shingles.add(avalanche(mixed));
  }
  return shingles;
}

/** FNV-1a. It does not resist a search for collisions: an attacker could only make their own pages look alike, which they can do anyway. */
function hash32(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  }
  return avalanche(value);
}

function avalanche(value: number): number {
  const first = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
  return (second ^ (second >>> 16)) >>> 0;
}

const FACTORS = Uint32Array.from({ length: SIZE }, (_, i) => hash32(`factor ${i}`) | 1);
const OFFSETS = Uint32Array.from({ length: SIZE }, (_, i) => hash32(`offset ${i}`));
