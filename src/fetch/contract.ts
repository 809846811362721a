import { FetchError } from '../base/errors.js';
import type { HostPolicy } from '../url/host-policies.js';
import type { ResponseHeaders } from './response-headers.js';

export type Header = [name: string, value: string];

/** Fixed for a crawl. */
export interface FetchOptions {
  userAgent: string;
  /** Sent to every origin; a header of the same name in `originHeaders` wins. */
  headers: Header[];
  /** Sent to that origin only (`https://host:port`, default port left out): credentials live here. */
  originHeaders: Record<string, Header[]>;
  /** URLs of http:, https:, socks5: or socks5h:, with user:password@ if a proxy wants them. */
  proxies: readonly string[];
  /** Whether a host stays with its proxy, or each request goes through the next one. */
  proxyRotation?: 'host' | 'request';
  /** By https origin: servers of other origins that ask for a certificate get none. */
  clientCertificates?: Readonly<Record<string, ClientCertificate>>;
  insecure: boolean;
  /** PEM text, trusted besides the usual roots. */
  cacert: string | null;
  /** Covers the name, TCP and TLS together. */
  connectTimeoutMs: number;
  /** Longest silence: until the headers are complete, then between two pieces of the body. */
  idleTimeoutMs: number;
  /** From `fetch` to the last byte; time in which the body is paused does not count. */
  timeoutMs: number;
  minSpeedBytesPerSecond: number;
  minSpeedWindowMs: number;
  /** Holds for the bytes on the wire and for the decoded ones. */
  maxBodyBytes: number;
  /** Open connections at most; requests wait for one, those in use are never closed for it. */
  maxSockets: number;
  http2: boolean;
  /** HOST:PORT:ADDR:PORT as curl has it. */
  connectTo: string[];
  guard: GuardOptions;
  /** `address` or `address:port`; null asks the servers that the system names. */
  dnsServers: string[] | null;
  /** Messages of errors carry the whole chain of causes. */
  verboseNetwork: boolean;
  /** URLs that are requested from another place than their name says. */
  folders?: readonly FolderOrigin[];
  /** Only `folders` may be asked; everything else is refused. */
  onlyFolders?: boolean;
  /** Answers of earlier runs are reused from here, as HTTP allows. */
  cache?: CacheOptions;
  /** No requests are sent: the crawl that is kept in this directory has the answers. */
  keptIn?: string;
  /** No requests are sent: these archives have the answers. */
  archive?: {
    /** The file that says where the record of each URL stands. */
    index: string;
    parts: readonly { path: string }[];
    /** A body that unpacks to more than this is not read. */
    mostRecordBytes: number;
  };
  /** Headers, agent, proxy and time for some hosts only. Left out: none. */
  hosts?: readonly Pick<HostPolicy, 'match' | 'headers' | 'userAgent' | 'proxy' | 'timeoutMs'>[];
}

export interface CacheOptions {
  directory: string;
  /** The least recently used entries make room. */
  maxBytes: number;
  /** No request is made: URLs that are not in the cache fail. */
  only: boolean;
}

/** PEM, or PKCS#12 with both in one. */
export type ClientCertificate = ({ cert: string; key: string } | { pfx: Uint8Array }) & { passphrase?: string };

/** What lies below `path` of the origin is served at `to`, under the same path. */
export interface FolderOrigin {
  origin: string;
  path: string;
  /** This is an origin too. */
  to: string;
}

export interface GuardOptions {
  allowPrivate: boolean;
  /** CIDR. */
  allowNetworks: string[];
  /** `host` or `host:port` of seeds, names or literals: only the addresses of that very host are allowed. */
  allowAddresses: string[];
  /** Ports that may be asked although they belong to other protocols (`BAD_PORTS`), because seeds name them. */
  allowPorts?: number[];
}

export interface FetchRequest {
  url: string;
  method: 'GET' | 'HEAD' | 'POST';
  /** What a POST says; its type stands in `headers`. */
  body?: Uint8Array;
  /** For this request alone: each takes the place of one of the same name. Names are in lower case. */
  headers?: readonly Header[];
  /** Requests this many bytes from the start; any that a server sends beyond them are not read. */
  firstBytes?: number;
  accept: string;
  /** The host has a delay: its requests share one connection and wait for each other. */
  singleConnection: boolean;
  /** On a connection that is opened for it, to an address that is looked up for it: nothing that went wrong before can go wrong with it. */
  freshConnection?: boolean;
  /** False cuts the response off after its headers, which is still a success. Not asked for HEAD. */
  wantBody: (status: number, contentType: string | null) => boolean;
  /** Instead of the crawl's own limits for the whole and for silence. */
  timeoutMs?: number;
  idleTimeoutMs?: number;
  /** A body may be this large even if the crawl's own limit is lower: robots.txt and sitemaps have limits of their own. */
  leastMaxBodyBytes?: number;
  /** Besides the headers that the user gave its origin. */
  cookie?: string;
  ifModified?: { etag?: string; lastModified?: string };
  /**
   * Takes the decoded body piece by piece, instead of it being kept; nothing more is read while it has not taken the last one. There is
   * no limit on size and speed then: whoever counts calls the fetch off. It must not throw.
   */
  sink?: (piece: Buffer) => void | Promise<void>;
  /** The exchange is archived: the response says what was on the wire, of bodies that nobody reads too. */
  keepsWire?: boolean;
}

/** What was on the wire. */
export interface WireCopy {
  /** Path and query. */
  path: string;
  /** Of the request: names, in lower case, and values in turn. */
  requestHeaders: readonly string[];
  /** Still encoded, without chunks; good until `release`. */
  body: Buffer;
  /** Why the body is incomplete; null if it is whole. */
  truncated: 'length' | 'disconnect' | null;
}

export interface FetchResponse {
  status: number;
  headers: ResponseHeaders;
  /** Decoded; null if it was not wanted, or if a sink has taken it. */
  body: Buffer | null;
  /** Bytes of the body as they came, still encoded. */
  wireBytes: number;
  /** Bytes of `body`. */
  bodyBytes: number;
  /** Its body was not wanted. */
  cut: boolean;
  /** The connection ended before its body did. */
  endedEarly: boolean;
  /** It ended early or in the middle of an encoding: `body` is what could be had of it. */
  truncated: boolean;
  /** What is wrong with its encoding, in words, or null. */
  damage: string | null;
  /** From the request on the wire to the complete headers: neither DNS nor the connection count. */
  ttfbMs: number;
  headersAt: number;
  endedAt: number;
  /** From the cache, without a request. */
  cached?: true;
  /** When it was answered, in milliseconds since 1970, if that is not now: a kept crawl has the answer from before. */
  answeredAt?: number;
  /** Null behind a proxy. */
  remoteAddress: string | null;
  /** Set if the request asked for it. */
  wire?: WireCopy;
  /** Called by a caller that no longer uses `body`: its memory then holds the next one. */
  release?(): void;
}

/** Nothing has left this machine: the right to send was over by the time that the connection was there. */
export class NotSent extends FetchError {
  constructor() {
    super('internal', 'The right to send was over.');
  }
}

export interface FetchHooks {
  /** Called right before the request is written. If it returns false, the request is not sent, and the fetch fails with `NotSent`. */
  maySend?(): boolean;
  onHeaders?(at: number, headers: ResponseHeaders): void;
  /** Bytes that now are in memory for this response: those of the wire as they arrive, then those that decoding made. */
  onBytes?(count: number): void;
}

export interface PendingFetch {
  /** Rejects with FetchError only. */
  promise: Promise<FetchResponse>;
  /** Stops reading the body after the piece that is on its way. Time-outs stand still meanwhile. */
  pause(): void;
  resume(): void;
  abort(reason: FetchError): void;
}
