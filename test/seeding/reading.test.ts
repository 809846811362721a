import { describe, expect, test } from 'vitest';
import { JsonObjects } from '../../src/crawl/seeding/certificate-log.js';
import { Lines } from '../../src/crawl/seeding/common-crawl.js';
import { hostInCertificate, isPublicName } from '../../src/crawl/seeding/host-names.js';

/** Cut into pieces of so many bytes. */
function* pieces(text: string, size: number): IterableIterator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size);
  }
}

describe('the objects of a list', () => {
  const objects = [
    { a: 1 },
    { text: 'braces } { and ] [ in "quotes" \\" \\\\' },
    { nested: { deep: [{ x: '}' }] } },
    { umlaut: 'ä{ö}ü €' },
    {},
  ];
  const list = JSON.stringify(objects);

  test.each([1, 2, 3, 7, 1_000])('are found however the bytes come (%s at a time)', (size) => {
    const reader = new JsonObjects(1_000);
    const found = [...pieces(` ${list} \n`, size)].flatMap((piece) => [...reader.read(piece)]);
    expect(found.map((text) => JSON.parse(text))).toEqual(objects);
    expect(reader.isComplete).toBe(true);
  });

  test('before a break are all there, wherever it is', () => {
    for (let length = 0; length < list.length; length++) {
      const reader = new JsonObjects(1_000);
      const found = [...pieces(list.slice(0, length), 5)].flatMap((piece) => [...reader.read(piece)]);
      expect(found.map((text) => JSON.parse(text))).toEqual(objects.slice(0, found.length));
      expect(reader.isComplete, String(length)).toBe(false);
    }
  });

  test('that are too large are passed over, and not kept', () => {
    const reader = new JsonObjects(100);
    const large = JSON.stringify([{ first: 1 }, { x: 'y'.repeat(1_000) }, { last: 1 }]);
    expect([...pieces(large, 9)].flatMap((piece) => [...reader.read(piece)])).toEqual(['{"first":1}', '{"last":1}']);
    expect(reader.oversized).toBe(1);
  });

  test('that never end cost nothing', () => {
    const reader = new JsonObjects(1_000);
    const piece = Buffer.alloc(1024 * 1024, '{');
    const before = process.memoryUsage().arrayBuffers;
    for (let n = 0; n < 200; n++) {
      expect([...reader.read(piece)]).toEqual([]);
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * 1024 * 1024);
  });
});

describe('lines', () => {
  test.each([1, 4, 100])('are found however the bytes come (%s at a time)', (size) => {
    const lines = new Lines(100);
    const found = [...pieces('one\r\ntwo\n\nthree €\nhal', size)].flatMap((piece) => [...lines.read(piece)]);
    expect([...found, lines.rest()]).toEqual(['one', 'two', '', 'three €', 'hal']);
  });

  test('that are too long are passed over', () => {
    const lines = new Lines(10);
    const text = `short\n${'x'.repeat(50)}\nlast\n${'y'.repeat(50)}`;
    expect([...pieces(text, 8)].flatMap((piece) => [...lines.read(piece)])).toEqual(['short', 'last']);
    expect(lines.rest()).toBe('');
  });
});

test.each([
  ['www.example.com', 'www.example.com'],
  ['WWW.Example.COM.', 'www.example.com'],
  ['*.example.com', 'example.com'],
  [' _acme.example.com', '_acme.example.com'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['someone@example.com', null],
  ['*.*.example.com', null],
  ['a.*.example.com', null],
  ['192.0.2.1', null],
  ['2001:db8::1', null],
  ['localhost', null],
  ['-a.example.com', null],
  ['a b.example.com', null],
  ['a/b.example.com', null],
  ['a%00.example.com', null],
  ['0x7f.1', null],
  [`${'a'.repeat(64)}.example.com`, null],
  [`${'a.'.repeat(130)}com`, null],
  ['', null],
])('the name %j of a certificate stands for %j', (written, host) => {
  expect(hostInCertificate(written)).toBe(host);
});

test.each([
  ['example.com', true],
  ['a.b.example.co.uk', true],
  ['localhost', false],
  ['app.localhost', false],
  ['printer', false],
  ['printer.local', false],
  ['db.internal', false],
  ['router.home.arpa', false],
  ['127.0.0.1', false],
  ['[::1]', false],
])('whether a third party may be asked about %s: %s', (host, isPublic) => {
  expect(isPublicName(host)).toBe(isPublic);
});
