import { closeSync, fstatSync } from 'node:fs';
import { constants, inflateRawSync } from 'node:zlib';
import { type ArchivePart, noArchive, openArchive, readAt } from './files.js';
import { archivesInZip, isZip } from './unzip.js';

/**
 * Reads archives that anybody may have made. No length that a file states is believed: what is read at once has bounds, what a member unpacks to has
 * bounds, and where a record is damaged, reading goes on with the next one that can be found.
 */

export interface ReadRecord {
  /** Where it begins, and how many bytes of the file it is. */
  offset: number;
  length: number;
  /** Names in lower case. */
  fields: ReadonlyMap<string, string>;
  /** Of a large record only its beginning. */
  block: Buffer;
  blockBytes: number;
}

/** What became of an archive that was read through. */
export interface ReadingNotes {
  records: number;
  damaged: number;
  /** Larger than what may be read at once. */
  tooLarge: number;
  /** Places that were looked at for a record behind a damaged one. */
  looks: number;
  /** Records that unpack to so much that nobody can have meant it. */
  bombs: number;
}

export const nothingReadYet = (): ReadingNotes => ({ records: 0, damaged: 0, tooLarge: 0, looks: 0, bombs: 0 });

const LARGEST_HEAD = 64 * 1024;
const MOST_FIELDS = 200;
/** So much of a file is in memory at once, and more only for a record that is larger. */
const WINDOW = 4 * 1024 * 1024;
/** Of a record that is not packed, so much is read: who wants all of it reads it by its place. */
const MOST_OF_PLAIN_BLOCK = 64 * 1024;
/** A packed record is never larger than what it unpacks to by more than this. */
const LARGEST_GAIN = 64 * 1024;

/** Behind damage the next record is looked for at so many places of an archive, and then no more: each costs time. */
const MOST_LOOKS = 20_000;
/** A member that unpacks to more than is read at once, from so few bytes, is a bomb. Of an archive with more of them than this nothing is believed. */
const BOMB_BYTES = 256 * 1024;
const MOST_BOMBS = 20;

const GZIP = Buffer.from([0x1f, 0x8b, 8]);
const GZIP_HEAD = 10;
const GZIP_TAIL = 8;
const BEGINNING = Buffer.from('WARC/1.');

/** The parts of the files, in their order. A file that is no archive is refused. */
export function partsOf(paths: readonly string[]): ArchivePart[] {
  return paths.flatMap((path) => {
    const descriptor = openArchive(path);
    try {
      const { size } = fstatSync(descriptor);
      const beginning = readAt(descriptor, 0, 8);
      if (isZip(beginning)) {
        return archivesInZip(descriptor, size, path);
      }
      if (!isGzip(beginning) && !beginning.subarray(0, BEGINNING.length).equals(BEGINNING)) {
        throw noArchive(path, 'it begins with no record of WARC, and is no gzip and no WACZ file');
      }
      return [{ path, name: path, from: 0, to: size }];
    } finally {
      closeSync(descriptor);
    }
  });
}

/** Each record of a part. `notes` says what was passed over. */
export function* recordsIn(part: ArchivePart, mostRecordBytes: number, notes: ReadingNotes): Generator<ReadRecord> {
  const descriptor = openArchive(part.path);
  try {
    const window = new FileWindow(descriptor, part);
    const records = isGzip(window.at(part.from, GZIP.length))
      ? packedRecords(window, part, mostRecordBytes, notes)
      : plainRecords(window, part, mostRecordBytes, notes);
    for (const record of records) {
      notes.records++;
      yield record;
    }
  } finally {
    closeSync(descriptor);
  }
}

/** One record by its place; null if there is none, or it is too large. */
export function recordAt(
  descriptor: number,
  offset: number,
  length: number,
  mostRecordBytes: number,
): ReadRecord | null {
  if (length > mostRecordBytes + LARGEST_GAIN) {
    return null;
  }
  const bytes = readAt(descriptor, offset, length);
  const whole = isGzip(bytes) ? unpackMember(bytes, mostRecordBytes) : { bytes, length, isWhole: true };
  return whole === null || whole === 'too large' ? null : parseRecord(whole.bytes, offset, length);
}

function* packedRecords(
  window: FileWindow,
  part: ArchivePart,
  mostRecordBytes: number,
  notes: ReadingNotes,
): Generator<ReadRecord> {
  for (let at = part.from; at < part.to; ) {
    const member = memberAt(window, at, part.to, mostRecordBytes);
    if (member === 'damaged' || member === 'too large') {
      notes[member === 'damaged' ? 'damaged' : 'tooLarge']++;
      if (member === 'too large') {
        refuseBombs(window.at(at, BOMB_BYTES), part, mostRecordBytes, notes);
      }
      at = nextMember(window, at + 1, part.to, notes);
      continue;
    }
    const record = parseRecord(member.bytes, at, member.length);
    if (record === null) {
      notes.damaged++;
    } else {
      if (at === part.from && member.bytes.length > endOf(record, member.bytes) && member.length >= part.to - at) {
        throw noArchive(
          part.name,
          'it is packed as one piece, so that no record in it can be found again: unpack it with gunzip, and name the .warc',
        );
      }
      yield record;
    }
    at += member.length;
  }
}

function refuseBombs(beginning: Buffer, { name }: ArchivePart, mostRecordBytes: number, notes: ReadingNotes): void {
  if (unpackMember(beginning, mostRecordBytes + LARGEST_GAIN) === 'too large' && ++notes.bombs > MOST_BOMBS) {
    throw noArchive(
      name,
      `more than ${MOST_BOMBS} of its records unpack to over ${mostRecordBytes} bytes from nearly nothing`,
    );
  }
}

/** Where the record ends in what its member unpacks to, with the two line ends behind it. */
const endOf = ({ block, blockBytes }: ReadRecord, bytes: Buffer): number =>
  block.byteOffset - bytes.byteOffset + blockBytes + 4;

interface Member {
  bytes: Buffer;
  /** Packed. */
  length: number;
}

function memberAt(
  window: FileWindow,
  at: number,
  end: number,
  mostRecordBytes: number,
): Member | 'damaged' | 'too large' {
  const most = mostRecordBytes + LARGEST_GAIN;
  for (let size = Math.min(WINDOW, end - at); ; size = Math.min(size * 4, most, end - at)) {
    const bytes = window.at(at, size);
    const member = unpackMember(bytes, most);
    if (member === null) {
      return 'damaged';
    }
    if (member === 'too large') {
      return 'too large';
    }
    if (member.isWhole) {
      return member;
    }
    if (size >= end - at) {
      return 'damaged';
    }
    if (size >= most) {
      return 'too large';
    }
  }
}

/** The first gzip member of the bytes; `isWhole` false if they end before it does. Null if it is damaged. */
function unpackMember(bytes: Buffer, maxOutputLength: number): (Member & { isWhole: boolean }) | null | 'too large' {
  const head = gzipHead(bytes);
  if (head === null) {
    return null;
  }
  const packed = bytes.subarray(head);
  try {
    // The types of Node leave out what `info: true` returns.
    const { buffer, engine } = inflateRawSync(packed, {
      ...{ info: true, maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH },
    }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    const end = head + engine.bytesWritten;
    if (end + GZIP_TAIL > bytes.length) {
      return { bytes: buffer, length: bytes.length, isWhole: false };
    }
    // The checksum would find what the record's own lengths do not; the length says whether the member ended here.
    return bytes.readUInt32LE(end + 4) === buffer.length % 2 ** 32
      ? { bytes: buffer, length: end + GZIP_TAIL, isWhole: true }
      : null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too large' : null;
  }
}

/** Bytes before the packed data (RFC 1952, 2.3); null if it is no member. */
function gzipHead(bytes: Buffer): number | null {
  if (bytes.length < GZIP_HEAD || !isGzip(bytes)) {
    return null;
  }
  const flags = bytes[3]!;
  let at = GZIP_HEAD;
  if ((flags & 4) !== 0) {
    if (at + 2 > bytes.length) {
      return null;
    }
    at += 2 + bytes.readUInt16LE(at);
  }
  for (const text of [8, 16]) {
    if ((flags & text) !== 0) {
      const end = bytes.indexOf(0, at);
      if (end < 0) {
        return null;
      }
      at = end + 1;
    }
  }
  at += (flags & 2) !== 0 ? 2 : 0;
  return at < bytes.length ? at : null;
}

const isGzip = (bytes: Buffer): boolean => bytes.subarray(0, GZIP.length).equals(GZIP);

/** Where the next member begins that holds a record; the end where there is none. */
function nextMember(window: FileWindow, from: number, end: number, notes: ReadingNotes): number {
  for (let at = from; at < end; ) {
    const bytes = window.at(at, Math.min(WINDOW, end - at));
    for (let found = bytes.indexOf(GZIP); found >= 0; found = bytes.indexOf(GZIP, found + 1)) {
      if (++notes.looks > MOST_LOOKS) {
        return end;
      }
      if (beginsRecord(window, at + found, end)) {
        return at + found;
      }
    }
    at += Math.max(1, bytes.length - GZIP.length + 1);
    if (bytes.length < GZIP.length) {
      return end;
    }
  }
  return end;
}

const LOOK = 512;

function beginsRecord(window: FileWindow, at: number, end: number): boolean {
  const bytes = Buffer.from(window.peek(at, Math.min(LOOK, end - at)));
  const head = gzipHead(bytes);
  if (head === null) {
    return false;
  }
  try {
    const text = inflateRawSync(bytes.subarray(head), {
      ...{ maxOutputLength: LOOK * 1100, finishFlush: constants.Z_SYNC_FLUSH },
    });
    return text.subarray(0, BEGINNING.length).equals(BEGINNING);
  } catch {
    return false;
  }
}

function* plainRecords(
  window: FileWindow,
  part: ArchivePart,
  mostRecordBytes: number,
  notes: ReadingNotes,
): Generator<ReadRecord> {
  for (let at = part.from; at < part.to; ) {
    const bytes = window.at(at, Math.min(LARGEST_HEAD + MOST_OF_PLAIN_BLOCK, part.to - at));
    const record = parseRecord(bytes, at, 0);
    const end = record === null ? 0 : at + endOf(record, bytes);
    if (record === null || end - 4 > part.to) {
      notes.damaged++;
      at = nextPlain(window, at + 1, part.to);
      continue;
    }
    if (record.blockBytes > mostRecordBytes) {
      notes.tooLarge++;
    } else {
      yield { ...record, length: Math.min(end, part.to) - at };
    }
    at = end;
  }
}

function nextPlain(window: FileWindow, from: number, end: number): number {
  for (let at = from; at < end; ) {
    const bytes = window.at(at, Math.min(WINDOW, end - at));
    const found = bytes.indexOf(BEGINNING);
    if (found >= 0) {
      return at + found;
    }
    if (bytes.length < BEGINNING.length) {
      return end;
    }
    at += bytes.length - BEGINNING.length + 1;
  }
  return end;
}

/** Null if the bytes begin with no record. */
function parseRecord(bytes: Buffer, offset: number, length: number): ReadRecord | null {
  if (!bytes.subarray(0, BEGINNING.length).equals(BEGINNING)) {
    return null;
  }
  const crlf = bytes.subarray(0, LARGEST_HEAD).indexOf('\r\n\r\n');
  const lf = bytes.subarray(0, LARGEST_HEAD).indexOf('\n\n');
  const [end, gap] = crlf >= 0 && (lf < 0 || crlf < lf) ? [crlf, 4] : [lf, 2];
  if (end < 0) {
    return null;
  }
  const fields = fieldsIn(bytes.subarray(0, end).toString('utf8'));
  const blockBytes = lengthOf(fields.get('content-length'));
  if (blockBytes === null) {
    return null;
  }
  const start = end + gap;
  return { offset, length, fields, block: bytes.subarray(start, start + blockBytes), blockBytes };
}

/** The lines behind the first, folded ones joined. Of a name that comes twice the first counts. */
export function fieldsIn(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of text
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
    .slice(1)) {
    const colon = line.indexOf(':');
    if (colon > 0 && fields.size < MOST_FIELDS) {
      const name = line.slice(0, colon).trim().toLowerCase();
      if (!fields.has(name)) {
        fields.set(name, line.slice(colon + 1).trim());
      }
    }
  }
  return fields;
}

const lengthOf = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;

/** The part of a file that is being read. */
class FileWindow {
  readonly #descriptor: number;
  readonly #end: number;
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(descriptor: number, { to }: ArchivePart) {
    this.#descriptor = descriptor;
    this.#end = to;
  }

  /** The bytes are good until the next call. */
  at(offset: number, length: number): Buffer {
    const wanted = Math.min(length, this.#end - offset);
    const from = offset - this.#start;
    if (from < 0 || from + wanted > this.#bytes.length) {
      this.#bytes = readAt(this.#descriptor, offset, Math.min(Math.max(wanted, WINDOW), this.#end - offset));
      this.#start = offset;
      return this.#bytes.subarray(0, wanted);
    }
    return this.#bytes.subarray(from, from + wanted);
  }

  /** The same, and what `at` has given stays good. */
  peek(offset: number, length: number): Buffer {
    const from = offset - this.#start;
    return from >= 0 && from + length <= this.#bytes.length
      ? this.#bytes.subarray(from, from + length)
      : readAt(this.#descriptor, offset, Math.min(length, this.#end - offset));
  }
}
