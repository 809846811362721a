import type { Socket } from 'node:net';

/** A connection on which the head of a response may come next. */
export interface HeadReader {
  awaitsHead: boolean;
  /** What came before it and was no answer yet. */
  interim: number;
}

const END_OF_HEAD = '\r\n\r\n';
const CONTINUE = /^HTTP\/1\.[01] 100(?: |\r)/;
const SPACE = 0x20;
/** Of more the parser is told, which then ends the request. */
const MOST_INTERIM = 20;

/**
 * Two things that HTTP asks of a client and its parser does not do: an interim `100 Continue` that nobody asked for is passed over (RFC 9110,
 * 15.2), and a header that goes on in the next line is one line (RFC 9112, 5.2). Only heads are looked at, never a body.
 */
export function mendHeads(socket: Socket, connection: HeadReader): void {
  const read = socket.read.bind(socket);
  socket.read = (size?: number): Buffer | null => {
    const chunk = read(size) as Buffer | null;
    return chunk === null || !connection.awaitsHead ? chunk : mendHead(chunk, connection);
  };
}

function mendHead(chunk: Buffer, connection: HeadReader): Buffer | null {
  let head = chunk;
  let end = head.indexOf(END_OF_HEAD);
  while (end >= 0 && connection.interim < MOST_INTERIM && CONTINUE.test(head.toString('latin1', 0, 13))) {
    connection.interim++;
    head = head.subarray(end + END_OF_HEAD.length);
    end = head.indexOf(END_OF_HEAD);
  }
  if (head.length === 0) {
    return null;
  }
  joinLines(end < 0 ? head : head.subarray(0, end));
  connection.awaitsHead = end < 0;
  return head;
}

function joinLines(head: Buffer): void {
  for (const fold of ['\r\n ', '\r\n\t']) {
    for (let at = head.indexOf(fold); at >= 0; at = head.indexOf(fold, at)) {
      head[at] = SPACE;
      head[at + 1] = SPACE;
    }
  }
}
