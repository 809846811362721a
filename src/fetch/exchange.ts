import type { Dispatcher } from 'undici';
import type { Clock } from '../base/clock.js';
import { FetchError } from '../base/errors.js';
import { BodyBuffer } from './body-buffer.js';
import { BodySink } from './body-sink.js';
import { classify, codeOf, fetchError } from './classify.js';
import type { Borrower, Connection, Connections } from './connections.js';
import type { Endpoint } from './connector.js';
import type { FetchHooks, FetchOptions, FetchRequest, FetchResponse, PendingFetch } from './contract.js';
import type { Deadlines, Watched } from './deadlines.js';
import { type Decoded, decodeBody, readContentEncoding } from './decode.js';
import { ResponseHeaders } from './response-headers.js';
import { Shortage } from './shortage.js';
import type { StreamOwner } from './stream-ends.js';

/** What all requests of a fetcher share. */
export interface ExchangeContext {
  options: FetchOptions;
  clock: Clock;
  deadlines: Deadlines;
  connections: Connections;
  inFlight: Set<Exchange>;
}

export interface ExchangeTarget {
  endpoint: Endpoint;
  path: string;
  headers: string[];
}

const MAX_INFORMATIONAL = 16;
/** Up to here an unwanted body is read and dropped: that is cheaper than a new connection. */
const MAX_DRAINED_BYTES = 16 * 1024;

/** Nobody waits for that: the connection is worth no more than so long. */
const MAX_DRAIN_MS = 1_000;

/** Redirects lead elsewhere: what stands in their bodies is for people with browsers of long ago. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** They have no body, whatever their headers say of its length. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** A request waits so long for a descriptor, should there never be one. */
const LONGEST_SHORTAGE_MS = 300_000;

/** Errors of a body that just ends, or whose framing breaks off: what came before is as good as it was. */
const EARLY_END =
  /^(?:UND_ERR_SOCKET|UND_ERR_INFO|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|ECONNRESET|ECONNABORTED|ERR_HTTP2_\w+|HPE_\w+)$/;

/**
 * One request and its response. It is undici's handler, of the older kind: the newer one has all headers parsed into an object
 * first, for a tenth of the cost of a request.
 */
export class Exchange implements PendingFetch, Borrower, Watched, StreamOwner, Dispatcher.DispatchHandler {
  readonly promise: Promise<FetchResponse>;
  readonly endpoint: Endpoint;
  readonly single: boolean;
  readonly fresh: boolean;
  isSettled = false;
  readonly #context: ExchangeContext;
  readonly #request: FetchRequest;
  readonly #target: ExchangeTarget;
  readonly #hooks: FetchHooks;
  #resolve!: (response: FetchResponse) => void;
  #reject!: (error: FetchError) => void;
  #connection: Connection | null = null;
  #cancelRequest: ((error?: Error) => void) | null = null;
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
  /** Its stream was reset before its end. */
  #isBrokenOff = false;
  #isCut = false;
  /** All that was wanted of the body is here. */
  #hasEnough = false;
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
    context.inFlight.add(this);
  }

  // --- for the caller

  pause(): void {
    if (!this.isSettled && !this.#isCut && !this.#hasEnough) this.#pausedAt ??= this.#context.clock.now();
  }

  resume(): void {
    if (this.#pausedAt === null) return;
    const pausedMs = this.#context.clock.now() - this.#pausedAt;
    this.#pausedAt = null;
    this.#startedAt += pausedMs;
    this.#lastByteAt += pausedMs;
    this.#windowStartedAt += pausedMs;
    // Later: undici's parser must not be entered from within the callback of another request.
    queueMicrotask(() => {
      if (!this.isSettled) this.#resumeBody?.();
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
    connection.awaitsHead = true;
    connection.interim = 0;
    connection.client.dispatch(
      { path: this.#target.path, method: this.#request.method, headers: this.#target.headers },
      this,
    );
  }

  check(now: number): void {
    if (this.#pausedAt !== null) return;
    const isDrainedOut = this.#isCut && now - this.#headersAt >= MAX_DRAIN_MS;
    const overdue = isDrainedOut ? new FetchError('timeout', 'The rest of it does not come.') : this.#overdue(now);
    if (overdue !== null) this.#fail(overdue);
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
    if (this.#headers === null || this.#sink !== null || windowMs < minSpeedWindowMs) return null;
    if (this.#windowBytes * 1000 < minSpeedBytesPerSecond * windowMs) {
      return new FetchError('too_slow', `The body came at less than ${minSpeedBytesPerSecond} bytes a second.`);
    }
    this.#windowStartedAt = now;
    this.#windowBytes = 0;
    return null;
  }

  // --- for undici

  onConnect(cancel: (error?: Error) => void): void {
    // To throw leaves the connection as it is; to cancel would close it.
    if (this.isSettled) throw new FetchError('internal', 'The request is no longer wanted.');
    // undici puts requests of a lost HTTP/2 connection on the next one; whether to ask again is not decided here.
    if (this.#sentAt !== null) throw new FetchError('connection_reset', 'The connection was lost after the request.');
    this.#cancelRequest = cancel;
    if (this.#connection!.isH2) this.#connection!.asking = this;
    this.#sentAt = this.#lastByteAt = this.#context.clock.now();
  }

  onHeaders(status: number, raw: Buffer[], resume: () => void): boolean {
    if (status < 100) throw notOfHttp(status);
    if (status < 200) {
      if (++this.#informational <= MAX_INFORMATIONAL) return true;
      throw new FetchError('unknown', 'The server sends one informational response after the other.');
    }
    const at = this.#context.clock.now();
    const headers = new ResponseHeaders(raw, this.#connection!.isH2);
    this.#status = status;
    this.#headers = headers;
    this.#headersAt = this.#lastByteAt = this.#windowStartedAt = at;
    this.#resumeBody = resume;
    this.#hooks.onHeaders?.(at);
    if (this.#request.method === 'HEAD') return true;
    const wantsBody = this.#request.wantBody(status, headers.get('content-type'));
    if (BODILESS.has(status) && wantsBody) {
      this.#hasEnough = true;
      this.#endSoon();
      return true;
    }
    this.#expectedBytes = BODILESS.has(status) ? 0 : readLength(headers.get('content-length'));
    const isRedirect = REDIRECTS.has(status) && headers.get('location') !== null;
    if (isRedirect || !wantsBody) {
      this.#cut();
      // All that a redirect says is here: what else is let through is for the connection's sake alone.
      if (isRedirect) this.#respond(null, false, null, at);
      return true;
    }
    const maxBodyBytes = this.#maxBodyBytes;
    this.#encodings = readContentEncoding(headers.get('content-encoding'));
    if (this.#request.sink !== undefined) this.#sink = new BodySink(this.#encodings, this.#request.sink);
    else if (this.#expectedBytes > maxBodyBytes && this.#request.firstBytes === undefined) throw tooLarge(maxBodyBytes);
    return this.#pausedAt === null;
  }

  get #maxBodyBytes(): number {
    return Math.max(this.#context.options.maxBodyBytes, this.#request.leastMaxBodyBytes ?? 0);
  }

  onData(piece: Buffer): boolean {
    this.#lastByteAt = this.#context.clock.now();
    this.#wireBytes += piece.length;
    this.#windowBytes += piece.length;
    if (this.#isCut || this.#hasEnough) return true;
    this.#hooks.onBytes?.(piece.length);
    if (this.#sink !== null) {
      if (!this.#sink.write(piece, () => this.resume())) this.pause();
      return this.#pausedAt === null;
    }
    const maxBodyBytes = this.#maxBodyBytes;
    if (this.#wireBytes > maxBodyBytes && this.#request.firstBytes === undefined) throw tooLarge(maxBodyBytes);
    this.#body.add(piece, this.#expectedBytes);
    if (this.#body.length >= (this.#request.firstBytes ?? Number.POSITIVE_INFINITY)) {
      this.#hasEnough = true;
      this.#endSoon();
    }
    return this.#hasEnough || this.#pausedAt === null;
  }

  brokenOff(): void {
    this.#isBrokenOff = true;
  }

  onComplete(): void {
    if (this.isSettled) return;
    const isShort = this.#connection!.isH2 && this.#wireBytes < this.#expectedBytes;
    if ((this.#isBrokenOff || isShort) && this.#request.method !== 'HEAD') this.onError(new BrokenOff());
    else this.#succeed(false);
  }

  onError(error: Error): void {
    if (this.isSettled) return;
    if (error instanceof Shortage && this.#mayWait()) this.#waitAgain();
    else if (this.#isCut || this.#hasEnough) this.#succeed(false);
    else if ((this.#bodyBytes > 0 || this.#status >= 400) && EARLY_END.test(codeOf(error))) this.#succeed(true);
    else this.#fail(this.#explain(error));
  }

  #mayWait(): boolean {
    const now = this.#context.clock.now();
    this.#shortSince ??= now;
    return this.#sentAt === null && now - this.#shortSince < LONGEST_SHORTAGE_MS;
  }

  /** Nothing has left this machine: the request stands where it stood before it got its connection. */
  #waitAgain(): void {
    const connection = this.#connection!;
    this.#connection = null;
    this.#context.deadlines.forget(this);
    this.#context.connections.putBack(connection, this);
  }

  get #bodyBytes(): number {
    return this.#sink === null ? this.#body.length : this.#wireBytes;
  }

  #explain(error: Error): FetchError {
    const { verboseNetwork } = this.#context.options;
    // What undici says of a body that is too short, it also says when the lengths in the headers contradict each other.
    if (this.#headers === null && codeOf(error) === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
      return fetchError(
        'connection_reset',
        'The headers contradict each other about the length of the body.',
        error,
        verboseNetwork,
      );
    }
    return classify(error, verboseNetwork);
  }

  // --- the end

  /** What is small or here already is let through, the rest cut off, and the connection with it. */
  #cut(): void {
    this.#isCut = true;
    this.#endSoon();
  }

  #endSoon(): void {
    this.#pausedAt = null;
    const left = this.#expectedBytes - this.#wireBytes;
    if (this.#expectedBytes > 0 && left <= MAX_DRAINED_BYTES) return;
    // The parser is through with all that has arrived before this runs.
    queueMicrotask(() => {
      if (this.isSettled) return;
      this.#succeed(false, true);
      this.#cancelRequest?.();
    });
  }

  #fail(error: FetchError): void {
    if (this.isSettled) return;
    // What was wanted of it is there.
    const isSpent = this.#cancelRequest !== null;
    if (this.#isCut || this.#hasEnough) this.#succeed(false, isSpent);
    else {
      this.#settle(isSpent);
      this.#sink?.destroy();
      this.#reject(error);
    }
    this.#cancelRequest?.(error);
  }

  /** @param isSpent the rest of the response is cut off, and the connection with it */
  #succeed(endedEarly: boolean, isSpent = false): void {
    this.#settle(isSpent);
    const endedAt = this.#context.clock.now();
    if (this.#isCut || this.#request.method === 'HEAD') {
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
    if (this.#encodings.length > 0) this.#hooks.onBytes?.(body.length);
    this.#respond(body, endedEarly, damage, endedAt);
  }

  #respond(body: Buffer | null, endedEarly: boolean, damage: string | null, endedAt: number): void {
    this.#resolve({
      status: this.#status,
      headers: this.#headers!,
      body,
      wireBytes: this.#wireBytes,
      bodyBytes: body?.length ?? 0,
      cut: this.#isCut,
      endedEarly,
      truncated: endedEarly || damage !== null,
      damage,
      ttfbMs: this.#headersAt - this.#sentAt!,
      headersAt: this.#headersAt,
      endedAt,
      remoteAddress: this.#connection!.remoteAddress,
    });
  }

  #rejectWith(error: unknown): void {
    this.#reject(classify(error, this.#context.options.verboseNetwork));
  }

  #settle(isSpent: boolean): void {
    this.isSettled = true;
    this.#pausedAt = null;
    this.#context.inFlight.delete(this);
    this.#context.deadlines.forget(this);
    if (this.#connection !== null) this.#context.connections.release(this.#connection, isSpent);
  }
}

/** As Node calls it where the server gives a worse reason. */
class BrokenOff extends Error {
  readonly code = 'ERR_HTTP2_STREAM_ERROR';

  constructor() {
    super('The server broke the response off.');
  }
}

const readLength = (header: string | null): number => (header !== null && /^\d+$/.test(header) ? Number(header) : 0);

const notOfHttp = (status: number): FetchError =>
  new FetchError('http_5xx', `The server answers with status ${status}, which HTTP does not have.`);

const tooLarge = (maxBodyBytes: number): FetchError =>
  new FetchError('too_large', `The body is larger than ${maxBodyBytes} bytes.`);
