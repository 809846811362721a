import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { CERTIFICATE, PRIVATE_KEY } from './certificate.js';

const PREFACE_BYTES = 24;
const HEAD_BYTES = 9;
const DATA = 0;
const HEADERS = 1;
const RST_STREAM = 3;
const SETTINGS = 4;
const ACK = 1;
const END_STREAM = 1;
const END_HEADERS = 4;

export type Frame = (stream: number) => Buffer;

function frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Names and values are bytes, written as latin1, and shorter than 127 of them. */
export function head(fields: Record<string, string>, isEnd = false): Frame {
  const parts = Object.entries(fields).flatMap(([name, value]) => [
    Buffer.from([0, name.length]),
    Buffer.from(name, 'latin1'),
    Buffer.from([value.length]),
    Buffer.from(value, 'latin1'),
  ]);
  return (stream) => frame(HEADERS, END_HEADERS | (isEnd ? END_STREAM : 0), stream, Buffer.concat(parts));
}

export const data =
  (text: string, isEnd = false): Frame =>
  (stream) =>
    frame(DATA, isEnd ? END_STREAM : 0, stream, Buffer.from(text));

export function reset(code: number): Frame {
  const reason = Buffer.alloc(4);
  reason.writeUInt32BE(code);
  return (stream) => frame(RST_STREAM, 0, stream, reason);
}

/** A server of HTTP/2 that sends frames as they are written here: the n-th request gets the n-th answer, whatever it asks for. */
export async function rawHttp2(answers: readonly Frame[][]): Promise<string> {
  let asked = 0;
  const sockets = new Set<TLSSocket>();
  const server = createServer({ cert: CERTIFICATE, key: PRIVATE_KEY, ALPNProtocols: ['h2'] }, (socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.write(frame(SETTINGS, 0, 0));
    let unread = Buffer.alloc(0);
    let skipped = PREFACE_BYTES;
    socket.on('data', (chunk) => {
      unread = Buffer.concat([unread, chunk]);
      while (unread.length >= skipped + HEAD_BYTES) {
        unread = unread.subarray(skipped);
        const [type, flags, stream] = [unread[3], unread[4]!, unread.readUInt32BE(5)];
        if (type === SETTINGS && (flags & ACK) === 0) {
          socket.write(frame(SETTINGS, ACK, 0));
        }
        if (type === HEADERS) {
          socket.write(Buffer.concat((answers[asked++] ?? []).map((make) => make(stream))));
        }
        skipped = HEAD_BYTES + unread.readUIntBE(0, 3);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) {
      socket.destroy();
    }
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
