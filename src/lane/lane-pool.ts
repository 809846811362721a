import { StateError } from '../base/errors.js';
import type { KeyTable } from '../frontier/key-table.js';
import { failure, type Lease, type Outcome, type PagePiece } from '../frontier/outcome.js';
import type { OpenHook } from '../hooks/hook-cells.js';
import type { KeptCookie } from '../url/kept-cookie.js';
import { CookieHomes, type CookieSource } from './cookie-homes.js';
import type { HookWatch } from './hook-watch.js';
import type { Job, RenderedHtml } from './lane.js';
import type { LaneListener, LanePort } from './lane-port.js';
import { LaneSuspects } from './lane-suspects.js';
import type { StartedHooks } from './messages.js';
import type { WirePlaces } from './stock.js';
import { StockedHosts } from './stocked-hosts.js';

/** What the lanes of a pool report. */
export interface PoolListener extends Pick<LaneListener, 'headers' | 'outcomes' | 'cookies' | 'strayThrow'> {
  /** Part of what a page leads to; `answer` takes the ids of what it offered. */
  piece(piece: PagePiece, answer: (ids: readonly number[]) => void): void;
}

export type OpenLane = (lane: number, listener: LaneListener, sockets: number) => LanePort;

export interface LanePoolOptions {
  lanes: number;
  wire: WirePlaces;
  /** Sockets of all lanes together, at least one for each lane. */
  sockets: number;
  /** Opens a lane in this thread; the first pages of a crawl need no more. */
  openInline: OpenLane;
  /** Opens a lane in a thread of its own; null if the user's functions are called, which live in this thread. */
  openThread: OpenLane | null;
  /** Whether there is enough to do to make threads worth their start-up. */
  isWorthThreads(): boolean;
  /** Set if the crawl keeps cookies: then a site is with one lane at a time. */
  cookies?: CookieSource;
  /** Whether the user's hooks run in the lanes: then no lane may be in this thread, which they could block. */
  hookWatch?: HookWatch;
}

/** A lane is gone, and so is what it held. */
export interface LaneDeath {
  lane: number;
  error: Error;
  held: HeldLease[];
}

/** A lease that a lane held when it died. `failure` is set if its URL is to blame and is not requested again. */
export interface HeldLease {
  lease: Lease;
  failure: { errorClass: 'hook' | 'internal'; message: string } | null;
}

interface Member {
  lane: number;
  port: LanePort;
  jobs: Map<number, Job>;
  /** Version of each origin's rules that the lane has. */
  rules: Map<number, number>;
  inline: boolean;
  /** Whether it is being ended: then it gets nothing more. */
  isEnding: boolean;
  /** The hook for which it is ended because it takes too long, if it is known which. */
  endedBy: { error: Error; hook: OpenHook | null } | null;
}

/** A lane with this many more requests than the least busy one is too busy, whatever host it prefers. */
const SPILL_AT = 16;
/** The error of a thread that had no descriptor to start with. */
const NO_ROOM = new Set(['ERR_WORKER_INIT_FAILED', 'EMFILE', 'ENFILE']);
const NO_THREAD = new StateError('hook', 'hooks run in threads of their own, and no thread could be started');
/** After how many jobs starting it is tried again. */
const JOBS_WITHOUT = 1_000;

/**
 * Hands leases to lanes. A host prefers one lane, so that its connections, its rules and its links are known there, and spills to an idle
 * one: a single big site uses all of them.
 */
export class LanePool {
  readonly #options: LanePoolOptions;
  readonly #keys: KeyTable;
  readonly #listener: PoolListener;
  readonly #members: (Member | null)[] = [];
  readonly #whereabouts = new Map<number, Member>();
  readonly #suspects = new LaneSuspects();
  readonly #waiting: Lease[] = [];
  readonly #stocked: StockedHosts;
  readonly #homes: CookieHomes<Member> | null;
  readonly #scopeChanges: { version: number; seed: number; scopeUrls: string[] }[] = [];
  #sequence = 0;
  #hasThreads = false;
  /** Pages of a browser's that lanes are reading. */
  #reads = 0;
  /** Sockets that the inline lane still has while it runs dry. */
  #keptSockets = 0;
  /** Places of threads that could not be started, with the number of the job at which this is tried again. */
  readonly #unopened = new Map<number, number>();
  #deadPeakWaiting = 0;
  /** A lane that is being ended. */
  #ending: Promise<void> = Promise.resolve();
  peakInUse = 0;

  constructor(options: LanePoolOptions, keys: KeyTable, listener: PoolListener) {
    this.#options = options;
    this.#keys = keys;
    this.#listener = listener;
    this.#stocked = new StockedHosts(options.wire);
    const { cookies } = options;
    this.#homes =
      cookies === undefined ? null : new CookieHomes(cookies, ({ port }, site) => port.forgetCookies?.([site]));
  }

  get size(): number {
    return this.#options.lanes;
  }

  /** Without the inline lane while it runs dry: it takes nothing new. */
  get inUse(): number {
    const live = this.#live();
    const taking = live.some((member) => !member.inline) ? live.filter((member) => !member.inline) : live;
    return taking.filter((member) => member.jobs.size > 0).length;
  }

  /** Leases that no lane can take yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  get peakWaiting(): number {
    return Math.max(this.#deadPeakWaiting, ...this.#live().map((member) => member.port.peakWaiting()));
  }

  get holdsAny(): boolean {
    return this.#whereabouts.size + this.#reads > 0;
  }

  /** Of a lease that is with a lane. */
  urlOf(id: number): string | null {
    return this.#whereabouts.get(id)?.jobs.get(id)?.lease.url ?? null;
  }

  /** Ids of what is with the lanes. */
  held(): Iterable<number> {
    return this.#whereabouts.keys();
  }

  dispatch(leases: Lease[]): void {
    if (this.#options.hookWatch !== undefined && this.#unopened.size === this.#options.lanes) {
      throw NO_THREAD;
    }
    for (const lease of leases) {
      this.#waiting.push(lease);
    }
    this.#handOut();
  }

  /** Almost always this sends all of them; those that have to be alone with a lane, and those that would join them, wait. */
  #handOut(): void {
    this.#openMore();
    const updates = this.#keys.takeChanged();
    const batches = new Map<Member, Job[]>();
    for (const lease of this.#waiting.splice(0)) {
      const site = this.#homes?.siteOf(lease.url) ?? null;
      const member = this.#choose(lease, site);
      if (member === null) {
        this.#waiting.push(lease);
        continue;
      }
      const job = this.#jobOf(lease, member, site);
      member.jobs.set(lease.id, job);
      this.#whereabouts.set(lease.id, member);
      const batch = batches.get(member);
      if (batch === undefined) {
        batches.set(member, [job]);
      } else {
        batch.push(job);
      }
    }
    this.peakInUse = Math.max(this.peakInUse, this.inUse);
    if (batches.size > 0) {
      this.#options.hookWatch?.arm();
    }
    for (const member of this.#live()) {
      const jobs = batches.get(member) ?? [];
      if (jobs.length > 0 || updates.length > 0) {
        member.port.take(jobs, updates);
      }
    }
  }

  #jobOf(lease: Lease, member: Member, site: string | null): Job {
    const newRules = lease.rules !== null && member.rules.get(lease.origin) !== lease.rulesVersion;
    if (newRules) {
      member.rules.set(lease.origin, lease.rulesVersion);
    }
    return {
      lease: newRules || lease.rules === null ? lease : { ...lease, rules: null },
      sequence: this.#sequence++,
      newRules,
      place: lease.paced ? null : this.#stocked.taken(lease, member.port),
      ...(site === null ? {} : { session: this.#homes!.take(site, member) }),
    };
  }

  /** Sets how many requests of the host may be on the wire; if `mayRise` is false and that is more than before, its stock comes back. */
  retune(host: string, limit: number, mayRise: boolean): void {
    this.#stocked.retune(host, limit, mayRise);
  }

  /** Nothing more may be sent to the host for now. */
  recall(host: string): void {
    this.#stocked.recall(host);
  }

  /** Nothing more may be sent to anyone. Returns the leases that no lane has taken yet; those in stock come back as outcomes. */
  recallAll(): Lease[] {
    for (const member of this.#live()) {
      member.port.recall(null);
    }
    return this.#waiting.splice(0);
  }

  /** The lease came back. Returns its lane, or null if it was with none. */
  returned(id: number): number | null {
    const member = this.#whereabouts.get(id);
    if (member === undefined) {
      return null;
    }
    this.#whereabouts.delete(id);
    const { lease, place, session } = member.jobs.get(id)!;
    member.jobs.delete(id);
    if (session !== undefined) {
      this.#homes!.returned(session.site, member);
    }
    if (place !== null) {
      this.#stocked.returned(lease.host, member.port);
    }
    if (this.#members[member.lane] === member) {
      // It came back from a living lane.
      this.#suspects.clear(id);
    }
    this.#closeIfDry(member);
    if (this.#waiting.length > 0) {
      this.#handOut();
    }
    return member.lane;
  }

  /** Cookies were set outside the crawl: the lane that has the site gets them. */
  putCookies(site: string, cookies: readonly KeptCookie[]): void {
    this.#homes?.of(site)?.lane.port.putCookies?.(site, cookies);
  }

  widenScope(version: number, seed: number, scopeUrls: string[]): void {
    this.#scopeChanges.push({ version, seed, scopeUrls });
    for (const member of this.#live()) {
      member.port.widenScope(version, seed, scopeUrls);
    }
  }

  flow(): void {
    for (const member of this.#live()) {
      member.port.flow();
    }
  }

  forgetRules(origins: number[]): void {
    for (const member of this.#live()) {
      for (const origin of origins) {
        member.rules.delete(origin);
      }
      member.port.forgetRules(origins);
    }
  }

  /** Memory is short: lanes forget what can be worked out again. */
  dropCaches(): void {
    for (const member of this.#live()) {
      member.port.dropCaches();
    }
  }

  async resolve(host: string): Promise<string> {
    this.#openMore();
    const member = this.#live()[0];
    if (member === undefined) {
      await this.#ending;
      return this.resolve(host);
    }
    try {
      return await member.port.resolve(host);
    } catch (error) {
      if (this.#members[member.lane] === member && !member.isEnding) {
        throw error;
      }
      // The lane has failed, not the look-up: another lane is asked.
      return this.resolve(host);
    }
  }

  /**
   * Reads it in a thread if there is one. A page that takes the lane down is not given to another. A hook that was over its time fails the page
   * that it ran for; other pages are read by another lane, and if the page is not known, each is read once more.
   */
  async read(page: RenderedHtml, mayBeTried = true): Promise<Outcome> {
    this.#openMore();
    const member = this.#live().at(-1);
    if (member === undefined) {
      await this.#ending;
      return this.read(page, mayBeTried);
    }
    this.#reads++;
    this.#options.hookWatch?.arm();
    // Memory that goes to a thread is transferred, not copied.
    const came = page.came === null ? null : { ...page.came, body: new Uint8Array(page.came.body) };
    try {
      return await member.port.read({ ...page, came });
    } catch (error) {
      const { endedBy } = member;
      if (endedBy === null) {
        throw error;
      }
      const { hook } = endedBy;
      const isOfPage = hook === null ? !mayBeTried : hook.id === page.id;
      if (isOfPage) {
        return failure(page, 0, 'hook', endedBy.error.message);
      }
      await this.#ending;
      return this.read(page, hook !== null && mayBeTried);
    } finally {
      this.#reads--;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#live().map((member) => member.port.close()));
  }

  /** Resolves with what `start` came to, in the first lane; all others are told. */
  async startHooks(): Promise<StartedHooks> {
    const started = await this.#runHook((port) => port.startHooks!());
    for (const { port } of this.#live()) {
      port.started!(started.started);
    }
    return started;
  }

  async endHooks(summary: string): Promise<void> {
    await this.#runHook((port) => port.endHooks!(summary));
  }

  #runHook<T>(run: (port: LanePort) => Promise<T>): Promise<T> {
    this.#openMore();
    this.#options.hookWatch!.arm();
    const first = this.#live()[0];
    if (first === undefined || first.inline) {
      throw NO_THREAD;
    }
    return run(first.port);
  }

  ping(lane: number): Promise<void> {
    return this.#members[lane]?.port.ping?.() ?? Promise.resolve();
  }

  /**
   * A hook of the user's blocks the lane for too long: the lane is ended, and only the URL of the hook fails. Null if it is unknown
   * which hook it is; then it is as if the lane had died.
   */
  async endLane(lane: number, error: Error, hook: OpenHook | null): Promise<void> {
    const member = this.#members[lane];
    if (!member || member.isEnding) {
      return;
    }
    member.isEnding = true;
    member.endedBy = { error, hook };
    // What it has reported until then counts.
    this.#ending = member.port.close();
    await this.#ending;
    this.#died(lane, error, hook);
    this.#handOut();
  }

  #live(): Member[] {
    return this.#members.filter((member) => member !== null && !member.isEnding) as Member[];
  }

  /** Starts with one lane in this thread; with enough to do, the threads take over and it is left to run dry. */
  #openMore(): void {
    const { lanes, openThread, openInline, isWorthThreads } = this.#options;
    this.#hasThreads ||= openThread !== null && isWorthThreads();
    for (const [lane, at] of this.#unopened) {
      if (this.#sequence >= at) {
        this.#unopened.delete(lane);
      }
    }
    if (openThread === null || !this.#hasThreads || this.#unopened.size === lanes) {
      if (this.#live().length === 0 && this.#options.hookWatch === undefined) {
        this.#open(0, openInline, true);
      }
      return;
    }
    this.#takeOver();
    // Place 0 is the inline lane's.
    for (let lane = 1; lane <= lanes; lane++) {
      if (!this.#members[lane] && !this.#unopened.has(lane)) {
        this.#open(lane, openThread, false);
      }
    }
  }

  /** The inline lane keeps the sockets that it is using; the threads share the others, and get those too when it is through. */
  #takeOver(): void {
    const inline = this.#members[0];
    if (inline && this.#live().length === 1) {
      this.#keptSockets = inline.port.retireSockets?.() ?? 0;
      queueMicrotask(() => this.#closeIfDry(inline));
    }
  }

  #closeIfDry(member: Member): void {
    const isNeeded = !this.#hasThreads || this.#unopened.size === this.#options.lanes;
    if (!member.inline || isNeeded || member.jobs.size > 0 || this.#members[member.lane] !== member) {
      return;
    }
    this.#members[member.lane] = null;
    this.#homes?.gone(member);
    this.#deadPeakWaiting = Math.max(this.#deadPeakWaiting, member.port.peakWaiting());
    void member.port.close().then(() => {
      this.#keptSockets = 0;
      for (const { lane, port } of this.#live()) {
        port.resizeSockets?.(this.#socketsOf(lane));
      }
    });
  }

  /** Each thread has the same number, but for a remainder. */
  #socketsOf(lane: number): number {
    const { lanes, sockets } = this.#options;
    const shared = sockets - this.#keptSockets;
    return Math.floor(shared / lanes) + (lane <= shared % lanes ? 1 : 0);
  }

  #open(lane: number, open: OpenLane, inline: boolean): void {
    const sockets = inline ? this.#options.sockets : this.#socketsOf(lane);
    const listener: LaneListener = {
      ...this.#listener,
      piece: (piece) => this.#listener.piece(piece, (ids) => port.admitted(piece.page.id, ids)),
      died: (which, error) => this.#died(which, error),
    };
    const port: LanePort = open(lane, listener, sockets);
    this.#members[lane] = { lane, port, jobs: new Map(), rules: new Map(), inline, isEnding: false, endedBy: null };
    for (const { version, seed, scopeUrls } of this.#scopeChanges) {
      port.widenScope(version, seed, scopeUrls);
    }
  }

  /** Null while it has to wait: a suspect gets a lane to itself, so that only the URL that kills lanes is blamed. */
  #choose({ id, host }: Lease, site: string | null): Member | null {
    const threads = this.#live().filter((member) => !member.inline);
    const home = site === null ? null : (this.#homes?.of(site) ?? null);
    if (this.#suspects.has(id)) {
      if (home?.isBound) {
        return null;
      }
      return threads.find((member) => member.jobs.size === 0) ?? null;
    }
    const open = threads.filter(({ jobs }) => !this.#suspects.isAmong(jobs.keys()));
    if (open.length === 0 && threads.length > 0) {
      return null;
    }
    const lanes = open.length > 0 ? open : this.#live();
    if (lanes.length === 0) {
      // The only one is being ended.
      return null;
    }
    if (home !== null && (home.isBound || lanes.includes(home.lane))) {
      // A site waits until its jobs are back from a lane that takes no more: the cookies they set are not known elsewhere.
      return lanes.includes(home.lane) ? home.lane : null;
    }
    const preferred = lanes[hashOf(site ?? host) % lanes.length]!;
    if (lanes.length === 1) {
      return preferred;
    }
    const idlest = lanes.reduce((least, lane) => (lane.jobs.size < least.jobs.size ? lane : least));
    return preferred.jobs.size > idlest.jobs.size + SPILL_AT ? idlest : preferred;
  }

  /** Leases of a dead lane are queued again; a URL that was there at three deaths, the last time alone, has caused them. */
  #died(lane: number, error: Error, hook: OpenHook | null = null): void {
    const member = this.#members[lane];
    this.#members[lane] = null;
    if (!member) {
      return;
    }
    this.#homes?.gone(member);
    this.#options.wire.laneGone(lane);
    this.#options.hookWatch?.laneGone(lane);
    if (NO_ROOM.has((error as NodeJS.ErrnoException).code ?? '')) {
      this.#doWithout(lane);
    }
    this.#deadPeakWaiting = Math.max(this.#deadPeakWaiting, member.port.peakWaiting());
    // If no URL caused it, or a known one did, the others are not suspected.
    const blamesAll = hook === null && !this.#unopened.has(lane);
    const held = [...member.jobs.values()].map(({ lease }): HeldLease => {
      if (hook?.id === lease.id) {
        return { lease, failure: { errorClass: 'hook', message: error.message } };
      }
      return { lease, failure: blamesAll ? this.#suspect(lease, error) : null };
    });
    this.onDeath?.({ lane, error, held });
  }

  #suspect({ id }: Lease, error: Error): HeldLease['failure'] {
    if (!this.#suspects.died(id)) {
      return null;
    }
    const errorClass = this.#options.hookWatch === undefined ? 'internal' : 'hook';
    return { errorClass, message: `the thread died each time this URL was with it: ${error.message}` };
  }

  /** The machine has nothing left for another thread: the others do its work, or the inline lane does. */
  #doWithout(lane: number): void {
    this.#unopened.set(lane, this.#sequence + JOBS_WITHOUT);
    const inline = this.#members[0];
    if (inline && this.#unopened.size === this.#options.lanes) {
      inline.port.resizeSockets?.(this.#options.sockets);
    }
  }

  onDeath: ((death: LaneDeath) => void) | null = null;
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}
