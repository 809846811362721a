import type { Chain, Place } from '../base/chain.js';
import type { Clock, Deadlines, Watched } from '../base/clock.js';
import { FetchError } from '../base/errors.js';
import { BodyBuffer, BodySink, type Decoded, decodeBody, readContentEncoding } from './body.js';
import { classify, codeOf } from './classify.js';
import type { Borrower, Connection, Connections } from './connections.js';
import type { Endpoint } from './connector.js';
import {
  type FetchHooks,
  type FetchOptions,
  type FetchRequest,
  type FetchResponse,
  NotSent,
  type PendingFetch,
  type WireCopy,
} from './contract.js';
import type { ResponseHeaders } from './response-headers.js';
import { Shortage } from './shortage.js';
import type { Receiver } from './wire.js';

/** What all requests of a fetcher share. */
export interface ExchangeContext {
  options: FetchOptions;
  clock: Clock;
  deadlines: Deadlines;
  connections: Connections;
  inFlight: Chain<Exchange>;
}

export interface ExchangeTarget {
  endpoint: Endpoint;
  path: string;
  headers: string[];
}

const MAX_INFORMATIONAL = 16;
/** An unwanted body is read and dropped up to this size, because that is cheaper than a new connection. */
const MAX_DRAINED_BYTES = 16 * 1024;

/** Draining a body takes no longer than this; the connection is not worth more. */
const MAX_DRAIN_MS = 1_000;

/** The bodies of redirects are not wanted: they are notes for people whose browser does not redirect. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Answers that have no body, whatever their headers say of its length. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** How long a request waits for a descriptor before it fails. */
const LONGEST_SHORTAGE_MS = 300_000;

/** Errors of a body that just ends, or whose framing breaks off; what arrived before is good. */
const EARLY_END = /^(?:ERR_CLOSED_EARLY|UND_ERR_SOCKET|UND_ERR_INFO|ECONNRESET|ECONNABORTED|ERR_HTTP2_\w+|HPE_\w+)$/;

/** One request and its response. */
export class Exchange implements PendingFetch, Borrower, Watched, Receiver {
  readonly promise: Promise<FetchResponse>;
  readonly endpoint: Endpoint;
  readonly single: boolean;
  readonly fresh: boolean;
  isSettled = false;
  watchPlace: Place<Watched> | null = null;
  readonly #place: Place<Exchange>;
  readonly #context: ExchangeContext;
  readonly #request: FetchRequest;
  readonly #target: ExchangeTarget;
  readonly #hooks: FetchHooks;
  #resolve!: (response: FetchResponse) => void;
  #reject!: (error: FetchError) => void;
  #connection: Connection | null = null;
  #cancelRequest: (() => void) | null = null;
  #resumeBody: (() => void) | null = null;

  #startedAt = 0;
  #sentAt: number | null = null;
  #shortSince: number | null = null;
  #lastByteAt = 0;
  #pausedAt: number | null = null;
  #windowStartedAt = 0;
  #windowBytes = 0;

  #informational = 0;
  #status = 0;
  #headers: ResponseHeaders | null = null;
  #headersAt = 0;
  #encodings: string[] = [];
  #expectedBytes = 0;
  #wireBytes = 0;
  #isCut = false;
  /** All that is wanted of the body has arrived. */
  #hasEnough = false;
  /** Nobody reads the body, but an archive has it. */
  #isForWire = false;
  #endedEarly = false;
  readonly #body = new BodyBuffer();
  #sink: BodySink | null = null;

  constructor(context: ExchangeContext, request: FetchRequest, target: ExchangeTarget, hooks: FetchHooks) {
    this.#context = context;
    this.#request = request;
    this.#target = target;
    this.#hooks = hooks;
    this.endpoint = target.endpoint;
    this.single = request.singleConnection;
    this.fresh = request.freshConnection ?? false;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#place = context.inFlight.add(this);
  }

  // --- for the caller

  pause(): void {
    if (!this.isSettled && !this.#isCut && !this.#hasEnough) {
      this.#pausedAt ??= this.#context.clock.now();
    }
  }

  resume(): void {
    if (this.#pausedAt === null) {
      return;
    }
    const pausedMs = this.#context.clock.now() - this.#pausedAt;
    this.#pausedAt = null;
    this.#startedAt += pausedMs;
    this.#lastByteAt += pausedMs;
    this.#windowStartedAt += pausedMs;
    // Done later, because the client of HTTP/2 must not be entered from within the callback of another request.
    queueMicrotask(() => {
      if (!this.isSettled) {
        this.#resumeBody?.();
      }
    });
  }

  abort(reason: FetchError): void {
    this.#fail(reason);
  }

  // --- for the connections and the deadlines

  start(connection: Connection): void {
    const { clock, deadlines } = this.#context;
    this.#connection = connection;
    this.#startedAt = clock.now();
    deadlines.watch(this);
    const { path, headers } = this.#target;
    const { method, body } = this.#request;
    connection.send({ method, path, headers, body }, this);
  }

  check(now: number): void {
    if (this.#pausedAt !== null) {
      return;
    }
    const isDrainedOut = this.#isCut && now - this.#headersAt >= MAX_DRAIN_MS;
    const overdue = isDrainedOut ? new FetchError('timeout', 'The rest of it does not come.') : this.#overdue(now);
    if (overdue !== null) {
      this.#fail(overdue);
    }
  }

  #overdue(now: number): FetchError | null {
    const { minSpeedBytesPerSecond, minSpeedWindowMs } = this.#context.options;
    const idleTimeoutMs = this.#request.idleTimeoutMs ?? this.#context.options.idleTimeoutMs;
    const timeoutMs = this.#request.timeoutMs ?? this.#context.options.timeoutMs;
    if (now - this.#startedAt >= timeoutMs) {
      return new FetchError('timeout', `The response was not complete within ${timeoutMs} ms.`);
    }
    if (this.#sentAt !== null && now - this.#lastByteAt >= idleTimeoutMs) {
      const what = this.#headers === null ? 'No headers' : 'Nothing of the body';
      return new FetchError('timeout', `${what} came for ${idleTimeoutMs} ms.`);
    }
    const windowMs = now - this.#windowStartedAt;
    if (this.#headers === null || this.#sink !== null || windowMs < minSpeedWindowMs) {
      return null;
    }
    if (this.#windowBytes * 1000 < minSpeedBytesPerSecond * windowMs) {
      return new FetchError('too_slow', `The body came at less than ${minSpeedBytesPerSecond} bytes a second.`);
    }
    this.#windowStartedAt = now;
    this.#windowBytes = 0;
    return null;
  }

  // --- for the connection

  onSend(cancel: () => void): void {
    // Throwing leaves the connection as it is; cancelling would close it.
    if (this.isSettled) {
      throw new FetchError('internal', 'The request is no longer wanted.');
    }
    if (this.#hooks.maySend?.() === false) {
      throw new NotSent();
    }
    this.#cancelRequest = cancel;
    this.#sentAt = this.#lastByteAt = this.#context.clock.now();
  }

  onHeaders(status: number, headers: ResponseHeaders, resume: () => void): boolean {
    if (status < 100) {
      throw notOfHttp(status);
    }
    if (status < 200) {
      if (++this.#informational <= MAX_INFORMATIONAL) {
        return true;
      }
      throw new FetchError('unknown', 'The server sends one informational response after the other.');
    }
    const at = this.#context.clock.now();
    this.#status = status;
    this.#headers = headers;
    this.#headersAt = this.#lastByteAt = this.#windowStartedAt = at;
    this.#resumeBody = resume;
    this.#hooks.onHeaders?.(at, headers);
    if (this.#request.method === 'HEAD') {
      return true;
    }
    const wantsBody = this.#request.wantBody(status, headers.get('content-type'));
    if (BODILESS.has(status) && wantsBody) {
      this.#hasEnough = true;
      this.#endSoon();
      return true;
    }
    this.#expectedBytes = BODILESS.has(status) ? 0 : readLength(headers.get('content-length'));
    const isRedirect = REDIRECTS.has(status) && headers.get('location') !== null;
    if ((isRedirect || !wantsBody) && this.#request.keepsWire === true && !BODILESS.has(status)) {
      this.#isForWire = true;
      return this.#pausedAt === null;
    }
    if (isRedirect || !wantsBody) {
      this.#cut();
      // All that a redirect says has arrived: its body is read only to keep the connection.
      if (isRedirect) {
        this.#respond(null, false, null, at);
      }
      return true;
    }
    const maxBodyBytes = this.#maxBodyBytes;
    this.#encodings = readContentEncoding(headers.get('content-encoding'));
    if (this.#request.sink !== undefined) {
      this.#sink = new BodySink(this.#encodings, this.#request.sink);
    } else if (this.#expectedBytes > maxBodyBytes && this.#request.firstBytes === undefined) {
      throw tooLarge(maxBodyBytes);
    }
    return this.#pausedAt === null;
  }

  get #maxBodyBytes(): number {
    return Math.max(this.#context.options.maxBodyBytes, this.#request.leastMaxBodyBytes ?? 0);
  }

  onData(piece: Buffer): boolean {
    this.#lastByteAt = this.#context.clock.now();
    this.#wireBytes += piece.length;
    this.#windowBytes += piece.length;
    if (this.#isCut || this.#hasEnough) {
      return true;
    }
    this.#hooks.onBytes?.(piece.length);
    if (this.#sink !== null) {
      if (!this.#sink.write(piece, () => this.resume())) {
        this.pause();
      }
      return this.#pausedAt === null;
    }
    const maxBodyBytes = this.#maxBodyBytes;
    if (this.#wireBytes > maxBodyBytes && this.#request.firstBytes === undefined && !this.#isForWire) {
      throw tooLarge(maxBodyBytes);
    }
    this.#body.add(piece, this.#expectedBytes);
    const enough = this.#request.firstBytes ?? (this.#isForWire ? maxBodyBytes : Number.POSITIVE_INFINITY);
    if (this.#body.length >= enough) {
      this.#hasEnough = true;
      this.#endSoon();
    }
    return this.#hasEnough || this.#pausedAt === null;
  }

  onComplete(): void {
    if (!this.isSettled) {
      this.#succeed(false);
    }
  }

  onError(error: Error): void {
    if (this.isSettled) {
      return;
    }
    if (error instanceof Shortage && this.#mayWait()) {
      this.#waitAgain();
    } else if (this.#isCut || this.#hasEnough) {
      this.#succeed(false);
    } else if (this.#isForWire) {
      this.#endedEarly = true;
      this.#succeed(false);
    } else if ((this.#bodyBytes > 0 || this.#status >= 400) && EARLY_END.test(codeOf(error))) {
      this.#succeed(true);
    } else {
      this.#fail(classify(error, this.#context.options.verboseNetwork));
    }
  }

  #mayWait(): boolean {
    const now = this.#context.clock.now();
    this.#shortSince ??= now;
    return this.#sentAt === null && now - this.#shortSince < LONGEST_SHORTAGE_MS;
  }

  /** Nothing has left this machine, so the request waits as it did before it got its connection. */
  #waitAgain(): void {
    const connection = this.#connection!;
    this.#connection = null;
    this.#context.deadlines.forget(this);
    this.#context.connections.putBack(connection, this);
  }

  get #bodyBytes(): number {
    return this.#sink === null ? this.#body.length : this.#wireBytes;
  }

  // --- the end

  /** Lets through what is small or has arrived already; cuts off the rest, and closes the connection with it. */
  #cut(): void {
    this.#isCut = true;
    this.#endSoon();
  }

  #endSoon(): void {
    this.#pausedAt = null;
    const left = this.#expectedBytes - this.#wireBytes;
    if (this.#expectedBytes > 0 && left <= MAX_DRAINED_BYTES) {
      return;
    }
    // By the time this runs, the parser has handled all that has arrived.
    queueMicrotask(() => {
      if (this.isSettled) {
        return;
      }
      this.#succeed(false, true);
      this.#cancelRequest?.();
    });
  }

  #fail(error: FetchError): void {
    if (this.isSettled) {
      return;
    }
    // All that was wanted has arrived.
    const isSpent = this.#cancelRequest !== null;
    if (this.#isCut || this.#hasEnough || this.#isForWire) {
      this.#endedEarly = this.#isForWire;
      this.#succeed(false, isSpent);
    } else {
      this.#settle(isSpent);
      this.#sink?.destroy();
      this.#reject(error);
    }
    this.#cancelRequest?.();
  }

  /** @param isSpent the rest of the response is cut off, and the connection with it */
  #succeed(endedEarly: boolean, isSpent = false): void {
    this.#settle(isSpent);
    const endedAt = this.#context.clock.now();
    this.#endedEarly ||= endedEarly;
    if (this.#isCut || this.#isForWire || this.#request.method === 'HEAD') {
      this.#respond(null, false, null, endedAt);
      return;
    }
    if (this.#sink !== null) {
      void this.#sink
        .end()
        .then((damaged) => this.#respond(null, endedEarly, damaged ? 'its encoding is damaged' : null, endedAt));
      return;
    }
    try {
      const decoded = decodeBody(this.#body.take(), this.#encodings, this.#maxBodyBytes);
      if (decoded instanceof Promise) {
        decoded.then((late) => this.#deliver(late, endedEarly, endedAt)).catch((error) => this.#rejectWith(error));
      } else {
        this.#deliver(decoded, endedEarly, endedAt);
      }
    } catch (error) {
      this.#rejectWith(error);
    }
  }

  #deliver({ body, damage }: Decoded, endedEarly: boolean, endedAt: number): void {
    if (this.#encodings.length > 0) {
      this.#hooks.onBytes?.(body.length);
    }
    this.#respond(body, endedEarly, damage, endedAt);
  }

  #respond(body: Buffer | null, endedEarly: boolean, damage: string | null, endedAt: number): void {
    this.#resolve({
      status: this.#status,
      headers: this.#headers!,
      body,
      wireBytes: this.#wireBytes,
      bodyBytes: body?.length ?? 0,
      cut: this.#isCut || this.#isForWire,
      endedEarly,
      truncated: endedEarly || damage !== null,
      damage,
      ttfbMs: this.#headersAt - this.#sentAt!,
      headersAt: this.#headersAt,
      endedAt,
      remoteAddress: this.#connection!.remoteAddress,
      ...(this.#request.keepsWire === true ? { wire: this.#wireCopy() } : {}),
      release: () => this.#body.release(),
    });
  }

  #wireCopy(): WireCopy {
    const { path, headers } = this.#target;
    const body = this.#body.take();
    const truncated = this.#endedEarly
      ? 'disconnect'
      : this.#hasEnough && !BODILESS.has(this.#status)
        ? 'length'
        : null;
    return { path, requestHeaders: headers, body, truncated };
  }

  #rejectWith(error: unknown): void {
    this.#reject(classify(error, this.#context.options.verboseNetwork));
  }

  #settle(isSpent: boolean): void {
    this.isSettled = true;
    this.#pausedAt = null;
    this.#context.inFlight.remove(this.#place);
    this.#context.deadlines.forget(this);
    if (this.#connection !== null) {
      this.#context.connections.release(this.#connection, isSpent);
    }
  }
}

/** The first of several: who has read the headers has seen that they are equal. */
const readLength = (header: string | null): number => Number(/^\d+/.exec(header ?? '')?.[0] ?? 0);

const notOfHttp = (status: number): FetchError =>
  new FetchError('http_5xx', `The server answers with status ${status}, which HTTP does not have.`);

const tooLarge = (maxBodyBytes: number): FetchError =>
  new FetchError('too_large', `The body is larger than ${maxBodyBytes} bytes.`);
