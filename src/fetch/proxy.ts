import type { Socket } from 'node:net';
import { Client } from 'undici';
import { FetchError, UsageError } from '../base/errors.js';
import type { Header } from './contract.js';
import { basicAuthorization } from './headers.js';
import { withBrackets, withoutBrackets } from './host-port.js';

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

  /** A socket that leads through the proxy, by way of one that leads to it. */
  async openTunnel(socket: Socket, host: string, port: number): Promise<Socket> {
    const target = `${withBrackets(host)}:${port}`;
    const client = new Client(`http://${withBrackets(this.host)}:${this.port}`, {
      // Later: undici does not notice a connection that is there before it has begun to wait for it.
      connect: (_options, callback) => queueMicrotask(() => callback(null, socket)),
      headersTimeout: 0,
    });
    const headers = { host: target, ...(this.authorization && Object.fromEntries([this.authorization])) };
    const answer = await client.connect({ path: target, headers });
    if (answer.statusCode === 200) return answer.socket as Socket;
    answer.socket.destroy();
    if (answer.statusCode === 407) throw new FetchError('auth_required', 'The proxy wants other credentials.');
    throw new FetchError('connection_refused', `The proxy answers ${answer.statusCode} for ${target}.`);
  }
}
