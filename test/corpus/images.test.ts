import { expect, it } from 'vitest';
import { imageNamed, isImagePath } from '../../src/corpus/images.js';

const bytes = (hex: string) => Buffer.from(hex, 'hex');

it.each([
  ['png', '89504e470d0a1a0a00'],
  ['jpg', 'ffd8ffe000'],
  ['gif', '474946383961'],
  ['webp', '524946460000000057454250'],
  ['avif', '0000001c6674797061766966'],
])('a %s is named by its bytes alone', (extension, hex) => {
  const image = imageNamed(bytes(hex))!;
  expect(image.path).toMatch(new RegExp(`^images/[0-9a-f]{32}\\.${extension}$`));
  expect(isImagePath(image.path)).toBe(true);
});

it.each([
  ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
  ['HTML', '<!doctype html><script>alert(1)</script>'],
  ['nothing', ''],
  ['text that names a format', ' GIF89a'],
])('%s is no image that is saved', (_what, text) => {
  expect(imageNamed(Buffer.from(text))).toBeNull();
});

it.each(['images/../index.md', 'images/a.png', `images/${'a'.repeat(32)}.svg`, `x/images/${'a'.repeat(32)}.png`])(
  '%s is nobody’s image',
  (path) => {
    expect(isImagePath(path)).toBe(false);
  },
);
