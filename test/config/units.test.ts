import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readDuration, readNumber, readSize, writeDuration, writeNumber, writeSize } from '../../src/config/units.js';

test.each([
  ['250ms', 250],
  ['1.5s', 1500],
  ['2 m', 120_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['-5s', -5000],
])('the duration %s is %d ms', (text, ms) => {
  expect(readDuration(text, 's')).toBe(ms);
});

test('a bare duration is in the unit that the option says', () => {
  expect(readDuration('30', 's')).toBe(30_000);
  expect(readDuration('30', 'ms')).toBe(30);
});

test.each(['', 's', '5 weeks', '5S', '1h30m', '1,5s', 'Infinity', '0x10', 'constructor'])(
  '%j is no duration',
  (text) => {
    expect(readDuration(text, 's')).toBeNull();
  },
);

test('K, KB and KiB are all powers of 1024, in any case', () => {
  for (const text of ['2K', '2kb', '2KiB', '2 kib', '2048', '2048B']) {
    expect(readSize(text), text).toBe(2048);
  }
  expect(readSize('1.5M')).toBe(1.5 * 1024 ** 2);
  expect(readSize('3GB')).toBe(3 * 1024 ** 3);
  expect(readSize('1TiB')).toBe(1024 ** 4);
});

test.each(['', 'KiB', '5X', '5KiBs', '5iB', '1 000'])('%j is no size', (text) => {
  expect(readSize(text)).toBeNull();
});

test('nothing but a finite number is a number', () => {
  expect(readNumber('0.01')).toBe(0.01);
  for (const text of ['', ' ', 'NaN', 'Infinity', '1_000', 'ten']) {
    expect(readNumber(text), text).toBeNull();
  }
});

test('what is written can be read again as the same value', () => {
  fc.assert(
    fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (amount) => {
      expect(readDuration(writeDuration(amount), 's')).toBe(amount);
      expect(readSize(writeSize(amount))).toBe(amount);
    }),
  );
});

test('amounts are written in the largest unit that is exact', () => {
  expect(writeDuration(0)).toBe('0 ms');
  expect(writeDuration(1500)).toBe('1500 ms');
  expect(writeDuration(600_000)).toBe('10 m');
  expect(writeSize(10 * 1024 ** 2)).toBe('10 MiB');
  expect(writeNumber(4096)).toBe('4096');
  expect(writeNumber(10_000_000)).toBe('10,000,000');
});
