import { Client } from 'undici';
import type { Clock } from '../base/clock.js';
import { FetchError } from '../base/errors.js';
import type { Attempt } from './attempt.js';
import type { Connector, Endpoint } from './connector.js';

/** A request that wants a connection. */
export interface Borrower {
  readonly endpoint: Endpoint;
  /** Waits for the one connection of its host rather than open a second. */
  readonly single: boolean;
  readonly isSettled: boolean;
  /** Called once, at once or later; must be followed by one `release`. */
  start(connection: Connection): void;
}

/** One undici Client, which is at most one socket. */
export class Connection {
  readonly endpoint: Endpoint;
  readonly client: Client;
  remoteAddress: string | null = null;
  isOpen = false;
  isDropped = false;
  isH2 = false;
  active = 0;
  attempt: Attempt | null = null;
  cancelIdleTimer: (() => void) | null = null;

  constructor(endpoint: Endpoint, client: Client) {
    this.endpoint = endpoint;
    this.client = client;
  }

  get hasRoom(): boolean {
    return this.active < (this.isH2 ? MAX_STREAMS : 1);
  }
}

interface OriginPool {
  connections: Connection[];
  waiting: Borrower[];
}

const MAX_HEADER_BYTES = 64 * 1024;
const MAX_STREAMS = 100;
const KEEP_ALIVE_MS = 10_000;
const MAX_KEEP_ALIVE_MS = 60_000;
const KEEP_ALIVE_MARGIN_MS = 1000;

/**
 * The connections of all origins. A Client for each and not undici's Pool or Agent: so it is known which ones idle, the bound
 * holds over all origins, and a request never waits in a queue that it cannot be taken out of.
 */
export class Connections {
  readonly #connector: Connector;
  readonly #clock: Clock;
  readonly #maxSockets: number;
  readonly #origins = new Map<string, OriginPool>();
  /** The one that has idled for longest first. */
  readonly #idle = new Set<Connection>();
  #count = 0;

  constructor(connector: Connector, clock: Clock, maxSockets: number) {
    this.#connector = connector;
    this.#clock = clock;
    this.#maxSockets = maxSockets;
  }

  lend(borrower: Borrower): void {
    const { origin } = borrower.endpoint;
    let pool = this.#origins.get(origin);
    if (pool === undefined) {
      pool = { connections: [], waiting: [] };
      this.#origins.set(origin, pool);
    }
    const free = pool.connections.findLast((connection) => connection.hasRoom);
    if (free !== undefined) this.#use(free, borrower);
    else if (borrower.single && pool.connections.length > 0) pool.waiting.push(borrower);
    else this.#use(this.#create(borrower.endpoint, pool), borrower);
  }

  release(connection: Connection): void {
    const pool = this.#origins.get(connection.endpoint.origin);
    if (pool === undefined || pool.waiting.length === 0) this.#released(connection);
    // Later: a client must not be given the next request from within its report of the failure of the last.
    else queueMicrotask(() => this.#released(connection));
  }

  #released(connection: Connection): void {
    connection.active--;
    if (connection.isDropped) return;
    this.#serveWaiting(this.#origins.get(connection.endpoint.origin)!, connection);
    if (connection.active > 0) return;
    if (!connection.isOpen) this.#drop(connection);
    else this.#rest(connection);
  }

  async close(): Promise<void> {
    const all = [...this.#origins.values()].flatMap((pool) => pool.connections);
    await Promise.all(all.map((connection) => this.#drop(connection)));
  }

  #use(connection: Connection, borrower: Borrower): void {
    this.#idle.delete(connection);
    connection.cancelIdleTimer?.();
    connection.cancelIdleTimer = null;
    connection.active++;
    borrower.start(connection);
  }

  #serveWaiting(pool: OriginPool, connection: Connection): void {
    while (connection.hasRoom) {
      const next = pool.waiting.shift();
      if (next === undefined) return;
      if (!next.isSettled) this.#use(connection, next);
    }
  }

  #rest(connection: Connection): void {
    this.#idle.add(connection);
    // undici ends idle HTTP/1.1 connections by itself, those of HTTP/2 never.
    if (connection.isH2) {
      connection.cancelIdleTimer = this.#clock.at(this.#clock.now() + KEEP_ALIVE_MS, () => this.#drop(connection));
    }
  }

  #create(endpoint: Endpoint, pool: OriginPool): Connection {
    for (const idle of this.#idle) {
      if (this.#count < this.#maxSockets) break;
      this.#drop(idle);
    }
    const client = new Client(endpoint.origin, {
      connect: (_options, callback) => {
        connection.attempt = this.#connector.connect(endpoint, (error, connected) => {
          connection.attempt = null;
          if (connected === null) return callback(error ?? new Error('no connection'), null);
          connection.isOpen = true;
          connection.isH2 = connected.isH2;
          connection.remoteAddress = connected.address;
          connected.socket.once('close', () => this.#closed(connection));
          client.pipelining = connected.isH2 ? MAX_STREAMS : 1;
          callback(null, connected.socket);
          if (connected.isH2) this.#serveWaiting(pool, connection);
        });
      },
      // All times are watched by the request itself.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      pingInterval: 0,
    });
    const connection = new Connection(endpoint, client);
    pool.connections.push(connection);
    this.#count++;
    return connection;
  }

  #closed(connection: Connection): void {
    connection.isOpen = false;
    if (connection.active === 0) this.#drop(connection);
  }

  async #drop(connection: Connection): Promise<void> {
    if (connection.isDropped) return;
    connection.isDropped = true;
    this.#count--;
    const pool = this.#origins.get(connection.endpoint.origin)!;
    pool.connections.splice(pool.connections.indexOf(connection), 1);
    if (pool.connections.length === 0) this.#origins.delete(connection.endpoint.origin);
    this.#idle.delete(connection);
    connection.cancelIdleTimer?.();
    connection.attempt?.cancel(new FetchError('internal', 'The connection is no longer wanted.'));
    await connection.client.destroy();
  }
}
