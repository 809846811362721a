import { expect, test } from 'vitest';
import { UsageError } from '../../src/base/errors.js';
import { findConnectTo, parseConnectTo } from '../../src/fetch/connector.js';

test('reads the four parts as curl does, empty ones and IPv6 included', () => {
  expect(parseConnectTo('A.test:80:127.0.0.1:8080')).toEqual({
    host: 'a.test',
    port: '80',
    toHost: '127.0.0.1',
    toPort: '8080',
  });
  expect(parseConnectTo(':::8080')).toEqual({ host: '', port: '', toHost: '', toPort: '8080' });
  expect(parseConnectTo('[0:0::1]:443:[fd00::1]:')).toEqual({
    host: '::1',
    port: '443',
    toHost: 'fd00::1',
    toPort: '',
  });
  expect(parseConnectTo('bücher.test::b.test:').host).toBe('xn--bcher-kva.test');
});

test.each(['', 'a:80', 'a:80:b', 'a:80:b:99999', 'a:0:b:1', 'a:http:b:80', '[x]:80:b:80', 'a:80:::1:80'])(
  '"%s" is a usage error',
  (text) => {
    expect(() => parseConnectTo(text)).toThrow(UsageError);
  },
);

test('the first mapping that matches wins, and empty parts match anything', () => {
  const mappings = ['a.test:80:one:1', 'a.test::two:2', ':443:three:3'].map(parseConnectTo);
  expect(findConnectTo(mappings, 'a.test', 80)?.toHost).toBe('one');
  expect(findConnectTo(mappings, 'a.test', 443)?.toHost).toBe('two');
  expect(findConnectTo(mappings, 'b.test', 443)?.toHost).toBe('three');
  expect(findConnectTo(mappings, 'b.test', 80)).toBeNull();
});
