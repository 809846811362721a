import * as zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { FetchError } from '../../src/base/errors.js';
import { ACCEPT_ENCODING, decodeBody, readContentEncoding } from '../../src/fetch/body.js';

const TEXT = Buffer.from(Array.from({ length: 4000 }, (_, i) => `<a href="/page/${(i * 7919) % 10_007}">`).join(''));
const MAX = 1024 * 1024;
const hasZstd = 'zstdCompressSync' in zlib;

async function decodeFailure(...args: Parameters<typeof decodeBody>): Promise<FetchError> {
  try {
    await decodeBody(...args);
  } catch (error) {
    if (error instanceof FetchError) {
      return error;
    }
  }
  throw new Error('it was decoded');
}

async function expectText(...args: Parameters<typeof decodeBody>): Promise<void> {
  const { body, damage } = await decodeBody(...args);
  expect(damage).toBe(null);
  expect(body.equals(TEXT)).toBe(true);
}

test('undoes gzip, br and both kinds of deflate', async () => {
  await expectText(zlib.gzipSync(TEXT), ['gzip'], MAX);
  await expectText(zlib.gzipSync(TEXT), ['x-gzip'], MAX);
  await expectText(zlib.brotliCompressSync(TEXT), ['br'], MAX);
  await expectText(zlib.deflateSync(TEXT), ['deflate'], MAX);
  await expectText(zlib.deflateRawSync(TEXT), ['deflate'], MAX);
});

test('zstd is announced exactly where the runtime has it', async () => {
  expect(ACCEPT_ENCODING).toBe(hasZstd ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br');
  const zstd = (zlib as unknown as { zstdCompressSync?: (data: Buffer) => Buffer }).zstdCompressSync?.(TEXT);
  const { body, damage } = await decodeBody(zstd ?? TEXT, ['zstd'], MAX);
  expect(damage === null).toBe(hasZstd);
  expect(body.equals(hasZstd ? TEXT : Buffer.alloc(0))).toBe(true);
});

test('two encodings are undone in the right order, a third is refused', async () => {
  expect(readContentEncoding('gzip, identity, BR')).toEqual(['gzip', 'br']);
  const twice = zlib.brotliCompressSync(zlib.gzipSync(TEXT));
  await expectText(twice, ['gzip', 'br'], MAX);
  expect(() => readContentEncoding('gzip, gzip, gzip')).toThrow(FetchError);
});

test('names that mean nothing are passed over, as browsers do', () => {
  expect(readContentEncoding('utf-8, none')).toEqual([]);
  expect(readContentEncoding(null)).toEqual([]);
});

test.each([
  ['gzip', zlib.gzipSync(Buffer.alloc(50 * MAX))],
  ['br', zlib.brotliCompressSync(Buffer.alloc(50 * MAX), { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ['deflate', zlib.deflateSync(Buffer.alloc(50 * MAX))],
])('a bomb of %s is too_large', async (encoding, bomb) => {
  expect((await decodeFailure(bomb, [encoding], MAX)).errorClass).toBe('too_large');
});

test('a bomb in a bomb, and one whose end is missing, are too_large', async () => {
  const bomb = zlib.gzipSync(Buffer.alloc(50 * MAX));
  expect((await decodeFailure(zlib.gzipSync(bomb), ['gzip', 'gzip'], MAX)).errorClass).toBe('too_large');
  expect((await decodeFailure(bomb.subarray(0, -10), ['gzip'], MAX)).errorClass).toBe('too_large');
});

test('exactly the largest body that is allowed is decoded', async () => {
  await expectText(zlib.gzipSync(TEXT), ['gzip'], TEXT.length);
  expect((await decodeFailure(zlib.gzipSync(TEXT), ['gzip'], TEXT.length - 1)).errorClass).toBe('too_large');
});

test.each([
  ['gzip', zlib.gzipSync(TEXT)],
  ['br', zlib.brotliCompressSync(TEXT)],
  ['deflate', zlib.deflateSync(TEXT)],
])('of cut off %s what can be decoded is kept', async (encoding, data) => {
  const { body, damage } = await decodeBody(data.subarray(0, data.length >> 1), [encoding], MAX);
  expect(damage).toBe('the body ended early');
  expect(body.length).toBeGreaterThan(0);
  expect(TEXT.subarray(0, body.length).equals(body)).toBe(true);
});

test('of damaged gzip the part before the damage is kept', async () => {
  const data = zlib.gzipSync(TEXT);
  data.fill(0xff, data.length >> 1);
  const { body, damage } = await decodeBody(data, ['gzip'], MAX);
  expect(damage).not.toBe(null);
  expect(body.length).toBeGreaterThan(1000);
  expect(TEXT.subarray(0, 1000).equals(body.subarray(0, 1000))).toBe(true);
});

test('what is not gzip at all decodes to nothing and says so', async () => {
  const of = (text: string, encoding: string) => decodeBody(Buffer.from(text), [encoding], MAX);
  expect(await of('<html>', 'gzip')).toEqual({ body: Buffer.alloc(0), damage: 'what came is not gzip' });
  expect(await of('<html><body>x</body>', 'br')).toEqual({ body: Buffer.alloc(0), damage: 'what came is not br' });
  expect(await of('x', 'compress')).toEqual({
    body: Buffer.alloc(0),
    damage: 'the body is encoded in a way that cannot be decoded (compress)',
  });
});

test.each([
  ['gzip', zlib.gzipSync(TEXT.subarray(0, 300)), 8],
  ['deflate', zlib.deflateSync(TEXT.subarray(0, 300)), 4],
])('of %s with a wrong checksum all is kept', async (encoding, data, back) => {
  data[data.length - back]! ^= 1;
  const { body, damage } = await decodeBody(data, [encoding], MAX);
  expect(damage).toBe(`the checksum of its ${encoding} is wrong`);
  expect(body.equals(TEXT.subarray(0, 300))).toBe(true);
});

test('of a small page with damaged gzip what comes before the damage is kept', async () => {
  const data = zlib.gzipSync(TEXT.subarray(0, 3_000));
  data.fill(0xff, data.length - 100);
  const { body } = await decodeBody(data, ['gzip'], MAX);
  expect(body.length).toBeGreaterThan(1_000);
});

test('what follows whole gzip and only begins like more of it is passed over, and a second part that was cut is not', async () => {
  const whole = zlib.gzipSync(TEXT);
  const badCrc = zlib.gzipSync('more');
  badCrc[badCrc.length - 8]! ^= 1;
  for (const tail of [Buffer.from('1f8b08', 'hex'), Buffer.from('1f8b0800ffffffffffffffffffffffff', 'hex'), badCrc]) {
    await expectText(Buffer.concat([whole, tail]), ['gzip'], MAX);
  }
  const cut = Buffer.concat([whole, whole.subarray(0, whole.length >> 1)]);
  expect((await decodeBody(cut, ['gzip'], MAX)).damage).toBe('the body ended early');
});

test('an empty body needs no decoding', () => {
  expect(decodeBody(Buffer.alloc(0), ['gzip'], MAX)).toEqual({ body: Buffer.alloc(0), damage: null });
});
