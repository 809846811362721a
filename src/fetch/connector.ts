import { isIP, connect as netConnect, type Socket, type TcpNetConnectOpts } from 'node:net';
import { checkServerIdentity, createSecureContext, rootCertificates, connect as tlsConnect } from 'node:tls';
import type { Clock } from '../base/clock.js';
import { FetchError } from '../base/errors.js';
import { Attempt } from './attempt.js';
import { classify } from './classify.js';
import { type ConnectTo, findConnectTo, parseConnectTo } from './connect-to.js';
import type { FetchOptions } from './contract.js';
import type { Deadlines } from './deadlines.js';
import { Guard } from './guard.js';
import { withBrackets } from './host-port.js';
import { HttpProxy } from './proxy.js';
import { mayHaveOtherFamily, Resolver } from './resolver.js';
import { orShortage, Shortage } from './shortage.js';

/** Where a URL says that its server is. */
export interface Endpoint {
  origin: string;
  isTls: boolean;
  host: string;
  port: number;
}

export interface Connected {
  socket: Socket;
  isH2: boolean;
  /** The address that the guard has let through; null behind a proxy. */
  address: string | null;
}

/** Of one name, where there is no descriptor to ask with. */
const MOST_LOOK_UPS = 20;
const LOOK_UP_PAUSE_MS = 100;

/**
 * From an endpoint to a connected socket: `--connect-to`, proxy, name, guard, TCP, TLS. Sockets are opened to addresses only,
 * never to names, so the address that the guard has checked is the one that is connected to.
 */
export class Connector {
  readonly #proxy: HttpProxy | null;
  readonly #options: FetchOptions;
  readonly #clock: Clock;
  readonly #deadlines: Deadlines;
  readonly #mappings: ConnectTo[];
  readonly #guard: Guard;
  readonly #resolver: Resolver;
  readonly #secureContext;
  #sockets = 0;

  constructor(options: FetchOptions, clock: Clock, deadlines: Deadlines) {
    this.#options = options;
    this.#clock = clock;
    this.#deadlines = deadlines;
    this.#proxy = options.proxy === null ? null : new HttpProxy(options.proxy);
    this.#mappings = options.connectTo.map(parseConnectTo);
    this.#guard = new Guard(options.guard);
    this.#resolver = new Resolver(options.dnsServers, clock, options.verboseNetwork);
    // One for all connections: making it reads every root certificate.
    this.#secureContext = createSecureContext(
      options.cacert === null ? {} : { ca: [...rootCertificates, options.cacert] },
    );
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

  /** The proxy that a request must be addressed to by its whole URL; null where its server is spoken to as if directly. */
  plainProxyFor({ isTls, host, port }: Endpoint): HttpProxy | null {
    return isTls || findConnectTo(this.#mappings, host, port) !== null ? null : this.#proxy;
  }

  /** The next connection to it goes to an address that is looked up anew. */
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

  /** The address that requests for a host go to. Behind a proxy that is not known, and the host itself is given back. */
  async resolve(host: string): Promise<string> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#resolve(host);
      } catch (error) {
        if (!(error instanceof Shortage) || tries === MOST_LOOK_UPS) throw error;
        await new Promise<void>((done) => void this.#clock.at(this.#clock.now() + LOOK_UP_PAUSE_MS * tries, done));
      }
    }
  }

  async #resolve(host: string): Promise<string> {
    const target = findConnectTo(this.#mappings, host, null)?.toHost || null;
    if (target === null && this.#proxy !== null) return host;
    const addresses = await this.#lookUp(target ?? host);
    const address = target === null ? addresses.find((each) => this.#guard.allows(each, host, null)) : addresses[0];
    if (address === undefined) throw blocked(host, addresses);
    return address;
  }

  async #lookUp(host: string): Promise<string[]> {
    const known = this.#resolver.known(host);
    if (known !== null) return known;
    try {
      return await this.#resolver.addresses(host, 4);
    } catch (error) {
      if (!mayHaveOtherFamily(error)) throw error;
      return await this.#resolver.addresses(host, 6);
    }
  }

  /** A mapped endpoint is connected to directly, also where there is a proxy: the mapping says where it is. */
  async #open(endpoint: Endpoint, attempt: Attempt): Promise<Connected> {
    const { host, port } = endpoint;
    const mapping = findConnectTo(this.#mappings, host, port);
    // Who names the port in --connect-to wants it.
    if (mapping === null || mapping.port === '') this.#guard.checkPort(host, port);
    if (mapping === null && this.#proxy !== null) return await this.#openThroughProxy(this.#proxy, endpoint, attempt);
    const target = mapping?.toHost || host;
    // Who names an address in --connect-to wants it; one who only changes the port has said nothing about the address.
    const isNamed = Boolean(mapping?.toHost);
    const isAllowed = (address: string): boolean => isNamed || this.#guard.allows(address, host, port);
    const { socket, address } = await this.#reach(target, Number(mapping?.toPort || port), isAllowed, attempt);
    if (!endpoint.isTls) return { socket, address, isH2: false };
    return { ...(await this.#secure(socket, host, this.#options.http2, attempt)), address };
  }

  /** The proxy looks the names up, so of the guard only the part about addresses that are known here is left. */
  async #openThroughProxy(proxy: HttpProxy, endpoint: Endpoint, attempt: Attempt): Promise<Connected> {
    const { host, port } = endpoint;
    const known = this.#resolver.known(host);
    if (known !== null && !known.some((address) => this.#guard.allows(address, host, port))) throw blocked(host, known);
    const toProxy = await this.#reachProxy(proxy, attempt);
    if (!endpoint.isTls) return { socket: toProxy.socket, isH2: false, address: null };
    const tunnel = await attempt.during(proxy.openTunnel(toProxy.socket, host, port));
    return { ...(await this.#secure(tunnel, host, this.#options.http2, attempt)), address: null };
  }

  /** Where the proxy is dead, it is the proxy that is named and not the page behind it. */
  async #reachProxy(proxy: HttpProxy, attempt: Attempt): Promise<{ socket: Socket }> {
    try {
      const plain = await this.#reach(proxy.host, proxy.port, () => true, attempt);
      return proxy.isTls ? await this.#secure(plain.socket, proxy.host, false, attempt) : plain;
    } catch (error) {
      attempt.throwIfCancelled();
      if (error instanceof Shortage) throw error;
      const { errorClass, message } = classify(error, this.#options.verboseNetwork);
      throw new FetchError(
        errorClass,
        `The proxy ${withBrackets(proxy.host)}:${proxy.port} cannot be used: ${message}`,
        {
          cause: error,
        },
      );
    }
  }

  /**
   * IPv6 is asked for only where IPv4 is missing or leads nowhere: that halves the queries of a crawl over many hosts. Until that is known, a
   * part of the time is kept for it; where there is no IPv6 either, IPv4 gets that part too.
   */
  async #reach(host: string, port: number, isAllowed: (address: string) => boolean, attempt: Attempt) {
    const known = this.#resolver.known(host);
    if (known !== null) return await this.#tryEach(known, host, port, isAllowed, attempt);
    let older: string[] = [];
    let failure: unknown;
    try {
      older = await attempt.during(this.#resolver.addresses(host, 4));
      return await this.#tryEach(older, host, port, isAllowed, attempt, 1);
    } catch (error) {
      attempt.throwIfCancelled();
      if (!mayHaveOtherFamily(error) && !isUnconnected(error)) throw error;
      failure = error;
    }
    const newer = await attempt.during(this.#resolver.addresses(host, 6)).catch(noneUnlessShort);
    attempt.throwIfCancelled();
    if (newer.length === 0 && !isTimeout(failure)) throw failure;
    try {
      return await this.#tryEach(newer.length === 0 ? older : newer, host, port, isAllowed, attempt);
    } catch (error) {
      attempt.throwIfCancelled();
      throw older.length === 0 || error instanceof Shortage ? error : failure;
    }
  }

  /** @param others places to try after these, for which time is kept */
  async #tryEach(
    addresses: string[],
    host: string,
    port: number,
    isAllowed: (address: string) => boolean,
    attempt: Attempt,
    others = 0,
  ): Promise<{ socket: Socket; address: string }> {
    const allowed = addresses.filter(isAllowed);
    if (allowed.length === 0) throw blocked(host, addresses);
    let failure: unknown;
    for (const [index, address] of allowed.entries()) {
      attempt.throwIfCancelled();
      const socket = this.#openSocket(address, port);
      try {
        await attempt.established(socket, 'connect', this.#clock.now(), 1 / (allowed.length + others - index));
        return { socket, address };
      } catch (error) {
        attempt.throwIfCancelled();
        const meaning = orShortage(error, address);
        if (meaning instanceof Shortage) throw meaning;
        failure ??= error;
      }
    }
    throw failure;
  }

  #openSocket(address: string, port: number): Socket {
    const options: TcpNetConnectOpts & { highWaterMark: number } = {
      host: address,
      port,
      noDelay: true,
      // The address is a literal: nothing is left to look up or to choose from.
      autoSelectFamily: false,
      highWaterMark: 64 * 1024,
    };
    this.#sockets++;
    return netConnect(options).once('close', () => this.#sockets--);
  }

  /** The certificate must be one for the host of the URL, whatever address was connected to. */
  async #secure(socket: Socket, host: string, http2: boolean, attempt: Attempt) {
    attempt.throwIfCancelled();
    const secure = tlsConnect({
      socket,
      servername: isIP(host) === 0 ? host : '',
      secureContext: this.#secureContext,
      rejectUnauthorized: !this.#options.insecure,
      checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
      ALPNProtocols: http2 ? ['h2', 'http/1.1'] : ['http/1.1'],
    });
    await attempt.established(secure, 'secureConnect', this.#clock.now());
    return { socket: secure, isH2: secure.alpnProtocol === 'h2' };
  }
}

/** Whether an address was tried and led nowhere; what the guard or a name server says is final. */
const isUnconnected = (error: unknown): boolean =>
  !(error instanceof FetchError) ||
  !(error instanceof Shortage || ['blocked_address', 'dns'].includes(error.errorClass));

const noneUnlessShort = (error: unknown): string[] => {
  if (error instanceof Shortage) throw error;
  return [];
};

const isTimeout = (error: unknown): boolean => error instanceof FetchError && error.errorClass === 'timeout';

const blocked = (host: string, addresses: string[]): FetchError =>
  new FetchError(
    'blocked_address',
    `${host} is at ${addresses[0]}, which is not a public address; --allow-network or --allow-private lets it through.`,
  );
