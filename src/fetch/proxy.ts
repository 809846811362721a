import type { Socket } from 'node:net';
import type { Clock } from '../base/clock.js';
import { FetchError, UsageError } from '../base/errors.js';
import { withBrackets, withoutBrackets } from '../url/host.js';
import type { Header } from './contract.js';
import { basicAuthorization } from './headers.js';
import { openSocks5, ProxyRefusal, type SocksLogin } from './socks5.js';
import { WireError } from './wire.js';

const KINDS = { 'http:': 80, 'https:': 443, 'socks5:': 1080, 'socks5h:': 1080 } as const;

/**
 * A proxy. One of HTTP is asked for http pages by their whole URL, and for https it is told to open a tunnel. One of SOCKS5 opens a connection, to
 * an address that was looked up and checked here (socks5), or to a name that it looks up itself (socks5h).
 */
export class ProxyServer {
  readonly #kind: keyof typeof KINDS;
  readonly host: string;
  readonly port: number;
  readonly #login: SocksLogin | null;

  constructor(text: string) {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !Object.hasOwn(KINDS, url.protocol) || url.hostname === '') {
      throw new UsageError('--proxy wants http://, https://, socks5:// or socks5h:// and host:port.');
    }
    this.#kind = url.protocol as keyof typeof KINDS;
    this.host = withoutBrackets(url.hostname);
    this.port = url.port === '' ? KINDS[this.#kind] : Number(url.port);
    const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    this.#login = user === '' && password === '' ? null : { user, password };
    const isTooLong = Buffer.byteLength(user) > 255 || Buffer.byteLength(password) > 255;
    if (this.isSocks && this.#login !== null && (isTooLong || user === '')) {
      throw new UsageError(
        '--proxy: SOCKS5 wants a user, and neither it nor the password may have more than 255 bytes.',
      );
    }
  }

  get isTls(): boolean {
    return this.#kind === 'https:';
  }

  get isSocks(): boolean {
    return this.#kind === 'socks5:' || this.#kind === 'socks5h:';
  }

  /** It is told addresses, so names are looked up here and the guard sees where every request goes. */
  get wantsAddresses(): boolean {
    return this.#kind === 'socks5:';
  }

  /** For messages: without credentials. */
  get place(): string {
    return `${withBrackets(this.host)}:${this.port}`;
  }

  /** The header that an HTTP proxy wants; null if it wants none. */
  get authorization(): Header | null {
    if (this.#login === null) {
      return null;
    }
    const [, credentials] = basicAuthorization(this.#login.user, this.#login.password);
    return ['proxy-authorization', credentials];
  }

  /** Opens a way to the host on a socket to the proxy, and returns the socket, which from then on leads there. */
  openTunnel(socket: Socket, host: string, port: number): Promise<Socket> {
    return this.isSocks ? openSocks5(socket, this.#login, host, port) : this.#openHttpTunnel(socket, host, port);
  }

  async #openHttpTunnel(socket: Socket, host: string, port: number): Promise<Socket> {
    const target = `${withBrackets(host)}:${port}`;
    const authorization = this.authorization === null ? '' : `${this.authorization.join(': ')}\r\n`;
    socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n${authorization}\r\n`, 'latin1');
    const status = await statusOfTunnel(socket);
    if (status >= 200 && status < 300) {
      return socket;
    }
    socket.destroy();
    if (status === 407) {
      throw new ProxyRefusal('auth_required', 'it wants other credentials.');
    }
    throw new FetchError('connection_refused', `The proxy answers ${status} for ${target}.`);
  }
}

interface Standing {
  readonly proxy: ProxyServer;
  failures: number;
  /** Until then it is set aside. */
  asideUntil: number;
}

const FIRST_ASIDE_MS = 5_000;
const LONGEST_ASIDE_MS = 300_000;

/**
 * All proxies of a run, and which of them a host or a request is to go through. One that cannot be used is set aside, for five seconds at first and
 * twice as long each time it fails again, at most five minutes. When all of them are set aside, the one whose time comes first is tried.
 */
export class Proxies {
  readonly #all: Standing[];
  readonly #perRequest: boolean;
  readonly #clock: Clock;
  #turn = 0;

  constructor(texts: readonly string[], rotation: 'host' | 'request', clock: Clock) {
    this.#all = texts.map((text) => ({ proxy: new ProxyServer(text), failures: 0, asideUntil: 0 }));
    this.#perRequest = rotation === 'request' && texts.length > 1;
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  /** Names are looked up here, whichever proxy a request goes through. */
  get wantAddresses(): boolean {
    return this.#all.every(({ proxy }) => proxy.wantsAddresses);
  }

  /** Where a request begins to look for its proxy: a place in the list, its own for each host or the next for each request. */
  place(host: string): number {
    if (this.#all.length < 2) {
      return 0;
    }
    return this.#perRequest ? this.#turn++ % this.#all.length : hashOf(host) % this.#all.length;
  }

  /** Those to try, the one at `place` first. */
  from(place: number): ProxyServer[] {
    const turned = [...this.#all.slice(place), ...this.#all.slice(0, place)];
    const now = this.#clock.now();
    const ready = turned.filter(({ asideUntil }) => asideUntil <= now);
    const tried = ready.length > 0 ? ready : [turned.reduce((a, b) => (b.asideUntil < a.asideUntil ? b : a))];
    return tried.map(({ proxy }) => proxy);
  }

  worked(proxy: ProxyServer): void {
    const standing = this.#of(proxy);
    standing.failures = 0;
    standing.asideUntil = 0;
  }

  /** It cannot be used: others are used for a while. */
  failed(proxy: ProxyServer): void {
    const standing = this.#of(proxy);
    const asideMs = Math.min(LONGEST_ASIDE_MS, FIRST_ASIDE_MS * 2 ** standing.failures);
    standing.failures++;
    standing.asideUntil = this.#clock.now() + asideMs;
  }

  get count(): number {
    return this.#all.length;
  }

  #of(proxy: ProxyServer): Standing {
    return this.#all.find((each) => each.proxy === proxy)!;
  }
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}
const END_OF_HEAD = /\r?\n\r?\n/;
const MAX_TUNNEL_HEAD = 64 * 1024;

/** Reads the proxy's answer to CONNECT, and nothing behind it: that comes from the server at the other end. */
function statusOfTunnel(socket: Socket): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    const done = (finish: () => void): void => {
      socket.off('readable', read).off('end', closed).off('close', closed);
      finish();
    };
    const closed = (): void =>
      done(() =>
        reject(new WireError('ERR_CLOSED_EARLY', 'The proxy closed the connection before the tunnel was open.')),
      );
    const read = (): void => {
      for (let piece = socket.read() as Buffer | null; piece !== null; piece = socket.read() as Buffer | null) {
        text += piece.toString('latin1');
        const end = END_OF_HEAD.exec(text);
        const status = /^HTTP\/1\.[01] (\d{3})\b/.exec(text)?.[1];
        if (end === null && text.length < MAX_TUNNEL_HEAD) {
          continue;
        }
        if (end === null || status === undefined) {
          done(() => reject(new WireError('HPE_INVALID_CONSTANT', 'Expected HTTP/ from the proxy')));
          return;
        }
        const rest = text.slice(end.index + end[0].length);
        if (rest !== '') {
          socket.unshift(Buffer.from(rest, 'latin1'));
        }
        done(() => resolve(Number(status)));
        return;
      }
    };
    socket.on('readable', read).once('end', closed).once('close', closed);
  });
}
