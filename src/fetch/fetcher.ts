import { Chain } from '../base/chain.js';
import type { Clock } from '../base/clock.js';
import { Deadlines } from '../base/clock.js';
import { FetchError } from '../base/errors.js';
import { pathOf, swapOrigin, withoutBrackets } from '../url/host.js';
import { HostPolicies } from '../url/host-policies.js';
import { ACCEPT_ENCODING } from './body.js';
import { Connections } from './connections.js';
import { Connector } from './connector.js';
import type { FetchHooks, FetchOptions, FetchRequest, PendingFetch } from './contract.js';
import { Exchange, type ExchangeContext, type ExchangeTarget } from './exchange.js';
import { RequestHeaders } from './headers.js';

export type {
  FetchHooks,
  FetchOptions,
  FetchRequest,
  FetchResponse,
  GuardOptions,
  Header,
  PendingFetch,
} from './contract.js';

/** Where to connect for an origin. */
type Server = Omit<ExchangeTarget['endpoint'], 'pool'>;

const MOST_SERVERS = 10_000;
/** Behind `https://`. */
const ORIGIN_FROM = 8;
/** Characters that a parser of URLs leaves as they are, in a path as in a query. */
const PLAIN_PATH = /^[\w\-.~!$&()*+,;=:@/%?]*$/;
/** It may be a segment of dots, which a parser takes out. */
const DOTS = /\/(?:\.|%2e)/i;
const isPlainPath = (path: string): boolean => PLAIN_PATH.test(path) && !DOTS.test(path);

const MAX_TICK_MS = 250;
const MIN_TICK_MS = 5;

/** Sends single requests: it follows no redirect, retries nothing, keeps no pace, and sends every request at most once. All of them pass the guard. */
export class Fetcher {
  readonly #connector: Connector;
  readonly #connections: Connections;
  readonly #headers: RequestHeaders;
  readonly #policies: HostPolicies;
  /** By origin. */
  readonly #servers = new Map<string, Server>();
  readonly #context: ExchangeContext;

  constructor(options: FetchOptions, clock: Clock) {
    const deadlines = new Deadlines(clock, tickMs(options));
    this.#policies = new HostPolicies(options.hosts ?? []);
    this.#connector = new Connector(options, clock, deadlines, this.#policies);
    this.#connections = new Connections(this.#connector, clock, options.maxSockets);
    this.#headers = new RequestHeaders(options, ACCEPT_ENCODING, this.#policies);
    this.#context = { options, clock, deadlines, connections: this.#connections, inFlight: new Chain() };
  }

  fetch(request: FetchRequest, hooks: FetchHooks = {}): PendingFetch {
    if (this.#context.options.onlyFolders && this.#placeOf(request.url) === request.url) {
      return failed(new FetchError('blocked_address', 'It is on the net, and --offline asks nobody there.'));
    }
    const target = this.#target(request);
    if (target === null) {
      return failed(new FetchError('invalid_url', 'It is not a URL of http or https.'));
    }
    const timeoutMs = request.timeoutMs ?? this.#policies.ofOrigin(target.endpoint.origin).timeoutMs;
    const timed = timeoutMs === undefined ? request : { ...request, timeoutMs };
    const exchange = new Exchange(this.#context, timed, target, hooks);
    this.#connections.lend(exchange);
    return exchange;
  }

  /** Names, in lower case, and values of the headers that the request would be sent with; null if it cannot be sent. */
  headersOf(request: FetchRequest): [string, string][] | null {
    const flat = this.#target(request)?.headers;
    return flat === undefined ? null : flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]!]] : []));
  }

  /** Whether it is requested from another place than its name says: a folder of this machine. */
  isInFolder(url: string): boolean {
    return this.#placeOf(url) !== url;
  }

  /** The first address of a host that may be connected to, resolved as for a request. Behind a proxy it is the host itself. */
  resolve(host: string): Promise<string> {
    return this.#connector.resolve(withoutBrackets(host));
  }

  /** Sets how many sockets may be open from now on. */
  resize(maxSockets: number): void {
    this.#connections.resize(maxSockets);
  }

  /** Called when no more requests will come: closes idle sockets and returns how many are in use. */
  retire(): number {
    return this.#connections.retire();
  }

  /** Aborts what is still in flight. */
  async close(): Promise<void> {
    for (const exchange of this.#context.inFlight.items()) {
      exchange.abort(new FetchError('internal', 'The fetcher was closed before the response was complete.'));
    }
    await this.#connections.close();
    this.#connector.close();
    this.#context.deadlines.close();
  }

  stats(): { sockets: number; dnsLookups: number } {
    return { sockets: this.#connector.sockets, dnsLookups: this.#connector.dnsQueries };
  }

  /** The place that a URL is requested from: nearly always its own host. */
  #placeOf(url: string): string {
    for (const folder of this.#context.options.folders ?? []) {
      const place = swapOrigin(url, folder, folder.to);
      if (place !== null) {
        return place;
      }
    }
    return url;
  }

  #target(request: FetchRequest): ExchangeTarget | null {
    const place = this.#placeOf(request.url);
    const known = this.#knownTarget(place);
    if (known !== null) {
      return this.#targetAt(known, place.slice(known.origin.length), request);
    }
    const url = parseUrl(place);
    if (url === null) {
      return null;
    }
    const isTls = url.protocol === 'https:';
    if (!isTls && url.protocol !== 'http:') {
      return null;
    }
    const server = {
      origin: url.origin,
      isTls,
      host: withoutBrackets(url.hostname),
      port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    };
    if (this.#servers.size >= MOST_SERVERS) {
      this.#servers.clear();
    }
    this.#servers.set(server.origin, server);
    // Not pathname + search: `/x?` and `/x` are two URLs, and search drops the lone question mark.
    return this.#targetAt(server, pathOf(url.href.slice(0, url.href.length - url.hash.length)), request);
  }

  /** For a URL that begins with a known origin and whose rest a parser would leave as it is. */
  #knownTarget(place: string): Server | null {
    const slash = place.indexOf('/', ORIGIN_FROM);
    const server = slash < 0 ? undefined : this.#servers.get(place.slice(0, slash));
    return server !== undefined && isPlainPath(place.slice(slash)) ? server : null;
  }

  #targetAt(server: Server, path: string, request: FetchRequest): ExchangeTarget {
    const { origin, isTls, host, port } = server;
    const endpoint = { origin, pool: this.#connector.poolOf(origin, host), isTls, host, port };
    return { endpoint, path, headers: this.#headers.for(origin, request) };
  }
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** How often deadlines are checked: often enough for the shortest limit, rarely where limits are seconds. */
function tickMs(options: FetchOptions): number {
  const { connectTimeoutMs, idleTimeoutMs, timeoutMs, minSpeedWindowMs, hosts = [] } = options;
  const ofHosts = hosts.map((policy) => policy.timeoutMs ?? timeoutMs);
  const shortestMs = Math.min(connectTimeoutMs, idleTimeoutMs, timeoutMs, minSpeedWindowMs, ...ofHosts);
  return Math.max(MIN_TICK_MS, Math.min(MAX_TICK_MS, shortestMs / 4));
}

function failed(error: FetchError): PendingFetch {
  const ignore = (): void => {};
  return { promise: Promise.reject(error), pause: ignore, resume: ignore, abort: ignore };
}
