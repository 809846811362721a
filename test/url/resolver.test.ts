import { expect, it } from 'vitest';
import { ResolveMemo } from '../../src/url/resolver.js';

it('holds no more than two generations, whatever comes', () => {
  const memo = new ResolveMemo<string>(10);
  for (let page = 0; page < 50; page++) {
    memo.enter(`http://h.test/${page % 7}/`);
    for (let link = 0; link < 13; link++) {
      memo.set(`${page}-${link}`, 'x');
    }
    expect(memo.size).toBeLessThanOrEqual(20);
  }
});

it('keeps what is in use when the rest is dropped', () => {
  const memo = new ResolveMemo<string>(10);
  memo.enter('http://h.test/');
  memo.set('home', 'http://h.test/home');
  for (let link = 0; link < 100; link++) {
    memo.set(`${link}`, null);
    expect(memo.get('home')).toBe('http://h.test/home');
  }
  expect(memo.get('0')).toBeUndefined();
});

it('answers for the directory that was entered, and tells null from unknown', () => {
  const memo = new ResolveMemo<string>(10);
  memo.enter('http://h.test/a/');
  memo.set('x', null);
  expect(memo.get('x')).toBeNull();
  memo.enter('http://h.test/b/');
  expect(memo.get('x')).toBeUndefined();
});
