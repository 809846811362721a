import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { FetchError } from '../base/errors.js';
import { WireError } from './wire.js';

export interface SocksLogin {
  user: string;
  password: string;
}

const VERSION = 5;
const NO_LOGIN = 0;
const BY_PASSWORD = 2;
const CONNECT = 1;
const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;

/** What the second byte of a proxy's answer means (RFC 1928 §6), and whether the proxy or the host causes it. */
const REFUSALS: Record<number, string> = {
  1: 'has a trouble of its own',
  2: 'does not allow it',
  3: 'cannot reach its network',
  4: 'cannot reach it',
  5: 'says that the connection was refused',
  6: 'says that the way to it was too long',
  7: 'does not open connections',
  8: 'does not know addresses of that kind',
};

/** The proxy itself cannot be used: another one may be tried. */
export class ProxyRefusal extends FetchError {}

/**
 * Opens a connection through a SOCKS5 proxy (RFC 1928, with a password by RFC 1929) on a socket to it, and returns the socket, which from then on
 * leads to the host.
 *
 * @param host an address, or a name that the proxy is to look up
 */
export async function openSocks5(
  socket: Socket,
  login: SocksLogin | null,
  host: string,
  port: number,
): Promise<Socket> {
  const reader = new ExactReader(socket);
  try {
    socket.write(Buffer.from(login === null ? [VERSION, 1, NO_LOGIN] : [VERSION, 2, NO_LOGIN, BY_PASSWORD]));
    const [version, method] = (await reader.read(2)) as unknown as [number, number];
    if (version !== VERSION) {
      throw new ProxyRefusal('connection_refused', 'it does not speak SOCKS5.');
    }
    if (method === BY_PASSWORD && login !== null) {
      socket.write(loginOf(login));
      const status = (await reader.read(2))[1];
      if (status !== 0) {
        throw new ProxyRefusal('auth_required', 'it wants other credentials.');
      }
    } else if (method !== NO_LOGIN) {
      throw new ProxyRefusal('auth_required', `it wants ${login === null ? 'credentials' : 'another way to log in'}.`);
    }
    socket.write(requestFor(host, port));
    await readReply(reader, host, port);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    reader.close();
  }
}

async function readReply(reader: ExactReader, host: string, port: number): Promise<void> {
  const [version, reply, , kind] = (await reader.read(4)) as unknown as [number, number, number, number];
  if (version !== VERSION) {
    throw new ProxyRefusal('connection_refused', 'it does not speak SOCKS5.');
  }
  if (reply !== 0) {
    throw new FetchError('connection_refused', `The proxy ${REFUSALS[reply] ?? `answers ${reply}`}: ${host}:${port}.`);
  }
  // The address that the proxy connects from, which is not needed here.
  const length = kind === IPV4 ? 4 : kind === IPV6 ? 16 : kind === NAME ? (await reader.read(1))[0]! : null;
  if (length === null) {
    throw new ProxyRefusal('connection_refused', 'it does not speak SOCKS5.');
  }
  await reader.read(length + 2);
}

function loginOf({ user, password }: SocksLogin): Buffer {
  const [name, secret] = [Buffer.from(user), Buffer.from(password)];
  return Buffer.concat([Buffer.from([1, name.length]), name, Buffer.from([secret.length]), secret]);
}

function requestFor(host: string, port: number): Buffer {
  return Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), placeOf(host), Buffer.from([port >> 8, port & 0xff])]);
}

function placeOf(host: string): Buffer {
  if (isIP(host) !== 0) {
    const bytes = ipaddr.parse(host).toByteArray();
    return Buffer.from([bytes.length === 4 ? IPV4 : IPV6, ...bytes]);
  }
  const name = Buffer.from(host);
  if (name.length > 255) {
    throw new FetchError('invalid_url', 'The name of its host is too long for a SOCKS proxy.');
  }
  return Buffer.concat([Buffer.from([NAME, name.length]), name]);
}

/** Reads as many bytes as are asked for and not one more: what follows comes from the host at the other end. */
class ExactReader {
  readonly #socket: Socket;
  #wanted = 0;
  #resolve: ((bytes: Buffer) => void) | null = null;
  #reject: ((error: Error) => void) | null = null;
  #hasEnded = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('readable', this.#look).once('end', this.#ended).once('close', this.#ended);
  }

  read(count: number): Promise<Buffer> {
    this.#wanted = count;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#look();
      if (this.#hasEnded) {
        this.#ended();
      }
    });
  }

  close(): void {
    this.#socket.off('readable', this.#look).off('end', this.#ended).off('close', this.#ended);
  }

  readonly #look = (): void => {
    const bytes = this.#resolve === null ? null : (this.#socket.read(this.#wanted) as Buffer | null);
    if (bytes !== null && bytes.length === this.#wanted) {
      const resolve = this.#resolve!;
      this.#resolve = this.#reject = null;
      resolve(bytes);
    }
  };

  readonly #ended = (): void => {
    this.#hasEnded = true;
    this.#reject?.(new WireError('ERR_CLOSED_EARLY', 'The proxy closed the connection before the way was open.'));
    this.#resolve = this.#reject = null;
  };
}
