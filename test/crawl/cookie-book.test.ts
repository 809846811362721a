import { expect, test } from 'vitest';
import { CookieBook } from '../../src/crawl/cookie-book.js';
import { SiteJar } from '../../src/fetch/cookie-jar.js';
import type { CookieChange, KeptCookie } from '../../src/url/kept-cookie.js';

const NOW = Date.UTC(2026, 0, 1);

function openBook(kept: { site: string; cookie: KeptCookie }[] = []) {
  const stored: CookieChange[] = [];
  const told: string[] = [];
  const book = new CookieBook(
    (site, cookies) => new SiteJar(site, cookies),
    () => NOW,
    kept,
  );
  book.onChanges = (changes) => stored.push(...changes);
  book.onFull = (words) => told.push(words);
  return { book, stored, told };
}

const cookie = (more: Partial<KeptCookie> = {}): KeptCookie => ({
  ...{ name: 'sid', value: '1', domain: 'a.test', hostOnly: true, path: '/', secure: false, httpOnly: false },
  ...{ sameSite: null, expiresAt: null, createdAt: NOW, setAt: NOW },
  ...more,
});

test('a program sees and sets cookies by the rules that answers have', () => {
  const { book, stored } = openBook();
  expect(book.get('http://a.test/')).toBeNull();
  expect(book.set('http://a.test/login', 'sid=1; Path=/')).toBe(true);
  expect(book.set('http://a.test/login', 'sid=1; Domain=other.test')).toBe(false);
  expect(book.get('http://a.test/x')).toBe('sid=1');
  expect(book.get('http://a.test:8080/x')).toBeNull();
  expect(stored).toMatchObject([{ site: 'a.test', cookie: { name: 'sid', value: '1' } }]);
});

test('what it sets goes to the lane that has the site', () => {
  const { book } = openBook();
  const sets: [string, string[]][] = [];
  book.onSet = (site, cookies) => sets.push([site, cookies.map(({ value }) => value)]);
  book.set('http://a.test:81/', 'sid=2');
  expect(sets).toEqual([['a.test:81', ['2']]]);
});

test('cookies of a file go to every port, until a server sets them anew for its own', () => {
  const { book } = openBook();
  book.takeFile([cookie({ value: 'given' })], NOW - 1000);
  expect([book.get('http://a.test/'), book.get('http://a.test:81/')]).toEqual(['sid=given', 'sid=given']);
  book.set('http://a.test:81/', 'sid=own; Path=/');
  expect([book.get('http://a.test/'), book.get('http://a.test:81/')]).toEqual(['sid=given', 'sid=own']);
  book.set('http://a.test/', 'sid=; Path=/; Max-Age=0');
  expect([book.get('http://a.test/'), book.get('http://a.test:81/')]).toEqual([null, 'sid=own']);
});

test('of a file and what was kept the later counts, what was deleted since included', () => {
  const kept = [
    { site: 'a.test', cookie: cookie({ value: 'kept' }) },
    { site: 'a.test:81', cookie: cookie({ value: '', expiresAt: 1 }) },
  ];
  const older = openBook(kept).book;
  older.takeFile([cookie({ value: 'file' })], NOW - 1000);
  expect([older.get('http://a.test/'), older.get('http://a.test:81/')]).toEqual(['sid=kept', null]);
  const newer = openBook(kept);
  newer.book.takeFile([cookie({ value: 'file' })], NOW + 1000);
  expect([newer.book.get('http://a.test/'), newer.book.get('http://a.test:81/')]).toEqual(['sid=file', 'sid=file']);
  // The store forgets them as well.
  expect(newer.stored.filter((each) => each.cookie === null).map(({ site }) => site)).toEqual(['a.test', 'a.test:81']);
});

test('beyond its bound it forgets the sites that were not asked for longest, says so once, and keeps what the user gave', () => {
  const { book, told, stored } = openBook();
  book.takeFile([cookie({ domain: 'given.test' })], NOW);
  for (let site = 0; site < 50_010; site++) {
    const domain = `s${site}.test`;
    book.changed([{ site: domain, key: `${domain};/;sid`, cookie: cookie({ domain }) }]);
  }
  expect(book.all()).toHaveLength(50_000);
  expect(book.get('http://given.test/')).toBe('sid=1');
  expect([book.get('http://s0.test/'), book.get('http://s50009.test/')]).toEqual([null, 'sid=1']);
  expect(told).toHaveLength(1);
  expect(stored.filter((each) => each.cookie === null)).toHaveLength(11);
});
