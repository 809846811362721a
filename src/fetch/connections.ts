import type { Socket } from 'node:net';
import { Client } from 'undici';
import type { Clock } from '../base/clock.js';
import { FetchError } from '../base/errors.js';
import type { Attempt } from './attempt.js';
import type { Connector, Endpoint } from './connector.js';
import { mendHeads } from './response-head.js';
import { type StreamOwner, watchStreams } from './stream-ends.js';

/** A request that wants a connection. */
export interface Borrower {
  readonly endpoint: Endpoint;
  /** Waits for the one connection of its host rather than open a second. */
  readonly single: boolean;
  /** Wants a connection that nobody has used. */
  readonly fresh: boolean;
  readonly isSettled: boolean;
  /** Called at once or later; must be followed by one `release` or `putBack`. */
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
  /** A request is out, and the head of its response has not come yet. */
  awaitsHead = false;
  interim = 0;
  /** Whose stream of HTTP/2 is opened next. */
  asking: StreamOwner | null = null;
  active = 0;
  /** Requests since it was opened, or since nobody waited for a socket. */
  served = 0;
  attempt: Attempt | null = null;
  socket: Socket | null = null;
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
  origin: string;
  connections: Connection[];
  waiting: Borrower[];
}

const MAX_HEADER_BYTES = 64 * 1024;
const MAX_STREAMS = 100;
const KEEP_ALIVE_MS = 10_000;
const MAX_KEEP_ALIVE_MS = 60_000;
const KEEP_ALIVE_MARGIN_MS = 1000;
/** While others wait for a socket, a connection serves so many requests of its host before it makes room. */
const TURN = 8;
/** A server has so long to close its side too: until then it counts the connection as open. */
const FAREWELL_MS = 250;
/** After a shortage: until another socket is tried for, doubling. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** After a shortage: from one more socket to the next. */
const GROWTH_MS = 500;

/**
 * The connections of all origins. A Client for each and not undici's Pool or Agent: so it is known which ones idle, the bound
 * holds over all origins, and a request never waits in a queue that it cannot be taken out of.
 *
 * No more sockets are open than the limit says. At the limit origins stand in line: the connection that has idled for longest is closed for the
 * first of them, or the next one that is released. Each gets one socket when its turn comes, and stands in line again for the next.
 */
export class Connections {
  readonly #connector: Connector;
  readonly #clock: Clock;
  readonly #origins = new Map<string, OriginPool>();
  /** The one that has idled for longest first. */
  readonly #idle = new Set<Connection>();
  /** Origins with requests that wait for a socket, in the order of their turns. */
  readonly #line = new Set<OriginPool>();
  /** Idle ones that are being closed. */
  readonly #leaving = new Set<Connection>();
  /** Sockets that are open, being opened or being closed. */
  #count = 0;
  #maxSockets: number;
  /** What the machine has had descriptors for lately: no more than `#maxSockets`. */
  #limit: number;
  #growsAt = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #cancelPause: (() => void) | null = null;
  #isRetired = false;
  #isClosed = false;

  constructor(connector: Connector, clock: Clock, maxSockets: number) {
    this.#connector = connector;
    this.#clock = clock;
    this.#maxSockets = this.#limit = maxSockets;
  }

  lend(borrower: Borrower): void {
    const pool = this.#poolOf(borrower.endpoint.origin);
    pool.waiting.push(borrower);
    this.#serve(pool);
  }

  /** @param isSpent its socket is being closed: what was asked on it is not wanted any more */
  release(connection: Connection, isSpent: boolean): void {
    const pool = this.#origins.get(connection.endpoint.origin);
    const isPlain = !isSpent && this.#line.size === 0 && (pool === undefined || pool.waiting.length === 0);
    if (isPlain) this.#released(connection, false);
    // Later: a client must not be given the next request from within its report of the failure of the last.
    else queueMicrotask(() => this.#released(connection, isSpent));
  }

  /** For a request that was not sent since there was no descriptor: it waits on, before all others. */
  putBack(connection: Connection, borrower: Borrower): void {
    this.#forget(connection);
    this.#count--;
    void connection.client.destroy();
    this.#pause();
    const pool = this.#poolOf(borrower.endpoint.origin);
    pool.waiting.unshift(borrower);
    const others = [...this.#line];
    this.#line.clear();
    for (const each of [pool, ...others]) this.#line.add(each);
    this.#makeRoom();
  }

  /** So many sockets may be open from now on; those in use stay. */
  resize(maxSockets: number): void {
    this.#isRetired = false;
    this.#maxSockets = this.#limit = maxSockets;
    this.#serveLine();
  }

  /** Keeps only the sockets that are in use, and each no longer than something waits for it. Gives their number. */
  retire(): number {
    this.#isRetired = true;
    for (const idle of [...this.#idle]) this.#farewell(idle);
    this.#maxSockets = this.#limit = this.#count;
    return this.#count;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelPause?.();
    for (const { socket } of this.#leaving) socket!.destroy();
    const all = [...this.#origins.values()].flatMap((pool) => pool.connections);
    await Promise.all(all.map((connection) => this.#drop(connection)));
  }

  #poolOf(origin: string): OriginPool {
    let pool = this.#origins.get(origin);
    if (pool === undefined) {
      pool = { origin, connections: [], waiting: [] };
      this.#origins.set(origin, pool);
    }
    return pool;
  }

  /** Hands connections to what waits in a pool, as far as there are any. */
  #serve(pool: OriginPool): void {
    for (let next = firstOf(pool); next !== null; next = firstOf(pool)) {
      const { fresh } = next;
      if (fresh) this.#closeIdle(pool);
      const free = pool.connections.findLast(
        (connection) => !fresh && connection.hasRoom && this.#mayServe(connection, pool),
      );
      if (free !== undefined) this.#use(free, pool);
      else {
        if (!next.single || pool.connections.length === 0) this.#standInLine(pool);
        break;
      }
    }
    this.#forgetIfEmpty(pool);
  }

  #closeIdle(pool: OriginPool): void {
    for (const connection of [...pool.connections]) {
      if (connection.active === 0) this.#farewell(connection);
    }
  }

  #standInLine(pool: OriginPool): void {
    this.#line.add(pool);
    this.#serveLine();
    this.#makeRoom();
  }

  #serveLine(): void {
    for (const pool of this.#line) {
      if (!this.#canOpen) return;
      this.#line.delete(pool);
      const next = firstOf(pool);
      if (next !== null && !(next.single && pool.connections.length > 0)) {
        if (next.fresh) this.#connector.forgetName(next.endpoint);
        this.#open(next.endpoint, pool);
        // The rest of its requests stand in line again, behind everybody else's.
        if (firstOf(pool) !== null && !pool.waiting[0]!.single) this.#line.add(pool);
      }
      this.#forgetIfEmpty(pool);
    }
  }

  get #canOpen(): boolean {
    if (this.#cancelPause !== null || this.#isClosed) return false;
    if (this.#limit < this.#maxSockets && this.#clock.now() >= this.#growsAt) {
      this.#limit++;
      this.#growsAt = this.#clock.now() + GROWTH_MS;
    }
    return this.#count < this.#limit;
  }

  /** A host that keeps its connections busy must not keep the others waiting. */
  #mayServe(connection: Connection, pool: OriginPool): boolean {
    return !this.#othersWait(pool) || connection.served < (connection.isH2 ? MAX_STREAMS : TURN);
  }

  #othersWait(pool: OriginPool): boolean {
    return this.#line.size > (this.#line.has(pool) ? 1 : 0);
  }

  /** Closes idle connections, as many as there are origins that wait. */
  #makeRoom(): void {
    let wanted = this.#line.size + this.#count - this.#limit - this.#leaving.size;
    for (const idle of this.#idle) {
      if (wanted-- <= 0) return;
      this.#farewell(idle);
    }
  }

  #released(connection: Connection, isSpent: boolean): void {
    connection.active--;
    if (connection.isDropped) return;
    const pool = this.#poolOf(connection.endpoint.origin);
    if (isSpent && !connection.isH2) void this.#drop(connection);
    else if (connection.active === 0 && !connection.isOpen) void this.#drop(connection);
    else if (connection.active === 0 && firstOf(pool) !== null && !this.#mayServe(connection, pool)) {
      this.#farewell(connection);
    } else {
      this.#serve(pool);
      if (connection.active === 0 && !connection.isDropped) this.#rest(connection);
      return;
    }
    this.#serve(pool);
  }

  #use(connection: Connection, pool: OriginPool): void {
    this.#idle.delete(connection);
    connection.cancelIdleTimer?.();
    connection.cancelIdleTimer = null;
    connection.active++;
    connection.served = this.#othersWait(pool) ? connection.served + 1 : 1;
    pool.waiting.shift()!.start(connection);
  }

  #rest(connection: Connection): void {
    if (this.#isRetired) {
      this.#farewell(connection);
      return;
    }
    this.#idle.add(connection);
    // undici ends idle HTTP/1.1 connections by itself, those of HTTP/2 never.
    if (connection.isH2) {
      connection.cancelIdleTimer = this.#clock.at(this.#clock.now() + KEEP_ALIVE_MS, () => this.#drop(connection));
    }
    this.#makeRoom();
  }

  #open(endpoint: Endpoint, pool: OriginPool): void {
    this.#use(this.#create(endpoint, pool), pool);
  }

  #create(endpoint: Endpoint, pool: OriginPool): Connection {
    const client = new Client(endpoint.origin, {
      connect: (_options, callback) => {
        connection.attempt = this.#connector.connect(endpoint, (error, connected) => {
          connection.attempt = null;
          if (connected === null) return callback(error ?? new Error('no connection'), null);
          this.#pauseMs = FIRST_PAUSE_MS;
          connection.isOpen = true;
          connection.isH2 = connected.isH2;
          connection.remoteAddress = connected.address;
          connection.socket = connected.socket;
          connected.socket.once('close', () => this.#closed(connection));
          if (connected.isH2) client.once('connect', () => watchStreams(connected.socket, connection));
          else mendHeads(connected.socket, connection);
          client.pipelining = connected.isH2 ? MAX_STREAMS : 1;
          callback(null, connected.socket);
          if (connected.isH2) this.#serve(pool);
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
    if (connection.active > 0 || connection.isDropped) return;
    this.#forget(connection);
    // Later: its client has not heard of it yet, and one that is destroyed now waits for this very event for ever.
    queueMicrotask(() => this.#destroy(connection));
  }

  /** There was no descriptor: no other socket is tried for until one of ours is closed, or some time has passed. */
  #pause(): void {
    this.#limit = Math.max(1, Math.min(this.#limit, this.#count));
    this.#growsAt = this.#clock.now() + GROWTH_MS;
    if (this.#cancelPause !== null) return;
    this.#cancelPause = this.#clock.at(this.#clock.now() + this.#pauseMs, () => this.#goOn());
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2);
  }

  #goOn(): void {
    this.#cancelPause?.();
    this.#cancelPause = null;
    this.#serveLine();
  }

  /** Ends an idle connection politely: the server is told, and its socket counts until the server has closed it too. */
  #farewell(connection: Connection): void {
    const { socket } = connection;
    if (connection.isH2 || socket === null || !connection.isOpen) {
      void this.#drop(connection);
      return;
    }
    this.#forget(connection);
    this.#leaving.add(connection);
    const cancel = this.#clock.at(this.#clock.now() + FAREWELL_MS, () => socket.destroy());
    socket.once('close', () => {
      this.#leaving.delete(connection);
      cancel();
      void this.#destroy(connection);
    });
    socket.end();
  }

  async #drop(connection: Connection): Promise<void> {
    if (connection.isDropped) return;
    this.#forget(connection);
    connection.attempt?.cancel(new FetchError('internal', 'The connection is no longer wanted.'));
    await this.#destroy(connection);
  }

  /** It takes no request any more. */
  #forget(connection: Connection): void {
    connection.isDropped = true;
    const pool = this.#poolOf(connection.endpoint.origin);
    pool.connections.splice(pool.connections.indexOf(connection), 1);
    this.#forgetIfEmpty(pool);
    this.#idle.delete(connection);
    connection.cancelIdleTimer?.();
  }

  async #destroy(connection: Connection): Promise<void> {
    const destroyed = connection.client.destroy();
    // Of a socket that is closed nothing more is to come.
    if (connection.socket?.closed !== true) await destroyed;
    this.#count--;
    if (this.#cancelPause === null) this.#serveLine();
    else this.#goOn();
  }

  #forgetIfEmpty(pool: OriginPool): void {
    if (pool.connections.length === 0 && pool.waiting.length === 0) {
      this.#origins.delete(pool.origin);
      this.#line.delete(pool);
    }
  }
}

/** The first request that still waits. */
function firstOf(pool: OriginPool): Borrower | null {
  while (pool.waiting.length > 0 && pool.waiting[0]!.isSettled) pool.waiting.shift();
  return pool.waiting[0] ?? null;
}
