import { expect, it } from 'vitest';
import { isBinary } from '../../src/parse/media-type.js';

it.each([
  ['', false],
  ['plain text', false],
  ['tab\tand\r\nline\f\x1b[0m', false],
  ['%PDF-1.7 <p>', true],
  ['\x89PNG\r\n\x1a\n', true],
  ['\0\0\0\x18ftypmp42', true],
  ['a\0b', true],
  ['hello\x01world', false],
  ['\x01\x02\x03\x04 data', true],
  ['GIF89a is a format', false],
  ['GIF89a\x10\0\x10\0', true],
  ['RIFFs are music', false],
  ['RIFF\x24\x08\0\0WAVE', true],
  ['wOFs are no fonts', false],
  ['The ftyp box', false],
  ['OggSquad', false],
])('%j is binary: %s', (text, expected) => {
  expect(isBinary(Buffer.from(text, 'latin1'), 'utf-8', false)).toBe(expected);
});

it('a NUL in a page with tags, or in UTF-16, does not make it binary', () => {
  expect(isBinary(Buffer.from('<p>a\0b'), 'utf-8', true)).toBe(false);
  expect(isBinary(Buffer.from('text', 'utf16le'), 'utf-16le', false)).toBe(false);
});
