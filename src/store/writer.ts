import { StateError } from '../base/errors.js';
import { hostOfOrigin } from '../url/place.js';
import { CookieGates } from './cookie-gates.js';
import { HostsTable } from './hosts-table.js';
import { PENDING } from './packed-edges.js';
import { type LinkFacts, openPage, PAGE_COLUMNS, pageValues } from './page-row.js';
import { Rediscovery, type StoreScope } from './rediscovery.js';
import { SeenIndex } from './seen-index.js';
import type { Database, Statement } from './sqlite.js';
import { foundAgain } from './standing.js';
import type { CommitAnswer, NewUrl, RenderedPage, SettledUrl, Transaction } from './transaction.js';
import { TrapsTable } from './traps-table.js';
import { LEGAL_MOVES, QueueClass, Rendering, STATE_NAMES, UrlFlag, UrlKind, UrlState } from './url-state.js';

export interface WriterOptions {
  expectedUrls: number;
  falsePositiveRate: number;
  lookupBatch: number;
  scope: StoreScope;
}

const NO_PAGE: null[] = PAGE_COLUMNS.map(() => null);
const NOTHING_KEPT = { values: NO_PAGE, facts: null, body: null };

/** Commits transactions. The only writer of the store, and the only place where a URL changes its state. */
export class Writer {
  readonly #database: Database;
  readonly #statements: ReturnType<typeof prepare>;
  readonly seen: SeenIndex;
  readonly hosts: HostsTable;
  readonly #traps: TrapsTable;
  readonly #rediscovery: Rediscovery;
  readonly #gates: CookieGates;
  #nextSeq: number;
  /** Hosts that memory may not have, and that get work with this transaction. */
  readonly #entering = new Set<number>();
  #toOfferAgain: { id: number; depth: number; scopeGrew: boolean }[] = [];

  constructor(database: Database, options: WriterOptions) {
    this.#database = database;
    this.#statements = prepare(database);
    this.seen = new SeenIndex(database, {
      expectedUrls: options.expectedUrls,
      falsePositiveRate: options.falsePositiveRate,
      batchLimit: options.lookupBatch,
    });
    this.hosts = new HostsTable(database);
    this.#traps = new TrapsTable(database, options.scope);
    this.#rediscovery = new Rediscovery(database, options.scope, this.#traps);
    this.#gates = new CookieGates(database);
    this.#nextSeq = (database.prepare('SELECT max(seq) AS seq FROM pages').get()?.seq ?? 0) + 1;
  }

  /** Number of the page that was settled last. */
  get lastSeq(): number {
    return this.#nextSeq - 1;
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
    this.#traps.forget();
    this.#gates.forget();
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // A failed COMMIT may have rolled back already; the first error is the one that is thrown.
    }
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
    this.#rediscovery.widen(transaction.widened);
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
      this.#settle(settled, knownIds, transaction.at);
    }
    for (const rendered of transaction.rendered) {
      this.#render(rendered, knownIds);
    }
    for (const id of transaction.returned) {
      this.#must(this.#statements.giveBack.run(id), id, UrlState.leased, UrlState.queued);
    }
    for (const { id, reason, pattern } of transaction.skipped) {
      this.#must(this.#statements.skip.run(reason, id), id, UrlState.queued, UrlState.skipped);
      this.#statements.insertPage.run(id, this.#nextSeq++, null, ...NO_PAGE);
      if (pattern !== null) {
        this.#traps.add(id, pattern, answer);
      }
    }
    for (const id of transaction.leased) {
      this.#must(this.#statements.lease.run(id), id, UrlState.queued, UrlState.leased);
    }
    for (const { id, pattern } of transaction.unfollowed) {
      this.#statements.unfollow.run(id);
      this.#traps.add(id, pattern, answer);
    }
    this.hosts.save(transaction.hosts, transaction.origins);
    this.#learn(transaction, knownIds, answer);
    for (const move of transaction.bulk) {
      if (!LEGAL_MOVES[move.from].includes(move.to)) {
        throw new StateError(
          'illegal_move',
          `a URL cannot go from ${STATE_NAMES[move.from]} to ${STATE_NAMES[move.to]}`,
        );
      }
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
    for (const [key, value] of Object.entries(transaction.meta)) {
      this.#statements.setMeta.run(key, value);
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
        this.#rediscovery.found(foundAgain(knownIds.get(url.id)!, url), answer);
      }
    }
    for (const each of found) {
      this.#rediscovery.found(each, answer);
    }
    this.#rediscovery.followSeeds(answer);
    for (const { id, cookie } of this.#gates.opened()) {
      this.#rediscovery.askWith(id, cookie, answer);
    }
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

  #settle(settled: SettledUrl, knownIds: Map<number, number>, at: number): void {
    const { id, retry } = settled;
    if (retry !== null) {
      const beginsAgain = retry.beginsAgain ?? false;
      const { requeue, lookAgain } = this.#statements;
      const change = (beginsAgain ? lookAgain : requeue).run(
        ...[retry.notBefore, retry.flags, settled.reason, QueueClass.urgent, id],
      );
      this.#must(change, id, UrlState.leased, UrlState.queued);
      const { number, at: triedAt, status, message } = retry.attempt;
      const look = (retry.flags & UrlFlag.secondLook) === 0 || beginsAgain ? 1 : 2;
      this.#statements.insertAttempt.run(id, look, number, triedAt, status, settled.reason, message);
      return;
    }
    const depth = this.#settleState(settled);
    if (settled.unchanged) {
      // All that is known of it stands.
      this.#statements.seenAgain.run(at, id);
      this.#noteDepth(id, depth, settled.depth);
      return;
    }
    const redirectTo = settled.redirectTo === null ? null : (knownIds.get(settled.redirectTo) ?? settled.redirectTo);
    this.#insertPage(settled, redirectTo);
    if (settled.edges !== null && settled.edges.length > 0) {
      this.#insertEdges(id, settled, settled.edges, knownIds);
    }
    this.#noteDepth(id, depth, settled.depth);
    if (redirectTo !== null) {
      this.#rediscovery.redirected(id, redirectTo);
      this.#gates.redirected(id, settled.cookies);
    } else if (settled.passesGate) {
      this.#gates.passed(id);
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
    const change = this.#statements.settle.run(state, reason, id, depth);
    if (Number(change.changes) === 1) {
      this.#must(change, id, UrlState.leased, state);
      return depth;
    }
    const row = this.#statements.settleMoved.get(state, reason, id);
    this.#must({ changes: row === undefined ? 0 : 1 }, id, UrlState.leased, state);
    return row.depth;
  }

  #insertPage(settled: SettledUrl, redirectTo: number | null): void {
    const { values, facts, body } = settled.page === null ? NOTHING_KEPT : pageValues(settled.page);
    this.#statements.insertPage.run(settled.id, this.#nextSeq++, redirectTo, ...values);
    if (facts !== null) {
      this.#insertFacts(settled.id, facts);
    }
    if (body !== null) {
      const { text, needsBrowser } = body.measured ?? { text: null, needsBrowser: false };
      const rendering = needsBrowser ? Rendering.wanted : Rendering.none;
      this.#statements.insertBody.run(settled.id, body.type, Buffer.from(body.packed, 'base64'), rendering, text);
    }
  }

  /** What the browser made of a page stands in place of what came; the hash stays that of what came. */
  #render({ id, text, reading }: RenderedPage, knownIds: Map<number, number>): void {
    if (reading === null) {
      this.#statements.keepAsItCame.run(text, id);
      return;
    }
    const { title, description, lang, canonical, robotsMeta, links, body } = openPage(reading.page);
    const { changes } = this.#statements.replaceBody.run(body!.type, Buffer.from(body!.packed, 'base64'), text, id);
    if (Number(changes) === 0) {
      return;
    }
    this.#statements.updatePage.run(title, description, lang, canonical, robotsMeta, links, id);
    if (reading.edges !== null) {
      this.#insertEdges(id, reading, reading.edges, knownIds);
    }
    this.#noteDepth(id, this.#statements.depthOf.get(id)!.depth, reading.depth);
  }

  #insertFacts(id: number, { hrefs, places, anchors, headers, textHash }: LinkFacts): void {
    this.#statements.insertFacts.run(
      id,
      hrefs === null ? null : JSON.stringify(hrefs),
      places === null ? null : Buffer.from(places, 'base64'),
      anchors === null ? null : Buffer.from(anchors, 'base64'),
      headers === null ? null : JSON.stringify(headers),
      textHash,
    );
  }

  #insertEdges(
    page: number,
    { newIds, rels, texts }: Pick<SettledUrl, 'newIds' | 'rels' | 'texts'>,
    edges: Uint32Array,
    knownIds: Map<number, number>,
  ): void {
    for (let i = 0; i < edges.length; i += 2) {
      const target = edges[i]!;
      if (target >= PENDING) {
        const id = newIds[target - PENDING]!;
        edges[i] = knownIds.get(id) ?? id;
      }
    }
    this.#statements.insertEdges.run(
      page,
      new Uint8Array(edges.buffer, edges.byteOffset, edges.byteLength),
      rels.length > 0 ? JSON.stringify(rels) : null,
      texts === null ? null : JSON.stringify(texts),
    );
  }

  #must(change: { changes: number | bigint }, id: number, from: UrlState, to: UrlState): void {
    if (Number(change.changes) !== 1 || !LEGAL_MOVES[from].includes(to)) {
      const row = this.#database.prepare('SELECT url, state FROM urls WHERE id = ?').get(id);
      const now = row === undefined ? 'not in the store' : STATE_NAMES[row.state as UrlState];
      throw new StateError(
        'illegal_move',
        `URL ${id} should go from ${STATE_NAMES[from]} to ${STATE_NAMES[to]} but is ${now}`,
      );
    }
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
): Record<
  | 'insertUrl'
  | 'insertPage'
  | 'insertEdges'
  | 'insertFacts'
  | 'insertBody'
  | 'keepAsItCame'
  | 'replaceBody'
  | 'updatePage'
  | 'depthOf'
  | 'seenAgain'
  | 'insertKeys'
  | 'insertAttempt'
  | 'settle'
  | 'settleMoved'
  | 'requeue'
  | 'lookAgain'
  | 'giveBack'
  | 'skip'
  | 'lease'
  | 'unfollow'
  | 'setMeta'
  | 'getMeta',
  Statement
> {
  return {
    insertUrl: database.prepare(
      `INSERT INTO urls (id, url, kind, origin, depth, parent, seed, class, state, reason, attempts, hops, flags)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    insertPage: database.prepare(
      `INSERT OR REPLACE INTO pages (id, seq, redirect_to, ${PAGE_COLUMNS.join(', ')}) VALUES (?, ?, ?${', ?'.repeat(NO_PAGE.length)})`,
    ),
    insertEdges: database.prepare('INSERT OR REPLACE INTO edges (page, packed, rels, texts) VALUES (?, ?, ?, ?)'),
    insertBody: database.prepare(
      'INSERT OR REPLACE INTO bodies (page, type, packed, rendering, text) VALUES (?, ?, ?, ?, ?)',
    ),
    keepAsItCame: database.prepare(
      `UPDATE bodies SET rendering = ${Rendering.futile}, rendered_text = ? WHERE page = ? AND rendering = ${Rendering.wanted}`,
    ),
    replaceBody: database.prepare(
      `UPDATE bodies SET type = ?, packed = ?, rendering = ${Rendering.rendered}, rendered_text = ?
       WHERE page = ? AND rendering = ${Rendering.wanted}`,
    ),
    updatePage: database.prepare(
      `UPDATE pages SET title = coalesce(nullif(?, ''), title), description = coalesce(nullif(?, ''), description), lang = coalesce(?, lang),
         canonical = coalesce(?, canonical), robots_meta = ?, links = ? WHERE id = ?`,
    ),
    depthOf: database.prepare('SELECT depth FROM urls WHERE id = ?'),
    seenAgain: database.prepare('UPDATE pages SET fetched_at = ? WHERE id = ?'),
    insertFacts: database.prepare(
      'INSERT OR REPLACE INTO link_facts (page, hrefs, places, anchors, headers, text_hash) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    insertAttempt: database.prepare(
      'INSERT OR REPLACE INTO attempts (url, look, attempt, at, status, reason, message) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    insertKeys: database.prepare('INSERT INTO keys (first, packed) VALUES (?, ?)'),
    settle: database.prepare(
      'UPDATE urls SET state = ?, reason = ?, lost = 0 WHERE id = ? AND state = 1 AND depth = ?',
    ),
    settleMoved: database.prepare(
      'UPDATE urls SET state = ?, reason = ?, lost = 0 WHERE id = ? AND state = 1 RETURNING depth',
    ),
    requeue: database.prepare(
      'UPDATE urls SET state = 0, not_before = ?, flags = ?, reason = ?, class = ?, lost = 0 WHERE id = ? AND state = 1',
    ),
    lookAgain: database.prepare(
      'UPDATE urls SET state = 0, not_before = ?, flags = ?, reason = ?, class = ?, lost = 0, attempts = 1 WHERE id = ? AND state = 1',
    ),
    giveBack: database.prepare(
      // robots.txt itself is no work that waits: its origin asks for it again.
      'UPDATE urls SET state = CASE WHEN kind = 1 AND hops = 0 THEN 3 ELSE 0 END, attempts = attempts - 1, class = 0 WHERE id = ? AND state = 1',
    ),
    skip: database.prepare('UPDATE urls SET state = 4, reason = ? WHERE id = ? AND state = 0'),
    lease: database.prepare(
      // robots.txt is leased again from done or failed when its time is over.
      'UPDATE urls SET state = 1, attempts = attempts + 1 WHERE id = ? AND (state = 0 OR (kind = 1 AND state IN (2, 3)))',
    ),
    unfollow: database.prepare(`UPDATE urls SET flags = flags | ${UrlFlag.external | UrlFlag.trap} WHERE id = ?`),
    setMeta: database.prepare(
      'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    ),
    getMeta: database.prepare('SELECT value FROM meta WHERE key = ?'),
  };
}
