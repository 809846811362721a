import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';
import { UsageError } from '../../src/base/errors.js';
import { BAD_PORTS, Guard, isPublicAddress, parseNetwork } from '../../src/fetch/guard.js';

const CLOSED = { allowPrivate: false, allowNetworks: [], allowAddresses: [] };

test.each([
  ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ['link-local', '169.254.1.1', 'fe80::1'],
  ['metadata services', '169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
  ['more of them', '169.254.170.2', '169.254.170.23', '169.254.0.23', '169.254.42.42', 'fd20:ce::254', 'fd00:ec2::23'],
  ['and more', 'fd00:c1::a9fe:a9fe', 'fd00:a9fe:a9fe::1', 'fd00:42::42', 'fe80::a9fe:a9fe'],
  ['them inside IPv6', '::ffff:168.63.129.16', '64:ff9b::a83f:8110', '2002:a83f:8110::1', '64:ff9b::6464:64c8'],
  ['carrier-grade NAT', '100.64.0.1', '100.127.255.255'],
  ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1'],
  ['unspecified, reserved, broadcast', '0.0.0.0', '0.1.2.3', '240.0.0.1', '255.255.255.255', '::', '192.0.0.1'],
  ['benchmarking and documentation', '198.18.0.1', '198.19.255.255', '192.0.2.1', '198.51.100.1', '203.0.113.1'],
  ['documentation in IPv6', '2001:db8::1', '3fff::1'],
  ['unique local and site-local', 'fc00::1', 'fdff::1', 'fec0::1'],
  ['IPv4 inside IPv6', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '::ffff:7f00:1'],
  ['NAT64 of what is private', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b::10.0.0.1', '64:ff9b:1::808:808'],
  ['6to4 of what is private, Teredo', '2002:7f00:1::1', '2002:a00:1::', '2001::1'],
  ['unassigned space', '100::1', '4000::1', '5f00::1', '8000::1'],
  ['what is no address', 'localhost', '', '127.1', '0x7f000001', '8.8.8.8.'],
])('refuses %s', (_kind, ...addresses) => {
  for (const address of addresses) {
    expect(isPublicAddress(address), address).toBe(false);
  }
});

test('lets public addresses through, also behind NAT64 and 6to4', () => {
  for (const address of ['8.8.8.8', '1.1.1.1', '2606:4700::1111', '64:ff9b::808:808', '2002:808:808::1']) {
    expect(isPublicAddress(address), address).toBe(true);
  }
});

test('an IPv4 address is judged alike in every notation of IPv6 that leads to it', () => {
  fc.assert(
    fc.property(fc.ipV4(), (text) => {
      const [a, b, c, d] = ipaddr.IPv4.parse(text).octets as [number, number, number, number];
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      const judged = isPublicAddress(text);
      expect(isPublicAddress(`64:ff9b::${hex}`)).toBe(judged);
      expect(isPublicAddress(`2002:${hex}::1`)).toBe(judged);
      expect(isPublicAddress(`::ffff:${text}`)).toBe(false);
      expect(isPublicAddress(`::${hex}`)).toBe(false);
    }),
  );
});

test('a network that is allowed is let through, and nothing beside it', () => {
  const guard = new Guard({ ...CLOSED, allowNetworks: ['10.1.0.0/16', 'fd12::/16', '192.168.7.7'] });
  expect(guard.allows('10.1.2.3', 'intra.test', 80)).toBe(true);
  expect(guard.allows('fd12::5', 'intra.test', 80)).toBe(true);
  expect(guard.allows('192.168.7.7', 'intra.test', 80)).toBe(true);
  expect(guard.allows('10.2.0.1', 'intra.test', 80)).toBe(false);
  expect(guard.allows('192.168.7.8', 'intra.test', 80)).toBe(false);
  expect(guard.allows('::ffff:10.1.2.3', 'intra.test', 80)).toBe(false);
});

test('a seed at a private address allows that host and port, no other host, no other port', () => {
  const guard = new Guard({ ...CLOSED, allowAddresses: ['127.0.0.1:8080', '[fd00::1]:81', 'Wiki.test', '::1'] });
  expect(guard.allows('127.0.0.1', '127.0.0.1', 8080)).toBe(true);
  expect(guard.allows('127.0.0.1', '127.0.0.1', 8081)).toBe(false);
  expect(guard.allows('127.0.0.1', 'evil.test', 8080)).toBe(false);
  expect(guard.allows('127.0.0.2', '127.0.0.2', 8080)).toBe(false);
  expect(guard.allows('fd00::1', 'fd00:0::1', 81)).toBe(true);
  expect(guard.allows('::1', '::1', 9999)).toBe(true);
  expect(guard.allows('10.0.0.5', 'wiki.test', 443)).toBe(true);
  expect(guard.allows('10.0.0.5', 'sub.wiki.test', 443)).toBe(false);
});

test('what is no network and no host is a usage error', () => {
  expect(() => parseNetwork('10.0.0.0/33')).toThrow(UsageError);
  expect(() => parseNetwork('ten')).toThrow(UsageError);
  expect(() => new Guard({ ...CLOSED, allowAddresses: ['a:b:c'] })).toThrow(UsageError);
});

test('the neighbours of an address that a cloud keeps for itself are like any other', () => {
  for (const address of ['168.63.129.15', '168.63.129.17', '2002:a83f:8111::1']) {
    expect(isPublicAddress(address), address).toBe(true);
  }
});

test('what a cloud keeps for itself is opened like a private address, by the user alone', () => {
  const guard = new Guard({ ...CLOSED, allowNetworks: ['168.63.129.16/32'] });
  expect(guard.allows('168.63.129.16', 'wire.test', 80)).toBe(true);
  expect(new Guard(CLOSED).allows('168.63.129.16', 'wire.test', 80)).toBe(false);
});

test('ports of other protocols are refused wherever they are, unless they are allowed', () => {
  for (const guard of [new Guard(CLOSED), new Guard({ ...CLOSED, allowPrivate: true })]) {
    for (const port of [0, 1, 22, 25, 53, 110, 143, 465, 587, 993, 2049, 4190, 5060, 6000, 6667, 6679, 10080]) {
      expect(() => guard.checkPort('a.test', port), String(port)).toThrow('belongs to another protocol');
    }
    for (const port of [80, 81, 443, 3000, 5432, 6379, 8080, 9200, 65_535]) {
      guard.checkPort('a.test', port);
    }
  }
  new Guard({ ...CLOSED, allowPorts: [25] }).checkPort('a.test', 25);
});

test('the list of ports is as long as the standard has it', () => {
  expect(BAD_PORTS.size).toBe(83);
});
