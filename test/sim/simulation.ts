import type { Clock } from '../../src/base/clock.js';
import { completeOptions } from '../../src/config/resolve.js';
import { Crawl } from '../../src/crawl/crawl.js';
import { type CrawlEnd, Limits } from '../../src/crawl/ending.js';
import { Governor, type GovernorDecision } from '../../src/crawl/governor.js';
import { engineSettings } from '../../src/crawl/settings.js';
import { Frontier, type FrontierCounts } from '../../src/frontier/frontier.js';
import type { Host } from '../../src/frontier/host.js';
import { KeyTable } from '../../src/frontier/key-table.js';
import type { Lease, Outcome } from '../../src/frontier/outcome.js';
import { SeedBook } from '../../src/frontier/seed-book.js';
import { ByteBudget } from '../../src/lane/byte-budget.js';
import { LanePool } from '../../src/lane/lane-pool.js';
import type { LaneListener } from '../../src/lane/lane-port.js';
import { WirePlaces } from '../../src/lane/stock.js';
import { TrapWatch } from '../../src/url/traps.js';
import { Random } from '../web/random.js';
import { drive } from './drive.js';
import { doubled, heapViolations } from './heap-witness.js';
import { Ledger } from './ledger.js';
import { ModelLane, pageOffer } from './model-lane.js';
import { diskLatency, EMPTY_SNAPSHOT, ModelStore } from './model-store.js';
import type { HostOnWire } from './model-tables.js';
import type { Deferral, Sent, SimulationPlan } from './plan.js';
import { ScheduleHash } from './schedule-hash.js';
import { VirtualClock } from './virtual-clock.js';
import { WireWatch } from './wire-watch.js';

const GIB = 1024 ** 3;
/** Up to so many hosts the whole heap is walked through at every step; beyond, once in so many steps. */
const FEW_HOSTS = 64;
const WALK_EVERY = 2_048;

/** The real crawl, frontier, scheduler, registry, governor and limits, on a clock, a store and a web that are models. */
export class Simulation {
  readonly clock = new VirtualClock();
  readonly store: ModelStore;
  readonly frontier: Frontier;
  readonly governor: Governor;
  readonly crawl: Crawl;
  readonly log: Sent[] = [];
  readonly deferrals: Deferral[] = [];
  readonly decisions: (GovernorDecision & { at: number })[] = [];
  readonly notices: string[] = [];
  readonly lanes: ModelLane[] = [];
  sent = 0;
  steps = 0;
  readonly #plan: SimulationPlan;
  readonly #workers: number;
  readonly #ledger: Ledger;
  readonly #wire: WireWatch;
  readonly #schedule = new ScheduleHash();
  readonly #hostsByName = new Map<string, Host>();
  #violation: Error | null = null;

  constructor(plan: SimulationPlan) {
    this.#plan = plan;
    const { options, sources } = completeOptions(
      { memoryLimitBytes: GIB, parseWorkers: plan.lanes ?? 2, seedingStrategy: 'none', ...plan.options },
      64,
    );
    this.#workers = options.workers;
    const settings = engineSettings({
      options,
      delayIsDefault: sources.delayMs === 'default',
      seeds: [],
      credentials: new Map(),
      listensToEdges: false,
    });
    const scheduler = { ...settings.scheduler, ...plan.scheduler };
    this.#wire = new WireWatch(scheduler);
    this.#ledger = new Ledger(
      () => this.store.tables,
      (name) => this.#hostNamed(name),
    );
    this.store = new ModelStore(this.clock, plan.storeLatency ?? diskLatency, scheduler.delayMsFor, {
      submitted: (transaction) => this.#guard(() => this.#ledger.submitted(transaction)),
      committed: (transaction) => this.#guard(() => this.#ledger.committed(transaction)),
    });
    const keys = new KeyTable(plan.keyBudgetBytes ?? GIB);
    const random = new Random(plan.seed ?? 1);
    this.governor = new Governor({ enabled: options.governor, memoryLimitBytes: GIB, maxInFlight: options.workers });
    const places = new WirePlaces((plan.lanes ?? 2) + 1);
    const pool = new LanePool(
      {
        lanes: plan.lanes ?? 2,
        wire: places,
        sockets: 512,
        openInline: (lane, listener) => this.#open(lane, listener, keys, places),
        openThread: (lane, listener) => this.#open(lane, listener, keys, places),
        isWorthThreads: () => true,
      },
      keys,
      {
        headers: (ids, ats) => this.crawl.headers(ids, ats),
        outcomes: (outcomes) => this.crawl.arrived(outcomes),
        piece: (piece, answer) => this.crawl.intake.piece(piece, answer),
      },
    );
    this.frontier = new Frontier({
      options: scheduler,
      clock: this.clock,
      random: () => random.fraction(),
      store: this.store,
      snapshot: EMPTY_SNAPSHOT,
      keys,
      traps: new TrapWatch({
        maxQueryVariants: options.maxQueryVariants,
        maxShapeVariants: options.maxShapeVariants,
        allow: [],
      }),
      seeds: new SeedBook([]),
      resolveAddress: (host) => pool.resolve(host),
      events: {
        scopeGrew: () => {},
        hostDeferred: (host, reason, urls) => this.deferrals.push({ at: this.clock.elapsedMs, host, reason, urls }),
        robotsUnanswered: (origin) => this.notices.push(`${origin}: robots.txt cannot be reached`),
        crawlDelayTooLong: (host, delayMs) => this.notices.push(`${host} asks for a Crawl-delay of ${delayMs} ms`),
        trapCut: (pattern) => this.notices.push(`trap ${pattern}`),
        sitemapRead: () => {},
        retryLater: () => {},
        sitemapsCut: (host, files) => this.notices.push(`${host}: ${files ?? 'some'} sitemaps are not read`),
        settled: () => {},
        retuned: (host, limit) => this.crawl.room.retuned(host, limit),
        recall: (host) => pool.recall(host),
        originsLeft: () => {},
        wake: () => this.crawl.wake(),
      },
    });
    const lateClock = this.#lateClock();
    this.crawl = new Crawl({
      clock: lateClock,
      frontier: this.frontier,
      lanes: pool,
      budget: new ByteBudget(options.parseBufferBytes, (plan.lanes ?? 2) + 1),
      governor: this.governor,
      graceMs: 5_000,
      limits: new Limits({
        startedAt: this.clock.now(),
        durationMs: options.durationMs,
        maxBytes: options.maxBytes,
        bytesBefore: 0,
      }),
      events: {
        tick: () => plan.onTick?.(this),
        governed: (decision) => this.decisions.push({ at: this.clock.elapsedMs, ...decision }),
        laneDied: () => {},
      },
      rssBytes: () => plan.rssBytes?.(this.clock.elapsedMs) ?? 0,
      disk: { isLow: false },
      handOn: async () => {},
    });
  }

  get counts(): FrontierCounts {
    return this.frontier.counts();
  }

  /** Changes with everything that is dispatched, and when. */
  get scheduleHash(): string {
    return this.#schedule.digest();
  }

  #onWire({ id }: Lease): HostOnWire {
    return this.store.tables.urls.get(id)!.origin.host.wire;
  }

  /** Lets something happen after so many milliseconds. */
  after(elapsedMs: number, happens: () => void): void {
    this.clock.at(this.clock.timeOf(elapsedMs), happens);
  }

  killLane(lane: number): void {
    this.#ledger.laneDied(lane);
    this.lanes[lane]!.die();
  }

  /** To the end of the crawl; null when it has not ended in so many milliseconds. */
  async run(longestMs = Number.POSITIVE_INFINITY): Promise<CrawlEnd | null> {
    const untilMs = this.clock.timeOf(longestMs);
    const offers = this.#plan.urls.map((url) => pageOffer(url, 0));
    if (!(await this.#drive(this.frontier.admit(offers), untilMs))) {
      return null;
    }
    let end: CrawlEnd | null = null;
    await this.#drive(
      this.crawl.run().then((how) => {
        end = how;
      }),
      untilMs,
    );
    return end;
  }

  #drive(promise: Promise<unknown>, untilMs: number): Promise<boolean> {
    return drive(this.clock, promise, untilMs, () => this.#check());
  }

  /** After every step. */
  #check(): void {
    this.steps++;
    const { outstanding, leased, queuedInMemory } = this.frontier.counts();
    const expected = this.store.tables.outstanding + this.#ledger.robotsUnderWay;
    this.#guard(() => {
      must(outstanding >= 0, 'the counter is negative');
      must(outstanding === expected, `the counter is ${outstanding}, and ${expected} URLs wait or are leased`);
      must(
        queuedInMemory <= outstanding,
        `${queuedInMemory} URLs are said to wait in memory, and there are ${outstanding}`,
      );
      must(
        leased === this.#ledger.leased,
        `the frontier has leased ${leased} URLs, and ${this.#ledger.leased} are somewhere`,
      );
      must(this.#ledger.inFlight <= this.#workers, `${this.#ledger.inFlight} requests are in flight`);
      for (const violation of heapViolations()) {
        must(false, violation);
      }
      if (this.store.tables.hosts.length <= FEW_HOSTS || this.steps % WALK_EVERY === 0) {
        must(doubled(this.frontier.inspect().heap) === undefined, 'a host is in the ready heap twice');
      }
    });
    if (this.#violation !== null) {
      throw this.#violation;
    }
  }

  /** What is thrown inside the crawl would only end it: it is kept, and thrown where it cannot be missed. */
  #guard(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#violation ??= new Error(`after ${this.clock.elapsedMs} ms: ${(error as Error).message}`);
    }
  }

  #hostNamed(name: string): Host | undefined {
    const known = this.#hostsByName.get(name);
    if (known !== undefined && !known.isEvicted) {
      return known;
    }
    for (const host of this.frontier.inspect().hosts) {
      this.#hostsByName.set(host.name, host);
    }
    return this.#hostsByName.get(name);
  }

  #open(lane: number, listener: LaneListener, keys: KeyTable, places: WirePlaces): ModelLane {
    const { clock } = this;
    const wire = {
      taken: (number: number, lease: Lease) => this.#guard(() => this.#ledger.taken(number, lease)),
      sent: (lease: Lease, forbidden: boolean) => this.#sent(lease, forbidden),
      recalled: (lease: Lease) => this.#guard(() => this.#ledger.recalled(lease.id)),
      answered: (lease: Lease, at: number) => this.#wire.answered(this.#onWire(lease), at),
      ended: (lease: Lease, outcome: Outcome) => this.#ended(lease, outcome),
      lost: (lease: Lease) => this.#wire.answered(this.#onWire(lease), clock.now()),
    };
    const { web, options, scheduler } = this.#plan;
    const order = scheduler?.order ?? options?.order ?? 'bfs';
    const port = new ModelLane({ lane, clock, web, wire, listener, segments: [...keys.segments], order, places });
    this.lanes[lane] = port;
    return port;
  }

  #sent(lease: Lease, forbidden: boolean): void {
    const at = this.clock.elapsedMs;
    this.#guard(() => {
      this.#ledger.sent(lease);
      if (!forbidden) {
        this.#wire.sent(this.#onWire(lease), lease, this.clock.now());
      }
    });
    if (forbidden) {
      return;
    }
    this.sent++;
    this.#schedule.add(at, lease.id, lease.attempt);
    if (this.#plan.keepLog ?? true) {
      const { host, url, kind, attempt } = lease;
      this.log.push({ at, host, url, kind, attempt, inFlight: this.#onWire(lease).inFlight });
    }
  }

  #ended(lease: Lease, outcome: Outcome): void {
    this.#guard(() => {
      this.#wire.ended(this.#onWire(lease), outcome);
      this.#ledger.ended(lease.id);
    });
  }

  #lateClock(): Clock {
    const { clock } = this;
    const lagMs = this.#plan.lagMs ?? (() => 0);
    return {
      now: () => clock.now(),
      wall: () => clock.wall(),
      at: (at, fire) => clock.at(at + lagMs(at - clock.timeOf(0)), fire),
    };
  }
}

function must(holds: boolean, message: string): void {
  if (!holds) {
    throw new Error(message);
  }
}
