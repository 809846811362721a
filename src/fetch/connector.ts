import { isIP, isIPv6, connect as netConnect, type Socket, type TcpNetConnectOpts } from 'node:net';
import {
  checkServerIdentity,
  createSecureContext,
  rootCertificates,
  type SecureContext,
  type SecureContextOptions,
  type TLSSocket,
  connect as tlsConnect,
} from 'node:tls';
import { domainToASCII } from 'node:url';
import type { Clock, Deadlines } from '../base/clock.js';
import { FetchError, UsageError } from '../base/errors.js';
import { withBrackets } from '../url/host.js';
import type { AppliedPolicy, HostPolicies } from '../url/host-policies.js';
import { Attempt } from './attempt.js';
import { classify } from './classify.js';
import type { ClientCertificate, FetchOptions } from './contract.js';
import { Guard } from './guard.js';
import { Http1 } from './http1.js';
import { Http2 } from './http2.js';
import { Proxies, type ProxyServer } from './proxy.js';
import { mayHaveOtherFamily, Resolver } from './resolver.js';
import { orShortage, Shortage } from './shortage.js';
import { ProxyRefusal } from './socks5.js';
import type { Intake, Wire } from './wire.js';

/** The place of the server as the URL gives it. */
export interface Endpoint {
  origin: string;
  /** The key for sharing connections: its origin, and the proxy if each request has its own. */
  pool: string;
  isTls: boolean;
  host: string;
  port: number;
}

export interface Connected {
  wire: Wire;
  socket: Socket;
  /** The address that the guard has let through; null behind a proxy. */
  address: string | null;
}

/** All sockets of a thread read into it, one after the other: each read is taken before the next one begins. */
const INTAKE_BYTES = 64 * 1024;
let intakeBuffer: Buffer | null = null;
/** If reads are begun before there is anything to read, as on Windows, sockets cannot share a buffer. */
const SHARES_INTAKE = process.platform !== 'win32';

/** The most look-ups of one name while there is no descriptor to ask with. */
const MOST_LOOK_UPS = 20;
const LOOK_UP_PAUSE_MS = 100;

/**
 * From an endpoint to a connected socket: `--connect-to`, proxy, name, guard, TCP, TLS. Sockets are opened to addresses only,
 * never to names, so the address that the guard has checked is the one that is connected to.
 */
export class Connector {
  readonly #proxies: Proxies;
  readonly #policies: HostPolicies;
  /** Proxies of single hosts, by their URL. */
  readonly #proxiesOfHosts = new Map<string, Proxies>();
  readonly #options: FetchOptions;
  readonly #clock: Clock;
  readonly #deadlines: Deadlines;
  readonly #mappings: ConnectTo[];
  readonly #guard: Guard;
  readonly #resolver: Resolver;
  readonly #secureContext: SecureContext;
  /** By origin, made at its first connection. */
  readonly #contextsOfClients = new Map<string, SecureContext>();
  #sockets = 0;

  constructor(options: FetchOptions, clock: Clock, deadlines: Deadlines, policies: HostPolicies) {
    this.#options = options;
    this.#policies = policies;
    this.#clock = clock;
    this.#deadlines = deadlines;
    this.#proxies = new Proxies(options.proxies, options.proxyRotation ?? 'host', clock);
    this.#mappings = options.connectTo.map(parseConnectTo);
    this.#guard = new Guard(options.guard);
    this.#resolver = new Resolver(options.dnsServers, clock, options.verboseNetwork);
    // Shared by all connections, because making it reads every root certificate.
    this.#secureContext = createSecureContext(this.#trusted);
  }

  get #trusted(): SecureContextOptions {
    const { cacert } = this.#options;
    return cacert === null ? {} : { ca: [...rootCertificates, cacert] };
  }

  /** A certificate of the user's goes to its own origin alone, however a server asks for one. */
  #contextFor(origin: string): SecureContext {
    const certificates = this.#options.clientCertificates ?? {};
    if (!Object.hasOwn(certificates, origin)) {
      return this.#secureContext;
    }
    let context = this.#contextsOfClients.get(origin);
    if (context === undefined) {
      context = createSecureContext({ ...this.#trusted, ...asSecureContext(certificates[origin]!) });
      this.#contextsOfClients.set(origin, context);
    }
    return context;
  }

  get sockets(): number {
    return this.#sockets;
  }

  get dnsQueries(): number {
    return this.#resolver.queries;
  }

  close(): void {
    this.#resolver.close();
  }

  /** Which connections a request for an origin may share. */
  poolOf(origin: string, host: string): string {
    const proxies = this.#proxiesFor(this.#policies.ofOrigin(origin));
    return proxies.isEmpty ? origin : `${origin} ${proxies.place(host)}`;
  }

  /** The proxy that is named for a host, or those for all. */
  #proxiesFor({ proxy }: AppliedPolicy): Proxies {
    if (proxy === undefined) {
      return this.#proxies;
    }
    const known = this.#proxiesOfHosts.get(proxy) ?? new Proxies(proxy === 'none' ? [] : [proxy], 'host', this.#clock);
    this.#proxiesOfHosts.set(proxy, known);
    return known;
  }

  /** Makes the next connection look the name up again. */
  forgetName({ host, port }: Endpoint): void {
    this.#resolver.forget(findConnectTo(this.#mappings, host, port)?.toHost || host);
  }

  /** Starts at once; `done` is called exactly once. */
  connect(endpoint: Endpoint, done: (error: FetchError | null, connected: Connected | null) => void): Attempt {
    const attempt = new Attempt(endpoint.host, this.#clock.now(), this.#options.connectTimeoutMs);
    this.#deadlines.watch(attempt);
    this.#open(endpoint, attempt)
      .finally(() => this.#deadlines.forget(attempt))
      .then(
        (connected) => done(null, connected),
        (error: unknown) => done(classify(error, this.#options.verboseNetwork), null),
      );
    return attempt;
  }

  /** The address that requests for a host go to. Behind a proxy it is not known, and the host itself is returned. */
  async resolve(host: string): Promise<string> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#resolve(host);
      } catch (error) {
        if (!(error instanceof Shortage) || tries === MOST_LOOK_UPS) {
          throw error;
        }
        await new Promise<void>((done) => void this.#clock.at(this.#clock.now() + LOOK_UP_PAUSE_MS * tries, done));
      }
    }
  }

  async #resolve(host: string): Promise<string> {
    const target = findConnectTo(this.#mappings, host, null)?.toHost || null;
    const proxies = this.#proxiesFor(this.#policies.ofHost(withBrackets(host)));
    if (target === null && !proxies.isEmpty && !proxies.wantAddresses) {
      return host;
    }
    const addresses = await this.#lookUp(target ?? host);
    const address = target === null ? addresses.find((each) => this.#guard.allows(each, host, null)) : addresses[0];
    if (address === undefined) {
      throw blocked(host, addresses);
    }
    return address;
  }

  async #lookUp(host: string): Promise<string[]> {
    const known = this.#resolver.known(host);
    if (known !== null) {
      return known;
    }
    try {
      return await this.#resolver.addresses(host, 4);
    } catch (error) {
      if (!mayHaveOtherFamily(error)) {
        throw error;
      }
      return await this.#resolver.addresses(host, 6);
    }
  }

  /** An endpoint with a mapping is connected to directly, even if there is a proxy: the mapping says where it is. */
  async #open(endpoint: Endpoint, attempt: Attempt): Promise<Connected> {
    const { host, port } = endpoint;
    const mapping = findConnectTo(this.#mappings, host, port);
    // A port named in --connect-to is wanted.
    if (mapping === null || mapping.port === '') {
      this.#guard.checkPort(host, port);
    }
    const proxies = this.#proxiesFor(this.#policies.ofOrigin(endpoint.origin));
    if (mapping === null && !proxies.isEmpty) {
      return await this.#openThroughSome(proxies, endpoint, attempt);
    }
    const target = mapping?.toHost || host;
    // An address named in --connect-to is wanted; a mapping of the port alone says nothing about the address.
    const isNamed = Boolean(mapping?.toHost);
    const isAllowed = (address: string): boolean => isNamed || this.#guard.allows(address, host, port);
    const intake: Intake | null = endpoint.isTls || !SHARES_INTAKE ? null : { taker: null };
    const atPort = Number(mapping?.toPort || port);
    const { socket, address } = await this.#reach({ host: target, port: atPort, isAllowed, intake }, attempt);
    if (!endpoint.isTls) {
      return { wire: new Http1(socket, hostOf(endpoint), intake), socket, address };
    }
    return { ...(await this.#speakSecurely(socket, endpoint, attempt)), address };
  }

  /** One proxy after the other, until one of them can be used. */
  async #openThroughSome(proxies: Proxies, endpoint: Endpoint, attempt: Attempt): Promise<Connected> {
    const place = Number(endpoint.pool.slice(endpoint.pool.lastIndexOf(' ') + 1));
    const inTurn = proxies.from(place);
    // Whether they or the host are to blame is known when another one gets through.
    const silent: ProxyServer[] = [];
    for (const [index, proxy] of inTurn.entries()) {
      try {
        const connected = await this.#openThroughProxy(proxy, endpoint, attempt, inTurn.length - index);
        proxies.worked(proxy);
        for (const each of silent) {
          proxies.failed(each);
        }
        return connected;
      } catch (error) {
        if (error instanceof SilentProxy && index < inTurn.length - 1 && !attempt.isCancelled) {
          silent.push(proxy);
          continue;
        }
        if (error instanceof SilentProxy) {
          throw error;
        }
        attempt.throwIfCancelled();
        if (!(error instanceof DeadProxy)) {
          throw error;
        }
        proxies.failed(proxy);
        if (index === inTurn.length - 1) {
          const { count } = proxies;
          const words = count === 1 ? error.message : `None of the ${count} proxies can be used. ${error.message}`;
          throw new FetchError(error.errorClass, words, { cause: error.cause });
        }
      }
    }
    throw new FetchError('internal', 'There is no proxy.');
  }

  /**
   * Where the proxy looks names up (http, https, socks5h), the guard can only check addresses that are known here. One that is told addresses
   * (socks5) gets one that the guard has let through.
   *
   * @param left proxies to try, this one among them: each may take its part of the time that is left
   */
  async #openThroughProxy(proxy: ProxyServer, endpoint: Endpoint, attempt: Attempt, left: number): Promise<Connected> {
    const { host, port } = endpoint;
    const address = proxy.wantsAddresses ? await this.#addressOf(endpoint, attempt) : null;
    const known = this.#resolver.known(host);
    if (known !== null && !known.some((each) => this.#guard.allows(each, host, port))) {
      throw blocked(host, known);
    }
    const { socket } = await this.#reachProxy(proxy, attempt, left);
    if (!endpoint.isTls && !proxy.isSocks) {
      return { wire: new Http1(socket, hostOf(endpoint), null, { origin: endpoint.origin, proxy }), socket, address };
    }
    const place = { host: address ?? host, port, share: 1 / left };
    const tunnel = await this.#openTunnel(proxy, socket, place, attempt);
    if (!endpoint.isTls) {
      return { wire: new Http1(tunnel, hostOf(endpoint), null), socket: tunnel, address };
    }
    try {
      return { ...(await this.#speakSecurely(tunnel, endpoint, attempt, place.share)), address };
    } catch (error) {
      throw isTimeout(error) ? silentProxy(proxy, place, error) : error;
    }
  }

  async #addressOf({ host, port }: Endpoint, attempt: Attempt): Promise<string> {
    const addresses = await attempt.during(this.#lookUp(host));
    const address = addresses.find((each) => this.#guard.allows(each, host, port));
    if (address === undefined) {
      throw blocked(host, addresses);
    }
    return address;
  }

  async #openTunnel(
    proxy: ProxyServer,
    socket: Socket,
    { host, port, share }: { host: string; port: number; share: number },
    attempt: Attempt,
  ): Promise<Socket> {
    try {
      return await attempt.within(socket, proxy.openTunnel(socket, host, port), this.#clock.now(), share);
    } catch (error) {
      if (isTimeout(error)) {
        throw silentProxy(proxy, { host, port }, error);
      }
      attempt.throwIfCancelled();
      const isOfHost = error instanceof FetchError && !(error instanceof ProxyRefusal);
      throw isOfHost ? error : this.#deadProxy(proxy, error);
    }
  }

  /** TLS on a connection to the server, and whichever version of HTTP the two agree on. */
  async #speakSecurely(
    plain: Socket,
    endpoint: Endpoint,
    attempt: Attempt,
    share = 1,
  ): Promise<{ wire: Wire; socket: Socket }> {
    const { host, origin } = endpoint;
    const socket = await this.#secure(plain, { host, http2: this.#options.http2, origin }, attempt, share);
    if (socket.alpnProtocol === 'h2') {
      return { wire: await Http2.open(endpoint.origin, socket), socket };
    }
    return { wire: new Http1(socket, hostOf(endpoint), null), socket };
  }

  /** If the proxy is dead, the error names the proxy and not the page behind it. */
  async #reachProxy(proxy: ProxyServer, attempt: Attempt, left: number): Promise<{ socket: Socket }> {
    try {
      const { host, port } = proxy;
      const place = { host, port, isAllowed: () => true, intake: null, share: 1 / left };
      const { socket } = await this.#reach(place, attempt);
      const secured = { host, http2: false, origin: '' };
      return { socket: proxy.isTls ? await this.#secure(socket, secured, attempt, 1 / left) : socket };
    } catch (error) {
      attempt.throwIfCancelled();
      if (error instanceof Shortage) {
        throw error;
      }
      throw this.#deadProxy(proxy, error);
    }
  }

  #deadProxy(proxy: ProxyServer, error: unknown): DeadProxy {
    const { errorClass, message } = classify(error, this.#options.verboseNetwork);
    return new DeadProxy(errorClass, `The proxy ${proxy.place} cannot be used: ${message}`, { cause: error });
  }

  /**
   * IPv6 is asked for only where IPv4 is missing or leads nowhere: that halves the queries of a crawl over many hosts. Until that is known, a
   * part of the time is kept for it; where there is no IPv6 either, IPv4 gets that part too.
   */
  async #reach(place: Place, attempt: Attempt): Promise<{ socket: Socket; address: string }> {
    const { host } = place;
    const known = this.#resolver.known(host);
    if (known !== null) {
      return await this.#tryEach(known, place, attempt);
    }
    let older: string[] = [];
    let failure: unknown;
    try {
      older = await attempt.during(this.#resolver.addresses(host, 4));
      return await this.#tryEach(older, place, attempt, 1);
    } catch (error) {
      attempt.throwIfCancelled();
      if (!mayHaveOtherFamily(error) && !isUnconnected(error)) {
        throw error;
      }
      failure = error;
    }
    const newer = await attempt.during(this.#resolver.addresses(host, 6)).catch(noneUnlessShort);
    attempt.throwIfCancelled();
    if (newer.length === 0 && !isTimeout(failure)) {
      throw failure;
    }
    try {
      return await this.#tryEach(newer.length === 0 ? older : newer, place, attempt);
    } catch (error) {
      attempt.throwIfCancelled();
      throw older.length === 0 || error instanceof Shortage ? error : failure;
    }
  }

  /** @param others places to try after these, for which time is kept */
  async #tryEach(
    addresses: string[],
    { host, port, isAllowed, intake, share = 1 }: Place,
    attempt: Attempt,
    others = 0,
  ): Promise<{ socket: Socket; address: string }> {
    const allowed = addresses.filter(isAllowed);
    if (allowed.length === 0) {
      throw blocked(host, addresses);
    }
    let failure: unknown;
    for (const [index, address] of allowed.entries()) {
      attempt.throwIfCancelled();
      const socket = this.#openSocket(address, port, intake);
      try {
        await attempt.established(socket, 'connect', this.#clock.now(), share / (allowed.length + others - index));
        return { socket, address };
      } catch (error) {
        attempt.throwIfCancelled();
        const meaning = orShortage(error, address);
        if (meaning instanceof Shortage) {
          throw meaning;
        }
        failure ??= error;
      }
    }
    throw failure;
  }

  #openSocket(address: string, port: number, intake: Intake | null): Socket {
    const options: TcpNetConnectOpts & { highWaterMark: number } = {
      host: address,
      port,
      noDelay: true,
      // The address is a literal: nothing is left to look up or to choose from.
      autoSelectFamily: false,
      highWaterMark: 64 * 1024,
    };
    if (intake !== null) {
      intakeBuffer ??= Buffer.allocUnsafeSlow(INTAKE_BYTES);
      options.onread = {
        buffer: intakeBuffer,
        callback: (length, bytes) => intake.taker?.(bytes as Buffer, length) ?? false,
      };
    }
    this.#sockets++;
    return netConnect(options).once('close', () => this.#sockets--);
  }

  /** The certificate must be one for the host of the URL, whatever address was connected to. */
  async #secure(
    socket: Socket,
    { host, http2, origin }: { host: string; http2: boolean; origin: string },
    attempt: Attempt,
    share = 1,
  ): Promise<TLSSocket> {
    attempt.throwIfCancelled();
    const secure = tlsConnect({
      socket,
      servername: isIP(host) === 0 ? host : '',
      secureContext: this.#contextFor(origin),
      rejectUnauthorized: !this.#options.insecure,
      checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
      ALPNProtocols: http2 ? ['h2', 'http/1.1'] : ['http/1.1'],
    });
    await attempt.established(secure, 'secureConnect', this.#clock.now(), share);
    return secure;
  }
}

/** The proxy itself cannot be used: the host behind it is not to blame, and another proxy may be tried. */
class DeadProxy extends FetchError {}

/** A proxy has let the time pass in which it was to open the way to a host: one of the two gives no answer. */
class SilentProxy extends FetchError {}

const silentProxy = (proxy: ProxyServer, { host, port }: { host: string; port: number }, cause: unknown): SilentProxy =>
  new SilentProxy('timeout', `The proxy ${proxy.place} has opened no way to ${withBrackets(host)}:${port} in time.`, {
    cause,
  });

/** Where to connect to. */
interface Place {
  host: string;
  port: number;
  isAllowed(address: string): boolean;
  /** The part of the remaining time that may be spent on it; all of it by default. */
  share?: number;
  intake: Intake | null;
}

/** What createSecureContext takes: bytes that came from another thread are no Buffer any more. */
export function asSecureContext(certificate: ClientCertificate): SecureContextOptions {
  return 'pfx' in certificate ? { ...certificate, pfx: Buffer.from(certificate.pfx) } : certificate;
}

const hostOf = ({ origin }: Endpoint): string => origin.slice(origin.indexOf('//') + 2);

/** Whether an address was tried and could not be connected to; what the guard or a name server says is final. */
const isUnconnected = (error: unknown): boolean =>
  !(error instanceof FetchError) ||
  !(error instanceof Shortage || ['blocked_address', 'dns'].includes(error.errorClass));

const noneUnlessShort = (error: unknown): string[] => {
  if (error instanceof Shortage) {
    throw error;
  }
  return [];
};

const isTimeout = (error: unknown): boolean => error instanceof FetchError && error.errorClass === 'timeout';

const blocked = (host: string, addresses: string[]): FetchError =>
  new FetchError(
    'blocked_address',
    `${host} is at ${addresses[0]}, which is not a public address; --allow-network or --allow-private lets it through.`,
  );

/** One `--connect-to`: '' matches any host or port, and leaves host or port as they are. */
interface ConnectTo {
  host: string;
  port: string;
  toHost: string;
  toPort: string;
}

/** Reads HOST:PORT:ADDR:PORT as curl does; each part may be empty, IPv6 addresses stand in brackets. */
export function parseConnectTo(text: string): ConnectTo {
  const part = String.raw`(\[[^\]]*\]|[^:[\]]*)`;
  const match = new RegExp(`^${part}:(\\d*):${part}:(\\d*)$`).exec(text);
  if (match === null) {
    throw new UsageError(`"${text}" is not HOST:PORT:ADDR:PORT: give all four parts, empty ones match anything.`);
  }
  const [, host = '', port = '', toHost = '', toPort = ''] = match;
  return {
    host: readHost(host, text),
    port: readPort(port, text),
    toHost: readHost(toHost, text),
    toPort: readPort(toPort, text),
  };
}

/** The first mapping that matches, as in curl; a port of null stands for any. */
export function findConnectTo(mappings: readonly ConnectTo[], host: string, port: number | null): ConnectTo | null {
  const matchesPort = (wanted: string): boolean => wanted === '' || port === null || Number(wanted) === port;
  return (
    mappings.find((mapping) => (mapping.host === '' || mapping.host === host) && matchesPort(mapping.port)) ?? null
  );
}

function readHost(part: string, text: string): string {
  if (!part.startsWith('[')) {
    return domainToASCII(part) || part.toLowerCase();
  }
  const address = part.slice(1, -1);
  if (!isIPv6(address)) {
    throw new UsageError(`"${part}" in "${text}" is not an IPv6 address.`);
  }
  // The form that the URL parser gives a host, which is what it is compared with.
  return new URL(`http://${part}/`).hostname.slice(1, -1);
}

function readPort(part: string, text: string): string {
  if (part !== '' && (Number(part) < 1 || Number(part) > 65_535)) {
    throw new UsageError(`${part} in "${text}" is not a port: it must lie between 1 and 65535.`);
  }
  return part;
}
