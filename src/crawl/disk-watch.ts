import { StateError } from '../base/errors.js';

const CHECK_EVERY_MS = 5_000;
const PATIENCE_MS = 30_000;

/** Keeps some of the disk free: too little holds dispatch back, and still too little after half a minute ends the run, state kept. */
export class DiskWatch {
  readonly #minFreeBytes: number;
  readonly #freeBytes: () => Promise<number>;
  readonly #stop: (error: StateError) => void;
  #nextCheckAt = 0;
  #lowSince: number | null = null;

  constructor(parts: { minFreeBytes: number; freeBytes(): Promise<number>; stop(error: StateError): void }) {
    this.#minFreeBytes = parts.minFreeBytes;
    this.#freeBytes = parts.freeBytes;
    this.#stop = parts.stop;
  }

  get isLow(): boolean {
    return this.#lowSince !== null;
  }

  async checkAtStart(): Promise<void> {
    const free = await this.#freeBytes();
    if (free < this.#minFreeBytes) {
      throw this.#error(free);
    }
  }

  tick(now: number): void {
    if (now >= this.#nextCheckAt) {
      this.#nextCheckAt = now + CHECK_EVERY_MS;
      this.#freeBytes().then(
        (free) => this.#judge(free, now),
        // The store is gone: its own end says so.
        () => {},
      );
    }
  }

  #judge(free: number, now: number): void {
    if (free >= this.#minFreeBytes) {
      this.#lowSince = null;
      return;
    }
    this.#lowSince ??= now;
    if (now - this.#lowSince >= PATIENCE_MS) {
      this.#stop(this.#error(free));
    }
  }

  #error(free: number): StateError {
    const mib = (bytes: number) => `${Math.floor(bytes / 1024 / 1024)} MiB`;
    return new StateError(
      'disk_low',
      `only ${mib(free)} are free on the disk, and --min-free-disk is ${mib(this.#minFreeBytes)}; the state is kept`,
    );
  }
}
