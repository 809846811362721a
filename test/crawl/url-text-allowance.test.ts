import { describe, expect, it } from 'vitest';
import type { Target } from '../../src/lane/link-targets.js';
import { MOST_URL_TEXT, UrlTextAllowance } from '../../src/lane/page-links.js';

const target = (number: number, length: number, kept = length): Target =>
  ({ url: 'u'.repeat(kept), length, isCut: kept < length, key: [number, 0, 0, 0] }) as unknown as Target;
/** A page of which nobody can say beforehand that it is small. */
const ample = () => new UrlTextAllowance(1, 0, Number.POSITIVE_INFINITY);

describe('the text of the URLs that a page leads to', () => {
  it('is covered up to 64 MiB to the character', () => {
    const allowance = ample();
    for (let i = 0; i < 1_024; i++) {
      expect(allowance.covers(target(i, MOST_URL_TEXT / 1_024))).toBe(true);
    }
    expect(allowance.covers(target(7, MOST_URL_TEXT / 1_024))).toBe(true);
    expect(allowance.covers(target(5_000, 1))).toBe(false);
  });

  it('counts a URL once, however many links lead to it, and one that is not kept each time', () => {
    const allowance = ample();
    for (let i = 0; i < 10_000; i++) {
      expect(allowance.covers(target(1, 65_536))).toBe(true);
    }
    for (let i = 0; i < 63; i++) {
      expect(allowance.covers(target(2, 1 << 20, 264))).toBe(true);
    }
    expect(allowance.covers(target(2, 1 << 20, 264))).toBe(false);
  });

  it('is not even counted where it cannot be too much', () => {
    const small = new UrlTextAllowance(10_000, 100, 1_000_000);
    expect(small.covers(target(1, MOST_URL_TEXT + 1))).toBe(true);
    const atTheEdge = new UrlTextAllowance(1, MOST_URL_TEXT - 16, 1);
    expect(atTheEdge.covers(target(1, MOST_URL_TEXT + 1))).toBe(false);
  });
});
