import { fileURLToPath } from 'node:url';
import type { Clock } from '../../src/base/clock.js';
import type { StateError } from '../../src/base/errors.js';
import type { ClusterDoors, ClusterSeat } from '../../src/crawl/cluster-seat.js';
import { STORE_ORDERS } from '../../src/crawl/store-messages.js';
import { type FetchRequest, type FetchResponse, NotSent } from '../../src/fetch/contract.js';
import { ResponseHeaders } from '../../src/fetch/response-headers.js';
import { Frontier } from '../../src/frontier/frontier.js';
import { KeyTable } from '../../src/frontier/key-table.js';
import type { SchedulerOptions } from '../../src/frontier/options.js';
import {
  candidateOffer,
  type Lease,
  type Offer,
  type Outcome,
  type PagePiece,
  QueuePlaces,
} from '../../src/frontier/outcome.js';
import { SeedBook } from '../../src/frontier/seed-book.js';
import { hookCells } from '../../src/hooks/hook-cells.js';
import { LaneHooks } from '../../src/hooks/lane-hooks.js';
import { ByteBudget } from '../../src/lane/byte-budget.js';
import { CrawlScope, type CrawlScopeData } from '../../src/lane/crawl-scope.js';
import { type Job, Lane, type PageSource } from '../../src/lane/lane.js';
import { WirePlaces } from '../../src/lane/stock.js';
import { LINK_KINDS } from '../../src/parse/links.js';
import { edgeKind, edgesFromBlob } from '../../src/store/page-row.js';
import type { Database } from '../../src/store/sqlite.js';
import { Store } from '../../src/store/store.js';
import { openStoreFile, readSeeds } from '../../src/store/store-file.js';
import type { SeedRow } from '../../src/store/transaction.js';
import { STATE_NAMES, UNANSWERED, UrlFlag, UrlKind, UrlState } from '../../src/store/url-state.js';
import { isForeignTo, type Seat } from '../../src/url/slots.js';
import { TrapWatch } from '../../src/url/traps.js';
import { told } from '../base/crossing.js';
import { type Fact, TEXT, type Truth } from './truth.js';
import { type Case, FORBIDDEN, htmlOf, originOf, type Plan, type SmallWeb } from './web.js';

/** Where chance comes in: the same numbers play the same crawl. */
export type Dice = (sides: number) => number;

const LANES = 2;
let loadedHooks: Promise<LaneHooks> | null = null;

/** The link hook of all plans that have one; it has no state. */
function linkHook(): Promise<LaneHooks> {
  loadedHooks ??= LaneHooks.load(
    {
      ...{ file: fileURLToPath(new URL('declining-hook.js', import.meta.url)), cells: hookCells(1), contentTypes: [] },
      started: null,
      manners: {
        ...{ obeyRobots: true, agent: 'gossamer', delayMs: 0, delayIsDefault: true },
        ...{ maxCrawlDelayMs: 60_000, robotsTimeoutMs: 10_000, hosts: [] },
      },
    },
    0,
    { now: () => 0, wall: () => 0, at: () => () => {} },
  );
  return loadedHooks;
}
const MOST_STEPS = 4_000;

const SCHEDULER: SchedulerOptions = {
  ...{ maxBackoffMs: 3_600_000, quarantineAfter: 10, maxRetryAfterMs: 3_600_000, delayMsFor: () => 0 },
  ...{ maxInflightPerHost: 1_000, autoTune: false, frontierLimit: 250_000, readyHeapLimit: 1_000, robotsWorkers: 64 },
  ...{
    obeyRobots: true,
    robotsUnreachable: 'defer',
    maxWaitMs: 600_000,
    maxCrawlDelayMs: 60_000,
    retries: 0,
    retryDelayMs: 1_000,
    order: 'bfs',
  },
  ...{ choose: null, surveyOnly: false, maxUrls: 0, maxUrlsPerHost: 0, maxUrlsOfSeeds: new Map(), maxInflightPerIp: 0 },
  ...{ delayPerIpMs: 0, seekSitemaps: true, maxRedirects: 100 },
};

const pages = (state: UrlState) =>
  `count(*) FILTER (WHERE kind = ${UrlKind.page} AND state = ${state} AND NOT ${UNANSWERED})`;
const COUNTS = `SELECT count(*) FILTER (WHERE state IN (0, 1)) AS open, ${pages(UrlState.done)} AS done, ${pages(UrlState.failed)} AS failed,
  ${pages(UrlState.skipped)} AS skipped FROM urls`;

type Moved = (database: Database) => Promise<Database>;

interface Pending {
  lane: number;
  request: FetchRequest;
  answer(response: FetchResponse): void;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type LaneOrder = { jobs: Job[] } | { widen: [version: number, seed: number, scopeUrls: string[]] };

/** One of several machines that crawl a small web together. */
export interface PlayMember {
  seat: Seat;
  clock: Clock;
  /** What it holds its part by; another one after each kill. */
  cluster(): ClusterSeat;
  /** A limit on the whole crawl, 0 for none, and what of it the member begins with. */
  maxUrls: number;
  grant: number;
}

/**
 * Crawls a small web with the real frontier, store and lanes. Answers come in an order that the dice decide, so do the sizes of commits,
 * how late a lane hears of anything, and at which commits the process is killed.
 */
export class Play {
  readonly #web: SmallWeb;
  readonly #plan: Plan;
  readonly #dice: Dice;
  #database: Database = openStoreFile(':memory:', { create: true });
  #counts = this.#database.prepare(COUNTS);
  readonly #moved: Moved;
  readonly #keyBytes: number;
  #killsLeft: number;
  readonly #member: PlayMember | null;
  readonly #clock: Clock;
  /** What came by mail, and waits for its turn with the frontier. */
  #admissions: (() => Promise<void>)[] = [];
  /** What the store has answered about mail, in its order; the coordinator hears of it later. */
  #mailAnswers: (() => void)[] = [];
  #hooks: LaneHooks | null = null;
  #now = 1_000;
  #store!: Store;
  #frontier!: Frontier;
  #keys!: KeyTable;
  #lanes: { lane: Lane; inbox: LaneOrder[] }[] = [];
  #pending: Pending[] = [];
  #came: Outcome[] = [];
  /** Of pages that are being read: their lanes wait for the ids. */
  #pieces: { lane: number; piece: PagePiece }[] = [];
  #candidates: Offer[] = [];
  /** What the store answers waits for this. */
  #answers: Promise<void> | null = null;
  /** Times that one commit was composed on top of another. */
  overlapped = 0;

  /**
   * @param member where several of them crawl together
   * @param moved what becomes of the store between two runs and at the end: the one that it returns is used from then on
   */
  constructor(
    { web, plan }: Case,
    dice: Dice,
    kills: number,
    member: PlayMember | null = null,
    moved: Moved = async (database) => database,
  ) {
    this.#moved = moved;
    this.#member = member;
    const unused = () => {};
    this.#clock = member?.clock ?? { now: () => this.#now, wall: () => this.#now, at: () => unused };
    this.#web = web;
    this.#plan = plan;
    this.#dice = dice;
    this.#killsLeft = kills;
    this.#keyBytes = dice(3) === 0 ? 0 : Number.POSITIVE_INFINITY;
  }

  async run(): Promise<Truth> {
    await this.start();
    return this.goOn();
  }

  async goOn(): Promise<Truth> {
    try {
      for (let step = 0; !this.#isOver(); step++) {
        if (step > MOST_STEPS) {
          throw new Error(`no end after ${MOST_STEPS} steps: ${JSON.stringify(this.#frontier.counts())}`);
        }
        await this.step();
      }
      await this.#move();
      return this.#result();
    } finally {
      this.close();
    }
  }

  async start(): Promise<void> {
    const seeds = this.#plan.seeds.map(
      ({ url, scope, depth }, seed): SeedRow => ({
        ...{ seed, url, label: url, scope, depth, maxUrls: null, fallbacks: [], scopeUrls: [url] },
      }),
    );
    this.#hooks = this.#plan.hooks ? await linkHook() : null;
    this.#open(seeds, true);
    await this.#begin();
  }

  close(): void {
    this.#database.close();
  }

  /** One thing happens. */
  async step(): Promise<void> {
    this.#hearOfMail(this.#dice(6) === 0 ? Number.POSITIVE_INFINITY : 0);
    await this.#step();
    this.#checkCounts();
    this.#member?.cluster().rests(this.isAtRest);
  }

  #hearOfMail(most: number): void {
    for (const answer of this.#mailAnswers.splice(0, most)) {
      answer();
    }
  }

  get isAtRest(): boolean {
    return (
      (this.#isOver() || this.#isStuck()) && this.#admissions.length + this.#pending.length + this.#pieces.length === 0
    );
  }

  get database(): Database {
    return this.#database;
  }

  /** What a cluster asks of an engine. */
  doors(told: { stop(error: StateError | null): void }): ClusterDoors {
    const outbox = this.#store.writer.outbox!;
    const admitted = (run: () => Promise<void>): Promise<void> =>
      new Promise((resolve) => {
        this.#admissions.push(async () => {
          await run();
          resolve();
        });
      });
    const answers = this.#mailAnswers;
    const later = <Value>(value: Value): Promise<Value> => new Promise((resolve) => answers.push(() => resolve(value)));
    return {
      store: {
        peers: () => later(outbox.peers()),
        takeMail: (slot, from, size) => later(outbox.take(slot, from, size)),
        acknowledgedMail: (slot, seq) => later(outbox.acknowledged(slot, seq)),
        beginMail: (slot, incarnation, after) => later(outbox.begin(slot, incarnation, after)),
        keep: (meta) => later(this.#store.setMeta(meta)),
      },
      meta: this.#store.meta(),
      scope: () => new CrawlScope({ seeds: structuredClone(this.#store.seeds()), ...this.#scope }),
      scopeVersion: () => this.#frontier.scopeVersion,
      sitemapsAreBeyond: false,
      widen: (widened) =>
        admitted(async () => {
          for (const { seed, scopeUrls } of widened) {
            await this.#frontier.widen(seed, scopeUrls);
          }
        }),
      admit: (offers, meta, granted) =>
        admitted(async () => {
          await this.#frontier.admit(offers, meta, granted);
        }),
      give: (gifts) => admitted(() => this.#frontier.give(gifts)),
      grant: () => {
        const { unusedGrant } = this.#frontier;
        return unusedGrant === null ? null : { unused: unusedGrant, waiting: this.#frontier.counts().outstanding };
      },
      endsAt: () => {},
      figures: () => ({}),
      wake: () => {},
      stop: (_reason, error) => told.stop(error),
      notice: () => {},
    };
  }

  /** Of its first runs and of those that were gone on with: pages that were asked for. */
  get dispatched(): number {
    return this.#frontier.counts().dispatched;
  }

  get unusedGrant(): number {
    return this.#frontier.unusedGrant ?? 0;
  }

  /** What waits may not be asked for. */
  #isStuck(): boolean {
    const { leased } = this.#frontier.counts();
    const isSpent = this.#frontier.spent !== null && this.#frontier.wakeAt() === Number.POSITIVE_INFINITY;
    return isSpent && leased + this.#candidates.length + this.#came.length === 0;
  }

  #isOver(): boolean {
    const { outstanding } = this.#frontier.counts();
    return outstanding + this.#candidates.length + this.#came.length === 0;
  }

  #open(seeds: SeedRow[], isFirst: boolean): void {
    this.#store = this.#storeOf(seeds);
    if (isFirst) {
      this.#store.addSeeds(structuredClone(seeds), []);
      this.#store.setMeta((this.#member?.maxUrls ?? 0) === 0 ? {} : { grant: String(this.#member!.grant) });
    }
    const snapshot = this.#store.begin({ pid: 1, wall: this.#clock.wall(), hostsInMemory: 100, crashed: [] });
    const keys = new KeyTable(this.#keyBytes, snapshot.spilledSegments);
    this.#store.eachKey((key, id, depth, standing) => {
      if (!keys.mayBeOnDisk(key)) {
        keys.insert(key, id, depth, standing);
      }
    });
    this.#keys = keys;
    const lanes = this.#openLanes(seeds);
    this.#lanes = lanes;
    const unused = () => {};
    const frontier = new Frontier({
      options: {
        ...SCHEDULER,
        ...this.#seat,
        maxUrls: this.#member?.maxUrls ?? 0,
        seekSitemaps: this.#plan.seekSitemaps,
        overlaps: this.#overlaps,
      },
      clock: this.#clock,
      random: () => 0.5,
      store: {
        commit: async (transaction) => {
          const answer = structuredClone(this.#store.writer.commit(told(STORE_ORDERS.commit, transaction)));
          // The store answers in the order in which it was asked.
          this.#hearOfMail(Number.POSITIVE_INFINITY);
          await this.#answers;
          return answer;
        },
        loadQueue: async (loads) => this.#store.loadQueue(loads),
        loadDue: async (wall, limit) => this.#store.loadDue(wall, limit),
      },
      snapshot: structuredClone(snapshot),
      keys,
      traps: new TrapWatch({ maxQueryVariants: 0, maxShapeVariants: 0, allow: [] }),
      seeds: new SeedBook(structuredClone(seeds)),
      resolveAddress: async () => null,
      events: {
        ...{
          hostDeferred: unused,
          crawlDelayTooLong: unused,
          robotsUnanswered: unused,
          sitemapRead: unused,
          retryLater: unused,
          trapCut: unused,
        },
        posted: (mail) => this.#member?.cluster().posted(mail),
        ...{ originsLeft: unused, wake: unused, settled: unused, sitemapsCut: unused },
        scopeGrew: ({ seed, scopeUrls }) => {
          for (const { inbox } of lanes) {
            inbox.push({ widen: [frontier.scopeVersion, seed, [...scopeUrls]] });
          }
        },
      },
    });
    this.#frontier = frontier;
  }

  /** Milliseconds since 1970 that it is now. */
  set time(time: number) {
    this.#now = time;
  }

  /** A store on a file of another's, with the scope of this crawl. */
  storeOn(database: Database): Store {
    return this.#storeOf(readSeeds(database), database);
  }

  #storeOf(seeds: readonly SeedRow[], database = this.#database): Store {
    return new Store(database, {
      ...{ expectedUrls: 1_000, falsePositiveRate: 0.01, lookupBatch: 512 },
      scope: new CrawlScope({ seeds: structuredClone([...seeds]), ...this.#scope }),
    });
  }

  get #seat(): { seat?: Seat } {
    return this.#member === null ? {} : { seat: this.#member.seat };
  }

  get #scope(): Omit<CrawlScopeData, 'seeds'> {
    const { check, external, depth } = this.#plan;
    return {
      ...this.#seat,
      ...{
        patterns: { include: [], exclude: [] },
        maxDepth: depth,
        ownKeys: false,
        external,
        checksBeyond: check,
        ignore: [],
      },
      seeksSitemaps: this.#plan.seekSitemaps,
      traps: {
        ...{ maxUrlLength: 4_096, maxPathSegments: 32, maxSegmentRepeats: external ? 0 : 4 },
        ...{ maxQueryVariants: 0, maxShapeVariants: 0, allow: [] },
      },
    };
  }

  #openLanes(seeds: SeedRow[]) {
    const budget = new ByteBudget(2 ** 30, LANES);
    const { check, assets, obeyNofollow } = this.#plan;
    const isLive = (lanes: unknown) => lanes === this.#lanes;
    const opened: { lane: Lane; inbox: LaneOrder[] }[] = Array.from({ length: LANES }, (_, number) => {
      const source: PageSource = {
        fetch: (request, { maySend = () => true }) => {
          const promise = new Promise<FetchResponse>((resolve, reject) => {
            if (!maySend()) {
              reject(new NotSent());
              return;
            }
            this.#pending.push({ lane: number, request, answer: resolve });
          });
          return { promise, pause: () => {}, resume: () => {}, abort: () => {} };
        },
        resolve: async (host) => host,
        close: async () => {},
      };
      const lane = new Lane(
        {
          ...{ lane: number, identity: { stripQuery: false, stripTracking: false, sortQuery: false } },
          reader: {
            ...{
              agent: 'gossamer',
              obeyNofollow,
              assets,
              anchorText: false,
              allFacts: false,
              extract: [],
              targets: false,
              order: 'bfs' as const,
            },
            ...{
              sitemapMaxUrls: 50_000,
              sitemapMaxBytes: 2 ** 20,
              keepsOutside: false,
              feeds: false,
              feedsAreBeyond: false,
              linkFacts: check,
            },
            ...{
              keepsBodies: false,
              keep: 'none' as const,
              searches: [],
              unfollowed: new Set<number>(),
              render: 'never' as const,
              hashRoutes: false,
            },
            contentTypes: [],
            handsOnBodies: false,
            pieceUrls: 1 + this.#dice(4),
          },
          scope: { seeds: structuredClone(seeds), ...this.#scope },
          robotsTimeoutMs: 10_000,
          segments: [...this.#keys.segments],
          budgetSlots: budget.slots,
          wireCells: new WirePlaces(LANES).cells,
          budgetLimit: 2 ** 30,
          ...(this.#member === null ? {} : { sendUntil: this.#member.cluster().sendUntil }),
        },
        source,
        {
          headers: () => {},
          outcomes: (outcomes) => {
            if (isLive(opened)) {
              this.#came.push(...outcomes);
            }
          },
          piece: (piece) => {
            if (isLive(opened)) {
              this.#pieces.push({ lane: number, piece });
            }
          },
        },
        this.#clock,
        undefined,
        undefined,
        this.#hooks,
      );
      return { lane, inbox: [] };
    });
    return opened;
  }

  /** What every run begins with, one that goes on after a kill too. */
  async #begin(): Promise<void> {
    const isOurs = ({ url }: { url: string }) => this.#member === null || !isForeignTo(this.#member.seat, url);
    for (const offers of new SeedBook(this.#store.seeds()).first(2)) {
      await this.#frontier.admit(offers.filter(isOurs));
    }
    const scope = new CrawlScope({ seeds: structuredClone(this.#plan.seeds.map(staticRow)), ...this.#scope });
    const places = new QueuePlaces('bfs');
    this.#candidates = this.#plan.candidates.flatMap((url) => {
      const seed = scope.seedOf(url);
      const isOffered = isOurs({ url }) && seed >= 0 && scope.trap(url) === null && scope.depthLimitOf(seed) >= 1;
      return isOffered ? [candidateOffer(url, seed, UrlFlag.fromCommonCrawl, places)] : [];
    });
  }

  async #step(): Promise<void> {
    this.#now++;
    const admission = this.#dice(2) === 0 ? this.#admissions.shift() : undefined;
    if (admission !== undefined) {
      await admission();
      return;
    }
    const dice = this.#dice(10);
    const heard = this.#lanes.filter(({ inbox }) => inbox.length > 0);
    if (dice === 0 && this.#killsLeft > 0) {
      if (this.#dice(8) === 0) {
        await this.#kill();
      }
    } else if (dice === 1 && this.#candidates.length > 0) {
      await this.#frontier.admit([this.#candidates.splice(this.#dice(this.#candidates.length), 1)[0]!]);
    } else if (dice === 2 && this.#pieces.length > 0) {
      await this.#admitPiece();
    } else if (dice < 5 && this.#pending.length > 0) {
      await this.#arrive();
    } else if (dice < 7 && heard.length > 0) {
      await this.#hear(heard[this.#dice(heard.length)]!);
    } else {
      await this.#settle();
    }
  }

  /** As in a crawl that reads all that it asks for. */
  get #overlaps(): boolean {
    const { check, external, assets, candidates } = this.#plan;
    return !check && !external && !assets && candidates.length === 0;
  }

  async #settle(): Promise<void> {
    const isHeldBack = this.#overlaps && this.#dice(2) === 0;
    let answer = () => {};
    this.#answers = isHeldBack ? new Promise((resolve) => (answer = resolve)) : null;
    const first = this.#settleSome();
    await nextTurn();
    const second = isHeldBack && this.#frontier.takesMore ? this.#settleSome() : null;
    this.overlapped += second === null ? 0 : 1;
    await nextTurn();
    if (second !== null && this.#killsLeft > 0 && this.#dice(20) === 0) {
      // Neither is ever answered.
      await this.#kill();
      return;
    }
    answer();
    this.#dispatch(await first);
    this.#dispatch((await second) ?? []);
    this.#answers = null;
  }

  /** Some of what came, in any order, and new leases. */
  #settleSome(): Promise<Lease[]> {
    const outcomes: Outcome[] = [];
    for (let n = this.#dice(4); n > 0 && this.#came.length > 0; n--) {
      outcomes.push(this.#came.splice(this.#dice(this.#came.length), 1)[0]!);
    }
    for (const outcome of outcomes) {
      this.#frontier.ended(outcome);
    }
    return this.#frontier.settle(outcomes, (this.#member?.cluster().mayLease ?? true) ? this.#dice(4) : 0);
  }

  #dispatch(leases: readonly Lease[]): void {
    const updates = this.#keys.takeChanged();
    for (const { lane } of this.#lanes) {
      lane.take([], updates);
    }
    for (const lease of leases) {
      this.#lanes[this.#dice(LANES)]!.inbox.push({ jobs: [jobOf(lease)] });
    }
  }

  async #hear({ lane, inbox }: { lane: Lane; inbox: LaneOrder[] }): Promise<void> {
    const order = inbox.shift()!;
    if ('widen' in order) {
      lane.widenScope(...order.widen);
      return;
    }
    const before = this.#pending.length;
    lane.take(order.jobs, []);
    // What robots.txt forbids comes back at once.
    await this.#until(
      () => this.#pending.length > before || this.#came.some(({ id }) => id === order.jobs[0]!.lease.id),
    );
  }

  /** The page that it is of is read on. */
  async #admitPiece(): Promise<void> {
    const [{ lane, piece }] = this.#pieces.splice(this.#dice(this.#pieces.length), 1) as [
      { lane: number; piece: PagePiece },
    ];
    const before = this.#came.length + this.#pieces.length;
    this.#lanes[lane]!.lane.admitted(piece.page.id, await this.#frontier.admitFrom(structuredClone(piece)));
    await this.#until(() => this.#came.length + this.#pieces.length > before);
  }

  /** One of the answers that are under way is read. */
  async #arrive(): Promise<void> {
    const [{ request, answer }] = this.#pending.splice(this.#dice(this.#pending.length), 1) as [Pending];
    const before = this.#came.length + this.#pieces.length;
    answer(responseOf(request, this.#web, this.#clock.now()));
    await this.#until(() => this.#came.length + this.#pieces.length > before);
  }

  async #until(isSo: () => boolean): Promise<void> {
    for (let turn = 0; !isSo(); turn++) {
      if (turn > 100) {
        throw new Error('a lane gives no outcome');
      }
      await nextTurn();
    }
  }

  /** All that is not committed is gone. */
  async #kill(): Promise<void> {
    this.#killsLeft--;
    await this.kill();
  }

  /** The process is gone, and its store is opened by another one. */
  async kill(): Promise<void> {
    this.#admissions = [];
    this.#mailAnswers = [];
    this.#answers = null;
    this.#lanes = [];
    this.#pending = [];
    this.#came = [];
    this.#pieces = [];
    await this.#move();
    this.#open(this.#store.seeds(), false);
    await this.#begin();
  }

  async #move(): Promise<void> {
    const database = await this.#moved(this.#database);
    if (database !== this.#database) {
      const seeds = this.#store.seeds();
      this.#database.close();
      this.#database = database;
      this.#counts = database.prepare(COUNTS);
      this.#store = this.#storeOf(seeds);
    }
  }

  /** The counters in memory, against the rows in the store. */
  #checkCounts(): void {
    const { outstanding, done, failed, skipped } = this.#frontier.counts();
    const onDisk = Object.values(this.#counts.get()!);
    const inMemory = [outstanding, done, failed, skipped];
    if (String(inMemory) !== String(onDisk)) {
      throw new Error(`memory counts ${inMemory}, and the store ${onDisk}`);
    }
  }

  result(): Truth {
    return this.#result();
  }

  #result(): Truth {
    const texts = new Map<number, string>(
      this.#database
        .prepare('SELECT id, url FROM urls')
        .all()
        .map(({ id, url }) => [id, url]),
    );
    const ends = new Set<number>();
    const edgesOf = new Map<number, string[]>();
    for (const { page, packed } of this.#database.prepare('SELECT page, packed FROM edges').all()) {
      const words = edgesFromBlob(packed);
      const edges: string[] = [];
      for (let i = 0; i < words.length; i += 2) {
        ends.add(words[i]!);
        edges.push(`${LINK_KINDS[edgeKind(words[i + 1]!)]} ${texts.get(words[i]!)}`);
      }
      edgesOf.set(page, edges);
    }
    const urls: Record<string, Fact> = {};
    const rows = this.#database.prepare(
      `SELECT urls.*, pages.status AS status, pages.bytes AS bytes FROM urls LEFT JOIN pages ON pages.id = urls.id
       WHERE kind = ${UrlKind.page} AND NOT ${UNANSWERED}`,
    );
    for (const { id, url, state, reason, depth, flags, status, bytes } of rows.all()) {
      const isListed = state !== UrlState.unlisted;
      if (!isListed && !ends.has(id)) {
        continue;
      }
      if (url in urls) {
        throw new Error(`${url} is there twice`);
      }
      const external = isListed && (flags & UrlFlag.external) !== 0;
      urls[url] = {
        ...{ state: STATE_NAMES[state as UrlState], reason, depth: isListed ? depth : null, external },
        ...{ status: status || null, bytes: bytes ?? 0, edges: edgesOf.get(id) ?? [] },
      };
    }
    const sitemaps = this.#database.prepare(`SELECT url, state FROM urls WHERE kind = ${UrlKind.sitemap}`).all();
    return {
      urls,
      sitemaps: Object.fromEntries(sitemaps.map(({ url, state }) => [url, STATE_NAMES[state as UrlState]])),
    };
  }
}

const staticRow = ({ url, scope, depth }: Plan['seeds'][number], seed: number): SeedRow => ({
  ...{ seed, url, label: url, scope, depth, maxUrls: null, fallbacks: [], scopeUrls: [url] },
});

let sequence = 0;
const jobOf = (lease: Lease): Job => ({ lease, sequence: sequence++, newRules: true, place: null });

function responseOf({ url, method, firstBytes }: FetchRequest, web: SmallWeb, now: number): FetchResponse {
  const { status, type, body, more = {} } = contentOf(url, web);
  const bytes = method === 'HEAD' || body === null ? null : Buffer.from(body).subarray(0, firstBytes ?? body.length);
  const headers = { ...(type === null ? {} : { 'content-type': type }), ...more };
  return {
    ...{ status, body: bytes, wireBytes: 0, bodyBytes: bytes?.length ?? 0, cut: false },
    ...{ endedEarly: false, truncated: false, damage: null },
    headers: new ResponseHeaders(Object.entries(headers).flat()),
    ...{ ttfbMs: 1, headersAt: now, endedAt: now, remoteAddress: null },
  };
}

interface Content {
  status: number;
  type: string | null;
  body: string | null;
  more?: Record<string, string>;
}

function contentOf(url: string, web: SmallWeb): Content {
  const origin = originOf(url);
  if (url === `${origin}/robots.txt`) {
    const sitemaps = (web.robots.get(origin) ?? []).map((each) => `Sitemap: ${each}\n`).join('');
    return { status: 200, type: 'text/plain', body: `User-agent: *\nDisallow: ${FORBIDDEN}\n${sitemaps}` };
  }
  const sitemap = web.sitemaps.get(url);
  if (sitemap?.what === 'redirect') {
    return redirectTo(sitemap.to);
  }
  if (sitemap !== undefined) {
    const [list, item, urls] =
      sitemap.what === 'urls' ? ['urlset', 'url', sitemap.urls] : ['sitemapindex', 'sitemap', sitemap.files];
    const items = (urls as string[]).map((each) => `<${item}><loc>${each}</loc></${item}>`).join('');
    return { status: 200, type: 'application/xml', body: `<?xml version="1.0"?><${list}>${items}</${list}>` };
  }
  const answer = web.answers.get(url);
  if (answer === undefined || answer.what === 'missing') {
    return { status: 404, type: null, body: null };
  }
  if (answer.what === 'redirect') {
    return redirectTo(answer.to);
  }
  if (answer.what === 'text') {
    return { status: 200, type: 'text/plain', body: TEXT };
  }
  if (answer.what === 'image') {
    return { status: 200, type: 'image/png', body: null };
  }
  const more: Record<string, string> = answer.nofollow === 'header' ? { 'x-robots-tag': 'nofollow' } : {};
  return { status: 200, type: 'text/html', body: htmlOf(answer), more };
}

const redirectTo = (to: string): Content => ({ status: 301, type: null, body: null, more: { location: to } });
