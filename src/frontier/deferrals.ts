import type { Host } from './host.js';
import type { Hosts } from './hosts.js';

/** The reason when the user has put a host off. `quarantine` is taken: a host gets into that by itself. */
const HELD = 'held';

/**
 * Hosts that are put off: nothing is requested from them until their time comes, and their URLs wait on disk only. A host is first named
 * here by the part that finds a reason; the next transaction moves its URLs (`take`), and from then on the host itself has the reason. A
 * host that the user puts off stays so until the user releases it.
 */
export class Deferrals {
  readonly #hosts: Hosts;
  readonly #soon = new Set<Host>();
  /** Hosts that the user has put off, whether they are in memory or not. */
  readonly #held = new Set<string>();

  constructor(hosts: Hosts) {
    this.#hosts = hosts;
  }

  /** Whether some host is to be put off with the next transaction. */
  get isDue(): boolean {
    return this.#soon.size > 0;
  }

  /** Puts off all that waits for the host, with the next transaction. @param reason by default its backoff */
  defer(host: Host, reason?: string): void {
    host.deferSoon(reason);
    this.#soon.add(host);
  }

  /** Hosts that are to be put off now. */
  take(): Host[] {
    const hosts = [...this.#soon];
    this.#soon.clear();
    return hosts;
  }

  /** A host with too long a Crawl-delay is not asked again in this run, nor is one that the user has put off. */
  isForGood({ deferredReason }: Host): boolean {
    return deferredReason === 'crawl_delay' || deferredReason === HELD;
  }

  /** A host has come into memory. */
  entered(host: Host): void {
    if (this.#held.has(host.name)) {
      this.#hold(host);
    }
  }

  /** Puts off all that waits for the host until it is released. False if the host is not in memory: then it is put off when it comes in. */
  quarantine(name: string): boolean {
    this.#held.add(name);
    const host = this.#hosts.named(name);
    if (host !== undefined) {
      this.#hold(host);
    }
    return host !== undefined;
  }

  /** Ends its quarantine. Returns whether it was in one, and the host if it is in memory: it gets another place. */
  release(name: string): { wasHeld: boolean; host: Host | undefined } {
    const wasHeld = this.#held.delete(name);
    const host = wasHeld ? this.#hosts.named(name) : undefined;
    if (host !== undefined && this.#soon.delete(host)) {
      // Nothing has been moved yet.
      host.cancelDeferral();
    }
    if (host?.deferredReason === HELD) {
      // It is treated as a host whose time has come: its URLs are queued again, and one request tests it.
      host.deferredBecause('released');
    }
    return { wasHeld, host };
  }

  #hold(host: Host): void {
    if (host.deferredReason === null) {
      this.defer(host, HELD);
    } else {
      host.deferredBecause(HELD);
    }
  }
}
