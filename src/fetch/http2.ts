import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Client, Dispatcher } from 'undici';
import { ResponseHeaders } from './response-headers.js';
import { KEEP_ALIVE_MS, type Receiver, type Wire, WireError, type WireRequest } from './wire.js';

const MAX_HEADER_BYTES = 64 * 1024;
const MAX_STREAMS = 100;

/** A connection of HTTP/2, spoken by undici. */
export class Http2 implements Wire {
  readonly maxRequests = MAX_STREAMS;
  readonly #client: Client;
  readonly #socket: Socket;
  /** The request whose stream is opened next. */
  #asking: StreamReceiver | null = null;

  /** undici is loaded when a server first speaks HTTP/2: most crawls never need it. */
  static async open(origin: string, socket: Socket): Promise<Http2> {
    return new Http2((await import('undici')).Client, origin, socket);
  }

  private constructor(kind: typeof Client, origin: string, socket: Socket) {
    this.#socket = socket;
    this.#client = new kind(origin, {
      // Done later, because undici does not notice a connection that exists before it waits for one. It asks again when this one is lost.
      connect: (_options, callback) =>
        queueMicrotask(() => {
          if (socket.destroyed) {
            callback(new WireError('ERR_CLOSED_EARLY', 'The connection was lost.'), null);
          } else {
            callback(null, socket);
          }
        }),
      pipelining: MAX_STREAMS,
      // The request watches all of its time limits itself.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
      pingInterval: 0,
    });
    this.#client.once('connect', () => this.#watchStreams());
  }

  get keepAliveMs(): number {
    return this.#socket.destroyed ? 0 : KEEP_ALIVE_MS;
  }

  send({ method, path, headers, body }: WireRequest, receiver: Receiver): void {
    const stream = new StreamReceiver(receiver, method === 'HEAD', () => {
      this.#asking = stream;
    });
    this.#client.dispatch({ method, path, headers: headers as string[], body: body ?? null }, stream);
  }

  async destroy(): Promise<void> {
    const destroyed = this.#client.destroy();
    // A closed socket emits nothing more.
    if (!this.#socket.closed) {
      await destroyed;
    }
  }

  /** undici opens the stream of a request right after it has told the request of its connection. */
  #watchStreams(): void {
    const session = sessionOn(this.#socket);
    if (session === undefined) {
      this.#socket.destroy(new Error('There is no session of HTTP/2 on the connection.'));
      return;
    }
    const request = session.request.bind(session);
    session.request = (...given) => {
      const stream = request(...given);
      const owner = this.#asking;
      this.#asking = null;
      if (owner !== null) {
        watchEnd(stream, owner);
      }
      return stream;
    };
  }
}

/** Node and undici both keep the session on its socket, under a symbol that neither documents. */
function sessionOn(socket: Socket): ClientHttp2Session | undefined {
  const kept = Object.getOwnPropertySymbols(socket).map((key) => (socket as unknown as Record<symbol, unknown>)[key]);
  return kept.find((each) => typeof (each as Partial<ClientHttp2Session> | null)?.goaway === 'function') as
    | ClientHttp2Session
    | undefined;
}

/**
 * A server may reset a stream in the midst of a response, and give as its reason that there was no error, or that it has changed its mind. Node tells of
 * that as if the response were complete, and undici says so too. The one difference: a stream that was reset is closed by the time its end is
 * put after what came, one that ended is not yet.
 */
function watchEnd(stream: ClientHttp2Stream, owner: StreamReceiver): void {
  const push = stream.push.bind(stream);
  let hasEnded = false;
  stream.push = (chunk, encoding) => {
    // Node pushes the end a second time when all of it was read.
    if (chunk === null && !hasEnded) {
      hasEnded = true;
      if (stream.closed) {
        owner.isBrokenOff = true;
      }
    }
    return push(chunk, encoding);
  };
}

/**
 * Hands on what undici reports of one request. It is undici's older kind of handler: the newer one parses all headers into an object first, which
 * costs a tenth of a request.
 */
class StreamReceiver implements Dispatcher.DispatchHandler {
  readonly #receiver: Receiver;
  readonly #isHead: boolean;
  readonly #asks: () => void;
  #isSent = false;
  #missing = 0;
  isBrokenOff = false;

  constructor(receiver: Receiver, isHead: boolean, asks: () => void) {
    this.#receiver = receiver;
    this.#isHead = isHead;
    this.#asks = asks;
  }

  onConnect(cancel: (error?: Error) => void): void {
    // undici puts the requests of a lost connection on the next one. That is refused here, because retries are decided elsewhere.
    if (this.#isSent) {
      throw new WireError('ERR_CLOSED_EARLY', 'The connection was lost after the request.');
    }
    this.#receiver.onSend(() => cancel());
    this.#isSent = true;
    this.#asks();
  }

  onHeaders(status: number, raw: Buffer[], resume: () => void): boolean {
    const headers = headersOfText(raw);
    this.#missing = Number(headers.get('content-length') ?? 0);
    return this.#receiver.onHeaders(status, headers, resume);
  }

  onData(piece: Buffer): boolean {
    this.#missing -= piece.length;
    return this.#receiver.onData(piece);
  }

  onComplete(): void {
    if ((this.isBrokenOff || this.#missing > 0) && !this.#isHead) {
      // Node gives this code to a stream that the server resets, and a response that is cut short is treated like one.
      this.onError(new WireError('ERR_HTTP2_STREAM_ERROR', 'The server broke the response off.'));
    } else {
      this.#receiver.onComplete();
    }
  }

  onError(error: Error): void {
    this.#receiver.onError(error);
  }
}

/** undici takes each byte of a value for a character, and hands the text on as UTF-8. */
const headersOfText = (raw: readonly Buffer[]): ResponseHeaders =>
  new ResponseHeaders(raw.map((each, i) => (i % 2 === 0 ? each.toString('latin1').toLowerCase() : each.toString())));
