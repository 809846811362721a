import { expect, test } from 'vitest';
import { Http1Reader } from '../../src/fetch/http1-response.js';
import { type Receiver, WireError } from '../../src/fetch/wire.js';

// In a process of its own: what other threads do at the same time would be counted too.

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

const IGNORING: Receiver = {
  onSend: () => {},
  onHeaders: () => true,
  onData: () => true,
  onComplete: () => {},
  onError: () => {},
};

const bytesOf = (bytes: Buffer): Buffer[] => Array.from(bytes, (_, i) => bytes.subarray(i, i + 1));

function read(pieces: readonly Buffer[]): void {
  const reader = new Http1Reader();
  reader.begin(IGNORING, false, () => {});
  try {
    for (const piece of pieces) {
      reader.read(piece, piece.length);
    }
  } catch (error) {
    expect(error).toBeInstanceOf(WireError);
  }
}

/** Milliseconds of CPU, the best of seven. */
function costOf(pieces: readonly Buffer[]): number {
  const times = Array.from({ length: 7 }, () => {
    const before = process.cpuUsage();
    read(pieces);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

test.each<[string, (size: number) => Buffer[]]>([
  ['a head in single bytes', (size) => bytesOf(Buffer.from(`${OK}A: ${'x'.repeat(size)}`))],
  ['many header lines', (size) => [Buffer.from(`${OK}${'a:\n'.repeat(size / 3)}\n`)]],
  ['a head of blanks', (size) => [Buffer.from(`${OK}A:${' '.repeat(size)}b\r\n\r\n`)]],
  ['many folds', (size) => [Buffer.from(`${OK}A: b${'\n '.repeat(size / 2)}\n\n`)]],
  ['blank lines before the headers', (size) => [Buffer.from(`${OK}${' \n'.repeat(size / 2)}\n`)]],
  ['many words in Connection', (size) => [Buffer.from(`${OK}Connection: ${'close x,'.repeat(size / 8)}\r\n\r\n`)]],
  ['many commas', (size) => [Buffer.from(`${OK}Connection: ${', '.repeat(size / 2)}x\r\n\r\n`)]],
  ['many codings', (size) => [Buffer.from(`${OK}Transfer-Encoding: ${'chunked '.repeat(size / 8)}x\r\n\r\n`)]],
  ['many lines of codings', (size) => [Buffer.from(`${OK}${'Transfer-Encoding: a\n'.repeat(size / 21)}\n`)]],
  ['a long timeout', (size) => [Buffer.from(`${OK}Keep-Alive: ${'timeout='.repeat(size / 8)}\r\n\r\n`)]],
  ['a long number', (size) => [Buffer.from(`${OK}Keep-Alive: timeout=${'9'.repeat(size)}\r\n\r\n`)]],
])('the cost of %s grows with its size and not faster', (_name, build) => {
  const [small, large] = [build(7_500), build(60_000)];
  // Eight times the bytes; a cost by the square would be 64 times.
  expect(costOf(large)).toBeLessThan(16 * costOf(small) + 15);
});

test('half a million tiny chunks cost no more than their bytes do', () => {
  const bytes = Buffer.from(CHUNKED + '1\r\nx\r\n'.repeat(500_000));
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 65_536) {
    pieces.push(bytes.subarray(at, at + 65_536));
  }
  expect(costOf(pieces)).toBeLessThan(3_000);
});
