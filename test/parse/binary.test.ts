import { expect, it } from 'vitest';
import { isBinary } from '../../src/parse/binary.js';

it.each([
  ['', false],
  ['plain text', false],
  ['tab\tand\r\nline\f\x1b[0m', false],
  ['%PDF-1.7 <p>', true],
  ['\x89PNG\r\n\x1a\n', true],
  ['\0\0\0\x18ftypmp42', true],
  ['a\0b', true],
])('%j is binary: %s', (text, expected) => {
  expect(isBinary(Buffer.from(text, 'latin1'), 'utf-8', false)).toBe(expected);
});

it('a NUL in a page with tags, or in UTF-16, does not make it binary', () => {
  expect(isBinary(Buffer.from('<p>a\0b'), 'utf-8', true)).toBe(false);
  expect(isBinary(Buffer.from('text', 'utf16le'), 'utf-16le', false)).toBe(false);
});
