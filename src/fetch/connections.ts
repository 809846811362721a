import type { Socket } from 'node:net';
import { Alarm, type Clock } from '../base/clock.js';
import { FetchError } from '../base/errors.js';
import type { Attempt } from './attempt.js';
import type { Connected, Connector, Endpoint } from './connector.js';
import type { Receiver, Wire, WireRequest } from './wire.js';

/** A request that wants a connection. */
export interface Borrower {
  readonly endpoint: Endpoint;
  /** The request waits for the one connection of its host rather than open a second. */
  readonly single: boolean;
  /** The request needs a connection that was never used. */
  readonly fresh: boolean;
  readonly isSettled: boolean;
  /** Called at once or later; must be followed by one `release` or `putBack`. */
  start(connection: Connection): void;
}

/** At most one socket, from the first try to open it to its end. */
export class Connection {
  readonly endpoint: Endpoint;
  remoteAddress: string | null = null;
  isDropped = false;
  active = 0;
  /** Requests since the connection was opened, or since the last time that no origin waited for a socket. */
  served = 0;
  attempt: Attempt | null = null;
  socket: Socket | null = null;
  /** When the server will have closed it, if it idles. */
  idleUntil = 0;
  #wire: Wire | null = null;
  /** The request that it is opened for. */
  #first: { request: WireRequest; receiver: Receiver } | null = null;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  /** Several requests at once share it. */
  get isShared(): boolean {
    return this.#wire !== null && this.#wire.maxRequests > 1;
  }

  get hasRoom(): boolean {
    return this.active < (this.#wire?.maxRequests ?? 1) && this.isKept;
  }

  /** It can take another request, now or when it is open. */
  get isKept(): boolean {
    return this.#wire === null ? this.attempt !== null : this.#wire.keepAliveMs > 0;
  }

  get keepAliveMs(): number {
    return this.#wire?.keepAliveMs ?? 0;
  }

  send(request: WireRequest, receiver: Receiver): void {
    if (this.#wire === null) {
      this.#first = { request, receiver };
    } else {
      this.#wire.send(request, receiver);
    }
  }

  opened({ wire, socket, address }: Connected): void {
    this.attempt = null;
    this.#wire = wire;
    this.socket = socket;
    this.remoteAddress = address;
    const first = this.#first;
    this.#first = null;
    if (first !== null) {
      wire.send(first.request, first.receiver);
    }
  }

  failed(error: Error): void {
    this.attempt = null;
    const first = this.#first;
    this.#first = null;
    first?.receiver.onError(error);
  }

  async destroy(): Promise<void> {
    this.attempt?.cancel(new FetchError('internal', 'The connection is no longer wanted.'));
    await this.#wire?.destroy();
  }
}

interface OriginPool {
  /** See `Endpoint`. */
  key: string;
  connections: Connection[];
  waiting: Borrower[];
}

/** While others wait for a socket, a connection serves so many requests of its host before it gives up its place; one that several share, more. */
const TURN = 8;
const SHARED_TURN = 100;
/** Idle connections are looked through no more often than this. */
const IDLE_TICK_MS = 500;
/** How long a server may take to close its side: until then it counts the connection as open. */
const FAREWELL_MS = 250;
/** How long no other socket is tried after a shortage; it doubles. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** How long it takes after a shortage until one more socket is allowed. */
const GROWTH_MS = 500;

/**
 * The connections of all origins: it is known which ones idle, one bound holds over all origins, and a request never waits in a queue that it
 * cannot be taken out of.
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
  /** Idle connections that are being closed. */
  readonly #leaving = new Set<Connection>();
  /** Sockets that are open, being opened or being closed. */
  #count = 0;
  #maxSockets: number;
  /** How many sockets the machine has had descriptors for lately: at most `#maxSockets`. */
  #limit: number;
  #growsAt = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #cancelPause: (() => void) | null = null;
  readonly #idleAlarm: Alarm;
  #isRetired = false;
  #isClosed = false;

  constructor(connector: Connector, clock: Clock, maxSockets: number) {
    this.#connector = connector;
    this.#clock = clock;
    this.#idleAlarm = new Alarm(clock, () => this.#checkIdle());
    this.#maxSockets = this.#limit = maxSockets;
  }

  lend(borrower: Borrower): void {
    const pool = this.#poolOf(borrower.endpoint.pool);
    pool.waiting.push(borrower);
    this.#serve(pool);
  }

  /** @param isSpent its socket is being closed: answers on it are not wanted any more */
  release(connection: Connection, isSpent: boolean): void {
    const pool = this.#origins.get(connection.endpoint.pool);
    const isPlain = !isSpent && this.#line.size === 0 && (pool === undefined || pool.waiting.length === 0);
    if (isPlain) {
      this.#released(connection, false);
    }
    // Done later, because a client must not get its next request from within its report that the last one failed.
    else {
      queueMicrotask(() => this.#released(connection, isSpent));
    }
  }

  /** For a request that could not be sent for lack of a descriptor: it goes on waiting, before all others. */
  putBack(connection: Connection, borrower: Borrower): void {
    this.#forget(connection);
    this.#count--;
    void connection.destroy();
    this.#pause();
    const pool = this.#poolOf(borrower.endpoint.pool);
    pool.waiting.unshift(borrower);
    const others = [...this.#line];
    this.#line.clear();
    for (const each of [pool, ...others]) {
      this.#line.add(each);
    }
    this.#makeRoom();
  }

  /** Sets how many sockets may be open from now on; those in use stay. */
  resize(maxSockets: number): void {
    this.#isRetired = false;
    this.#maxSockets = this.#limit = maxSockets;
    this.#serveLine();
  }

  /** Closes sockets that are not in use, and each other one when nothing waits for it. Returns how many are left. */
  retire(): number {
    this.#isRetired = true;
    for (const idle of [...this.#idle]) {
      this.#farewell(idle);
    }
    this.#maxSockets = this.#limit = this.#count;
    return this.#count;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelPause?.();
    this.#idleAlarm.clear();
    for (const { socket } of this.#leaving) {
      socket!.destroy();
    }
    const all = [...this.#origins.values()].flatMap((pool) => pool.connections);
    await Promise.all(all.map((connection) => this.#drop(connection)));
  }

  #poolOf(key: string): OriginPool {
    let pool = this.#origins.get(key);
    if (pool === undefined) {
      pool = { key, connections: [], waiting: [] };
      this.#origins.set(key, pool);
    }
    return pool;
  }

  /** Hands connections to what waits in a pool, as far as there are any. */
  #serve(pool: OriginPool): void {
    if (pool.waiting.length > 0) {
      this.#closeExpired(pool.connections);
    }
    for (let next = firstOf(pool); next !== null; next = firstOf(pool)) {
      const { fresh } = next;
      if (fresh) {
        this.#closeIdle(pool);
      }
      const free = fresh ? null : this.#freeOf(pool);
      if (free !== null) {
        this.#use(free, pool);
      } else {
        if (!next.single || pool.connections.length === 0) {
          this.#standInLine(pool);
        }
        break;
      }
    }
    this.#forgetIfEmpty(pool);
  }

  #freeOf(pool: OriginPool): Connection | null {
    const { connections } = pool;
    for (let i = connections.length - 1; i >= 0; i--) {
      const connection = connections[i]!;
      if (connection.hasRoom && this.#mayServe(connection, pool)) {
        return connection;
      }
    }
    return null;
  }

  #closeIdle(pool: OriginPool): void {
    for (const connection of [...pool.connections]) {
      if (connection.active === 0) {
        this.#farewell(connection);
      }
    }
  }

  #standInLine(pool: OriginPool): void {
    this.#line.add(pool);
    this.#serveLine();
    this.#makeRoom();
  }

  #serveLine(): void {
    for (const pool of this.#line) {
      if (!this.#canOpen) {
        return;
      }
      this.#line.delete(pool);
      const next = firstOf(pool);
      if (next !== null && !(next.single && pool.connections.length > 0)) {
        if (next.fresh) {
          this.#connector.forgetName(next.endpoint);
        }
        this.#open(next.endpoint, pool);
        // The rest of its requests stand in line again, behind everybody else's.
        if (firstOf(pool) !== null && !pool.waiting[0]!.single) {
          this.#line.add(pool);
        }
      }
      this.#forgetIfEmpty(pool);
    }
  }

  get #canOpen(): boolean {
    if (this.#cancelPause !== null || this.#isClosed) {
      return false;
    }
    if (this.#limit < this.#maxSockets && this.#clock.now() >= this.#growsAt) {
      this.#limit++;
      this.#growsAt = this.#clock.now() + GROWTH_MS;
    }
    return this.#count < this.#limit;
  }

  /** A host that keeps its connections busy must not keep the others waiting. */
  #mayServe(connection: Connection, pool: OriginPool): boolean {
    return !this.#othersWait(pool) || connection.served < (connection.isShared ? SHARED_TURN : TURN);
  }

  #othersWait(pool: OriginPool): boolean {
    return this.#line.size > (this.#line.has(pool) ? 1 : 0);
  }

  /** Closes idle connections, as many as there are origins that wait. */
  #makeRoom(): void {
    let wanted = this.#line.size + this.#count - this.#limit - this.#leaving.size;
    for (const idle of this.#idle) {
      if (wanted-- <= 0) {
        return;
      }
      this.#farewell(idle);
    }
  }

  #released(connection: Connection, isSpent: boolean): void {
    connection.active--;
    if (connection.isDropped) {
      return;
    }
    const pool = this.#poolOf(connection.endpoint.pool);
    if (connection.isShared ? connection.active === 0 && !connection.isKept : isSpent || connection.keepAliveMs === 0) {
      void this.#drop(connection);
    } else if (connection.active === 0 && firstOf(pool) !== null && !this.#mayServe(connection, pool)) {
      this.#farewell(connection);
    } else {
      this.#serve(pool);
      if (connection.active === 0 && !connection.isDropped) {
        this.#rest(connection);
      }
      return;
    }
    this.#serve(pool);
  }

  #use(connection: Connection, pool: OriginPool): void {
    this.#idle.delete(connection);
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
    connection.idleUntil = this.#clock.now() + connection.keepAliveMs;
    if (connection.idleUntil < this.#idleAlarm.at) {
      this.#idleAlarm.set(connection.idleUntil);
    }
    this.#makeRoom();
  }

  /** One timer for all that idle: it is set while there are any, and rings again for the first of those that are left. */
  #checkIdle(): void {
    this.#closeExpired(this.#idle);
    let nextAt = Number.POSITIVE_INFINITY;
    for (const { idleUntil } of this.#idle) {
      nextAt = Math.min(nextAt, idleUntil);
    }
    if (nextAt < Number.POSITIVE_INFINITY) {
      this.#idleAlarm.set(Math.max(nextAt, this.#clock.now() + IDLE_TICK_MS));
    }
  }

  /** The timer may be late, and a request that is sent when the server closes the connection is lost: they are looked through before one is sent, too. */
  #closeExpired(connections: Iterable<Connection>): void {
    // Nearly always no connection idles, or none for too long: then no list is made.
    if (this.#idle.size === 0) {
      return;
    }
    const now = this.#clock.now();
    let expired: Connection[] | null = null;
    for (const connection of connections) {
      if (connection.idleUntil <= now && this.#idle.has(connection)) {
        expired ??= [];
        expired.push(connection);
      }
    }
    for (const connection of expired ?? []) {
      void this.#drop(connection);
    }
  }

  #open(endpoint: Endpoint, pool: OriginPool): void {
    this.#use(this.#create(endpoint, pool), pool);
  }

  #create(endpoint: Endpoint, pool: OriginPool): Connection {
    const connection = new Connection(endpoint);
    connection.attempt = this.#connector.connect(endpoint, (error, connected) => {
      if (connected === null) {
        connection.failed(error ?? new Error('no connection'));
        return;
      }
      if (connection.isDropped) {
        void connected.wire.destroy();
        return;
      }
      this.#pauseMs = FIRST_PAUSE_MS;
      connected.socket.once('close', () => this.#closed(connection));
      connection.opened(connected);
      if (connection.isShared) {
        this.#serve(pool);
      }
    });
    pool.connections.push(connection);
    this.#count++;
    return connection;
  }

  #closed(connection: Connection): void {
    if (connection.active > 0 || connection.isDropped) {
      return;
    }
    this.#forget(connection);
    // Done later: the client of HTTP/2 does not know of the error yet, and if it were destroyed now, it would wait for this event for ever.
    queueMicrotask(() => this.#destroy(connection));
  }

  /** There was no descriptor: no other socket is tried until one of ours is closed, or some time has passed. */
  #pause(): void {
    this.#limit = Math.max(1, Math.min(this.#limit, this.#count));
    this.#growsAt = this.#clock.now() + GROWTH_MS;
    if (this.#cancelPause !== null) {
      return;
    }
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
    if (connection.isShared || socket === null || connection.keepAliveMs === 0) {
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
    if (connection.isDropped) {
      return;
    }
    this.#forget(connection);
    await this.#destroy(connection);
  }

  /** Drops the connection from all lists, so that it gets no more requests. */
  #forget(connection: Connection): void {
    connection.isDropped = true;
    const pool = this.#poolOf(connection.endpoint.pool);
    pool.connections.splice(pool.connections.indexOf(connection), 1);
    this.#forgetIfEmpty(pool);
    this.#idle.delete(connection);
  }

  async #destroy(connection: Connection): Promise<void> {
    await connection.destroy();
    this.#count--;
    if (this.#cancelPause === null) {
      this.#serveLine();
    } else {
      this.#goOn();
    }
  }

  #forgetIfEmpty(pool: OriginPool): void {
    if (pool.connections.length === 0 && pool.waiting.length === 0) {
      this.#origins.delete(pool.key);
      this.#line.delete(pool);
    }
  }
}

/** The first request that still waits. */
function firstOf(pool: OriginPool): Borrower | null {
  while (pool.waiting.length > 0 && pool.waiting[0]!.isSettled) {
    pool.waiting.shift();
  }
  return pool.waiting[0] ?? null;
}
