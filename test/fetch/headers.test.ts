import { expect, test } from 'vitest';
import { UsageError } from '../../src/base/errors.js';
import { parseHeaderOption, parseUserOption, RequestHeaders } from '../../src/fetch/headers.js';
import { ResponseHeaders } from '../../src/fetch/response-headers.js';
import { get } from './support.js';

const PLAIN = { userAgent: 'ua/1', headers: [], originHeaders: {} };

const asObject = (flat: string[]): Record<string, string> =>
  Object.fromEntries(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]!]] : [])));

const responseHeaders = (...text: string[]): ResponseHeaders =>
  new ResponseHeaders(text.map((each, i) => (i % 2 === 0 ? each.toLowerCase() : each)));

test('reads a header as -H gives it', () => {
  expect(parseHeaderOption('X-Key:  a: b ')).toEqual({ to: 'seeds', header: ['X-Key', 'a: b'] });
  expect(parseHeaderOption('X-Empty:')).toEqual({ to: 'seeds', header: ['X-Empty', ''] });
  expect(parseHeaderOption('Cookie: a=b|c')).toEqual({ to: 'seeds', header: ['Cookie', 'a=b|c'] });
});

test.each([
  ['*|X: a|b', '*', 'a|b'],
  ['* | X: a', '*', 'a'],
  ['https://a.test|X: a', 'https://a.test', 'a'],
  ['HTTPS://Ä.test:443/ | X: a', 'https://xn--4ca.test', 'a'],
  ['http://a.test:8080|X: https://b.test|c', 'http://a.test:8080', 'https://b.test|c'],
  ['http://[::1]:8080|X: a', 'http://[::1]:8080', 'a'],
])('%s is for %s', (text, to, value) => {
  expect(parseHeaderOption(text)).toEqual({ to, header: ['X', value] });
});

test.each([
  'X: a\r\nEvil: 1',
  'X: a\nb',
  'X: a\0b',
  'X\r\nEvil: 1',
  'no colon',
  ': x',
  'X Y: 1',
  'X: 日本',
  'Host: other.test',
  'Content-Length: 5',
  'transfer-encoding: chunked',
  'Proxy-Authorization: Basic x',
  '*|Host: other.test',
  'https://a.test|Content-Length: 5',
  'a.test|X: 1',
  'https://a.test/path|X: 1',
  'https://a.test?q|X: 1',
  'https://me:word@a.test|X: 1',
  'https://*.a.test|X: 1',
  'ftp://a.test|X: 1',
  'https://|X: 1',
  'https://a.test X: 1',
  'https://a.test|X',
  '*|',
])('refuses %j in one line', (text) => {
  expect(() => parseHeaderOption(text)).toThrow(UsageError);
  expect(() => parseHeaderOption(text)).toThrow(/^[\x20-\x7e]+$/);
});

test('a user agent or header with a line break is refused wherever it comes from', () => {
  expect(() => new RequestHeaders({ ...PLAIN, userAgent: 'a\r\nb' }, 'gzip')).toThrow(UsageError);
  expect(() => new RequestHeaders({ ...PLAIN, headers: [['x', 'a\nb']] }, 'gzip')).toThrow(UsageError);
  const originHeaders = { 'http://a.test': [['x', 'a\0b'] as [string, string]] };
  expect(() => new RequestHeaders({ ...PLAIN, originHeaders }, 'gzip')).toThrow(UsageError);
});

test('-u becomes basic authorization, colons in the password included', () => {
  expect(parseUserOption('me:a:b')).toEqual(['authorization', `Basic ${btoa('me:a:b')}`]);
  expect(() => parseUserOption('me')).toThrow(UsageError);
});

test('headers of an origin go to that scheme, host and port only', () => {
  const headers = new RequestHeaders(
    { ...PLAIN, headers: [['X-All', '1']], originHeaders: { 'https://a.test': [['Authorization', 'Basic x']] } },
    'gzip',
  );
  expect(asObject(headers.for('https://a.test', get('https://a.test/')))).toMatchObject({
    authorization: 'Basic x',
    'x-all': '1',
  });
  for (const origin of ['http://a.test', 'https://a.test:444', 'https://b.a.test', 'https://b.test']) {
    expect(asObject(headers.for(origin, get(origin)))).toEqual({
      'user-agent': 'ua/1',
      'accept-encoding': 'gzip',
      'x-all': '1',
      accept: 'text/html',
    });
  }
});

test('a configured header replaces ours, whatever its case, and is replaced by one of the origin', () => {
  const headers = new RequestHeaders(
    {
      userAgent: 'ua/1',
      headers: [
        ['Accept', 'x/y'],
        ['USER-AGENT', 'mine'],
        ['Key', 'all'],
      ],
      originHeaders: { 'http://a.test': [['KEY', 'own']] },
    },
    'gzip',
  );
  const sent = headers.for('http://a.test', get('http://a.test/'));
  expect(asObject(sent)).toEqual({ 'accept-encoding': 'gzip', accept: 'x/y', 'user-agent': 'mine', key: 'own' });
  expect(sent).toHaveLength(8);
});

test('a ranged request asks for one byte without encoding, a conditional one names what is known', () => {
  const headers = new RequestHeaders(PLAIN, 'gzip');
  const ranged = asObject(headers.for('http://a.test', get('http://a.test/', { firstBytes: 1 })));
  expect(ranged).toMatchObject({ range: 'bytes=0-0', 'accept-encoding': 'identity' });
  const ifModified = { etag: '"1"', lastModified: 'bad\r\nEvil: 1' };
  const conditional = asObject(headers.for('http://a.test', get('http://a.test/', { ifModified })));
  expect(conditional['if-none-match']).toBe('"1"');
  expect(conditional).not.toHaveProperty('if-modified-since');
});

test('response headers are found in any case, lists joined, of singles the first is taken', () => {
  const headers = responseHeaders(
    'X-Robots-Tag',
    'noindex',
    'LOCATION',
    '/a',
    'x-robots-tag',
    'nofollow',
    'Location',
    '/b',
  );
  expect(headers.get('x-robots-tag')).toBe('noindex, nofollow');
  expect(headers.get('location')).toBe('/a');
  expect(headers.get('etag')).toBeNull();
  expect(headers.list()).toHaveLength(4);
});

test('response headers are bounded in number and length and free of line breaks', () => {
  const many = responseHeaders(...new Array<string>(4000).fill('a'));
  expect(many.list()).toHaveLength(512);
  expect(responseHeaders('x', 'v'.repeat(100_000)).get('x')).toHaveLength(16 * 1024);
  expect(responseHeaders('x', 'a\r\nb\0c').get('x')).toBe('a  b c');
});

test('a header may be named like something that every object has', () => {
  expect(parseHeaderOption('constructor: x').header).toEqual(['constructor', 'x']);
  expect(parseHeaderOption('__proto__: x').header).toEqual(['__proto__', 'x']);
});
