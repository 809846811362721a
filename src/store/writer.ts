import { StateError } from '../base/errors.js';
import { hostOfOrigin } from '../url/host.js';
import type { ArchiveTable } from './archive-table.js';
import { CookieGates } from './cookie-gates.js';
import { GivenData } from './given-data.js';
import { HostsTable } from './hosts-table.js';
import { Outbox } from './outbox.js';
import { PagesTable } from './pages-table.js';
import { Rediscovery } from './rediscovery.js';
import { ScopeGrowth } from './scope-growth.js';
import { SeenIndex } from './seen-index.js';
import { type Database, rollBack, type Statement } from './sqlite.js';
import { type FoundAgain, foundAgain, isListedElsewhere, type StoreScope } from './standing.js';
import type { CommitAnswer, NewUrl, RenderedPage, SettledUrl, Transaction } from './transaction.js';
import { TrapsTable } from './traps.js';
import { UrlMove } from './url-moves.js';
import { QueueClass, UrlFlag, UrlKind, UrlState } from './url-state.js';

export interface WriterOptions {
  expectedUrls: number;
  falsePositiveRate: number;
  lookupBatch: number;
  scope: StoreScope;
  /** What pages load is dropped when it is more bytes than this, the oldest first; left out: it is kept. */
  mostAssetBytes?: number;
  /** Bodies stay when a browser has seen them, or will not: the crawl keeps its pages. */
  keepsBodies?: boolean;
}

/** Commits transactions: the only writer of the store while a crawl runs. */
export class Writer {
  readonly #database: Database;
  readonly #statements: ReturnType<typeof prepare>;
  readonly #moves: ReturnType<typeof prepareMoves>;
  readonly #settlings = new Map<UrlState, { usual: UrlMove; nearer: UrlMove }>();
  readonly seen: SeenIndex;
  readonly hosts: HostsTable;
  readonly #pages: PagesTable;
  readonly #traps: TrapsTable;
  readonly #rediscovery: Rediscovery;
  readonly #growth: ScopeGrowth;
  readonly #gates: CookieGates;
  readonly #given: GivenData;
  #archive: ArchiveTable | null = null;
  /** Null if the crawl runs on this machine alone. */
  readonly outbox: Outbox | null;
  /** Hosts that memory may not have, and that get work with this transaction. */
  readonly #entering = new Set<number>();
  #toOfferAgain: { id: number; depth: number; scopeGrew: boolean }[] = [];

  constructor(database: Database, options: WriterOptions) {
    this.#database = database;
    this.#statements = prepare(database);
    this.#moves = prepareMoves(database);
    this.seen = new SeenIndex(database, {
      expectedUrls: options.expectedUrls,
      falsePositiveRate: options.falsePositiveRate,
      batchLimit: options.lookupBatch,
    });
    this.hosts = new HostsTable(database);
    this.#given = new GivenData(database);
    this.#pages = new PagesTable(database, this.#given, options);
    this.#traps = new TrapsTable(database, options.scope);
    const { seat } = options.scope;
    this.outbox = seat === undefined ? null : new Outbox(database, seat);
    this.#rediscovery = new Rediscovery(database, options.scope, this.#traps, this.outbox);
    this.#growth = new ScopeGrowth(database, options.scope, this.#rediscovery, this.outbox);
    this.#gates = new CookieGates(database);
  }

  /** Number of the page that was settled last. */
  get lastSeq(): number {
    return this.#pages.lastSeq;
  }

  /** The crawl is archived: each commit says what it has added. */
  keepArchive(archive: ArchiveTable): void {
    this.#archive = archive;
  }

  /** Between runs: no browser will see the pages that wait for one. */
  leaveUnrendered(): void {
    this.#pages.leaveUnrendered();
  }

  /** Nobody waits for what pages have loaded. */
  dropAssets(): void {
    this.#pages.dropAssets();
  }

  commit(transaction: Transaction): CommitAnswer {
    const startedAt = performance.now();
    const lookupsBefore = { ...this.seen.use };
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const answer = this.#apply(transaction);
      this.#database.exec('COMMIT');
      answer.commitMs = performance.now() - startedAt;
      answer.lookups = {
        asked: this.seen.use.asked - lookupsBefore.asked,
        saved: this.seen.use.saved - lookupsBefore.saved,
        hits: this.seen.use.hits - lookupsBefore.hits,
      };
      return answer;
    } catch (error) {
      this.#rollBack();
      throw storeFailure(error);
    }
  }

  #rollBack(): void {
    this.#entering.clear();
    this.#toOfferAgain = [];
    this.#rediscovery.forget();
    this.#growth.forget();
    this.#traps.forget();
    this.#gates.forget();
    this.outbox?.forget();
    rollBack(this.#database);
  }

  #apply(transaction: Transaction): CommitAnswer {
    const answer: CommitAnswer = {
      hosts: [],
      known: [],
      change: { queued: 0, done: 0, skipped: 0, failed: 0, deferred: 0 },
      reflagged: [],
      widened: [],
      unsought: [],
      queued: [],
      reloaded: new Set(),
      trapped: [],
      lowered: [],
      moved: [],
      lookups: { asked: 0, saved: 0, hits: 0 },
      commitMs: 0,
    };
    this.#growth.widen(transaction.widened);
    for (const spilled of transaction.spilledKeys) {
      this.#spill(spilled);
    }
    const knownIds = this.#insertNew(transaction.newUrls, answer);
    for (const { id, pattern } of transaction.trapped) {
      if (!knownIds.has(id)) {
        this.#traps.add(id, pattern, answer);
      }
    }
    for (const settled of transaction.settled) {
      this.#settle(settled, knownIds, transaction.at, answer);
    }
    for (const rendered of transaction.rendered) {
      this.#render(rendered, knownIds, answer);
    }
    this.#pages.trimAssets();
    for (const id of transaction.returned) {
      if (!this.#moves.giveBackRobots.try(id)) {
        this.#moves.giveBack.run(id);
      }
    }
    for (const { id, reason, pattern } of transaction.skipped) {
      this.#moves.skip.run(id, reason);
      this.#pages.addEmpty(id);
      if (pattern !== null) {
        this.#traps.add(id, pattern, answer);
      }
    }
    for (const id of transaction.leased) {
      this.#moves.lease.run(id);
    }
    for (const { id, pattern } of transaction.unfollowed) {
      this.#statements.unfollow.run(id);
      this.#traps.add(id, pattern, answer);
    }
    this.hosts.save(transaction.hosts, transaction.origins);
    this.#learn(transaction, knownIds, answer);
    if (transaction.letIn !== undefined) {
      this.#traps.letIn(transaction.letIn, answer);
    }
    for (const move of transaction.bulk) {
      answer.moved.push(this.hosts.moveAll(move));
      if (move.to === UrlState.queued && move.host !== null) {
        this.#entering.add(move.host);
      }
    }
    for (const origin of new Set([...answer.queued.map((url) => url.origin), ...answer.reloaded])) {
      this.#entering.add(this.hosts.ensure(origin, hostOfOrigin(origin)).host);
    }
    answer.hosts = [...this.#entering].map((host) => this.hosts.snapshot(host));
    this.#entering.clear();
    this.#archive?.add(transaction.archived ?? []);
    for (const gift of transaction.given ?? []) {
      this.outbox!.give(gift);
    }
    for (const [key, value] of Object.entries(transaction.meta)) {
      this.#statements.setMeta.run(key, value);
    }
    const posted = this.outbox?.post() ?? [];
    if (posted.length > 0) {
      answer.posted = posted;
    }
    return answer;
  }

  /**
   * What this commit says of URLs that are known. Last, when all that memory has done stands in the store: then what changes here is what
   * memory has yet to be told.
   */
  #learn({ newUrls, found }: Transaction, knownIds: Map<number, number>, answer: CommitAnswer): void {
    for (const { id, depth, scopeGrew } of this.#toOfferAgain) {
      this.#rediscovery.offerAgain(id, depth, scopeGrew, answer);
    }
    this.#toOfferAgain = [];
    if (knownIds.size > 0) {
      for (const url of newUrls.filter(({ id }) => knownIds.has(id))) {
        this.#foundAgain(foundAgain(knownIds.get(url.id)!, url, url.parent), answer);
      }
    }
    for (const each of found) {
      this.#foundAgain(each, answer);
    }
    this.#rediscovery.followAdded(answer);
    this.#growth.followSeeds(answer);
    for (const { id, cookie } of this.#gates.opened()) {
      this.#rediscovery.askWith(id, cookie, answer);
    }
  }

  #foundAgain(found: FoundAgain, answer: CommitAnswer): void {
    if (found.data !== undefined) {
      this.#given.keep(found.id, found.data);
    }
    this.#rediscovery.found(found, answer);
  }

  /** Ids that turned out to be others: key = the id offered, value = the id the URL is known by. */
  #insertNew(newUrls: NewUrl[], answer: CommitAnswer): Map<number, number> {
    const knownIds = new Map<number, number>();
    const inserted: NewUrl[] = [];
    const unsure = newUrls.filter((url) => url.unsure);
    const known = unsure.length > 0 ? this.seen.find(unsure.map((url) => url.key)) : new Map<number, number>();
    const knownUnsure = new Map([...known].map(([place, id]) => [unsure[place]!, id]));
    const insertedUnsure = new Map<string, number>();
    for (const url of newUrls) {
      if (url.unsure) {
        const id = knownUnsure.get(url) ?? insertedUnsure.get(url.url);
        if (id !== undefined) {
          knownIds.set(url.id, id);
          answer.known.push([url.id, id]);
          continue;
        }
        insertedUnsure.set(url.url, url.id);
        this.seen.add(url.key, url.id);
      }
      this.#insertUrl(url);
      inserted.push(url);
    }
    // robots.txt belongs to its origin; nobody asks whether it was seen.
    this.#keepKeys(inserted.filter((url) => url.kind !== UrlKind.robots));
    return knownIds;
  }

  #insertUrl(url: NewUrl): void {
    let originId = url.origin;
    if (originId === '') {
      // mailto: and its like belong nowhere.
      originId = 0;
    } else if (typeof originId === 'string') {
      const { origin, host } = this.hosts.ensure(originId, hostOfOrigin(originId));
      originId = origin;
      if (url.state !== UrlState.unlisted) {
        this.#entering.add(host);
      }
    }
    this.#statements.insertUrl.run(
      url.id,
      url.url,
      url.kind,
      originId,
      url.depth,
      url.parent,
      url.seed,
      url.class,
      url.state,
      url.reason,
      url.state === UrlState.leased ? 1 : 0,
      url.hops,
      url.flags,
    );
    if (url.data !== undefined) {
      this.#given.keep(url.id, url.data);
    }
    if (this.outbox !== null && isListedElsewhere(url.reason)) {
      this.outbox.offer(url.id, url.url);
    }
  }

  #keepKeys(urls: NewUrl[]): void {
    if (urls.length === 0) {
      return;
    }
    const packed = new Uint32Array(urls.length * 5);
    urls.forEach((url, i) => {
      packed.set(url.key, i * 5);
      packed[i * 5 + 4] = url.id;
    });
    this.#statements.insertKeys.run(urls[0]!.id, new Uint8Array(packed.buffer));
  }

  #spill({ segment, packed }: { segment: number; packed: Uint32Array }): void {
    for (let i = 0; i < packed.length; i += 5) {
      this.seen.add(packed.subarray(i, i + 4), packed[i + 4]!);
    }
    const row = this.#statements.getMeta.get('spilledSegments');
    const segments = new Set<number>(row === undefined ? [] : JSON.parse(row.value));
    segments.add(segment);
    this.#statements.setMeta.run('spilledSegments', JSON.stringify([...segments]));
  }

  #settle(settled: SettledUrl, knownIds: Map<number, number>, at: number, answer: CommitAnswer): void {
    const { id, retry } = settled;
    if (retry !== null) {
      const beginsAgain = retry.beginsAgain ?? false;
      const { requeue, lookAgain } = this.#moves;
      (beginsAgain ? lookAgain : requeue).run(id, retry.notBefore, retry.flags, settled.reason);
      const { number, at: triedAt, status, message } = retry.attempt;
      const look = (retry.flags & UrlFlag.secondLook) === 0 || beginsAgain ? 1 : 2;
      this.#statements.insertAttempt.run(id, look, number, triedAt, status, settled.reason, message);
      return;
    }
    const depth = this.#settleState(settled);
    if (settled.unchanged) {
      // All that is known of it stands.
      this.#pages.seenAgain(id, at);
      this.#noteDepth(id, depth, settled.depth);
      return;
    }
    const redirectTo = settled.redirectTo === null ? null : (knownIds.get(settled.redirectTo) ?? settled.redirectTo);
    const data = this.#pages.add(settled, redirectTo, knownIds);
    if (data !== null) {
      answer.data ??= [];
      answer.data.push([id, data]);
    }
    this.#noteDepth(id, depth, settled.depth);
    if (redirectTo !== null) {
      this.#rediscovery.redirected(id, redirectTo);
      this.#gates.redirected(id, settled.cookies);
    } else if (settled.passesGate) {
      this.#gates.passed(id);
    }
  }

  #render(rendered: RenderedPage, knownIds: Map<number, number>, { change }: CommitAnswer): void {
    const { id, reading, hookFailed } = rendered;
    if (hookFailed !== undefined && this.#moves.failByHook.try(id)) {
      change.done--;
      change.failed++;
    }
    if (this.#pages.render(rendered, knownIds) && reading !== null) {
      this.#noteDepth(id, this.#statements.depthOf.get(id)!.depth, reading.depth);
    }
  }

  /** Its links were offered from another depth than it has by now, or under another scope. */
  #noteDepth(id: number, depth: number, offeredFrom: number): void {
    if (depth !== offeredFrom) {
      this.#toOfferAgain.push({ id, depth, scopeGrew: offeredFrom < 0 });
    }
  }

  /** Returns the depth that the URL has by now: while it was leased a shorter path may have been found. */
  #settleState({ id, state, reason, depth }: SettledUrl): number {
    const { usual, nearer } = this.#settlingAs(state);
    return usual.try(id, reason, depth) ? depth : nearer.get(id, reason).depth;
  }

  #settlingAs(state: UrlState): { usual: UrlMove; nearer: UrlMove } {
    let moves = this.#settlings.get(state);
    if (moves === undefined) {
      const move = { from: UrlState.leased, to: state, set: 'reason = ?2, lost = 0' };
      moves = {
        usual: new UrlMove(this.#database, { ...move, where: 'depth = ?3' }),
        nearer: new UrlMove(this.#database, { ...move, returning: 'depth' }),
      };
      this.#settlings.set(state, moves);
    }
    return moves;
  }
}

/** What was to be written is at fault, not where it was to be written to. */
const isDefect = (error: unknown, message: string): boolean =>
  error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError || /too big/.test(message);

function storeFailure(error: unknown): StateError {
  if (error instanceof StateError) {
    return error;
  }
  const message = error instanceof Error ? error.message : String(error);
  if (isDefect(error, message)) {
    return new StateError('store_defect', `the store could not take what was found: ${message}`, { cause: error });
  }
  const full = /full|ENOSPC/i.test(message);
  return new StateError(
    full ? 'disk_full' : 'store',
    full ? 'the disk is full: nothing that was committed is lost' : `the store cannot be written: ${message}`,
    { cause: error },
  );
}

function prepare(
  database: Database,
): Record<'insertUrl' | 'depthOf' | 'insertKeys' | 'insertAttempt' | 'unfollow' | 'setMeta' | 'getMeta', Statement> {
  return {
    insertUrl: database.prepare(
      `INSERT INTO urls (id, url, kind, origin, depth, parent, seed, class, state, reason, attempts, hops, flags)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    depthOf: database.prepare('SELECT depth FROM urls WHERE id = ?'),
    insertAttempt: database.prepare(
      'INSERT OR REPLACE INTO attempts (url, look, attempt, at, status, reason, message) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    insertKeys: database.prepare('INSERT INTO keys (first, packed) VALUES (?, ?)'),
    unfollow: database.prepare(`UPDATE urls SET flags = flags | ${UrlFlag.external | UrlFlag.trap} WHERE id = ?`),
    setMeta: database.prepare(
      'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    ),
    getMeta: database.prepare('SELECT value FROM meta WHERE key = ?'),
  };
}

function prepareMoves(
  database: Database,
): Record<'requeue' | 'lookAgain' | 'giveBack' | 'giveBackRobots' | 'skip' | 'failByHook' | 'lease', UrlMove> {
  const { queued, leased, done, failed, skipped } = UrlState;
  const again = `not_before = ?2, flags = ?3, reason = ?4, class = ${QueueClass.urgent}, lost = 0`;
  const unsent = `attempts = attempts - 1, class = ${QueueClass.urgent}`;
  return {
    requeue: new UrlMove(database, { from: leased, to: queued, set: again }),
    lookAgain: new UrlMove(database, { from: leased, to: queued, set: `${again}, attempts = 1` }),
    giveBack: new UrlMove(database, { from: leased, to: queued, set: unsent }),
    // robots.txt itself is no work that waits: its origin asks for it again.
    giveBackRobots: new UrlMove(database, {
      ...{ from: leased, to: failed, set: unsent },
      where: `kind = ${UrlKind.robots} AND hops = 0`,
    }),
    skip: new UrlMove(database, { from: queued, to: skipped, set: 'reason = ?2' }),
    failByHook: new UrlMove(database, { from: UrlState.done, to: UrlState.failed, set: "reason = 'hook'" }),
    // robots.txt is leased again from done or failed when its time is over.
    lease: new UrlMove(database, {
      ...{ from: [queued, done, failed], to: leased, set: 'attempts = attempts + 1' },
      where: `state = ${queued} OR kind = ${UrlKind.robots}`,
    }),
  };
}
