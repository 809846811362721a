import { noHttp, parseHead } from './http1-head.js';
import { KEEP_ALIVE_MS, type Receiver, WireError } from './wire.js';

/** The largest head of a response, and the most of trailers and of the lines that announce a chunk. */
const MAX_HEAD_BYTES = 64 * 1024;

const CR = 13;
const LF = 10;
const BEGINNING = [...'HTTP/'].map((letter) => letter.charCodeAt(0));

/** What the next byte belongs to. */
enum Part {
  nothing,
  head,
  /** A body whose length is known. */
  length,
  /** A body that ends with the connection. */
  untilClose,
  chunkSize,
  /** The blanks behind a chunk's size. */
  chunkBlank,
  chunkExtension,
  chunkData,
  /** The line break behind a chunk. */
  chunkEnd,
  trailer,
}

/**
 * Reads the responses of one connection of HTTP/1.1, one at a time, from bytes as they come (RFC 9112). It is as strict as llhttp where two readers
 * could disagree about where a response ends, and takes a lone LF for the end of a line, as the RFC allows.
 *
 * Bytes that belong to no response spoil the connection: `keepAliveMs` is 0 from then on, so nothing is ever taken for the answer to a
 * request that was sent later.
 */
export class Http1Reader {
  #receiver: Receiver | null = null;
  #resume: () => void = () => {};
  #isHead = false;
  #part = Part.nothing;
  /** The bytes so far of a head that is not complete yet. */
  #text = '';
  /** Bytes since the last line break of a head or a trailer. */
  #lineBytes = 0;
  /** The last byte of a chunk's line, or of a trailer, was a CR. */
  #isAfterCr = false;
  #matched = 0;
  #isHeadComplete = false;
  /** Bytes of the head, or of trailers and chunk lines. */
  #extraBytes = 0;
  #left = 0;
  #digits = 0;
  #isKept = true;
  /** The receiver wants nothing more until this is set back. */
  isPaused = false;
  #keepAliveMs = KEEP_ALIVE_MS;

  /** A request waits for its response, or for the rest of it. */
  get isBusy(): boolean {
    return this.#receiver !== null;
  }

  /** How long the server keeps the connection for another request; 0 if none may be sent. */
  get keepAliveMs(): number {
    return this.#isKept ? this.#keepAliveMs : 0;
  }

  /** A request is sent: what comes next is its response. */
  begin(receiver: Receiver, isHead: boolean, resume: () => void): void {
    this.#receiver = receiver;
    this.#isHead = isHead;
    this.#resume = resume;
    this.isPaused = false;
    this.#beginHead();
  }

  /** Stops reading and reporting. Returns the receiver that still waited for a response. */
  drop(): Receiver | null {
    const receiver = this.#receiver;
    this.#receiver = null;
    this.#isKept = false;
    this.#part = Part.nothing;
    return receiver;
  }

  /**
   * Takes bytes that came; they are not kept. Throws for what is no response of HTTP. Returns how far it came: no further than to where the receiver
   * wants no more for now.
   */
  read(bytes: Buffer, length: number): number {
    let at = 0;
    while (at < length && !this.isPaused) {
      switch (this.#part) {
        case Part.nothing:
          this.#refuseExcess(bytes, at, length);
          at = length;
          break;
        case Part.head:
          at = this.#readHead(bytes, at, length);
          if (this.#isHeadComplete) {
            this.#takeHead();
          }
          break;
        case Part.length:
        case Part.chunkData:
        case Part.untilClose: {
          const end = this.#part === Part.untilClose ? length : Math.min(length, at + this.#left);
          this.#takeBody(bytes.subarray(at, end));
          at = end;
          break;
        }
        case Part.chunkSize:
        case Part.chunkBlank:
        case Part.chunkExtension:
          at = this.#readChunkSize(bytes, at, length);
          break;
        case Part.chunkEnd:
          at = this.#readChunkEnd(bytes, at);
          break;
        case Part.trailer:
          at = this.#readTrailer(bytes, at, length);
          break;
      }
    }
    this.#report();
    return at;
  }

  /** The server has closed its side. Completes a response that ends with the connection; throws if one is cut off. */
  end(): void {
    this.#isKept = false;
    if (this.#part === Part.untilClose) {
      this.#part = Part.nothing;
    }
    if (this.#part !== Part.nothing) {
      throw new WireError('ERR_CLOSED_EARLY', 'The server closed the connection.');
    }
    this.#report();
  }

  /**
   * Reports a response that is complete. This is the last thing done with bytes that came: the receiver may send the next request from here, and
   * nothing that is there already must be taken for its answer.
   */
  #report(): void {
    if (this.#receiver !== null && this.#part === Part.nothing && !this.isPaused) {
      const receiver = this.#receiver;
      this.#receiver = null;
      receiver.onComplete();
    }
  }

  #takeBody(piece: Buffer): void {
    this.#left -= piece.length;
    this.isPaused = !this.#receiver!.onData(piece);
    // The receiver may have dropped the response.
    if (this.#left === 0 && this.#part === Part.length) {
      this.#part = Part.nothing;
    } else if (this.#left === 0 && this.#part === Part.chunkData) {
      this.#part = Part.chunkEnd;
    }
  }

  /** Line breaks between two responses mean nothing. */
  #refuseExcess(bytes: Buffer, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      if (bytes[at] !== CR && bytes[at] !== LF) {
        this.#isKept = false;
        return;
      }
    }
  }

  // --- the head

  #beginHead(): void {
    this.#part = Part.head;
    this.#isHeadComplete = false;
    this.#text = '';
    this.#lineBytes = 0;
    this.#matched = 0;
    this.#extraBytes = 0;
  }

  /** Reads up to the empty line that ends a head. */
  #readHead(bytes: Buffer, from: number, to: number): number {
    let start = from;
    while (this.#matched < BEGINNING.length) {
      if (start === to) {
        this.#countExtra(to - from);
        return to;
      }
      const byte = bytes[start]!;
      if (this.#matched === 0 && (byte === CR || byte === LF)) {
        start++;
      } else if (byte === BEGINNING[this.#matched]) {
        this.#matched++;
        start++;
      } else {
        throw noHttp('INVALID_CONSTANT', 'Expected HTTP/');
      }
    }
    let lineBytes = this.#lineBytes;
    let at = start;
    for (; at < to; at++) {
      const byte = bytes[at]!;
      if (byte === LF) {
        if (lineBytes === 0 && (this.#text !== '' || at > start)) {
          this.#isHeadComplete = true;
          at++;
          break;
        }
        lineBytes = 0;
      } else if (byte !== CR) {
        lineBytes++;
      }
    }
    this.#lineBytes = lineBytes;
    this.#countExtra(at - from);
    this.#text += bytes.toString('latin1', start, at);
    return at;
  }

  #countExtra(bytes: number): void {
    this.#extraBytes += bytes;
    if (this.#extraBytes > MAX_HEAD_BYTES) {
      throw new WireError('ERR_HEADERS_OVERFLOW', 'The headers are larger than 64 KiB.');
    }
  }

  #takeHead(): void {
    const head = parseHead(this.#text);
    this.#text = '';
    const { status, headers } = head;
    if (status === 101) {
      throw new WireError('ERR_UPGRADE', 'The server answers 101.');
    }
    const receiver = this.#receiver!;
    if (status >= 100 && status < 200) {
      this.#beginHead();
      this.isPaused = !receiver.onHeaders(status, headers, this.#resume);
      return;
    }
    const hasBody = !this.#isHead && status !== 204 && status !== 304;
    const body = head.isChunked ? Part.chunkSize : head.length === null ? Part.untilClose : Part.length;
    this.#part = hasBody ? body : Part.nothing;
    // A server that announces a body where none is allowed may still send it later, and it would be taken for the next answer.
    const isSafe = hasBody || !(this.#isHead || head.isChunked || (head.length ?? 0) > 0);
    this.#isKept &&= head.keepAliveMs > 0 && this.#part !== Part.untilClose && isSafe;
    this.#keepAliveMs = head.keepAliveMs;
    this.#left = head.length ?? 0;
    this.#extraBytes = 0;
    this.#digits = 0;
    if (this.#part === Part.length && this.#left === 0) {
      this.#part = Part.nothing;
    }
    this.isPaused = !receiver.onHeaders(status, headers, this.#resume);
  }

  // --- a body in chunks

  /** A byte of a line that is neither of the head nor of the body. */
  #takeLineByte(byte: number): void {
    this.#countExtra(1);
    if (this.#isAfterCr && byte !== LF) {
      throw noHttp('STRICT', 'Expected LF after CR');
    }
    this.#isAfterCr = byte === CR;
    if ((byte < SPACE && byte !== LF && byte !== CR && byte !== TAB) || byte === DELETE) {
      throw noHttp('STRICT', 'Invalid control character');
    }
  }

  #readChunkSize(bytes: Buffer, from: number, to: number): number {
    for (let at = from; at < to; at++) {
      const byte = bytes[at]!;
      this.#takeLineByte(byte);
      if (byte === LF) {
        if (this.#digits === 0) {
          throw invalidChunkSize();
        }
        this.#lineBytes = 0;
        this.#part = this.#left === 0 ? Part.trailer : Part.chunkData;
        if (this.#left > 0) {
          this.#extraBytes = 0;
        }
        return at + 1;
      }
      if (this.#part === Part.chunkExtension) {
        continue;
      }
      const digit = this.#part === Part.chunkSize ? hexDigit(byte) : -1;
      if (digit >= 0) {
        this.#digits++;
        this.#left = this.#left * 16 + digit;
        if (this.#left > Number.MAX_SAFE_INTEGER) {
          throw noHttp('INVALID_CHUNK_SIZE', 'Chunk size overflow');
        }
      } else if (this.#digits === 0) {
        throw invalidChunkSize();
      } else if (byte === SEMICOLON) {
        this.#part = Part.chunkExtension;
      } else if (byte === CR || byte === SPACE || byte === TAB) {
        this.#part = Part.chunkBlank;
      } else {
        throw invalidChunkSize();
      }
    }
    return to;
  }

  #readChunkEnd(bytes: Buffer, at: number): number {
    const byte = bytes[at]!;
    this.#takeLineByte(byte);
    if (byte === LF) {
      this.#part = Part.chunkSize;
      this.#left = 0;
      this.#digits = 0;
    } else if (byte !== CR) {
      throw noHttp('STRICT', 'Expected LF after chunk data');
    }
    return at + 1;
  }

  /** Trailers are passed over. */
  #readTrailer(bytes: Buffer, from: number, to: number): number {
    for (let at = from; at < to; at++) {
      const byte = bytes[at]!;
      this.#takeLineByte(byte);
      if (byte === LF) {
        if (this.#lineBytes === 0) {
          this.#part = Part.nothing;
          return at + 1;
        }
        this.#lineBytes = 0;
      } else if (byte !== CR) {
        this.#lineBytes++;
      }
    }
    return to;
  }
}

const invalidChunkSize = (): WireError => noHttp('INVALID_CHUNK_SIZE', 'Invalid character in chunk size');

const SEMICOLON = 59;
const SPACE = 32;
const TAB = 9;
const DELETE = 127;

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) {
    return byte - 48;
  }
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}
