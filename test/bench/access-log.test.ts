import { expect, test } from 'vitest';
import { countMissing, pagesOf, readVisits } from '../../bench/access-log.js';

const line = (path: string, { status = 200, type = 'text/html', port = 8001 } = {}) =>
  JSON.stringify({ port, status, type, path });

test('a page counts once, however often it was asked for', () => {
  const visits = readVisits(`${line('/a.html')}\n${line('/a.html')}\n${line('/b.html')}\n`);
  expect(visits).toHaveLength(3);
  expect([...pagesOf(visits)]).toEqual(['http://127.0.0.1:8001/a.html', 'http://127.0.0.1:8001/b.html']);
});

test('the same path on two sites is two pages', () => {
  expect(pagesOf(readVisits(`${line('/', { port: 8001 })}\n${line('/', { port: 8002 })}\n`)).size).toBe(2);
});

test('only HTML that was answered well is a page', () => {
  const log = [
    line('/style.css', { type: 'text/css' }),
    line('/gone.html', { status: 404 }),
    line('/folder', { status: 301 }),
    line('/page.xhtml', { type: 'application/xhtml+xml' }),
    line('/page.html', { type: 'text/html; charset=utf-8' }),
  ].join('\n');
  expect([...pagesOf(readVisits(log))].map((url) => new URL(url).pathname)).toEqual(['/page.xhtml', '/page.html']);
});

test('a page is named by a URL that leads to it again', () => {
  const [url] = pagesOf(readVisits(line('/a b/100%/ü?.html')));
  expect(decodeURIComponent(new URL(url!).pathname)).toBe('/a b/100%/ü?.html');
});

test('missing are those of the first set that the second lacks', () => {
  expect(countMissing(new Set(['a', 'b', 'c']), new Set(['b', 'd']))).toBe(2);
});
