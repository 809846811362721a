import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutToWidth, widthOf } from '../../src/cli/text-width.js';

describe('the width of a text on a terminal', () => {
  it.each([
    ['', 0],
    ['plain', 5],
    ['Grüße', 5],
    ['日本語', 6],
    ['한국', 4],
    ['ＦＵＬＬ', 8],
    ['👍', 2],
    ['e\u0301', 1],
    ['─█…\ufffd', 4],
  ])('%j is %i cells', (text, cells) => {
    expect(widthOf(text)).toBe(cells);
  });

  it('is never less than what terminals give to what they draw in different ways', () => {
    expect(widthOf('❤️')).toBeGreaterThanOrEqual(2);
    expect(widthOf('🇩🇪')).toBeGreaterThanOrEqual(2);
  });
});

describe('a text that is cut', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['日本', 4, '日本'],
    ['日本語', 4, '日…'],
    ['日本語', 5, '日本…'],
    ['👍👍', 2, '…'],
    ['ab', 1, '…'],
    ['ab', 0, ''],
  ])('%j at %i cells is %j', (text, width, cut) => {
    expect(cutToWidth(text, width)).toBe(cut);
  });

  it('is never wider than it may be, and never torn within a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat({ max: 20 }), (text, width) => {
        const cut = cutToWidth(text, width);
        expect(widthOf(cut)).toBeLessThanOrEqual(width);
        expect(cut === text || cut === '' || (cut.endsWith('…') && text.startsWith(cut.slice(0, -1)))).toBe(true);
        expect(Buffer.from(cut).toString()).toBe(cut);
      }),
    );
  });
});
