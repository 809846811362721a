import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { CERTIFICATE, PRIVATE_KEY } from '../fetch/certificate.js';
import type { Trial } from './harness.js';

/** Servers beside the web in a box. Each writes down what it is asked, in the notes of its trial. */

/** HTTP/2 and HTTP/1.1 over TLS with a certificate that nobody has signed; notes `2.0 /path`. Gives its port. */
export async function tlsServer(trial: Trial): Promise<number> {
  const server = createSecureServer({ cert: CERTIFICATE, key: PRIVATE_KEY, allowHTTP1: true }, (request, response) => {
    trial.notes.push(`${request.httpVersion} ${request.url}`);
    const isPage = request.url === '/';
    response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html' });
    response.end(isPage ? '<!doctype html><title>Secret</title><p>Well kept.' : '');
  });
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => sessions.add(session));
  server.on('error', () => {});
  server.on('sessionError', () => {});
  return listen(server, trial, () => {
    for (const session of sessions) {
      session.destroy();
    }
  });
}

/** HTTP/1.1 over TLS that asks each visitor for a certificate; notes whose it is. Gives its port. */
export function askingServer(trial: Trial): Promise<number> {
  const server = createHttpsServer({
    cert: CERTIFICATE,
    key: PRIVATE_KEY,
    requestCert: true,
    rejectUnauthorized: false,
  });
  server.on('request', (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    trial.notes.push(subject?.CN === undefined ? 'nobody' : `it is ${subject.CN}`);
    response.writeHead(request.url === '/' ? 200 : 404, { 'content-type': 'text/html' }).end('<title>Hello</title>');
  });
  return listen(server, trial);
}

/** Takes connections at once, and hands them on to `port` only after a while. */
export function lateDoor(trial: Trial, port: number, afterMs: number): Promise<number> {
  return listen(
    createServer((socket) => {
      socket.on('error', () => socket.destroy());
      setTimeout(() => {
        const inner = connect(port, '127.0.0.1');
        inner.on('error', () => socket.destroy());
        socket.pipe(inner).pipe(socket);
      }, afterMs).unref();
    }),
    trial,
  );
}

/** Says that every name is at 127.0.0.1; notes `name of the server: name that was asked for`. Gives `address:port`. */
export async function nameServer(trial: Trial, name: string): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const end = query.indexOf(0, 12);
    const asked = query.toString('latin1', 13, end).replace(/[\x01-\x1f]/g, '.');
    const isA = query.readUInt16BE(end + 1) === 1;
    trial.notes.push(`${name}: ${asked}`);
    const header = Buffer.concat([query.subarray(0, 2), Buffer.from([0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0])]);
    const answer = Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
    socket.send(
      Buffer.concat([header, query.subarray(12, end + 5), ...(isA ? [answer] : [])]),
      from.port,
      from.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  trial.atEnd(() => socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

async function listen(server: Server, trial: Trial, alsoAtEnd = () => {}): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  trial.atEnd(() => {
    alsoAtEnd();
    for (const socket of sockets) {
      socket.destroy();
    }
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
