import { promises as dns } from 'node:dns';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../base/clock.js';
import type { FetchError } from '../base/errors.js';
import { codeOf, fetchError } from './classify.js';
import { isShortOfDescriptors, Shortage } from './shortage.js';

type Family = 4 | 6;

interface Entry {
  answer: Promise<string[]>;
  /** Infinity until the answer has arrived: calls that come meanwhile wait for the same one. */
  expiresAt: number;
}

const MAX_ENTRIES = 50_000;
const MAX_ADDRESSES = 16;
const MIN_TTL_MS = 1000;
const MAX_TTL_MS = 3_600_000;
const FAILURE_TTL_MS = 5000;
const QUERY_TIMEOUT_MS = 2500;
/** The codes that c-ares gives when it has no socket to ask with. */
const SOCKETLESS = new Set(['ECONNREFUSED', 'ENOMEM', 'EFILE']);

/**
 * Names to addresses, through c-ares and not through `dns.lookup`, whose four threads a few slow name servers would fill.
 * Answers are kept as long as their TTL says. Search domains and mDNS are not asked.
 */
export class Resolver {
  readonly #clock: Clock;
  readonly #verbose: boolean;
  readonly #dns = new dns.Resolver({ timeout: QUERY_TIMEOUT_MS, tries: 2 });
  readonly #hosts = readHostsFile();
  /** In order of use, the one not used for longest first. */
  readonly #cache = new Map<string, Entry>();
  #queries = 0;

  constructor(servers: string[] | null, clock: Clock, verbose: boolean) {
    this.#clock = clock;
    this.#verbose = verbose;
    if (servers !== null) {
      this.#dns.setServers(servers);
    }
  }

  get queries(): number {
    return this.#queries;
  }

  close(): void {
    this.#dns.cancel();
  }

  /** Addresses that need no name server: literals, localhost, the hosts file. Null for all other names. */
  known(host: string): string[] | null {
    if (isIP(host) !== 0) {
      return [host];
    }
    const name = (host.endsWith('.') ? host.slice(0, -1) : host).toLowerCase();
    const listed = this.#hosts.get(name);
    if (listed !== undefined) {
      return listed;
    }
    // RFC 6761: never asked for, so that no name server can send it elsewhere.
    return name === 'localhost' || name.endsWith('.localhost') ? ['127.0.0.1', '::1'] : null;
  }

  /** The addresses of one family, at least one. Rejects with FetchError of class dns. */
  addresses(host: string, family: Family): Promise<string[]> {
    const key = `${family}${host}`;
    let entry = this.#cache.get(key);
    this.#cache.delete(key);
    if (entry === undefined || entry.expiresAt <= this.#clock.now()) {
      entry = this.#ask(host, family);
    }
    this.#cache.set(key, entry);
    if (this.#cache.size > MAX_ENTRIES) {
      this.#cache.delete(this.#cache.keys().next().value!);
    }
    return entry.answer;
  }

  /** An answer that is still awaited stays: it is new enough. */
  forget(host: string): void {
    for (const family of [4, 6] as const) {
      const key = `${family}${host}`;
      if (this.#cache.get(key)?.expiresAt !== Infinity) {
        this.#cache.delete(key);
      }
    }
  }

  #ask(host: string, family: Family): Entry {
    const entry: Entry = { answer: this.#query(host, family, (ttlMs) => expire(ttlMs)), expiresAt: Infinity };
    const expire = (ttlMs: number): void => {
      entry.expiresAt = this.#clock.now() + ttlMs;
    };
    return entry;
  }

  async #query(host: string, family: Family, expire: (ttlMs: number) => void): Promise<string[]> {
    try {
      const records = await this.#queryTwice(host, family);
      if (records.length === 0) {
        throw noAddress(host);
      }
      const ttlMs = Math.min(...records.map((record) => record.ttl)) * 1000;
      expire(Math.min(Math.max(ttlMs, MIN_TTL_MS), MAX_TTL_MS));
      return records.slice(0, MAX_ADDRESSES).map((record) => record.address);
    } catch (error) {
      // No server was asked: c-ares takes a socket that cannot be opened for a server that cannot be reached.
      const isShort = SOCKETLESS.has(codeOf(error)) && isShortOfDescriptors();
      expire(isShort ? 0 : FAILURE_TTL_MS);
      throw isShort ? new Shortage(error) : this.#failure(host, error);
    }
  }

  /** A server that fails once is asked again; its second answer is final. */
  async #queryTwice(host: string, family: Family): Promise<{ address: string; ttl: number }[]> {
    const query = () => {
      this.#queries++;
      return family === 4 ? this.#dns.resolve4(host, { ttl: true }) : this.#dns.resolve6(host, { ttl: true });
    };
    try {
      return await query();
    } catch (error) {
      if (codeOf(error) !== 'ESERVFAIL' && !SOCKETLESS.has(codeOf(error))) {
        throw error;
      }
      return await query();
    }
  }

  #failure(host: string, error: unknown): FetchError {
    const code = codeOf(error);
    const message = FAILURES[code] ?? `the name servers gave no answer (${code || 'unknown'})`;
    return fetchError('dns', `${host}: ${message}.`, error, this.#verbose);
  }
}

const FAILURES: Record<string, string> = {
  ENOTFOUND: 'there is no such name',
  ENODATA: 'the name has no address',
  ESERVFAIL: 'the name server failed',
  EREFUSED: 'the name server refuses to answer',
  ETIMEOUT: 'the name servers did not answer in time',
  ECONNREFUSED: 'no name server can be reached',
  EBADNAME: 'it is not a name that can be looked up',
};

const noAddress = (host: string): Error => Object.assign(new Error(`${host} has no address`), { code: 'ENODATA' });

/** Whether a name that has no IPv4 address may still have an IPv6 one. */
export const mayHaveOtherFamily = (error: unknown): boolean =>
  error instanceof Error && codeOf(error.cause) === 'ENODATA';

/** What the system's hosts file says, by name in lower case: c-ares does not look into it when it is asked for records. */
function readHostsFile(): Map<string, string[]> {
  const path =
    process.platform === 'win32'
      ? join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts')
      : '/etc/hosts';
  try {
    return parseHostsFile(readFileSync(path, 'utf8'));
  } catch {
    // A machine without a hosts file has no names of its own.
    return new Map();
  }
}

export function parseHostsFile(text: string): Map<string, string[]> {
  const addresses = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) {
      continue;
    }
    for (const name of names) {
      const key = name.toLowerCase();
      addresses.set(key, [...(addresses.get(key) ?? []), address]);
    }
  }
  return addresses;
}
