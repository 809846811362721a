import type { Clock } from '../base/clock.js';
import { FetchError } from '../base/errors.js';
import type { FetchOptions } from '../fetch/contract.js';
import { Guard } from '../fetch/guard.js';
import { Resolver } from '../fetch/resolver.js';
import { hostnameOf, isHttp } from '../url/host.js';

/**
 * The guard before a fetcher of the user's. It asks for the addresses itself, so a name that changes its address between the check and
 * the connection gets past it: only our own fetcher can rule that out.
 */
export class AddressGate {
  readonly #guard: Guard;
  readonly #resolver: Resolver;

  constructor(options: FetchOptions, clock: Clock) {
    this.#guard = new Guard(options.guard);
    this.#resolver = new Resolver(options.dnsServers, clock, options.verboseNetwork);
  }

  /** Throws where an address of the URL's host is not one to go to. Keys that are no URLs have none. */
  async check(url: string): Promise<void> {
    if (!isHttp(url)) {
      return;
    }
    const host = hostnameOf(url).replace(/^\[|\]$/g, '');
    const { port, protocol } = new URL(url);
    const number = port !== '' ? Number(port) : protocol === 'https:' ? 443 : 80;
    this.#guard.checkPort(host, number);
    for (const address of this.#resolver.known(host) ?? (await this.#ask(host))) {
      if (!this.#guard.allows(address, host, number)) {
        throw new FetchError(
          'blocked_address',
          `${host} is ${address}, an address that is not asked without allowPrivate or allowNetworks`,
        );
      }
    }
  }

  close(): void {
    this.#resolver.close();
  }

  async #ask(host: string): Promise<string[]> {
    // Nobody knows which family the fetcher takes.
    const [older, newer] = await Promise.allSettled([
      this.#resolver.addresses(host, 4),
      this.#resolver.addresses(host, 6),
    ]);
    if (older.status === 'rejected' && newer.status === 'rejected') {
      throw older.reason;
    }
    return [older, newer].flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  }
}
