import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';

export interface StreamOwner {
  /** What came of the response is not all of it. Called before its end is told. */
  brokenOff(): void;
}

/**
 * A server may reset a stream of HTTP/2 in the midst of a response, and give as its reason that there was no error, or that it has changed its mind. Node tells
 * of that as if the response were complete, and undici says so too. The one difference: a stream that was reset is closed by the time its end is
 * put after what came, one that ended is not yet.
 *
 * @param connection undici opens the stream of a request right after it has told the request of its connection
 */
export function watchStreams(socket: Socket, connection: { asking: StreamOwner | null }): void {
  const session = sessionOn(socket);
  if (session === undefined) {
    socket.destroy(new Error('There is no session of HTTP/2 on the connection.'));
    return;
  }
  const request = session.request.bind(session);
  session.request = (...given) => {
    const stream = request(...given);
    const owner = connection.asking;
    connection.asking = null;
    if (owner !== null) {
      watchEnd(stream, owner);
    }
    return stream;
  };
}

function watchEnd(stream: ClientHttp2Stream, owner: StreamOwner): void {
  const push = stream.push.bind(stream);
  let hasEnded = false;
  stream.push = (chunk, encoding) => {
    // The end is put there once more when all of it was read.
    if (chunk === null && !hasEnded) {
      hasEnded = true;
      if (stream.closed) {
        owner.brokenOff();
      }
    }
    return push(chunk, encoding);
  };
}

/** Node and undici both keep it at its socket, and neither says under which name. */
function sessionOn(socket: Socket): ClientHttp2Session | undefined {
  const kept = Object.getOwnPropertySymbols(socket).map((key) => (socket as unknown as Record<symbol, unknown>)[key]);
  return kept.find((each) => typeof (each as Partial<ClientHttp2Session> | null)?.goaway === 'function') as
    | ClientHttp2Session
    | undefined;
}
