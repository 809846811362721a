import { expect, test } from 'vitest';
import { bindHeaders } from '../../src/crawl/settings.js';
import { parseSeedArgument } from '../../src/url/seeds.js';

const NOBODY = new Map();
const seedOf = (text: string) => {
  const argument = parseSeedArgument(text, () => null);
  if (argument.kind !== 'url') {
    throw new Error(`${text} is no URL`);
  }
  return argument.seed;
};

test('a bare domain gives the origins of all its spellings, a URL its own', () => {
  const seeds = [seedOf('a.test'), seedOf('http://b.test:8080/x')];
  const { headers, originHeaders } = bindHeaders({ headers: ['X-Key: k'], user: null }, seeds, NOBODY);
  expect(headers).toEqual([]);
  const origins = ['https://a.test', 'http://a.test', 'https://www.a.test', 'http://www.a.test', 'http://b.test:8080'];
  expect(originHeaders).toEqual(Object.fromEntries(origins.map((origin) => [origin, [['x-key', 'k']]])));
});

test('where two name the same header, the one for fewer origins wins, and the rest stay', () => {
  const lines = ['Authorization: all-seeds', 'X-Key: k', 'http://c.test|Authorization: c', 'http://d.test|X-Key: d'];
  const credentials = new Map([['http://b.test', { username: 'me', password: 'word' }]]);
  const seeds = ['a', 'b', 'c'].map((name) => seedOf(`http://${name}.test/`));
  const { originHeaders } = bindHeaders({ headers: lines, user: 'you:word' }, seeds, credentials);
  const key = ['x-key', 'k'];
  expect(originHeaders).toEqual({
    'http://a.test': [key, ['authorization', `Basic ${btoa('you:word')}`]],
    'http://b.test': [key, ['authorization', `Basic ${btoa('me:word')}`]],
    'http://c.test': [key, ['authorization', 'c']],
    'http://d.test': [['x-key', 'd']],
  });
});

test('the seeds of a fetcher of the user’s that are no URLs have no origin', () => {
  const seeds = [{ url: 'db:42', fallbacks: [] }];
  expect(bindHeaders({ headers: ['X: y'], user: null }, seeds, NOBODY).originHeaders).toEqual({});
});
