import { once } from 'node:events';
import { type AddressInfo, connect, type Server } from 'node:net';
import { createServer } from 'node:tls';
import { afterAll, beforeAll } from 'vitest';
import { type Box, box, type Crawled } from '../crawl/box.js';
import { closedPort } from '../crawl/support.js';
import { CERTIFICATE, PRIVATE_KEY } from '../fetch/certificate.js';

/** A box whose sites can be had by https, too: what comes to port 443 is unwrapped and handed on to the web. */
export interface SeedingBox extends Box {
  readonly mappings: string[];
  /** Crawls, with a web that has no TLS where `plain` says so. */
  crawl(seeds: readonly string[], args?: readonly string[], expected?: { code?: number }): Promise<Crawled>;
  crawlPlain(seeds: readonly string[], args?: readonly string[]): Promise<Crawled>;
}

export function seedingBox(): SeedingBox {
  const inner = box();
  let front: Server;
  let closed = 0;
  beforeAll(async () => {
    front = createServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (socket) => {
      const plain = connect(inner.web.port, '127.0.0.1');
      for (const [one, other] of [
        [socket, plain],
        [plain, socket],
      ] as const) {
        one.on('error', () => other.destroy());
        one.pipe(other);
      }
    });
    front.on('tlsClientError', () => {});
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    closed = await closedPort();
  });
  afterAll(() => {
    front.close();
  });
  const to = (port: number) => ['--connect-to', `:443:127.0.0.1:${port}`, '--connect-to', inner.web.connectTo[0]!];
  const secure = () => ['-k', ...to((front.address() as AddressInfo).port)];
  return {
    get web() {
      return inner.web;
    },
    get mappings() {
      return secure();
    },
    folder: inner.folder,
    edgeTargets: (directory) => inner.edgeTargets(directory),
    crawl: (seeds, args = [], expected = {}) =>
      inner.crawl(seeds, [...(args.includes('--connect-to') ? [] : secure()), ...args], expected),
    crawlPlain: (seeds, args = []) => inner.crawl(seeds, [...to(closed), ...args]),
  };
}
