import type { Socket } from 'node:net';
import { FetchError, UsageError } from '../base/errors.js';
import { withBrackets, withoutBrackets } from '../url/host.js';
import type { Header } from './contract.js';
import { basicAuthorization } from './headers.js';
import { WireError } from './wire.js';

/** An HTTP proxy: http pages are asked of it by their whole URL, for https it is told to open a tunnel. */
export class HttpProxy {
  readonly isTls: boolean;
  readonly host: string;
  readonly port: number;
  readonly authorization: Header | null;

  constructor(text: string) {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
      throw new UsageError('--proxy wants http://host:port or https://host:port.');
    }
    this.isTls = url.protocol === 'https:';
    this.host = withoutBrackets(url.hostname);
    this.port = url.port === '' ? (this.isTls ? 443 : 80) : Number(url.port);
    const [, credentials] = basicAuthorization(decodeURIComponent(url.username), decodeURIComponent(url.password));
    this.authorization = url.username === '' ? null : ['proxy-authorization', credentials];
  }

  /** Opens a tunnel on a socket to the proxy, and returns the socket, which from then on leads through it. */
  async openTunnel(socket: Socket, host: string, port: number): Promise<Socket> {
    const target = `${withBrackets(host)}:${port}`;
    const authorization = this.authorization === null ? '' : `${this.authorization.join(': ')}\r\n`;
    socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n${authorization}\r\n`, 'latin1');
    const status = await statusOfTunnel(socket);
    if (status >= 200 && status < 300) {
      return socket;
    }
    socket.destroy();
    if (status === 407) {
      throw new FetchError('auth_required', 'The proxy wants other credentials.');
    }
    throw new FetchError('connection_refused', `The proxy answers ${status} for ${target}.`);
  }
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
