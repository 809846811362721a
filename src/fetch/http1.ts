import type { Socket } from 'node:net';
import type { Header } from './contract.js';
import { Http1Reader } from './http1-response.js';
import { type Intake, type Receiver, type Wire, WireError, type WireRequest } from './wire.js';

/** Characters that a request line must not have: they would end the line, or begin another request. */
const NOT_IN_PATH = /[^\x21-\xff]/;
/** Nor must a value of a header. What is beyond latin1 is sent as another character, and that could be a line break. */
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

const EMPTY = Buffer.alloc(0);

/** A proxy that requests to an http origin go through. */
export interface PlainProxy {
  origin: string;
  proxy: { readonly authorization: Header | null };
}

/** A connection of HTTP/1.1: one request at a time, each answered before the next is sent. */
export class Http1 implements Wire {
  readonly maxRequests = 1;
  readonly #socket: Socket;
  readonly #host: string;
  readonly #prefix: string;
  readonly #proxyLine: string;
  readonly #reader = new Http1Reader();
  readonly #closed: Promise<void>;
  /** What came after the receiver wanted no more for now. */
  #held: Buffer = EMPTY;
  #error: Error | null = null;
  #hasEnded = false;
  #hasClosed = false;

  /**
   * @param host for the header of that name
   * @param intake where the socket puts what it reads; null if it emits it
   * @param plainProxy set if the socket leads to a proxy that takes requests with whole URLs
   */
  constructor(socket: Socket, host: string, intake: Intake | null, plainProxy: PlainProxy | null = null) {
    this.#socket = socket;
    this.#prefix = plainProxy?.origin ?? '';
    this.#proxyLine = plainProxy?.proxy.authorization?.join(': ').concat('\r\n') ?? '';
    this.#host = host;
    if (intake === null) {
      socket.on('data', (bytes: Buffer) => {
        if (!this.#read(bytes, bytes.length, false)) {
          socket.pause();
        }
      });
    } else {
      intake.taker = (bytes, length) => this.#read(bytes, length, false);
    }
    socket.on('end', () => {
      this.#hasEnded = true;
      this.#tellEnd();
    });
    socket.on('error', (error: Error) => {
      this.#error ??= error;
    });
    this.#closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#hasClosed = true;
        this.#tellEnd();
        resolve();
      });
    });
  }

  get keepAliveMs(): number {
    return this.#error === null && !this.#hasEnded && !this.#socket.destroyed ? this.#reader.keepAliveMs : 0;
  }

  send({ method, path, headers, body }: WireRequest, receiver: Receiver): void {
    const connection = method === 'HEAD' ? 'close' : 'keep-alive';
    let head = `${method} ${this.#prefix}${path} HTTP/1.1\r\nhost: ${this.#host}\r\nconnection: ${connection}\r\n${this.#proxyLine}`;
    try {
      receiver.onSend(() => this.#drop());
      if (this.keepAliveMs === 0) {
        throw this.#error ?? closedEarly();
      }
      if (NOT_IN_PATH.test(path)) {
        throw new WireError('ERR_INVALID_PATH', 'The path cannot be sent.');
      }
      for (let i = 0; i < headers.length; i += 2) {
        if (NOT_IN_VALUE.test(headers[i + 1]!)) {
          throw new WireError('ERR_INVALID_HEADER', `The header ${headers[i]} cannot be sent.`);
        }
        head += `${headers[i]}: ${headers[i + 1]}\r\n`;
      }
    } catch (error) {
      receiver.onError(error as Error);
      return;
    }
    this.#reader.begin(receiver, method === 'HEAD', this.#resume);
    this.#socket.write(`${head}\r\n`, 'latin1');
    if (body !== undefined) {
      this.#socket.write(body);
    }
  }

  destroy(): Promise<void> {
    this.#socket.destroy();
    return this.#closed;
  }

  readonly #resume = (): void => {
    this.#reader.isPaused = false;
    const held = this.#held;
    this.#held = EMPTY;
    if (this.#read(held, held.length, true)) {
      this.#socket.resume();
      this.#tellEnd();
    }
  };

  /**
   * @param isOurs the bytes stay as they are after the call
   * @returns whether more should be read now
   */
  #read(bytes: Buffer, length: number, isOurs: boolean): boolean {
    const reader = this.#reader;
    try {
      const taken = reader.read(bytes, length);
      if (taken < length) {
        const rest = bytes.subarray(taken, length);
        this.#held = isOurs ? rest : Buffer.from(rest);
      }
      if (!reader.isBusy && this.keepAliveMs === 0) {
        this.#socket.destroy();
      }
      return !reader.isPaused;
    } catch (error) {
      this.#fail(error as Error);
      return false;
    }
  }

  /** Tells the reader that the connection is over, but not before the receiver has taken what came: a paused one is told when it wants more. */
  #tellEnd(): void {
    const reader = this.#reader;
    if (reader.isBusy && reader.isPaused) {
      return;
    }
    if (this.#hasEnded) {
      try {
        reader.end();
      } catch (error) {
        this.#fail(error as Error);
      }
      this.#socket.destroy();
    }
    if (this.#hasClosed) {
      this.#fail(this.#error ?? closedEarly());
    }
  }

  #drop(): Receiver | null {
    this.#socket.destroy();
    return this.#reader.drop();
  }

  #fail(error: Error): void {
    this.#error ??= error;
    this.#drop()?.onError(error);
  }
}

const closedEarly = (): WireError => new WireError('ERR_CLOSED_EARLY', 'The server closed the connection.');
