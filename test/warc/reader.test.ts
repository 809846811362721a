import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync as gunzip, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { archive, type WireExchange } from '../../src/warc/exchange.js';
import { dechunked, splitHttp } from '../../src/warc/http-block.js';
import { nothingReadYet, partsOf, recordsIn } from '../../src/warc/reader.js';
import { digestOf, newRecordId, packRecord } from '../../src/warc/record.js';
import { crcOf, ZipFrame } from '../../src/warc/zip.js';
import { temporaryFolder } from '../report/store-fixture.js';

const MIB = 1024 * 1024;

const record = (url: string, body: string | Buffer): Buffer =>
  packRecord({
    ...{
      type: 'response',
      id: newRecordId(),
      at: 1_700_000_000_000,
      contentType: 'application/http; msgtype=response',
    },
    fields: [['WARC-Target-URI', url]],
    block: [Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), Buffer.from(body)],
  });

function written(name: string, ...pieces: Uint8Array[]): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, Buffer.concat(pieces));
  return path;
}

function readThrough(path: string, most = MIB) {
  const notes = nothingReadYet();
  const urls = partsOf([path]).flatMap((part) =>
    [...recordsIn(part, most, notes)].map(({ fields }) => fields.get('warc-target-uri')),
  );
  return { urls, notes };
}

describe('an archive that is read', () => {
  const [a, b, c] = ['http://a.test/', 'http://b.test/', 'http://c.test/'].map((url) => record(url, url.repeat(100)));

  it('gives each record with its place, packed or not', () => {
    for (const path of [written('x.warc.gz', a!, b!, c!), written('x.warc', ...[a!, b!, c!].map(unpacked))]) {
      const [part] = partsOf([path]);
      const records = [...recordsIn(part!, MIB, nothingReadYet())];
      expect(records.map(({ fields }) => fields.get('warc-target-uri'))).toEqual([
        'http://a.test/',
        'http://b.test/',
        'http://c.test/',
      ]);
      expect(records[1]!.offset).toBe(records[0]!.length);
      expect(splitHttp(records[2]!.block).body.toString()).toBe('http://c.test/'.repeat(100));
    }
  });

  it('goes on behind damage with the next record that can be found', () => {
    const broken = Buffer.from(b!);
    broken.fill(0xee, 40, 90);
    const { urls, notes } = readThrough(written('x.warc.gz', a!, broken, c!));
    expect(urls).toEqual(['http://a.test/', 'http://c.test/']);
    expect(notes).toMatchObject({ records: 2, damaged: 1 });
  });

  it('gives what is whole of one that is cut off', () => {
    const { urls, notes } = readThrough(written('x.warc.gz', a!, b!.subarray(0, b!.length - 20)));
    expect(urls).toEqual(['http://a.test/']);
    expect(notes.damaged).toBe(1);
  });

  it('passes over a record that is larger than a page may be, without having it in memory', () => {
    const large = record('http://large.test/', Buffer.alloc(4 * MIB));
    const { urls, notes } = readThrough(written('x.warc.gz', a!, large, c!));
    expect(urls).toEqual(['http://a.test/', 'http://c.test/']);
    expect(notes.tooLarge).toBe(1);
  });

  it('refuses one that is full of bombs', () => {
    const bomb = record('http://bomb.test/', Buffer.alloc(4 * MIB));
    const path = written('x.warc.gz', a!, ...Array.from({ length: 25 }, () => bomb));
    expect(() => readThrough(path)).toThrow(/more than 20 of its records unpack to over/);
  });

  it('believes no length that a record states', () => {
    const lies = [Number.MAX_SAFE_INTEGER, -1, '1e9', ''].map((length) =>
      gzipSync(`WARC/1.0\r\nWARC-Type: response\r\nContent-Length: ${length}\r\n\r\nHTTP/1.1 200 OK\r\n\r\n`),
    );
    const { notes } = readThrough(written('x.warc.gz', a!, ...lies, c!));
    expect(notes.records).toBeGreaterThanOrEqual(2);
    const plain = written('x.warc', unpacked(a!), Buffer.from('WARC/1.0\r\nContent-Length: 999999999999\r\n\r\nshort'));
    expect(readThrough(plain)).toMatchObject({ urls: ['http://a.test/'], notes: { damaged: 1 } });
  });

  it('is refused by a sentence where it is none, or one piece', () => {
    expect(() => readThrough(written('x.warc', Buffer.from('hello')))).toThrow(/begins with no record of WARC/);
    const piece = gzipSync(Buffer.concat([a!, b!, c!].map(unpacked)));
    expect(() => readThrough(written('x.warc.gz', piece))).toThrow(/packed as one piece.*gunzip/);
    expect(() => readThrough(join(temporaryFolder(), 'none.warc'))).toThrow(/cannot read the archive/);
    expect(() => readThrough(temporaryFolder())).toThrow(/it is no file|EISDIR/);
  });

  it('is found within a WACZ, whose directory is not believed either', () => {
    const frame = new ZipFrame();
    const content = Buffer.concat([a!, b!]);
    const entry = (name: string) => frame.begin({ name, size: content.length, crc: crcOf(content) });
    const zip = Buffer.concat([
      ...[entry('archive/data.warc.gz'), content, entry('archive/../../etc/x.warc.gz'), content, frame.end()],
    ]);
    expect(readThrough(written('x.wacz', zip)).urls).toEqual(['http://a.test/', 'http://b.test/']);
    for (let at = zip.length - 22; at < zip.length; at++) {
      const damaged = Buffer.from(zip);
      damaged[at] = damaged[at]! ^ 0xff;
      try {
        readThrough(written('x.wacz', damaged));
      } catch (error) {
        expect((error as Error).message).toMatch(/cannot be read as an archive/);
      }
    }
  });
});

const unpacked = (member: Buffer): Buffer => gunzip(member);

describe('an exchange as records', () => {
  const wire: WireExchange = {
    ...{ url: 'https://a.test/x?y', method: 'GET', path: '/x?y', status: 200, truncated: null, ip: '192.0.2.1' },
    requestHeaders: [
      ['user-agent', 'gossamer'],
      ['authorization', 'Basic c2VjcmV0'],
      ['cookie', 'id=secret'],
      ['x-api-key', 'secret'],
    ],
    head: 'HTTP/1.1 200 Fine\r\nContent-TYPE: text/html\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\n\r\n',
    responseHeaders: [['content-type', 'text/html']],
    body: Buffer.from('<p>hello'),
    isHttp2: false,
  };
  const notes = { at: 1_700_000_000_123, depth: 2, ttfbMs: 3.4, totalMs: 5.6 };

  it('has the headers as they were, and no chunks that are announced and not there', () => {
    const text = gunzip(Buffer.from(archive(wire, notes).response)).toString();
    expect(text).toContain(
      'HTTP/1.1 200 Fine\r\nContent-TYPE: text/html\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\nX-A: 1\r\n',
    );
    expect(text).toContain('Content-Length: 8\r\n\r\n<p>hello');
    expect(text).toContain(`WARC-Payload-Digest: ${digestOf(wire.body)}`);
    expect(text).toContain('WARC-Date: 2023-11-14T22:13:20.123Z');
  });

  it('has nothing that may be a secret', () => {
    const text = gunzip(Buffer.from(archive(wire, notes).others)).toString();
    expect(text).toContain('GET /x?y HTTP/1.1\r\nhost: a.test\r\nuser-agent: gossamer\r\n');
    expect(text).not.toMatch(/secret|c2VjcmV0/);
  });

  it('lets no server begin a line of its own', () => {
    const odd = { ...wire, url: 'https://a.test/\r\nWARC-Type: request', truncated: 'length' } as WireExchange;
    expect(() => archive(odd, notes)).not.toThrow();
    expect(gunzip(Buffer.from(archive(odd, notes).response)).toString()).not.toMatch(/^WARC-Type: request/m);
  });

  it('takes chunks apart that others have kept, and leaves what is in none', () => {
    const chunks = Buffer.from('5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n');
    expect(dechunked(chunks, 'chunked').toString()).toBe('hello world');
    for (const plain of ['<p>page', '5\r\nhel', 'ffffffff\r\nx', '']) {
      expect(dechunked(Buffer.from(plain), 'chunked').toString()).toBe(plain);
    }
    expect(dechunked(chunks, null)).toBe(chunks);
  });
});

describe('a ZIP file', () => {
  it('has the fields of ZIP64 where an entry or its place is beyond 32 bits, and only there', () => {
    const frame = new ZipFrame();
    const small = frame.begin({ name: 'small', size: 1, crc: 0 });
    expect(small.readUInt16LE(28)).toBe(0);
    const large = frame.begin({ name: 'large', size: 5 * 1024 ** 3, crc: 0 });
    expect(large.readUInt32LE(18)).toBe(0xffff_ffff);
    expect(large.readBigUInt64LE(30 + 5 + 4)).toBe(5n * 1024n ** 3n);
    frame.begin({ name: 'behind', size: 1, crc: 0 });
    const end = frame.end();
    expect(end.includes(Buffer.from([0x50, 0x4b, 6, 6]))).toBe(true);
    const behind = end.indexOf('behind');
    expect(end.readBigUInt64LE(behind + 6 + 4)).toBe(36n + 55n + 5n * 1024n ** 3n);
  });
});
