import { crc32 } from 'node:zlib';

/**
 * A ZIP file whose entries are stored as they are, written from the beginning to the end. Sizes and places beyond 32 bits stand in the fields of ZIP64, and
 * an entry has these fields only where it needs them, because some readers know no others.
 */

const MOST_32 = 0xffff_ffff;
const MOST_16 = 0xffff;
/** The first of January 1980: the oldest time that ZIP knows. Whoever makes the file again gets the same bytes. */
const TIME = 0;
const DATE = 0x0021;
const UTF8_NAMES = 0x0800;
const VERSION = 20;
const VERSION_64 = 45;

export interface ZipEntry {
  name: string;
  size: number;
  crc: number;
}

interface Placed extends ZipEntry {
  at: number;
}

export const crcOf = (bytes: Uint8Array, before = 0): number => crc32(bytes, before);

/** Makes what stands between the contents of entries. */
export class ZipFrame {
  readonly #entries: Placed[] = [];
  #length = 0;

  /** What comes before the content of an entry; its content must follow, all of it. */
  begin(entry: ZipEntry): Buffer {
    const name = Buffer.from(entry.name);
    const extra = entry.size >= MOST_32 ? extraOf([entry.size, entry.size]) : Buffer.alloc(0);
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    writeCommon(head, 4, entry, extra.length > 0);
    head.writeUInt16LE(name.length, 26);
    head.writeUInt16LE(extra.length, 28);
    this.#entries.push({ ...entry, at: this.#length });
    this.#length += head.length + name.length + extra.length + entry.size;
    return Buffer.concat([head, name, extra]);
  }

  /** What comes behind the last one. */
  end(): Buffer {
    const entries = this.#entries.map(directoryEntry);
    const directory = Buffer.concat(entries);
    const needs64 = this.#length >= MOST_32 || entries.length >= MOST_16;
    return Buffer.concat([directory, ...(needs64 ? [this.#end64(directory.length)] : []), this.#end(directory.length)]);
  }

  #end(directoryBytes: number): Buffer {
    const end = Buffer.alloc(22);
    const count = Math.min(this.#entries.length, MOST_16);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(count, 8);
    end.writeUInt16LE(count, 10);
    end.writeUInt32LE(Math.min(directoryBytes, MOST_32), 12);
    end.writeUInt32LE(Math.min(this.#length, MOST_32), 16);
    return end;
  }

  #end64(directoryBytes: number): Buffer {
    const end = Buffer.alloc(56 + 20);
    end.writeUInt32LE(0x06064b50, 0);
    end.writeBigUInt64LE(44n, 4);
    end.writeUInt16LE(VERSION_64, 12);
    end.writeUInt16LE(VERSION_64, 14);
    end.writeBigUInt64LE(BigInt(this.#entries.length), 24);
    end.writeBigUInt64LE(BigInt(this.#entries.length), 32);
    end.writeBigUInt64LE(BigInt(directoryBytes), 40);
    end.writeBigUInt64LE(BigInt(this.#length), 48);
    end.writeUInt32LE(0x07064b50, 56);
    end.writeBigUInt64LE(BigInt(this.#length + directoryBytes), 64);
    end.writeUInt32LE(1, 72);
    return end;
  }
}

function directoryEntry({ at, ...entry }: Placed): Buffer {
  const name = Buffer.from(entry.name);
  const large = [...(entry.size >= MOST_32 ? [entry.size, entry.size] : []), ...(at >= MOST_32 ? [at] : [])];
  const extra = large.length > 0 ? extraOf(large) : Buffer.alloc(0);
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x02014b50, 0);
  head.writeUInt16LE(VERSION_64, 4);
  writeCommon(head, 6, entry, large.length > 0);
  head.writeUInt16LE(name.length, 28);
  head.writeUInt16LE(extra.length, 30);
  head.writeUInt32LE(Math.min(at, MOST_32), 42);
  return Buffer.concat([head, name, extra]);
}

/** From the version to the sizes both heads are alike. */
function writeCommon(head: Buffer, at: number, { size, crc }: ZipEntry, is64: boolean): void {
  head.writeUInt16LE(is64 ? VERSION_64 : VERSION, at);
  head.writeUInt16LE(UTF8_NAMES, at + 2);
  head.writeUInt16LE(TIME, at + 6);
  head.writeUInt16LE(DATE, at + 8);
  head.writeUInt32LE(crc, at + 10);
  head.writeUInt32LE(Math.min(size, MOST_32), at + 14);
  head.writeUInt32LE(Math.min(size, MOST_32), at + 18);
}

function extraOf(sizes: readonly number[]): Buffer {
  const extra = Buffer.alloc(4 + sizes.length * 8);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(sizes.length * 8, 2);
  for (const [i, size] of sizes.entries()) {
    extra.writeBigUInt64LE(BigInt(size), 4 + i * 8);
  }
  return extra;
}
