import { expect, test } from 'vitest';
import { cookieHeader, readSetCookies } from '../../src/url/cookies.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const PAGE = 'https://a.test/docs/page?x=1';
const sent = (line: string | string[], from = PAGE, to = PAGE) =>
  cookieHeader([{ url: from, cookies: readSetCookies([line].flat(), from, NOW) }], to);

test('a cookie is sent back as it was set', () => {
  expect(sent('seen=1')).toBe('seen=1');
  expect(
    sent(['a="x y"; HttpOnly; SameSite=Lax', ' b = 2 ; Max-Age=60', 'c=a=b; Expires=Fri, 01 Jan 2027 00:00:00 GMT']),
  ).toBe('a="x y"; b=2; c=a=b');
});

test('an empty one is one too, and one without a name is its value', () => {
  expect(sent('seen=')).toBe('seen=');
  expect(sent(['seen=; Path=/', 'a=1'])).toBe('a=1; seen=');
  expect(sent('seen')).toBe('seen');
  expect(sent('=seen')).toBe('seen');
  expect(sent(['seen', 'a=1', '=later'])).toBe('later; a=1');
});

test('what cannot be sent safely, and what its origin must not set, is left out', () => {
  for (const line of [
    '',
    '=',
    ' ; Path=/',
    '=a=b',
    '=__Host-a',
    '__secure-a',
    'a b=1',
    'a=1\r\nX: y',
    'a=\x7f',
    `a=${'x'.repeat(5_000)}`,
    '__Secure-a=1',
    '__Host-a=1',
  ]) {
    expect(sent(line), JSON.stringify(line)).toBeNull();
  }
  expect(sent('a=1; Secure', 'http://a.test/', 'http://a.test/')).toBeNull();
  expect(sent('a=1; Secure')).toBe('a=1');
  expect(sent('__Host-a=1; Secure; Path=/')).toBe('__Host-a=1');
  expect(sent('__Host-a=1; Secure')).toBeNull();
  expect(sent('__Host-a=1; Secure; Path=/docs')).toBeNull();
  expect(sent('__host-a=1; Secure; Path=/; Domain=a.test')).toBeNull();
  expect(sent('a=1; Domain=b.test')).toBeNull();
  expect(sent('a=1; Domain=xa.test')).toBeNull();
  expect(sent('a=1; Domain=.a.test')).toBe('a=1');
});

test('a cookie goes to its own origin alone, whatever its Domain says', () => {
  for (const to of [
    'http://a.test/docs/page',
    'https://a.test:8443/docs/page',
    'https://www.a.test/docs/page',
    'https://b.test/',
  ]) {
    expect(sent('a=1; Domain=a.test; Path=/', PAGE, to), to).toBeNull();
  }
});

test('its path has to cover what is asked for', () => {
  expect(sent('a=1', PAGE, 'https://a.test/docs/other')).toBe('a=1');
  expect(sent('a=1', PAGE, 'https://a.test/docs')).toBe('a=1');
  expect(sent('a=1', PAGE, 'https://a.test/docs-old')).toBeNull();
  expect(sent('a=1; Path=/', PAGE, 'https://a.test/')).toBe('a=1');
  expect(sent('a=1; Path=/other', PAGE, PAGE)).toBeNull();
  expect(sent(['a=1; Path=/', 'b=2; Path=/docs'])).toBe('b=2; a=1');
});

test('a later one takes the place of an earlier one, or takes it back', () => {
  expect(sent(['a=1', 'a=2'])).toBe('a=2');
  expect(sent(['a=1', 'a=; Max-Age=0'])).toBeNull();
  expect(sent(['a=1', 'a=gone; Expires=Thu, 01 Jan 1970 00:00:00 GMT'])).toBeNull();
});

test('there is an end to how much is kept and sent', () => {
  expect(
    readSetCookies(
      Array.from({ length: 200 }, (_, i) => `c${i}=1`),
      PAGE,
      NOW,
    ),
  ).toHaveLength(50);
  const long = (name: string, length: number) => `${name}=${'x'.repeat(length)}`;
  const kept = readSetCookies([long('a', 3_000), long('b', 3_000), long('c', 900)], PAGE, NOW);
  expect(kept.map(({ name }) => name)).toEqual(['a', 'c']);
  const answers = ['a', 'b', 'c', 'd'].map((name) => ({
    url: PAGE,
    cookies: readSetCookies([long(name, name === 'd' ? 100 : 4_000)], PAGE, NOW),
  }));
  expect(cookieHeader(answers, PAGE)).toBe([long('a', 4_000), long('b', 4_000), long('d', 100)].join('; '));
});
