import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { keyToHex, urlKey } from '../../src/url/identity.js';

it('is the first half of SHA-256 of the UTF-8 bytes, and nothing around it is touched', () => {
  for (const url of ['', 'http://h.test/', 'https://example.com/%C3%A9?a=b', 'db:é日本🕸']) {
    const out = new Uint32Array(6).fill(7);
    urlKey(url, out, 1);
    expect(keyToHex(out, 1)).toBe(createHash('sha256').update(url, 'utf8').digest('hex').slice(0, 32));
    expect([out[0], out[5]]).toEqual([7, 7]);
  }
});

it('shows leading zeros', () => {
  expect(keyToHex(new Uint32Array([0, 1, 0xffffffff, 0xabc]))).toBe('0000000000000001ffffffff00000abc');
});
