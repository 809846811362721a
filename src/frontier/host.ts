import type { HostRow } from '../store/transaction.js';
import { hostnameOfKey } from '../url/host.js';
import { registrableDomain } from '../url/scope.js';
import { OriginRobots } from './origin-robots.js';
import { type BackoffOptions, type BlockReason, blockFor, Tuner } from './pace.js';
import type { HeapItem } from './turns.js';
import type { UrlQueue } from './url-queue.js';

/** The least delay of a host that has answered 429; each further 429 doubles it. */
const FIRST_LEARNED_MS = 200;
const MOST_LEARNED_MS = 10_000;

const FIRST_LIMIT = 2;

/** How often the clock and the count that move with every page go to the store, if they are not needed sooner. */
const SAVED_EVERY_MS = 10_000;

/**
 * The unit of pacing: a name, whatever its schemes and ports. It knows its clock, its backoff, its requests under way and how much of its
 * budget is used. All times are monotonic.
 *
 * Only its methods change it, and a method that changes what the store keeps marks the host as changed.
 */
export class Host implements HeapItem {
  readonly id: number;
  readonly name: string;
  readonly tuner: Tuner;
  /** Written by the heap alone. */
  heapAt: number | null = null;
  heapPlace = 0;
  /** Whether it stands among the hosts with a seed or home page to request; written by `Turns` alone. */
  isFirst = false;
  #baseDelayMs: number;
  readonly #stock: number;
  readonly #origins: Origin[] = [];
  #domain: string | null = null;
  #nextAllowedAt = 0;
  /** Whether a request went out to it, in this run or, as far as is known, in an earlier one. */
  #wasAsked = false;
  #learnedDelayMs = 0;
  #refusedAt = 0;
  #blockedUntil = 0;
  #blockedSince = 0;
  #blockReason: BlockReason | null = null;
  #failures = 0;
  #inFlight = 0;
  /** The most of them that are on the wire; the others are in stock. */
  #onWire = 0;
  #awaitingHeaders = 0;
  #secondLooks = 0;
  #dispatched = 0;
  /**
   * Requested pages that are under way for the first time. The store counts them in the transaction that settles them, so a kill
   * never loses a page that was counted, or the count of one that was settled.
   */
  #firstUnderWay = 0;
  #sitemapFiles = 0;
  #deferredReason: string | null = null;
  #toDefer: string | null = null;
  #probing = false;
  #address: string | null = null;
  #hasNoAddress = false;
  /** Whether a transaction with new URLs of it is not committed yet, or leases of it are not settled. */
  #pins = 0;
  #changed = false;
  /** Whether its clock or its count of pages has moved, as with every page. */
  #moved = false;
  #savedAt = 0;
  readonly #savesLate: boolean;
  #lastUsed = 0;
  #evicted = false;

  constructor(
    id: number,
    name: string,
    baseDelayMs: number,
    limits: { ceiling: number; tunes: boolean; tunedLimit: number | null; stock?: number; savesLate?: boolean },
  ) {
    this.id = id;
    this.name = name;
    this.#baseDelayMs = baseDelayMs;
    this.#stock = limits.stock ?? 0;
    this.#savesLate = limits.savesLate ?? false;
    this.tuner = new Tuner({ ceiling: limits.ceiling, start: limits.tunedLimit ?? FIRST_LIMIT, tunes: limits.tunes });
  }

  /** Takes over what the store has kept, with its times converted to the monotonic clock. */
  restore(row: HostRow, nextAllowedAt: number, blockedUntil: number): void {
    this.#nextAllowedAt = nextAllowedAt;
    this.#wasAsked = row.dispatched > 0;
    this.#blockedUntil = blockedUntil;
    this.#blockReason = row.blockReason as BlockReason | null;
    this.#failures = row.failures;
    this.#learnedDelayMs = row.learnedDelayMs;
    this.#dispatched = row.dispatched;
    this.#sitemapFiles = row.sitemapFiles;
    this.#deferredReason = row.deferredReason;
    this.#address = row.address;
  }

  /** @param wallOffset what makes a monotonic time a wall time */
  toRow(wallOffset: number): HostRow {
    return {
      id: this.id,
      nextAllowedAt: this.#nextAllowedAt + wallOffset,
      blockedUntil: this.#blockedUntil + wallOffset,
      blockReason: this.#blockReason,
      failures: this.#failures,
      tunedLimit: this.tuner.exact,
      learnedDelayMs: this.#learnedDelayMs,
      dispatched: this.#dispatched - this.#firstUnderWay,
      sitemapFiles: this.#sitemapFiles,
      deferredReason: this.#deferredReason,
      address: this.#address,
      parkedUntil: null,
    };
  }

  /** Whether changes since the last call have to go to the store. */
  takeChanged(now: number): boolean {
    const isLate = !this.#savesLate || now - this.#savedAt >= SAVED_EVERY_MS;
    if (!this.#changed && !(this.#moved && isLate)) {
      return false;
    }
    this.#changed = false;
    this.#moved = false;
    this.#savedAt = now;
    return true;
  }

  get origins(): readonly Origin[] {
    return this.#origins;
  }

  addOrigin(origin: Origin): void {
    this.#origins.push(origin);
  }

  /** Its registrable domain. */
  get domain(): string {
    this.#domain ??= registrableDomain(hostnameOfKey(this.name));
    return this.#domain;
  }

  /** URLs that wait for it, in memory and on disk. */
  get waiting(): number {
    return this.#origins.reduce((sum, origin) => sum + origin.waiting, 0);
  }

  get inMemory(): number {
    return this.#origins.reduce((sum, origin) => sum + origin.queue.inMemory, 0);
  }

  get hasSeeds(): boolean {
    return this.#origins.some(({ queue }) => queue.hasSeeds);
  }

  /** The longest of --delay, Crawl-delay and the delay that its 429 answers call for. */
  get delayMs(): number {
    let delay = Math.max(this.#baseDelayMs, this.#learnedDelayMs);
    for (const origin of this.#origins) {
      delay = Math.max(delay, origin.robots.crawlDelayMs ?? 0);
    }
    return delay;
  }

  /** Changes its --delay. Returns whether that changes its pace. */
  setBaseDelay(delayMs: number, now: number): boolean {
    const before = this.delayMs;
    this.#baseDelayMs = delayMs;
    const after = this.delayMs;
    if (after < before) {
      this.#nextAllowedAt -= before - after;
    } else if (after > before) {
      this.waitWholeDelay(now);
    }
    this.#changed ||= after !== before;
    return after !== before;
  }

  get readyAt(): number {
    return Math.max(this.#nextAllowedAt, this.#blockedUntil);
  }

  /** Whether another request may go on the wire. */
  get hasPlace(): boolean {
    if (this.#probing) {
      return this.#inFlight === 0;
    }
    if (this.delayMs > 0) {
      return this.#inFlight < this.tuner.limit && this.#awaitingHeaders === 0;
    }
    return this.#inFlight < this.tuner.limit;
  }

  /** Whether another URL may be leased for a lane's stock, beyond those on the wire. The stock of a host in trouble would only come back. */
  get hasPlaceInStock(): boolean {
    const isPlain = this.delayMs === 0 && !this.#probing && this.#failures === 0;
    return isPlain && !this.hasPlace && this.#inFlight < this.tuner.limit + this.#stock;
  }

  /** Leases that are out: on the wire, or in stock in a lane. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Leases that are out and not on the wire. */
  get inStock(): number {
    return this.#inFlight - this.#onWire;
  }

  /** Second looks under way: one at a time. */
  get secondLooks(): number {
    return this.#secondLooks;
  }

  started(isSecondLook = false): void {
    this.#inFlight++;
    this.retuned();
    this.#awaitingHeaders++;
    this.#secondLooks += isSecondLook ? 1 : 0;
  }

  /** @param delays how many times its delay has to pass before the next request */
  headersArrived(at: number, delays: number): void {
    this.#awaitingHeaders--;
    this.#wasAsked = true;
    this.#nextAllowedAt = Math.max(this.#nextAllowedAt, at + this.delayMs * delays);
    this.#moved = true;
  }

  /** A request that was counted as started did not go out: no headers come, and no clock moves. */
  neverSent(): void {
    this.#awaitingHeaders--;
  }

  /** The tuner may have changed the limit: if it is higher, lanes send from their stock at once. */
  retuned(): void {
    this.#onWire = Math.min(this.#inFlight, Math.max(this.#onWire, this.tuner.limit));
  }

  /** @param sent whether a request was made */
  ended(isSecondLook = false, sent = true): void {
    this.#inFlight--;
    if (sent && this.#onWire > this.tuner.limit) {
      // No other takes its place, because fewer may be on the wire than when it was sent.
      this.#onWire--;
    }
    this.retuned();
    this.#secondLooks -= isSecondLook ? 1 : 0;
  }

  /** It is unknown when its last request went out, or its delay has just become longer: it waits the whole delay. */
  waitWholeDelay(now: number): void {
    this.#nextAllowedAt = Math.max(this.#nextAllowedAt, now + this.delayMs);
  }

  /** A request that awaits headers is cut off with the run; a resumed run has to keep the delay after it. */
  cutOff(now: number): void {
    if (this.#awaitingHeaders > 0) {
      this.waitWholeDelay(now);
    }
  }

  /** @param wasAsked whether a request was made for it; a host that never got one need not be spared */
  robotsRead(now: number, wasAsked: boolean): void {
    if (wasAsked || this.#wasAsked) {
      this.waitWholeDelay(now);
    }
    this.#changed = true;
  }

  get failures(): number {
    return this.#failures;
  }

  get blockedUntil(): number {
    return this.#blockedUntil;
  }

  succeeded(): void {
    this.#probing = false;
    if (this.#failures > 0) {
      this.#failures = 0;
      this.#blockReason = null;
      this.#changed = true;
    }
  }

  /** The host answered 429. Requests that went out before the last refusal was known say nothing new. */
  refused(sentAt: number, now: number): void {
    if (sentAt < this.#refusedAt) {
      return;
    }
    this.#refusedAt = now;
    this.#learnedDelayMs = Math.min(MOST_LEARNED_MS, Math.max(FIRST_LEARNED_MS, 2 * this.delayMs));
    this.#changed = true;
  }

  /**
   * A request failed. Requests that were sent before the last block began say nothing new, and neither do further failures of a URL that is
   * known to fail.
   */
  troubled(
    { sentAt, isKnown }: { sentAt: number; isKnown: boolean },
    now: number,
    retryAfterMs: number | null,
    random: number,
    options: BackoffOptions,
  ): void {
    if (sentAt < this.#blockedSince && retryAfterMs === null) {
      return;
    }
    if (sentAt >= this.#blockedSince) {
      this.#failures = isKnown ? Math.max(1, this.#failures) : this.#failures + 1;
    }
    const { ms, reason } = blockFor(this.#failures, retryAfterMs, random, options);
    this.#blockedSince = now;
    if (now + ms >= this.#blockedUntil) {
      this.#blockedUntil = now + ms;
      this.#blockReason = reason;
    }
    this.#changed = true;
  }

  /** Its URLs are put off for this reason. */
  get deferredReason(): string | null {
    return this.#deferredReason;
  }

  /** Puts it off with the next transaction. */
  get isToBeDeferred(): boolean {
    return this.#toDefer !== null;
  }

  /** One request only, until one succeeds. */
  get isProbing(): boolean {
    return this.#probing;
  }

  /** @param reason by default why it is left alone now */
  deferSoon(reason: string = this.#blockReason ?? 'backoff'): void {
    this.#toDefer = reason;
  }

  /** It is not put off after all. */
  cancelDeferral(): void {
    this.#toDefer = null;
  }

  /** It is put off already, and for this reason now. */
  deferredBecause(reason: string): void {
    this.#deferredReason = reason;
    this.#changed = true;
  }

  /** Returns the reason. */
  defer(): string | null {
    this.#deferredReason = this.#toDefer;
    this.#toDefer = null;
    this.#changed = true;
    return this.#deferredReason;
  }

  /** The time for which it was put off is over: one request tests it. */
  probe(): void {
    this.#deferredReason = null;
    this.#probing = true;
    this.#changed = true;
  }

  /** Pages that were asked for, each once. */
  get dispatched(): number {
    return this.#dispatched;
  }

  countPage(by: 1 | -1): void {
    this.#dispatched += by;
    this.#moved = true;
  }

  /** One of those pages is under way for the first time; `firstEnded` follows when it has a result. */
  firstStarted(): void {
    this.#firstUnderWay++;
  }

  firstEnded(): void {
    this.#firstUnderWay--;
    this.#moved = true;
  }

  /** Sitemap files that count for it. */
  get sitemapFiles(): number {
    return this.#sitemapFiles;
  }

  countSitemap(by: 1 | -1): void {
    this.#sitemapFiles += by;
    this.#changed = true;
  }

  get address(): string | null {
    return this.#address;
  }

  /** Its name has none: it shares its pacing with nobody. */
  get hasNoAddress(): boolean {
    return this.#hasNoAddress;
  }

  /** Its name was looked up. */
  resolved(address: string | null): void {
    this.#address = address;
    this.#hasNoAddress = address === null;
    this.#changed = true;
  }

  answeredFrom(address: string): void {
    if (address !== this.#address) {
      this.#address = address;
      this.#changed = true;
    }
  }

  /** While it is pinned it does not leave memory. */
  pin(): void {
    this.#pins++;
  }

  unpin(): void {
    this.#pins--;
  }

  get isIdle(): boolean {
    return (
      this.#inFlight === 0 &&
      this.#pins === 0 &&
      !this.#origins.some((origin) => origin.robots.state === 'fetching' || origin.isLoading)
    );
  }

  get lastUsed(): number {
    return this.#lastUsed;
  }

  use(turn: number): void {
    this.#lastUsed = turn;
  }

  /** It left memory; if it still stands in a heap or a line, it is dropped when its turn comes. */
  get isEvicted(): boolean {
    return this.#evicted;
  }

  evict(): void {
    this.#evicted = true;
  }
}

/** One scheme, host and port: its robots.txt, and the URLs that wait there. */
export class Origin {
  readonly id: number;
  readonly origin: string;
  readonly host: Host;
  readonly queue: UrlQueue;
  readonly robots = new OriginRobots();
  #loading = false;

  constructor(id: number, origin: string, host: Host, queue: UrlQueue) {
    this.id = id;
    this.origin = origin;
    this.host = host;
    this.queue = queue;
  }

  /** URLs that wait here, in memory and on disk. */
  get waiting(): number {
    return this.queue.inMemory + this.queue.onDisk;
  }

  /** Whether nothing that waits here may be requested: the host is put off, or robots.txt cannot be read. */
  get isGivenUp(): boolean {
    return this.host.deferredReason !== null || this.robots.state === 'unreachable' || this.robots.state === 'failed';
  }

  /** A load of its queue from disk is under way. */
  get isLoading(): boolean {
    return this.#loading;
  }

  setLoading(isLoading: boolean): void {
    this.#loading = isLoading;
  }
}
