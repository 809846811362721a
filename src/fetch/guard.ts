import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { FetchError, UsageError } from '../base/errors.js';
import type { GuardOptions } from './contract.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/**
 * Decides which addresses may be connected to. It is asked at connect time with the very address that is then connected
 * to, so that neither a redirect nor a name that changes its address gets around it.
 */
export class Guard {
  readonly #allowPrivate: boolean;
  readonly #networks: Network[];
  /** `host` and `host port`, addresses in their normal form. */
  readonly #seeds = new Set<string>();
  readonly #seedHosts = new Set<string>();
  readonly #ports: ReadonlySet<number>;

  constructor(options: GuardOptions) {
    this.#allowPrivate = options.allowPrivate;
    this.#networks = options.allowNetworks.map(parseNetwork);
    this.#ports = new Set(options.allowPorts);
    for (const text of options.allowAddresses) {
      const seed = parseHostPort(text);
      if (seed === null) {
        throw new UsageError(`"${text}" is not a host or host:port that the guard could let through.`);
      }
      const host = normalHost(seed.host);
      this.#seeds.add(seed.port === '' ? host : `${host} ${seed.port}`);
      this.#seedHosts.add(host);
    }
  }

  /** Throws for a port that belongs to another protocol, whatever address it is at. */
  checkPort(host: string, port: number): void {
    if (!BAD_PORTS.has(port) || this.#ports.has(port)) {
      return;
    }
    throw new FetchError(
      'blocked_address',
      `${host}: port ${port} belongs to another protocol, and browsers refuse it too; a seed with that port opens it.`,
    );
  }

  /**
   * Whether a request for `host` may go to `address`. A port of null stands for any: then the answer is only good for
   * telling addresses apart, not for connecting.
   */
  allows(address: string, host: string, port: number | null): boolean {
    if (this.#allowPrivate) {
      return true;
    }
    if (this.#isSeed(normalHost(host), port)) {
      return true;
    }
    const parsed = parseAddress(address);
    if (parsed === null) {
      return false;
    }
    return isPublic(parsed) || this.#networks.some(([network, bits]) => contains(network, bits, parsed));
  }

  #isSeed(host: string, port: number | null): boolean {
    if (port === null) {
      return this.#seedHosts.has(host);
    }
    return this.#seeds.has(host) || this.#seeds.has(`${host} ${port}`);
  }
}

/** Reads a network as CIDR; a single address is a network of one. */
export function parseNetwork(text: string): Network {
  const single = parseAddress(text);
  if (single !== null) {
    return [single, single.kind() === 'ipv4' ? 32 : 128];
  }
  if (ipaddr.isValidCIDR(text)) {
    return ipaddr.parseCIDR(text);
  }
  throw new UsageError(`"${text}" is not a network: write it as 10.0.0.0/8 or fd00::/8.`);
}

export function isPublicAddress(address: string): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && isPublic(parsed);
}

/**
 * Where clouds serve their machines alone, secrets included, at an address that looks like any other: Azure's wire server. The services of AWS,
 * Google, Oracle, Alibaba, Tencent and the rest are at link-local, unique local, shared or reserved addresses.
 */
const METADATA_IPV4: ReadonlySet<string> = new Set(['168.63.129.16']);

const isPublicIpv4 = (address: ipaddr.IPv4): boolean =>
  address.range() === 'unicast' && !METADATA_IPV4.has(address.toString());

function isPublic(address: Address): boolean {
  if (address instanceof ipaddr.IPv4) {
    return isPublicIpv4(address);
  }
  const parts = address.parts as [number, number, number, number, number, number, number, number];
  const embedded = embeddedIpv4(parts);
  if (embedded !== null) {
    return isPublicIpv4(embedded);
  }
  // 2000::/3 is all that is routed; ipaddr.js calls the rest of the unassigned space unicast too.
  return parts[0] >>> 13 === 1 && address.range() === 'unicast';
}

/**
 * The IPv4 address that a packet ends up at through NAT64 (64:ff9b::/96, how networks with IPv6 only reach the rest) or 6to4
 * (2002::/16). IPv4-mapped, IPv4-compatible and Teredo addresses are in no honest DNS answer and simply are not public.
 */
function embeddedIpv4(parts: [number, number, number, number, number, number, number, number]): ipaddr.IPv4 | null {
  const [a, b, c, d, e, f, g, h] = parts;
  if (a === 0x64 && b === 0xff9b && (c | d | e | f) === 0) {
    return ipv4(g, h);
  }
  if (a === 0x2002) {
    return ipv4(b, c);
  }
  return null;
}

const ipv4 = (high: number, low: number): ipaddr.IPv4 =>
  new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);

function contains(network: Address, bits: number, address: Address): boolean {
  if (network instanceof ipaddr.IPv4) {
    return address instanceof ipaddr.IPv4 && address.match(network, bits);
  }
  return address instanceof ipaddr.IPv6 && address.match(network, bits);
}

/** Dotted quads only: the octal, hexadecimal and short forms never come out of the URL parser or of DNS. */
function parseAddress(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) {
    return ipaddr.IPv4.parse(text);
  }
  return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : null;
}

const normalHost = (host: string): string => parseAddress(host)?.toString() ?? host.toLowerCase();

/**
 * Ports of other protocols, as the Fetch standard lists them (https://fetch.spec.whatwg.org/#port-blocking). A mail server, for example, could
 * read a request as commands of its own; no browser connects to these ports, and a page must not make us do it.
 */
export const BAD_PORTS: ReadonlySet<number> = new Set([
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109],
  ...[110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530],
  ...[531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190],
  ...[5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);

/** A host without brackets, in lower case; `port` is '' if none is given. */
interface HostPort {
  host: string;
  port: string;
}

/** Reads `host`, `host:port`, `[v6]:port` and a bare `v6`; null if it is none of them. */
function parseHostPort(text: string): HostPort | null {
  if (isIPv6(text)) {
    return { host: text.toLowerCase(), port: '' };
  }
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text);
  if (match === null) {
    return null;
  }
  const [, v6, name, port = ''] = match;
  if (v6 !== undefined && !isIPv6(v6)) {
    return null;
  }
  if (Number(port) > 65_535) {
    return null;
  }
  return { host: (v6 ?? name ?? '').toLowerCase(), port };
}
