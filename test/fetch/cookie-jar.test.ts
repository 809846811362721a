import { describe, expect, test } from 'vitest';
import { SiteJar } from '../../src/fetch/cookie-jar.js';
import { readCookiesTxt, writeCookiesTxt } from '../../src/fetch/cookies-txt.js';
import { anyPortSiteOf, cookieSiteOf, MOST_COOKIES_OF_SITE, withAnyPort } from '../../src/url/kept-cookie.js';

const NOW = Date.UTC(2026, 0, 1);
const URL = 'https://www.example.com/a/b';

function jarWith(...lines: string[]): SiteJar {
  const jar = new SiteJar('example.com', []);
  jar.take(URL, lines, NOW);
  return jar;
}

const sent = (jar: SiteJar, url = URL, wall = NOW): string | null => jar.header(url, wall);

describe('the jar of a site', () => {
  test('sends what was set, the longest path first and then in the order in which it came', () => {
    const jar = jarWith('one=1; Path=/', 'two=2; Path=/a', 'three=3; Path=/');
    expect(sent(jar)).toBe('two=2; one=1; three=3');
    expect(sent(jar, 'https://www.example.com/')).toBe('one=1; three=3');
  });

  test('takes every cookie of an answer, and keeps the newest where there are more than a site may have', () => {
    const lines = Array.from({ length: 1_000 }, (_, n) => `c${n}=1; Path=/; Secure`);
    const names = sent(jarWith(...lines))!.split('; ');
    expect(names).toHaveLength(MOST_COOKIES_OF_SITE);
    expect(names.at(-1)).toBe('c999=1');
  });

  test('lets cookies end when they say so, Max-Age over Expires, by the clock of the crawl', () => {
    const jar = jarWith(
      'a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      'b=2; Expires=Thu, 01 Jan 2026 00:02:00 GMT',
      'c=3',
    );
    expect(sent(jar)).toBe('a=1; b=2; c=3');
    expect(sent(jar, URL, NOW + 90_000)).toBe('b=2; c=3');
    expect(sent(jar, URL, NOW + 150_000)).toBe('c=3');
    expect(jar.take(URL, ['c=; Max-Age=0'], NOW)).toHaveLength(1);
    expect(sent(jar, URL, NOW + 150_000)).toBeNull();
  });

  test.each([
    ['a public suffix', 'n=1; Domain=com'],
    ['another host', 'n=1; Domain=example.org'],
    ['a host below', 'n=1; Domain=deep.www.example.com'],
    ['SameSite=None without Secure', 'n=1; SameSite=None'],
    ['__Host- with a domain', '__Host-n=1; Secure; Path=/; Domain=example.com'],
    ['__Secure- without Secure', '__Secure-n=1'],
    ['a control character', 'n=a\x01b'],
    ['a line break', 'n=a\r\nX-Injected: b'],
    ['more than 4 KiB', `n=${'x'.repeat(4096)}`],
    ['a line that no honest server writes', `n=1; Comment=${'x'.repeat(9_000)}`],
    ['a value that would be another cookie', '=sid=1'],
    ['nothing', ''],
  ])('takes nothing for %s', (_what, line) => {
    expect(sent(jarWith(line))).toBeNull();
  });

  test('takes nothing for a domain below which anybody can register, though it is longer than com', () => {
    const jar = new SiteJar('a.github.io', []);
    const url = 'https://a.github.io/';
    expect(jar.take(url, ['n=1; Domain=github.io', 'm=1; Domain=a.github.io'], NOW)).toHaveLength(1);
    expect(jar.header(url, NOW)).toBe('m=1');
  });

  test('changes no Secure cookie at the word of an http page', () => {
    const jar = jarWith('sid=1; Secure; Path=/', 'low=1; Path=/');
    const plain = 'http://www.example.com/';
    expect(jar.take(plain, ['sid=2; Path=/x', 'low=2; Path=/', 'sid=3; Domain=example.com'], NOW)).toHaveLength(1);
    expect(sent(jar)).toBe('sid=1; low=2');
    expect(sent(jar, plain)).toBe('low=2');
  });

  test('is the same after it was kept and read back', () => {
    const jar = jarWith('sid=1; Secure; HttpOnly; Path=/; Domain=example.com', 'x=2; SameSite=Strict; Max-Age=60');
    const keys = ['example.com;/;sid', 'www.example.com;/a;x'];
    const again = new SiteJar('example.com', JSON.parse(JSON.stringify(keys.map((key) => jar.change(key).cookie))));
    expect(sent(again)).toBe(sent(jar));
    expect(sent(again, 'https://example.com/')).toBe('sid=1');
    expect(sent(again, URL, NOW + 61_000)).toBe('sid=1');
  });

  test('is bounded: one that is too many puts out the one without Secure that was set first', () => {
    const jar = new SiteJar('example.com', []);
    jar.take(URL, ['safe=1; Secure; Path=/'], NOW - 1);
    for (let i = 0; i <= MOST_COOKIES_OF_SITE; i++) {
      jar.take(URL, [`c${i}=${i}; Path=/`], NOW + i);
    }
    const names = sent(jar)!
      .split('; ')
      .map((pair) => pair.split('=')[0]);
    expect(names).toHaveLength(MOST_COOKIES_OF_SITE);
    expect(names).toContain('safe');
    expect(names).not.toContain('c0');
    expect(names).not.toContain('c1');
  });

  test('sends no more than 16 KiB', () => {
    const jar = new SiteJar('example.com', []);
    for (let i = 0; i < 10; i++) {
      jar.take(URL, [`c${i}=${'x'.repeat(4000)}; Path=/`], NOW);
    }
    expect(sent(jar)!.length).toBeLessThanOrEqual(16 * 1024);
    expect(sent(jar)!.split('; ')).toHaveLength(4);
  });
});

test('sites are what one can register, with the port where it is not the usual one', () => {
  expect(
    ['http://a.b.co.uk/', 'https://b.co.uk:8443/', 'http://x.github.io/', 'http://127.0.0.1:81/', 'http://[::1]/'].map(
      cookieSiteOf,
    ),
  ).toEqual(['b.co.uk', 'b.co.uk:8443', 'x.github.io', '127.0.0.1:81', '[::1]']);
  expect(withAnyPort('b.co.uk:8443')).toBe(anyPortSiteOf('a.b.co.uk'));
  expect(withAnyPort('[::1]:80')).toBe(withAnyPort('[::1]'));
});

describe('cookies.txt', () => {
  const LINES = [
    '#HttpOnly_.example.com\tTRUE\t/\tTRUE\t1893456000\tsid\tabc',
    'www.example.com\tFALSE\t/a\tFALSE\t0\tempty\t',
    'www.example.com\tFALSE\t/a\tFALSE\t0\tlatin\t\xe4=x',
  ];

  test('is written as it is read', () => {
    const cookies = readCookiesTxt(`# comment\r\n\r\n${LINES.join('\r\n')}`, 'jar', NOW);
    expect(cookies[0]).toMatchObject({ domain: 'example.com', hostOnly: false, httpOnly: true, secure: true });
    expect(writeCookiesTxt(cookies, NOW).split('\n').slice(2)).toEqual([...LINES, '']);
    expect(writeCookiesTxt(cookies, Date.UTC(2031, 0, 1))).not.toContain('sid');
  });

  test('says a fault once, with the first line that has it', () => {
    const lines = ['a b', 'a b', 'a b', 'a.test\tYES\t/\tFALSE\t0\tn\tv'].join('\n');
    expect(() => readCookiesTxt(lines, 'jar', NOW)).toThrow(
      /^--cookie-jar jar: line 1: .*this line has 1 \(and 2 more lines like it\); line 4: its second field/,
    );
  });

  test.each([
    ['a b c', 'this line has 1'],
    ['a.test\tYES\t/\tFALSE\t0\tn\tv', 'its second field'],
    ['a.test\tTRUE\t/\tno\t0\tn\tv', 'its fourth field'],
    ['a.test\tTRUE\tx\tFALSE\t0\tn\tv', 'its path'],
    ['a.test\tTRUE\t/\tFALSE\tsoon\tn\tv', 'its expiry'],
    ['a.test\tTRUE\t/\tFALSE\t0\tn;x\tv', 'its name or value'],
    ['http://a.test\tTRUE\t/\tFALSE\t0\tn\tv', 'its first field'],
    ['github.io\tTRUE\t/\tFALSE\t0\tn\tv', 'a public suffix'],
    [`a.test\tTRUE\t/\tFALSE\t0\tn\t${'v'.repeat(5000)}`, 'more than 4096 bytes'],
  ])('names the line that it cannot read: %s', (line, problem) => {
    expect(() => readCookiesTxt(`${LINES[0]}\n${line}\n`, 'jar', NOW)).toThrow(`--cookie-jar jar: line 2: `);
    expect(() => readCookiesTxt(`${LINES[0]}\n${line}\n`, 'jar', NOW)).toThrow(problem);
  });
});
