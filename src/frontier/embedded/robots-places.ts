import type { Host } from './host.js';

/** Layer 8: how many requests for robots.txt are under way, redirected ones included, and the hosts that wait for a place. */
export class RobotsPlaces {
  readonly #limit: number;
  readonly #waiters: Host[] = [];
  inFlight = 0;
  peak = 0;
  peakWaiting = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFree(): boolean {
    return this.inFlight < this.#limit;
  }

  get waiting(): number {
    return this.#waiters.length;
  }

  take(): void {
    this.inFlight++;
    this.peak = Math.max(this.peak, this.inFlight);
  }

  giveBack(): void {
    this.inFlight--;
  }

  wait(host: Host): void {
    if (!host.waitingForRobots) {
      host.waitingForRobots = true;
      this.#waiters.push(host);
      this.peakWaiting = Math.max(this.peakWaiting, this.#waiters.length);
    }
  }

  /** As many as there are places now; one that left memory meanwhile, or wants nothing any more, must not cost the next its turn. */
  called(): Host[] {
    const hosts: Host[] = [];
    while (hosts.length < this.#limit - this.inFlight && this.#waiters.length > 0) {
      const host = this.#waiters.shift()!;
      host.waitingForRobots = false;
      if (!host.evicted) {
        hosts.push(host);
      }
    }
    return hosts;
  }
}
