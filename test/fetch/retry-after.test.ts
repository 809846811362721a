import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRetryAfter } from '../../src/fetch/response-headers.js';

const NOW = Date.UTC(1994, 10, 6, 8, 49, 7);

describe('seconds', () => {
  test.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7_000],
    ['007', 7_000],
    ['31536000', 31_536_000_000],
  ])('%j is %d ms', (value, expected) => {
    expect(parseRetryAfter(value, NOW)).toBe(expected);
  });

  test('a number without bounds stays a safe integer', () => {
    expect(parseRetryAfter('9'.repeat(400), NOW)).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('dates', () => {
  test.each([
    ['IMF-fixdate', 'Sun, 06 Nov 1994 08:49:37 GMT'],
    ['RFC 850', 'Sunday, 06-Nov-94 08:49:37 GMT'],
    ['asctime', 'Sun Nov  6 08:49:37 1994'],
    ['IMF-fixdate with a day of one digit', 'Sun, 6 Nov 1994 08:49:37 GMT'],
    ['RFC 850 with a day of one digit', 'Sunday, 6-Nov-94 08:49:37 GMT'],
    ['RFC 850 with a short name and a whole year', 'Sun, 06-Nov-1994 08:49:37 GMT'],
    ['asctime with a single space', 'Sun Nov 6 08:49:37 1994'],
  ])('%s is understood', (_, value) => {
    expect(parseRetryAfter(value, NOW)).toBe(30_000);
  });

  test('asctime with a day of two digits is understood', () => {
    expect(parseRetryAfter('Wed Nov 16 08:49:07 1994', NOW)).toBe(10 * 86_400_000);
  });

  test('a date in the past is now', () => {
    expect(parseRetryAfter('Sun, 06 Nov 1994 08:49:06 GMT', NOW)).toBe(0);
    expect(parseRetryAfter('Thu, 01 Jan 1970 00:00:00 GMT', NOW)).toBe(0);
  });

  test('a year of two digits is at most 50 years ahead', () => {
    const now = Date.UTC(2026, 0, 1);
    expect(parseRetryAfter('Friday, 01-Jan-27 00:00:00 GMT', now)).toBe(365 * 86_400_000);
    expect(parseRetryAfter('Wednesday, 01-Jan-76 00:00:00 GMT', now)).toBeGreaterThan(0);
    expect(parseRetryAfter('Saturday, 01-Jan-77 00:00:00 GMT', now)).toBe(0);
  });

  test('a leap second and a leap day are dates', () => {
    expect(parseRetryAfter('Sun, 06 Nov 1994 08:49:60 GMT', NOW)).toBe(53_000);
    expect(parseRetryAfter('Thu, 29 Feb 1996 00:00:00 GMT', NOW)).toBeGreaterThan(0);
  });
});

describe('what cannot be read is null', () => {
  test.each([
    [null],
    [''],
    [' '],
    ['-1'],
    ['+1'],
    ['1.5'],
    ['1e3'],
    ['0x10'],
    ['soon'],
    ['120s'],
    ['1 2'],
    ['NaN'],
    ['Infinity'],
    ['1994-11-06T08:49:37Z'],
    ['Sun, 06 Nov 1994 08:49:37'],
    ['Sun, 06 Nov 1994 08:49:37 PST'],
    ['Sun, 06 Nov 1994 24:00:00 GMT'],
    ['Sun, 06 Nov 1994 08:60:00 GMT'],
    ['Sun, 06 Nov 1994 08:00:61 GMT'],
    ['Sun, 31 Feb 1995 08:49:37 GMT'],
    ['Sun, 00 Nov 1994 08:49:37 GMT'],
    ['Sun, 06 Foo 1994 08:49:37 GMT'],
    ['Mon, 29 Feb 1995 00:00:00 GMT'],
  ])('%j', (value) => {
    expect(parseRetryAfter(value, NOW)).toBeNull();
  });
});

test('any text gives null or a safe whole number that is not negative', () => {
  const dateLike = fc
    .tuple(fc.nat(99), fc.constantFrom('Jan', 'feb', 'DEC', 'xyz'), fc.nat(9999), fc.nat(99), fc.nat(99), fc.nat(99))
    .map(([day, month, year, ...time]) => {
      const clock = time.map((part) => String(part).padStart(2, '0')).join(':');
      return `Sun, ${String(day).padStart(2, '0')} ${month} ${String(year).padStart(4, '0')} ${clock} GMT`;
    });
  fc.assert(
    fc.property(fc.oneof(fc.string(), dateLike), fc.integer({ min: 0, max: 4e12 }), (value, now) => {
      const delayMs = parseRetryAfter(value, now);
      expect(delayMs === null || (Number.isSafeInteger(delayMs) && delayMs >= 0)).toBe(true);
    }),
  );
});

test('every date that JavaScript prints is read back', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 32 }), (second) => {
      const wall = second * 1000;
      expect(parseRetryAfter(new Date(wall).toUTCString(), 0)).toBe(wall);
    }),
  );
});
