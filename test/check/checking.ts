import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { CheckedLink, CheckSummary } from '../../src/check/report/result.js';
import { inProcess } from '../crawl/in-process.js';
import type { Run } from '../crawl/support.js';
import { CERTIFICATE, PRIVATE_KEY } from '../fetch/certificate.js';
import type { LoggedRequest } from '../web/log.js';

/** What one check says. */
export interface Checked {
  run: Run;
  summary: CheckSummary;
  links: CheckedLink[];
  /** By URL, with its fragment where the finding is about that. */
  byUrl: Map<string, CheckedLink>;
}

/** Runs `gossamer check` as its user does, and reads its JSON. */
export async function check(args: readonly string[], expected: { code?: number } = {}): Promise<Checked> {
  return readReport(await inProcess(['check', ...args, '--format', 'json']), expected.code);
}

export function readReport(run: Run, code?: number): Checked {
  if (run.stdout === '' || (code !== undefined && run.code !== code)) {
    throw new Error(
      `exit code ${run.code}, expected ${code ?? 'a report'}\n${run.stderr}\n${run.stdout.slice(0, 4000)}`,
    );
  }
  const { summary, links } = JSON.parse(run.stdout) as { summary: CheckSummary; links: CheckedLink[] };
  return { run, summary, links, byUrl: new Map(links.map((link) => [nameOf(link), link])) };
}

export const nameOf = ({ url, fragment }: Pick<CheckedLink, 'url' | 'fragment'>): string =>
  fragment === null ? url : `${url}#${fragment}`;

/** Failures happen once and are soon over: no test waits for backoff. */
export const HASTY = ['--delay', '0', '--retries', '0', '--retry-delay', '0', '--max-backoff', '1s'];

/** URL of a request that came by http, or by https through a `tlsFront`. */
export const pathsOf = (log: readonly LoggedRequest[], host: string): string[] =>
  log.filter((request) => request.host === host).map(({ method, path }) => `${method} ${path}`);

export interface Closing {
  close(): void;
}

/** A name server that knows nobody: `servfail…` is an error of its own, all other names do not exist. */
export async function unknowingNames(): Promise<Closing & { address: string; questions: string[] }> {
  const socket = createSocket('udp4');
  const questions: string[] = [];
  socket.on('message', (query, from) => {
    const end = query.indexOf(0, 12) + 5;
    const name = query.toString('latin1', 13, end - 5).replace(/[\x01-\x1f]/g, '.');
    questions.push(name);
    const code = name.startsWith('servfail') ? 2 : 3;
    const head = Buffer.from([query[0]!, query[1]!, 0x81, 0x80 | code, 0, 1, 0, 0, 0, 0, 0, 0]);
    socket.send(Buffer.concat([head, query.subarray(12, end)]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, questions, close: () => socket.close() };
}

/** TLS before a server that speaks plain HTTP, with the certificate of a.test. */
export function tlsFront(port: number): Promise<Closing & { port: number }> {
  return listen(
    createTlsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (socket) => {
      const inner = connect(port, '127.0.0.1');
      for (const end of [socket, inner]) {
        end.on('error', () => end.destroy());
      }
      socket.pipe(inner).pipe(socket);
    }),
  );
}

/** Takes connections, reads a little and resets them. */
export function resettingServer(): Promise<Closing & { port: number }> {
  return listen(createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy())));
}

async function listen(server: Server): Promise<Closing & { port: number }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as { port: number };
  return {
    port: address.port,
    close() {
      for (const socket of sockets) {
        socket.destroy();
      }
      server.close();
    },
  };
}
