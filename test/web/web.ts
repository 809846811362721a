import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { systemClock } from '../../src/base/clock.js';
import { LogFile, type LoggedRequest } from './log.js';
import { hang, notFound, type Site, type SiteAnswer, text } from './site.js';
import { writeAnswer } from './write-answer.js';

export interface WebOptions {
  /** 0, the default, takes a free one. */
  port?: number;
  /** Where it listens; 127.0.0.1 unless given. */
  address?: string;
  /** Also append the log to this file as JSON lines (see readLog). */
  logFile?: string;
  /** False keeps `log` empty: for benchmarks of millions of requests. */
  keepLog?: boolean;
}

/** Any number of host names behind one loopback port; the Host header chooses the site. */
export interface WebInABox {
  readonly port: number;
  /** http://127.0.0.1:port, for a client without --connect-to: the site of that name is `127.0.0.1`, or the address it listens at. */
  readonly origin: string;
  readonly log: LoggedRequest[];
  /** Values for --connect-to that lead every host and port here. */
  readonly connectTo: string[];
  /** Puts a site at a host name; `*` serves all names that have none. */
  site(host: string, site: Site): void;
  /** Requests not yet answered completely. */
  inFlight(host?: string): number;
  peakInFlight(host?: string): number;
  /** Most connections that were open at once. */
  peakConnections(): number;
  /** Empties the log and starts the peaks anew. */
  clearLog(): void;
  close(): Promise<void>;
}

/** More than any client opens at once; the kernel lowers it to its own limit. */
const BACKLOG = 16_384;

export async function openWeb(options: WebOptions = {}): Promise<WebInABox> {
  const web = new Web(options);
  await web.listen(options.port ?? 0, options.address ?? '127.0.0.1');
  return web;
}

interface Load {
  now: number;
  peak: number;
}

class Web implements WebInABox {
  readonly log: LoggedRequest[] = [];
  readonly #server: Server;
  readonly #sites = new Map<string, Site>();
  readonly #sockets = new Map<Socket, number>();
  readonly #loads = new Map<string, Load>();
  readonly #whole: Load = { now: 0, peak: 0 };
  /** Connections that a raw answer has used up. */
  readonly #spent = new WeakSet<Socket>();
  readonly #file: LogFile | null;
  readonly #keepLog: boolean;
  #connections = 0;
  #peakConnections = 0;
  #closed: Promise<void> | null = null;

  constructor(options: WebOptions) {
    this.#file = options.logFile === undefined ? null : new LogFile(options.logFile);
    this.#keepLog = options.keepLog ?? true;
    // No time-out of its own: a connection that the server closes while a request is on its way would look like a fault.
    this.#server = createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 }, (request, response) =>
      this.#take(request, response),
    );
    this.#server.on('connection', (socket) => {
      this.#sockets.set(socket, ++this.#connections);
      this.#peakConnections = Math.max(this.#peakConnections, this.#sockets.size);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => socket.destroy());
    });
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  listen(port: number, host: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ port, host, backlog: BACKLOG }, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `http://${this.#literal}:${this.port}`;
  }

  get connectTo(): string[] {
    return [`::${this.#literal}:${this.port}`];
  }

  /** Its address as URLs write it. */
  get #literal(): string {
    const { address, family } = this.#server.address() as AddressInfo;
    return family === 'IPv6' ? `[${address}]` : address;
  }

  site(host: string, site: Site): void {
    this.#sites.set(host.toLowerCase(), site);
  }

  inFlight(host?: string): number {
    return this.#load(host)?.now ?? 0;
  }

  peakInFlight(host?: string): number {
    return this.#load(host)?.peak ?? 0;
  }

  peakConnections(): number {
    return this.#peakConnections;
  }

  clearLog(): void {
    this.log.length = 0;
    this.#peakConnections = this.#sockets.size;
    for (const load of [this.#whole, ...this.#loads.values()]) {
      load.peak = load.now;
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const sockets = [...this.#sockets.keys()].map((socket) => {
      const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      socket.destroy();
      return gone;
    });
    await Promise.all([closed, ...sockets]);
    this.#file?.close();
  }

  #load(host: string | undefined): Load | undefined {
    return host === undefined ? this.#whole : this.#loads.get(host.toLowerCase());
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const socket = request.socket;
    const hostHeader = (request.headers.host ?? '').toLowerCase();
    const host = hostHeader.replace(/:\d*$/, '');
    const entry: LoggedRequest = {
      at: systemClock.now(),
      host,
      method: request.method ?? '',
      path: request.url ?? '',
      status: 0,
      userAgent: request.headers['user-agent'] ?? '',
      headers: flatten(request),
      connection: this.#sockets.get(socket) ?? 0,
      endedAt: null,
    };
    if (this.#keepLog) {
      this.log.push(entry);
    }
    this.#file?.began(entry);
    this.#count(entry, request, response);
    request.resume();

    if (this.#spent.has(socket)) {
      this.#answer(hang, entry, response, socket);
      return;
    }
    const site = this.#sites.get(host) ?? this.#sites.get('*');
    if (!site) {
      this.#answer(notFound, entry, response, socket);
      return;
    }
    const asked = {
      host,
      origin: `http://${hostHeader.replace(/:80$/, '')}`,
      method: entry.method,
      path: entry.path,
      headers: entry.headers,
      connection: entry.connection,
    };
    let answer: SiteAnswer | Promise<SiteAnswer>;
    try {
      answer = site.handle(asked);
    } catch (error) {
      answer = defect(error);
    }
    if (answer instanceof Promise) {
      answer.catch(defect).then((settled) => this.#answer(settled, entry, response, socket));
    } else {
      this.#answer(answer, entry, response, socket);
    }
  }

  #answer(answer: SiteAnswer, entry: LoggedRequest, response: ServerResponse, socket: Socket): void {
    if ('raw' in answer) {
      this.#spent.add(socket);
      entry.status = answer.status ?? 0;
    } else {
      entry.status = answer.status ?? 200;
    }
    writeAnswer(answer, response, socket);
  }

  #count(entry: LoggedRequest, request: IncomingMessage, response: ServerResponse): void {
    let load = this.#loads.get(entry.host);
    if (!load) {
      load = { now: 0, peak: 0 };
      this.#loads.set(entry.host, load);
    }
    const hostLoad = load;
    for (const each of [hostLoad, this.#whole]) {
      each.peak = Math.max(each.peak, ++each.now);
    }
    const ended = (): void => {
      if (entry.endedAt !== null) {
        return;
      }
      entry.endedAt = systemClock.now();
      hostLoad.now--;
      this.#whole.now--;
      this.#file?.ended(entry);
    };
    response.once('finish', ended);
    response.once('close', ended);
    // A response that waits behind a raw one gets no events of its own.
    if (this.#spent.has(request.socket)) {
      request.socket.once('close', ended);
    }
  }
}

/** A thrown error is a mistake in a site, not a described failure: it must not look like one that a test asked for. */
function defect(error: unknown): SiteAnswer {
  return text(`The site itself is broken: ${error instanceof Error ? error.stack : String(error)}`, 599);
}

function flatten(request: IncomingMessage): Record<string, string> {
  const headers = request.headers;
  if (headers['set-cookie'] === undefined) {
    return headers as Record<string, string>;
  }
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
