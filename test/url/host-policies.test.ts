import { describe, expect, it } from 'vitest';
import {
  entryName,
  HostPolicies,
  type HostPolicy,
  hostPatternProblem,
  policiesOf,
} from '../../src/url/host-policies.js';

const depthAt = (match: string | string[], ...origins: string[]) => {
  const policies = new HostPolicies([{ match: [match].flat(), depth: 7 }]);
  return origins.map((origin) => policies.ofOrigin(origin).depth === 7);
};

describe('a pattern', () => {
  it.each([
    [
      'example.com',
      ['https://example.com', 'http://example.com:8080'],
      ['https://a.example.com', 'https://example.com.evil.test'],
    ],
    ['EXAMPLE.com.', ['https://example.com', 'https://example.com.'], ['https://example.net']],
    [
      '*.example.com',
      ['https://a.example.com', 'https://a.b.example.com'],
      ['https://example.com', 'https://badexample.com', 'https://example.com.evil.test'],
    ],
    ['*example.com', ['https://example.com', 'https://badexample.com'], ['https://example.com.evil.test']],
    [
      'shop-*.*.test',
      ['https://shop-1.eu.test', 'http://shop-.a.b.test'],
      ['https://shop-1.test', 'https://a.shop-1.eu.test.x'],
    ],
    ['a*a.test', ['https://aa.test', 'https://aba.test'], ['https://a.test']],
    ['*', ['https://anything.test', 'http://[::1]:8080'], ['file']],
    ['https://a.test', ['https://a.test', 'https://a.test:8443'], ['http://a.test']],
    ['a.test:8080', ['http://a.test:8080'], ['http://a.test', 'https://a.test']],
    ['http://a.test:80', ['http://a.test'], ['https://a.test']],
    ['127.0.0.*', ['http://127.0.0.1:99'], ['http://127.0.1.1', 'http://10.127.0.0.test']],
    ['127.1', ['http://127.0.0.1'], ['http://127.0.0.2']],
    ['[::1]:80', ['http://[::1]'], ['http://[::2]', 'http://[::1]:8080']],
    ['bücher.example', ['https://xn--bcher-kva.example'], ['https://bucher.example']],
    ['xn--bcher-kva.example', ['https://xn--bcher-kva.example'], ['https://b.xn--bcher-kva.example']],
    ['*.BÜCHER.example', ['https://a.xn--bcher-kva.example'], ['https://xn--bcher-kva.example']],
    ['bü*.example', ['https://xn--bcher-kva.example'], ['https://bucher.example']],
  ])('%s', (match, matching, others) => {
    expect(hostPatternProblem(match)).toBeNull();
    expect(depthAt(match, ...matching)).toEqual(matching.map(() => true));
    expect(depthAt(match, ...others)).toEqual(others.map(() => false));
  });

  it.each([
    '',
    'a b',
    'a.test/path',
    're:a',
    'user@a.test',
    'a.test:0',
    'a.test:99999',
    'ftp://a.test',
    'a?.test',
    '*.{a,b}',
    '[::1',
    'a..*',
    `${'a'.repeat(300)}.test`,
  ])('is not %s', (text) => {
    expect(hostPatternProblem(text)).toMatch(/^a name of a host such as/);
  });
});

describe('of several entries', () => {
  const HOSTS: HostPolicy[] = [
    { match: ['slow.example.com'], delayMs: 9_000 },
    { match: ['https://*.example.com:8443'], depth: 1, delayMs: 3_000 },
    { match: ['*.example.com', 'example.com'], delayMs: 5_000, userAgent: 'a/1' },
    { match: ['*'], userAgent: 'b/1', maxUrls: 3 },
  ];
  const policies = new HostPolicies(HOSTS);

  it('the first counts that matches, key by key, and each value names its entry', () => {
    expect(policies.ofOrigin('https://slow.example.com')).toEqual({
      ...{ delayMs: 9_000, userAgent: 'a/1', maxUrls: 3 },
      from: { delayMs: 0, userAgent: 2, maxUrls: 3 },
    });
    expect(policies.ofUrl('https://other.test/a').from).toEqual({ userAgent: 3, maxUrls: 3 });
    expect(entryName(HOSTS, 2)).toBe('hosts[2] (*.example.com,example.com)');
  });

  it('pace goes by the name alone: scheme and port of a pattern count for origins', () => {
    expect(policies.ofHost('a.example.com').delayMs).toBe(3_000);
    expect(policies.ofOrigin('https://a.example.com').delayMs).toBe(5_000);
    expect(policies.ofOrigin('https://a.example.com:8443').delayMs).toBe(3_000);
  });

  it('on loopback a host is a name and a port', () => {
    const local = new HostPolicies([
      { match: ['127.0.0.1:81'], delayMs: 1 },
      { match: ['127.0.0.1'], delayMs: 2 },
    ]);
    expect([local.ofHost('127.0.0.1:81').delayMs, local.ofHost('127.0.0.1:82').delayMs]).toEqual([1, 2]);
  });

  it('whoever needs some keys gets these alone, under the same numbers', () => {
    const hosts: HostPolicy[] = [
      { match: ['a.test'], headers: { authorization: 'secret' } },
      { match: ['b.test'], depth: 1 },
    ];
    expect(policiesOf(hosts, ['depth'])).toEqual([{ match: ['a.test'] }, { match: ['b.test'], depth: 1 }]);
    expect(policiesOf(hosts, ['timeoutMs'])).toEqual([]);
  });
});

it('1,000 entries and 30,000 hosts: each is looked up once, and what is remembered stays bounded', () => {
  const hosts: HostPolicy[] = Array.from({ length: 1_000 }, (_, i) => ({
    match: [i % 3 === 0 ? `host-${i}.test` : i % 3 === 1 ? `*.zone-${i}.test` : `x*y${i}.test`],
    depth: i,
  }));
  const policies = new HostPolicies(hosts);
  const wrong: number[] = [];
  for (let i = 0; i < 30_000; i++) {
    const entry = (i % 333) * 3 + 1;
    const isFound = policies.ofOrigin(`https://a.zone-${entry}.test`).depth === entry;
    if (!isFound || policies.ofHost(`nobody-${i}.test`).depth !== undefined) {
      wrong.push(i);
    }
  }
  expect(wrong).toEqual([]);
  expect(policies.remembered).toBeLessThanOrEqual(10_000);
});
