import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StateError } from '../base/errors.js';
import type { LiveSnapshot } from './live.js';
import { METRICS_TYPE, metricsText } from './metrics.js';

const LOOPBACK = '127.0.0.1';
const MOST_CONNECTIONS = 20;

/** Serves the metrics of a run to Prometheus, on this machine alone. */
export class MetricsServer {
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.url = `http://${LOOPBACK}:${port}/metrics`;
  }

  /**
   * @param port 0: any that is free
   * @param live null while there is nothing to say yet
   */
  static async open(port: number, live: () => LiveSnapshot | null): Promise<MetricsServer> {
    const [{ createAdaptorServer }, { Hono }] = await Promise.all([import('@hono/node-server'), import('hono/tiny')]);
    let listened = port;
    const app = new Hono();
    app.use(async (context, next) => {
      // A page in a browser can make a name of its own point to this machine: only ours are answered.
      const names = [LOOPBACK, 'localhost', '[::1]'].map((name) => `${name}:${listened}`);
      if (!names.includes(context.req.header('host') ?? '')) {
        return context.text('this name is not served here\n', 403);
      }
      if (context.req.header('origin') !== undefined) {
        return context.text('not for pages of a browser\n', 403);
      }
      if (context.req.method !== 'GET') {
        return context.text('only GET\n', 405, { allow: 'GET' });
      }
      return next();
    });
    app.get('/metrics', async (context) => {
      const moment = live();
      if (moment === null) {
        return context.text('the run has not begun\n', 503);
      }
      return context.body(await metricsText(moment), 200, {
        'content-type': METRICS_TYPE,
        'cache-control': 'no-store',
      });
    });
    const server = createAdaptorServer({ fetch: app.fetch }) as Server;
    server.maxConnections = MOST_CONNECTIONS;
    await listening(server, port);
    listened = (server.address() as AddressInfo).port;
    return new MetricsServer(server, listened);
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'the port is in use' : error.message;
      reject(new StateError('metrics', `--metrics-port ${port} cannot be listened on: ${why}`, { cause: error }));
    });
    server.listen(port, LOOPBACK, () => resolve());
  });
}
