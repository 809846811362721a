import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, connect as netConnect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createServer as createTlsServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock.js';
import { FetchError } from '../../src/base/errors.js';
import { Fetcher, type FetchOptions, type FetchRequest, type PendingFetch } from '../../src/fetch/fetcher.js';
import { CERTIFICATE, PRIVATE_KEY } from './certificate.js';

export const OPTIONS: FetchOptions = {
  userAgent: 'gossamer-test/1',
  headers: [],
  originHeaders: {},
  proxies: [],
  insecure: false,
  cacert: null,
  connectTimeoutMs: 10_000,
  idleTimeoutMs: 10_000,
  timeoutMs: 20_000,
  minSpeedBytesPerSecond: 1024,
  minSpeedWindowMs: 10_000,
  maxBodyBytes: 1024 * 1024,
  maxSockets: 100,
  http2: false,
  connectTo: [],
  // Nobody listens at port 1.
  guard: { allowPrivate: true, allowNetworks: [], allowAddresses: [], allowPorts: [1] },
  dnsServers: null,
  verboseNetwork: false,
};

/** Containers may be without. */
export const HAS_IPV6 = Object.values(networkInterfaces()).some((each) =>
  each?.some(({ address }) => address === '::1'),
);

export const GUARDED = { guard: { allowPrivate: false, allowNetworks: [], allowAddresses: [] } };

export function newFetcher(options: Partial<FetchOptions> = {}, clock: Clock = systemClock): Fetcher {
  const fetcher = new Fetcher({ ...OPTIONS, ...options }, clock);
  onTestFinished(() => fetcher.close());
  return fetcher;
}

export function get(url: string, more: Partial<FetchRequest> = {}): FetchRequest {
  return { url, method: 'GET', accept: 'text/html', singleConnection: false, wantBody: () => true, ...more };
}

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The error that a fetch ends with; it is a failure of the test when there is none. */
export async function failureOf(pending: PendingFetch | Promise<unknown>): Promise<FetchError> {
  try {
    await (pending instanceof Promise ? pending : pending.promise);
  } catch (error) {
    if (error instanceof FetchError) {
      return error;
    }
    throw error;
  }
  throw new Error('the fetch succeeded');
}

export class FakeClock implements Clock {
  #now = 1_000_000;
  #timers = new Set<{ at: number; fire: () => void }>();

  now = (): number => this.#now;
  wall = (): number => this.#now;

  at(at: number, fire: () => void): () => void {
    const timer = { at, fire };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get armed(): number {
    return this.#timers.size;
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) {
        break;
      }
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.fire();
    }
    this.#now = end;
  }
}

export interface RawServer {
  port: number;
  url: string;
  /** The heads of all requests, in the order of their arrival. */
  requests: string[];
  connections: number;
  open: Set<Socket>;
}

export type Answer = (socket: Socket, head: string, number: number) => void;

/** A server that speaks exactly the bytes it is told to, on 127.0.0.1 unless told otherwise. */
export async function rawServer(answer: Answer, { tls = false, host = '127.0.0.1' } = {}): Promise<RawServer> {
  const accept = (socket: Socket): void => {
    let text = '';
    server.connections++;
    server.open.add(socket);
    socket.on('close', () => server.open.delete(socket));
    socket.on('error', () => {});
    socket.on('data', (data) => {
      text += data.toString('latin1');
      for (let end = text.indexOf('\r\n\r\n'); end !== -1; end = text.indexOf('\r\n\r\n')) {
        const head = text.slice(0, end);
        text = text.slice(end + 4);
        server.requests.push(head);
        answer(socket, head, server.requests.length);
      }
    });
  };
  const listener = tls ? createTlsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, accept) : createServer(accept);
  listener.on('tlsClientError', () => {});
  listener.listen(0, host);
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const server: RawServer = {
    port,
    url: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    requests: [],
    connections: 0,
    open: new Set(),
  };
  onTestFinished(() => {
    for (const socket of server.open) {
      socket.destroy();
    }
    listener.close();
  });
  return server;
}

/** A proxy that leads every tunnel to one server. */
export const tunnelTo = (server: RawServer): Promise<RawServer> =>
  rawServer((socket, head) => {
    if (!head.startsWith('CONNECT ')) {
      return;
    }
    const onward = netConnect(server.port, '127.0.0.1', () => {
      socket.removeAllListeners('data');
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });

export function response(body: string | Buffer, headers: string[] = [], status = '200 OK'): Buffer {
  const bytes = Buffer.from(body);
  const lines = [`HTTP/1.1 ${status}`, 'Content-Type: text/html', `Content-Length: ${bytes.length}`, ...headers];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}

/** Answers every request with the same bytes. */
export const always =
  (bytes: string | Buffer): Answer =>
  (socket) =>
    socket.write(bytes);

/** Connections are accepted in order, so once ours is there, any that came before it has been counted. */
export async function connectionsBeforeMine(server: RawServer): Promise<number> {
  const socket = netConnect(server.port, new URL(server.url).hostname.replace(/^\[|\]$/g, ''));
  socket.end('GET / HTTP/1.1\r\n\r\n');
  const seen = server.requests.length;
  while (server.requests.length === seen) {
    await nextTurn();
  }
  socket.destroy();
  return server.connections - 1;
}

export interface DnsAnswer {
  addresses?: string[];
  ttl?: number;
  /** 2 server failure, 3 no such name, 5 refused. */
  rcode?: number;
}

/** A name server on loopback; `answer` sees each question with its number. */
export async function dnsServer(
  answer: (name: string, type: 'A' | 'AAAA', number: number) => DnsAnswer | null | Promise<DnsAnswer>,
): Promise<{ servers: string[]; questions: string[] }> {
  const socket = createSocket('udp4');
  const questions: string[] = [];
  socket.on('message', async (query: Buffer, from: RemoteInfo) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at]!; length > 0; length = query[at]!) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const question = query.subarray(12, at + 5);
    const type = query.readUInt16BE(at + 1) === 28 ? 'AAAA' : 'A';
    const name = labels.join('.').toLowerCase();
    questions.push(`${type} ${name}`);
    const reply = await answer(name, type, questions.length);
    if (reply !== null) {
      socket.send(encodeAnswer(query, question, type, reply), from.port, from.address);
    }
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return { servers: [`127.0.0.1:${socket.address().port}`], questions };
}

function encodeAnswer(query: Buffer, question: Buffer, type: 'A' | 'AAAA', reply: DnsAnswer): Buffer {
  const { addresses = [], ttl = 60, rcode = 0 } = reply;
  const fitting = addresses.filter((address) => address.includes(':') === (type === 'AAAA'));
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | rcode, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(fitting.length, 6);
  const records = fitting.map((address) => {
    const data = addressBytes(address);
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type === 'A' ? 1 : 28, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(ttl, 6);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([header, question, ...records]);
}

function addressBytes(address: string): Buffer {
  if (!address.includes(':')) {
    return Buffer.from(address.split('.').map(Number));
  }
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const start = groups(head);
  const end = groups(tail);
  const all = [...start, ...new Array<number>(8 - start.length - end.length).fill(0), ...end];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
