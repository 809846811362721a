import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Bytes, Pieces, SiteAnswer } from './site.js';

interface Sink {
  write(bytes: Bytes, done: (error?: Error | null) => void): unknown;
}

/** Puts a described answer on the wire. All timers end with the response, so closing the sockets ends everything. */
export function writeAnswer(answer: SiteAnswer, response: ServerResponse, socket: Socket): void {
  if (answer.afterMs === undefined) {
    writeNow(answer, response, socket);
    return;
  }
  const timer = setTimeout(() => writeNow(answer, response, socket), answer.afterMs);
  response.once('close', () => clearTimeout(timer));
}

function writeNow(answer: SiteAnswer, response: ServerResponse, socket: Socket): void {
  if (socket.destroyed) {
    return;
  }
  if ('raw' in answer) {
    const { raw } = answer;
    const pieces: Pieces = typeof raw === 'function' ? raw : (n) => (n === 0 && raw.length > 0 ? raw : null);
    pump(pieces, answer.everyMs ?? 0, socket, response, () => finish(answer.end, response, socket));
    return;
  }
  const status = answer.status ?? 200;
  if (!('pieces' in answer)) {
    const body = answer.body ?? '';
    response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...answer.headers }).end(body);
    return;
  }
  response.writeHead(status, answer.headers);
  if (response.req.method === 'HEAD') {
    response.end();
  } else {
    response.flushHeaders();
    pump(answer.pieces, answer.everyMs, response, response, () => finish(answer.end, response, socket));
  }
}

function finish(end: 'finish' | 'close' | 'reset' | 'open', response: ServerResponse, socket: Socket): void {
  if (end === 'finish') {
    response.end();
  } else if (end === 'close') {
    socket.end();
  } else if (end === 'reset') {
    socket.resetAndDestroy();
  }
}

/** Each piece waits until the one before has left, so an endless body costs no memory. */
function pump(pieces: Pieces, everyMs: number, sink: Sink, response: ServerResponse, finished: () => void): void {
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let n = 0;
  const next = (): void => {
    if (closed) {
      return;
    }
    const piece = pieces(n++);
    if (piece === null) {
      finished();
      return;
    }
    sink.write(piece, (error) => {
      if (error || closed) {
        return;
      }
      // A turn of the event loop between pieces even without a wait: an endless body must not starve the other sites.
      if (everyMs === 0) {
        setImmediate(next);
      } else {
        timer = setTimeout(next, everyMs);
      }
    });
  };
  response.once('close', () => {
    closed = true;
    clearTimeout(timer);
  });
  next();
}
