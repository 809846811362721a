import type { ResponseHeaders } from './response-headers.js';

export interface WireRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly path: string;
  /** Names, in lower case, and values in turn. */
  readonly headers: readonly string[];
  /** Its length is among the headers. */
  readonly body?: Uint8Array | undefined;
}

/** The receiver of a server's answer to one request. An error that it throws ends the request, and the connection with it. */
export interface Receiver {
  /** Right before the request is written, and where it throws, instead. `cancel` closes the connection, and nothing is reported after that. */
  onSend(cancel: () => void): void;
  /** Also called for interim answers (1xx). Where it returns false, nothing more is read until `resume` is called. */
  onHeaders(status: number, headers: ResponseHeaders, resume: () => void): boolean;
  /** The bytes are only there during the call. False: as above, after what has already arrived. */
  onData(piece: Buffer): boolean;
  onComplete(): void;
  onError(error: Error): void;
}

/** One connected socket, and the version of HTTP that is spoken on it. */
export interface Wire {
  /** How many requests may be under way at once. */
  readonly maxRequests: number;
  /** How long the server keeps an idle connection; 0 if the next request needs another one. */
  readonly keepAliveMs: number;
  send(request: WireRequest, receiver: Receiver): void;
  /** Closes the socket at once. Resolves when it is closed. */
  destroy(): Promise<void>;
}

/** Where a plain socket puts what it reads, so that no read makes an object. `taker` returns false to pause the socket. */
export interface Intake {
  taker: ((bytes: Buffer, length: number) => boolean) | null;
}

/** Something went wrong on a connection; the code says what, for classify.ts. */
export class WireError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** How long an idle connection is kept if its server says nothing about it. */
export const KEEP_ALIVE_MS = 10_000;
