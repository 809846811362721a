import { edgeFollowed, edgeLeads, edgesFromBlob } from './packed-edges.js';
import type { Database, Row, Statement } from './sqlite.js';
import type { CommitAnswer, Transaction } from './transaction.js';
import type { TrapsTable } from './traps-table.js';
import { isUnanswered, QueueClass, UrlFlag, UrlKind, UrlState } from './url-state.js';

/** What becomes of a URL that a link leads to, where that link may be followed. */
export interface LinkStanding {
  state: UrlState;
  reason: string | null;
  /** Of one that is only checked. */
  flags: number;
  /** The trap that it is by its looks alone. */
  pattern: string | null;
}

/** What the store has to know of the scope: it offers stored links again when depth or scope change. */
export interface StoreScope {
  admits(url: string): boolean;
  standing(url: string, depth: number): LinkStanding;
  /** What is out of scope is asked for too, once. */
  readonly checksOutside: boolean;
  /** It is only seen what there is: what is found again has to wait like all that is found. */
  readonly surveys: boolean;
  /** The deepest level at which a URL is still fetched. */
  depthLimit(url: string): number;
  /** The pattern of the trap that the URL is by its looks alone, or null. */
  trap(url: string): string | null;
  /** Why URLs of this pattern are cut, in words. */
  trapCause(pattern: string): string;
  /** Whether --allow-trap names the pattern or the URL. */
  allowsTrap(pattern: string, url: string): boolean;
  /** True where that lets in anything new. */
  widen(seed: number, scopeUrls: string[]): boolean;
  /** The key of a URL, for the table in memory. */
  key(url: string): [number, number, number, number];
}

/** So many of a commit go first in line, in memory; a scope that grows may queue a million at once. */
const MOST_URGENT = 100;
const NEVER_LISTED: ReadonlySet<string | null> = new Set(['scheme', 'ignored']);

/**
 * A URL that is known is found again: by a shorter path, by a link that may be followed where the first one could not, or because the
 * scope grew. Its depth is lowered; where it had been cut it is queued; where it is done its stored links are offered again, without a fetch.
 */
export class Rediscovery {
  readonly #scope: StoreScope;
  readonly #matters: Statement;
  readonly #select: Statement;
  readonly #update: Statement;
  readonly #edges: Statement;
  readonly #redirect: Statement;
  readonly #kind: Statement;
  readonly #keepSitemap: Statement;
  readonly #traps: TrapsTable;
  /** The last URL of which it was asked whether it is a sitemap: one sitemap has many URLs. */
  #lastParent = { id: 0, isSitemap: false };
  readonly #database: Database;

  constructor(database: Database, scope: StoreScope, traps: TrapsTable) {
    this.#database = database;
    this.#scope = scope;
    this.#traps = traps;
    // Nearly all links of a page lead to what is nearer already: those must cost next to nothing.
    this.#matters = database.prepare(
      `SELECT 1 AS yes FROM urls WHERE id = ? AND (depth > ? OR state = 6 OR reason = 'nofollow' OR (flags & ${UrlFlag.candidate}) <> 0)`,
    );
    this.#select = database.prepare(
      'SELECT urls.*, origins.origin AS origin_text FROM urls JOIN origins ON origins.id = urls.origin WHERE urls.id = ?',
    );
    this.#update = database.prepare(
      'UPDATE urls SET depth = ?, state = ?, reason = ?, class = ?, flags = ?, parent = coalesce(?, parent) WHERE id = ?',
    );
    this.#edges = database.prepare('SELECT packed FROM edges WHERE page = ?');
    this.#redirect = database.prepare('SELECT redirect_to FROM pages WHERE id = ?');
    this.#kind = database.prepare('SELECT kind FROM urls WHERE id = ?');
    this.#keepSitemap = database.prepare('INSERT OR REPLACE INTO sitemap_finds (url, sitemap) VALUES (?, ?)');
  }

  found(
    id: number,
    depth: number,
    offered: boolean,
    parent: number | null,
    answer: CommitAnswer,
    candidate: number = 0,
  ): void {
    const work: [id: number, depth: number, offered: boolean, parent: number | null][] = [[id, depth, offered, parent]];
    let named = candidate;
    for (let next = work.pop(); next !== undefined; next = work.pop()) {
      const [at, newDepth, mayFollow, from] = next;
      const row = this.#matters.get(at, newDepth) === undefined ? undefined : this.#select.get(at);
      if (row !== undefined && this.#foundOne(row, newDepth, mayFollow, from, answer, named)) {
        this.#offerLinks(at, newDepth, work);
      }
      // What a page that is nearer now leads to is found by that page.
      named = 0;
    }
  }

  /** True when the URL is done and nearer now, so that its own links are nearer too. */
  #foundOne(
    row: Row,
    depth: number,
    offered: boolean,
    parent: number | null,
    answer: CommitAnswer,
    candidate: number,
  ): boolean {
    if ((row.flags & UrlFlag.candidate) === 0) {
      return this.#apply(row, depth, offered, parent, answer, candidate);
    }
    // Another third party that names it, or a link that must not be followed, proves nothing.
    return offered && candidate === 0 && this.#vouch(row, depth, parent, answer);
  }

  /** A page leads to a candidate: whatever has become of it, it counts from now on. It is not fetched a second time. */
  #vouch(row: Row, depth: number, parent: number | null, answer: CommitAnswer): boolean {
    const { id, state } = row as { id: number; state: UrlState };
    const hidden = isUnanswered(row.flags, state, row.reason);
    const settled = state === UrlState.failed || state === UrlState.skipped;
    const nearest = Math.min(depth, row.depth);
    this.#update.run(
      nearest,
      state,
      row.reason,
      row.class,
      (row.flags & ~UrlFlag.candidate) | (hidden && settled ? UrlFlag.untold : 0),
      parent,
      id,
    );
    answer.lowered.push({ key: this.#scope.key(row.url), id, depth: nearest, offered: true });
    if (state === UrlState.queued || state === UrlState.leased) {
      answer.vouched.push(id);
    } else if (hidden) {
      answer.change.failed += Number(state === UrlState.failed);
      answer.change.skipped += Number(state === UrlState.skipped);
      answer.change.deferred += Number(state === UrlState.deferred);
    }
    return state === UrlState.done && nearest < row.depth;
  }

  /** A page was settled at another depth, or under another scope, than its links were offered from. */
  offerAgain(id: number, depth: number, answer: CommitAnswer): void {
    const work: [number, number, boolean, number | null][] = [];
    this.#offerLinks(id, depth, work);
    for (const [target, targetDepth, offered, parent] of work) {
      this.found(target, targetDepth, offered, parent, answer);
    }
  }

  widen(widened: Transaction['widened'], answer: CommitAnswer): void {
    const save = this.#database.prepare('UPDATE seeds SET scope_urls = ? WHERE seed = ?');
    let grew = false;
    for (const { seed, scopeUrls } of widened) {
      save.run(JSON.stringify(scopeUrls), seed);
      grew = this.#scope.widen(seed, scopeUrls) || grew;
    }
    if (grew) {
      this.#offerAdmitted(answer);
    }
  }

  /** What was out of scope and no longer is, as if its links had just been found. */
  #offerAdmitted(answer: CommitAnswer): void {
    const admitted = new Set<number>();
    for (const row of this.#database
      .prepare("SELECT id, url FROM urls WHERE state = 6 AND reason = 'scope'")
      .iterate()) {
      if (this.#scope.admits(row.url)) {
        admitted.add(row.id);
      }
    }
    if (admitted.size === 0) {
      return;
    }
    const links: [target: number, depth: number, followed: boolean, page: number][] = [];
    for (const { page, packed, depth } of this.#database
      .prepare(
        'SELECT edges.page AS page, edges.packed AS packed, urls.depth AS depth FROM edges JOIN urls ON urls.id = edges.page',
      )
      .iterate()) {
      const edges = edgesFromBlob(packed);
      for (let i = 0; i < edges.length; i += 2) {
        if (admitted.has(edges[i]!) && edgeLeads(edges[i + 1]!)) {
          links.push([edges[i]!, depth + 1, edgeFollowed(edges[i + 1]!), page]);
        }
      }
    }
    for (const [target, depth, followed, page] of links) {
      this.found(target, depth, followed, page, answer);
    }
  }

  #offerLinks(id: number, depth: number, work: [number, number, boolean, number | null][]): void {
    const redirectTo = this.#redirect.get(id)?.redirect_to;
    if (redirectTo !== undefined && redirectTo !== null) {
      work.push([redirectTo, depth, true, id]);
    }
    const row = this.#edges.get(id);
    if (row === undefined) {
      return;
    }
    const edges = edgesFromBlob(row.packed);
    const offered = new Map<number, boolean>();
    for (let i = 0; i < edges.length; i += 2) {
      if (edgeLeads(edges[i + 1]!)) {
        offered.set(edges[i]!, edgeFollowed(edges[i + 1]!) || (offered.get(edges[i]!) ?? false));
      }
    }
    for (const [target, followed] of offered) {
      work.push([target, depth + 1, followed, id]);
    }
  }

  #apply(
    row: Row,
    depth: number,
    offered: boolean,
    parent: number | null,
    answer: CommitAnswer,
    candidate: number,
  ): boolean {
    const wasOffered = row.state !== UrlState.unlisted && row.reason !== 'nofollow';
    const opened = offered && !wasOffered;
    // Of one that was only the end of an edge the depth says nothing: a nofollow link into a scope that grew lists it.
    const isListed = row.state !== UrlState.unlisted;
    if (!opened && isListed && (depth >= row.depth || (wasOffered && !offered))) {
      return false;
    }
    const inScope = isListed || row.kind === UrlKind.asset || this.#scope.admits(row.url);
    if (NEVER_LISTED.has(row.reason) || !(inScope || this.#scope.checksOutside)) {
      return false;
    }
    const { state, reason, flags: marks, pattern } = this.#newState(row, depth, offered, wasOffered);
    const requeued = state === UrlState.queued && row.state !== UrlState.queued;
    const urgent = requeued && !this.#scope.surveys && answer.queued.length < MOST_URGENT;
    const flags =
      marks |
      (isListed
        ? this.#listedFlags(row, depth)
        : (inScope ? row.flags & ~UrlFlag.external : row.flags | UrlFlag.external) | candidate);
    const isCandidate = (flags & UrlFlag.candidate) !== 0;
    this.#update.run(
      depth,
      state,
      reason,
      urgent ? QueueClass.urgent : requeued ? Math.max(QueueClass.rest, row.class) : row.class,
      flags,
      opened ? parent : null,
      row.id,
    );
    answer.lowered.push({
      key: this.#scope.key(row.url),
      id: row.id,
      depth,
      offered: !isCandidate && (offered || wasOffered),
    });
    answer.change.queued += requeued ? 1 : 0;
    answer.change.skipped +=
      Number(state === UrlState.skipped && !isCandidate) - Number(row.state === UrlState.skipped);
    if (pattern !== null) {
      this.#traps.add(row.id, pattern, answer);
    }
    if (!opened && depth === 1 && parent !== null && this.#isSitemap(parent)) {
      // Its edges say which page brought it nearer; a sitemap has none.
      this.#keepSitemap.run(row.id, parent);
    }
    if (requeued && !urgent) {
      answer.reloaded.add(row.origin_text);
    }
    if (urgent) {
      answer.queued.push({
        id: row.id,
        url: row.url,
        origin: row.origin_text,
        kind: row.kind,
        depth,
        seed: row.seed,
        class: QueueClass.urgent,
        attempts: row.attempts,
        notBefore: row.not_before,
        hops: row.hops,
        flags,
      });
    }
    return row.state === UrlState.done;
  }

  /** What was too deep and is not any more is a page like others; whoever checks sees to it that it is read. */
  #listedFlags({ url, flags }: Row, depth: number): number {
    const isNear = (flags & UrlFlag.beyond) !== 0 && depth <= this.#scope.depthLimit(url);
    const isTrap = (flags & UrlFlag.trap) !== 0;
    return isNear ? flags & ~(isTrap ? UrlFlag.beyond : UrlFlag.external | UrlFlag.beyond) : flags;
  }

  #isSitemap(id: number): boolean {
    if (id !== this.#lastParent.id) {
      this.#lastParent = { id, isSitemap: this.#kind.get(id)?.kind === UrlKind.sitemap };
    }
    return this.#lastParent.isSitemap;
  }

  #newState(row: Row, depth: number, offered: boolean, wasOffered: boolean): LinkStanding {
    const cut = row.state === UrlState.skipped && row.reason === 'depth';
    const asItIs: LinkStanding = { state: row.state, reason: row.reason, flags: 0, pattern: null };
    if (!cut && wasOffered) {
      return asItIs;
    }
    if (!offered && !wasOffered) {
      return row.state === UrlState.unlisted ? { ...asItIs, state: UrlState.skipped, reason: 'nofollow' } : asItIs;
    }
    return this.#scope.standing(row.url, depth);
  }
}
