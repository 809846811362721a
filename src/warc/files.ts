import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StateError } from '../base/errors.js';
import { printable } from '../base/text.js';

/** A part of a file that is a sequence of records: the whole file, or a file within a WACZ. */
export interface ArchivePart {
  path: string;
  /** For people. */
  name: string;
  from: number;
  to: number;
}

/** Fewer bytes where the file ends. */
export function readAt(descriptor: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, length));
  let read = 0;
  while (read < bytes.length) {
    const count = readSync(descriptor, bytes, read, bytes.length - read, offset + read);
    if (count === 0) {
      break;
    }
    read += count;
  }
  return bytes.subarray(0, read);
}

/** Whoever opens it closes it. */
export function openArchive(path: string): number {
  try {
    const descriptor = openSync(path, 'r');
    if (!fstatSync(descriptor).isFile()) {
      closeSync(descriptor);
      throw new Error('it is no file');
    }
    return descriptor;
  } catch (error) {
    throw new StateError('archive', `cannot read the archive ${printable(path)}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

export const noArchive = (name: string, why: string): StateError =>
  new StateError('archive', `${printable(name)} cannot be read as an archive: ${why}`);
