import { type ArchivePart, noArchive, readAt } from './files.js';

/** The archives within a WACZ, which is a ZIP file: only its directory is read, within bounds, and no name in it is ever made a file. */

const LOCAL_FILE = 0x04034b50;
const LOCAL_BYTES = 30;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const END = 0x06054b50;
const END_BYTES = 22;
const END_64 = 0x06064b50;
const END_64_BYTES = 56;
const LOCATOR_64 = 0x07064b50;
const LOCATOR_64_BYTES = 20;
const LONGEST_COMMENT = 65_535;
const LARGEST_DIRECTORY = 64 * 1024 * 1024;
const IN_EXTRA = 0xffff_ffff;
const ARCHIVE_NAME = /^archive\/[^/]+\.warc(?:\.gz)?$/;

export const isZip = (beginning: Buffer): boolean => beginning.length >= 4 && beginning.readUInt32LE(0) === LOCAL_FILE;

/** Where the archives of a WACZ stand in its file. */
export function archivesInZip(descriptor: number, size: number, path: string): ArchivePart[] {
  const { offset, length } = directoryOf(descriptor, size, path);
  if (length > LARGEST_DIRECTORY || offset + length > size) {
    throw noArchive(path, 'the directory of the ZIP file lies beyond its end, or is too large');
  }
  const bytes = readAt(descriptor, offset, length);
  const parts: ArchivePart[] = [];
  for (let at = 0; at + ENTRY_BYTES <= bytes.length && bytes.readUInt32LE(at) === ENTRY; ) {
    const nameBytes = bytes.readUInt16LE(at + 28);
    const extraBytes = bytes.readUInt16LE(at + 30);
    const name = bytes.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes).toString('utf8');
    if (ARCHIVE_NAME.test(name)) {
      if (bytes.readUInt16LE(at + 10) !== 0) {
        throw noArchive(path, 'an archive in it is packed once more by ZIP, and WACZ wants it stored as it is');
      }
      const extra = bytes.subarray(at + ENTRY_BYTES + nameBytes, at + ENTRY_BYTES + nameBytes + extraBytes);
      const [length, , begins] = sizesOf(bytes, at, extra);
      const from = dataOf(descriptor, begins, path);
      if (from + length > size) {
        throw noArchive(path, 'an archive in it lies beyond the end of the file');
      }
      parts.push({ path, name: `${path} (${name})`, from, to: from + length });
    }
    at += ENTRY_BYTES + nameBytes + extraBytes + bytes.readUInt16LE(at + 32);
  }
  if (parts.length === 0) {
    throw noArchive(path, 'it is a ZIP file without archive/*.warc.gz, and so no WACZ');
  }
  return parts;
}

function directoryOf(descriptor: number, size: number, path: string): { offset: number; length: number } {
  const from = Math.max(0, size - END_BYTES - LONGEST_COMMENT - LOCATOR_64_BYTES);
  const tail = readAt(descriptor, from, size - from);
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END) {
      continue;
    }
    const locator = at - LOCATOR_64_BYTES;
    if (locator >= 0 && tail.readUInt32LE(locator) === LOCATOR_64) {
      const end = readAt(descriptor, Number(tail.readBigUInt64LE(locator + 8)), END_64_BYTES);
      if (end.length === END_64_BYTES && end.readUInt32LE(0) === END_64) {
        return { length: Number(end.readBigUInt64LE(40)), offset: Number(end.readBigUInt64LE(48)) };
      }
    }
    return { length: tail.readUInt32LE(at + 12), offset: tail.readUInt32LE(at + 16) };
  }
  throw noArchive(path, 'the ZIP file has no end: it is not complete');
}

/** Size, packed size and place of an entry. Those that are too large for 32 bits stand in the extra field, in that order. */
function sizesOf(bytes: Buffer, at: number, extra: Buffer): [number, number, number] {
  const sizes: [number, number, number] = [
    bytes.readUInt32LE(at + 24),
    bytes.readUInt32LE(at + 20),
    bytes.readUInt32LE(at + 42),
  ];
  for (let place = 0; place + 4 <= extra.length; ) {
    const end = Math.min(extra.length, place + 4 + extra.readUInt16LE(place + 2));
    if (extra.readUInt16LE(place) === 1) {
      let value = place + 4;
      for (const [i, size] of sizes.entries()) {
        if (size === IN_EXTRA && value + 8 <= end) {
          sizes[i] = Number(extra.readBigUInt64LE(value));
          value += 8;
        }
      }
    }
    place = end;
  }
  return sizes;
}

function dataOf(descriptor: number, at: number, path: string): number {
  const head = readAt(descriptor, at, LOCAL_BYTES);
  if (head.length < LOCAL_BYTES || head.readUInt32LE(0) !== LOCAL_FILE) {
    throw noArchive(path, 'the directory of the ZIP file is damaged');
  }
  return at + LOCAL_BYTES + head.readUInt16LE(26) + head.readUInt16LE(28);
}
