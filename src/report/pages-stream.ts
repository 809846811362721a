import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import type { PageResult, Reader } from '../store/reader.js';
import { outputFailure, writeFully } from './atomic-file.js';
import { PIECE_LENGTH } from './output.js';
import { pageLine } from './page-line.js';

const LINE_FEED = 0x0a;

/**
 * pages.jsonl while the crawl goes on: lines follow each commit. The store keeps how far the file had come (`offset`) with which page
 * (`seq`); what lies beyond was written but never counted, and is cut off when the file is opened again.
 */
export class PagesStream {
  readonly #path: string;
  readonly #descriptor: number;
  #offset: number;

  private constructor(path: string, descriptor: number, offset: number) {
    this.#path = path;
    this.#descriptor = descriptor;
    this.#offset = offset;
  }

  static open(path: string, kept: { offset: number; seq: number }, reader: Reader): PagesStream {
    let descriptor: number | null = null;
    try {
      descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT);
      // The file is not synced with each commit, so a power cut can take what the store has counted: then it is made anew.
      const { offset, seq } = endsInLine(descriptor, kept.offset) ? kept : { offset: 0, seq: 0 };
      ftruncateSync(descriptor, offset);
      const stream = new PagesStream(path, descriptor, offset);
      stream.append(reader.pagesById(reader.settledAfter(seq)));
      return stream;
    } catch (error) {
      if (descriptor !== null) {
        closeSync(descriptor);
      }
      throw (error as NodeJS.ErrnoException).syscall === undefined ? error : outputFailure(path, error);
    }
  }

  /** Bytes of whole lines. */
  get offset(): number {
    return this.#offset;
  }

  /** Counts only what was written in full: after a failure the next lines go over what is left of these. */
  append(pages: Iterable<PageResult>): void {
    let lines: string[] = [];
    let length = 0;
    for (const page of pages) {
      const line = pageLine(page);
      lines.push(line);
      length += line.length;
      if (length >= PIECE_LENGTH * 16) {
        this.#write(lines.join(''));
        lines = [];
        length = 0;
      }
    }
    this.#write(lines.join(''));
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #write(text: string): void {
    const bytes = Buffer.from(text);
    try {
      writeFully(this.#descriptor, bytes, this.#offset);
    } catch (error) {
      throw outputFailure(this.#path, error);
    }
    this.#offset += bytes.length;
  }
}

function endsInLine(descriptor: number, offset: number): boolean {
  if (offset === 0) {
    return true;
  }
  const last = Buffer.alloc(1);
  return (
    fstatSync(descriptor).size >= offset && readSync(descriptor, last, 0, 1, offset - 1) === 1 && last[0] === LINE_FEED
  );
}
