import { isTrapByLooks } from '../url/traps.js';
import type { Database, Row, Statement } from './sqlite.js';
import type { StoreScope } from './standing.js';
import { UrlMove } from './url-moves.js';
import { MAX_SITEMAP_DEPTH, ONLY_CHECKED, QueueClass, UrlFlag, UrlKind, UrlState } from './url-state.js';

/** Keys of the options that say what is a trap. */
export const TRAP_OPTIONS = [
  'allowTraps',
  'maxUrlLength',
  'maxPathSegments',
  'maxSegmentRepeats',
  'maxQueryVariants',
  'maxShapeVariants',
] as const;
const BATCH = 1_000;

/** What a run cut, and the options of the next one let through, is queued again: it and what it leads to are crawled then. */
export class Reopening {
  readonly #database: Database;
  readonly #scope: StoreScope;
  readonly #queue: UrlMove;
  readonly #cutForDepth: Statement;
  readonly #dropPage: Statement;
  readonly #dropAttempts: Statement;
  readonly #readWhole: UrlMove;
  readonly #mark: Statement;
  #queued = 0;

  constructor(database: Database, scope: StoreScope) {
    this.#database = database;
    this.#scope = scope;
    const { queued, leased, done, failed, skipped, deferred } = UrlState;
    const toTheRest = `reason = NULL, class = ${QueueClass.rest}`;
    this.#queue = new UrlMove(database, { from: skipped, to: queued, set: toTheRest });
    this.#cutForDepth = database.prepare(`UPDATE urls SET reason = 'depth' WHERE id = ? AND state = ${skipped}`);
    this.#dropPage = database.prepare('DELETE FROM pages WHERE id = ?');
    this.#dropAttempts = database.prepare('DELETE FROM attempts WHERE url = ?');
    const onlyLookedAt = ONLY_CHECKED | UrlFlag.secondLook | UrlFlag.rangedGet | UrlFlag.anchors;
    this.#readWhole = new UrlMove(database, {
      ...{ from: [queued, leased, done, failed, skipped, deferred], to: queued },
      set: `${toTheRest}, attempts = 0, not_before = 0, flags = flags & ~${onlyLookedAt}`,
    });
    this.#mark = database.prepare('UPDATE urls SET flags = ? WHERE id = ?');
  }

  /** By the keys of the options that changed; whoever calls it has begun a transaction. */
  take(changed: ReadonlySet<string>): number {
    if (changed.has('depth')) {
      this.#eachCut('depth', ({ id, url, depth }) => this.#queueUnlessDeep(id, url, depth));
      this.#tooDeep();
      this.#sitemaps();
    }
    if (changed.has('maxUrlsPerHost')) {
      // Who is over the new limit is cut again when its turn comes.
      this.#eachCut('limit', ({ id, url, depth }) => this.#queueUnlessDeep(id, url, depth));
    }
    if (TRAP_OPTIONS.some((key) => changed.has(key))) {
      this.#traps(changed.has('maxQueryVariants') || changed.has('maxShapeVariants'));
    }
    return this.#queued;
  }

  #eachCut(reason: string, take: (row: Row) => void): void {
    const select = this.#database.prepare(
      `SELECT id, url, depth FROM urls
       WHERE state = ${UrlState.skipped} AND kind = ${UrlKind.page} AND reason = ? AND id > ? ORDER BY id LIMIT ?`,
    );
    for (let beyond = 0; ; ) {
      const rows = select.all(reason, beyond, BATCH);
      rows.forEach(take);
      if (rows.length < BATCH) {
        return;
      }
      beyond = rows.at(-1)!.id;
    }
  }

  /** Nothing that these could name was to be asked for. */
  #sitemaps(): void {
    const rows = this.#database
      .prepare(
        `SELECT id, url FROM urls WHERE kind = ${UrlKind.sitemap} AND state = ${UrlState.skipped} AND reason = 'depth' AND depth <= ${MAX_SITEMAP_DEPTH}`,
      )
      .all();
    for (const { id, url } of rows) {
      if (this.#scope.depthLimit(url) > 0) {
        this.#queue.try(id);
        this.#queued++;
      }
    }
  }

  /** A check asked for these and did not read them. */
  #tooDeep(): void {
    const rows = this.#database.prepare(
      `SELECT id, url, depth, flags FROM urls WHERE kind = ${UrlKind.page} AND (flags & ${UrlFlag.beyond}) <> 0 AND id > ? ORDER BY id LIMIT ?`,
    );
    for (let beyond = 0; ; ) {
      const some = rows.all(beyond, BATCH);
      for (const { id, url, depth, flags } of some) {
        this.#readUnless(id, url, depth, flags & ~UrlFlag.beyond);
      }
      if (some.length < BATCH) {
        return;
      }
      beyond = some.at(-1)!.id;
    }
  }

  /** What was only checked is a page like others, unless it is still part of a trap or too deep. */
  #readUnless(id: number, url: string, depth: number, flags: number): void {
    const isDeep = depth > this.#scope.depthLimit(url);
    if (isDeep || (flags & UrlFlag.trap) !== 0) {
      this.#mark.run(isDeep ? flags | UrlFlag.beyond : flags, id);
      return;
    }
    this.#readWhole.try(id);
    this.#dropPage.run(id);
    this.#dropAttempts.run(id);
    this.#queued++;
  }

  #traps(otherLimits: boolean): void {
    const select = this.#database.prepare(
      `SELECT trapped.trap AS trap, traps.pattern AS pattern, urls.id AS id, urls.url AS url, urls.depth AS depth, urls.flags AS flags
       FROM trapped JOIN traps ON traps.trap = trapped.trap JOIN urls ON urls.id = trapped.url
       WHERE (trapped.trap, trapped.url) > (?, ?) ORDER BY trapped.trap, trapped.url LIMIT ?`,
    );
    const release = this.#database.prepare('DELETE FROM trapped WHERE trap = ? AND url = ?');
    for (let last = { trap: 0, id: 0 }; ; ) {
      const rows = select.all(last.trap, last.id, BATCH);
      for (const { trap, pattern, id, url, depth, flags } of rows) {
        if (!this.#isFree(pattern, url, otherLimits)) {
          continue;
        }
        release.run(trap, id);
        if ((flags & UrlFlag.trap) === 0) {
          this.#queueUnlessDeep(id, url, depth);
        } else {
          this.#readUnless(id, url, depth, flags & ~UrlFlag.trap);
        }
      }
      if (rows.length < BATCH) {
        break;
      }
      last = rows.at(-1)!;
    }
    this.#database.exec('DELETE FROM traps WHERE trap NOT IN (SELECT trap FROM trapped)');
  }

  /** One that only many URLs show is looked at again when the turn of each comes. */
  #isFree(pattern: string, url: string, otherLimits: boolean): boolean {
    return isTrapByLooks(pattern)
      ? this.#scope.trap(url) === null
      : otherLimits || this.#scope.allowsTrap(pattern, url);
  }

  #queueUnlessDeep(id: number, url: string, depth: number): void {
    if (depth > this.#scope.depthLimit(url)) {
      this.#cutForDepth.run(id);
      return;
    }
    this.#queue.try(id);
    this.#dropPage.run(id);
    this.#queued++;
  }
}
