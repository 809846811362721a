import type { Outbox } from './outbox.js';
import { edgeLeads, edgesFromBlob } from './page-row.js';
import type { Database, Row, Statement } from './sqlite.js';
import {
  asksForMore,
  type Fate,
  type FoundAgain,
  fateOf,
  foreignReason,
  isListedElsewhere,
  JUDGED_FLAGS,
  joinStandings,
  joinWays,
  Standing,
  type StoreScope,
  standingOf,
  standingOfEdge,
  type UrlPlace,
  type Way,
} from './standing.js';
import type { CommitAnswer } from './transaction.js';
import type { TrapsTable } from './traps.js';
import { RowMove } from './url-moves.js';
import { isUnanswered, QueueClass, UrlFlag, UrlKind, UrlState } from './url-state.js';

/** So many of a commit go first in line, in memory; a scope that grows may queue a million at once. */
const MOST_URGENT = 100;
/** Of so many memory is told that their flags are others now; of more it loads them again. */
const MOST_REFLAGGED = 1_000;
const NEVER_LISTED: ReadonlySet<string | null> = new Set(['scheme', 'ignored', 'offline']);
/** Cut by how they were led to, not by what came of asking. */
const CUT_BY_WAY: ReadonlySet<string | null> = new Set(['nofollow', 'link_hook', 'depth', 'trap']);
/** Scope, depth and looks are for pages. */
const ANYWHERE: UrlPlace = { seed: 0, depthLimit: Number.POSITIVE_INFINITY, trap: null, isCut: false };
const NOT_LED: Way = { standing: Standing.end, depth: 0 };

/** A seed, or what one redirects to, that redirects. */
export interface SeedRedirect {
  id: number;
  url: string;
  depth: number;
  to: number;
}

/**
 * More is learnt of a URL that is known: a shorter path, a link of another sort, that it is a seed's, or that the scope grew. All of that
 * only adds up ([standing.ts](standing.ts)), so its order does not matter. Where the URL had been cut it is queued; where it was only looked at
 * and is to be read it is asked for again; where it is done and nearer its stored links are offered again, without a fetch.
 */
export class Rediscovery {
  readonly #scope: StoreScope;
  readonly #matters: Statement;
  readonly #select: Statement;
  readonly #update: RowMove;
  readonly #askAnew: RowMove;
  readonly #askWithCookie: RowMove;
  readonly #edges: Statement;
  readonly #redirect: Statement;
  readonly #kind: Statement;
  readonly #keepSitemap: Statement;
  readonly #forget: Statement[];
  readonly #traps: TrapsTable;
  /** The last URL of which it was asked whether it is a sitemap: one sitemap has many URLs. */
  #lastParent = { id: 0, isSitemap: false };
  #seedRedirects: SeedRedirect[] = [];
  #addedRedirects: FoundAgain[] = [];
  readonly #database: Database;
  readonly #outbox: Outbox | null;

  /** @param outbox null if the crawl runs on this machine alone */
  constructor(database: Database, scope: StoreScope, traps: TrapsTable, outbox: Outbox | null = null) {
    this.#database = database;
    this.#outbox = outbox;
    this.#scope = scope;
    this.#traps = traps;
    // Nearly all links of a page lead to what is nearer already: those must cost next to nothing.
    this.#matters = database.prepare(
      `SELECT 1 AS yes FROM urls WHERE id = ?
         AND (depth > ? OR state = ${UrlState.unlisted} OR reason IN ('nofollow', 'link_hook') OR (flags & ${UrlFlag.candidate | UrlFlag.asset}) <> 0)`,
    );
    this.#select = database.prepare(
      'SELECT urls.*, origins.origin AS origin_text FROM urls LEFT JOIN origins ON origins.id = urls.origin WHERE urls.id = ?',
    );
    this.#update = new RowMove(
      database,
      'depth = ?4, reason = ?5, class = ?6, flags = ?7, seed = ?8, attempts = ?9, parent = coalesce(?10, parent)',
    );
    this.#askAnew = new RowMove(database, `reason = NULL, class = ${QueueClass.rest}, attempts = 0`);
    this.#askWithCookie = new RowMove(
      database,
      `reason = NULL, class = ${QueueClass.urgent}, attempts = 1, not_before = 0, flags = ?4`,
    );
    this.#edges = database.prepare('SELECT packed FROM edges WHERE page = ?');
    this.#redirect = database.prepare('SELECT redirect_to FROM pages WHERE id = ?');
    this.#kind = database.prepare('SELECT kind FROM urls WHERE id = ?');
    this.#keepSitemap = database.prepare('INSERT OR REPLACE INTO sitemap_finds (url, sitemap) VALUES (?, ?)');
    this.#forget = ['pages WHERE id', 'edges WHERE page', 'link_facts WHERE page'].map((from) =>
      database.prepare(`DELETE FROM ${from} = ?`),
    );
  }

  found(found: FoundAgain, answer: CommitAnswer): void {
    this.#findAll([found], answer, false);
  }

  /** The list is used up. */
  foundAll(found: FoundAgain[], answer: CommitAnswer): void {
    this.#findAll(found, answer, false);
  }

  /** `judgesAgain`: the scope may be another one than when they were judged first. */
  #findAll(work: FoundAgain[], answer: CommitAnswer, judgesAgain: boolean): void {
    for (let next = work.pop(); next !== undefined; next = work.pop()) {
      const isNamed = next.seed !== undefined || next.added === true;
      const matters = judgesAgain || isNamed || this.#matters.get(next.id, next.depth) !== undefined;
      const row = matters ? this.#select.get(next.id) : undefined;
      if (row !== undefined && this.#learn(row, next, answer)) {
        this.#pushLinks(next.id, Math.min(next.depth, row.depth), work);
      }
      if (row === undefined && next.depth === 1 && next.parent !== null && this.#isSitemap(next.parent)) {
        this.#keepSitemap.run(next.id, next.parent);
      }
    }
  }

  /** A page was settled at another depth, or under another scope, than its links were offered from. */
  offerAgain(id: number, depth: number, scopeGrew: boolean, answer: CommitAnswer): void {
    const work: FoundAgain[] = [];
    this.#pushLinks(id, depth, work, scopeGrew);
    this.#findAll(work, answer, scopeGrew);
    if (scopeGrew && this.#isPartial(id)) {
      this.askAgain(id, answer);
    }
  }

  /** A URL that redirects was settled: where it is a seed's, or the user has added it, its target is so too. */
  redirected(id: number, to: number): void {
    const row = this.#select.get(id);
    if (row === undefined) {
      return;
    }
    if ((row.flags & UrlFlag.seed) !== 0) {
      this.#seedRedirects.push({ id, url: row.url, depth: row.depth, to });
    } else if ((row.flags & UrlFlag.added) !== 0) {
      this.#addedRedirects.push({ id: to, depth: row.depth, standing: Standing.followed, parent: id, added: true });
    }
  }

  /** What URLs that the user has added redirect to is asked for as they are. */
  followAdded(answer: CommitAnswer): void {
    this.#findAll(this.#addedRedirects.splice(0), answer, false);
  }

  /** One of the seeds, or of what they redirect to, that have turned out to redirect; each is given once. */
  nextSeedRedirect(): SeedRedirect | undefined {
    return this.#seedRedirects.pop();
  }

  /** Forgets the work of a transaction that is rolled back. */
  forget(): void {
    this.#seedRedirects = [];
    this.#addedRedirects = [];
  }

  /** The scope is another one: the URL is judged by it, with all that was known of the ways that lead there. */
  judgeAgain(id: number, answer: CommitAnswer): void {
    this.#learn(this.#select.get(id)!, { id, parent: null, ...NOT_LED }, answer);
  }

  #isPartial(id: number): boolean {
    return (
      this.#isSitemap(id) &&
      this.#database.prepare('SELECT 1 AS yes FROM link_facts WHERE page = ? AND hrefs IS NOT NULL').get(id) !==
        undefined
    );
  }

  /** As if nothing had come of it yet. It waits among the rest: seeds that are still to come may widen the scope further. */
  askAgain(id: number, answer: CommitAnswer): void {
    const row = this.#select.get(id)!;
    this.#forgetAnswer(id);
    this.#askAnew.run(row, UrlState.queued);
    this.#count(row, UrlState.queued, row.flags, answer);
    answer.reloaded.add(row.origin_text);
  }

  /** As if nothing had come of it yet, and with tries of its own; `cookie` null: without any. */
  askWith(id: number, cookie: string | null, answer: CommitAnswer): void {
    const row = this.#select.get(id)!;
    this.#forgetAnswer(id);
    const flags = cookie === null ? row.flags & ~UrlFlag.gate : row.flags | UrlFlag.gate;
    this.#askWithCookie.run(row, UrlState.queued, flags);
    this.#count(row, UrlState.queued, flags, answer);
    const { url, origin_text: origin, kind, depth, seed, hops } = row;
    const waits = { class: QueueClass.urgent, attempts: 1, notBefore: 0, flags, cookie };
    answer.queued.push({ id, url, origin, kind, depth, seed, hops, ...waits });
  }

  /** `ends`: the links that lead nowhere too. */
  #pushLinks(id: number, depth: number, work: FoundAgain[], ends = false): void {
    const redirectTo = this.#redirect.get(id)?.redirect_to;
    if (redirectTo !== undefined && redirectTo !== null) {
      work.push({ id: redirectTo, depth, standing: Standing.followed, parent: id });
    }
    const row = this.#edges.get(id);
    if (row === undefined) {
      return;
    }
    const edges = edgesFromBlob(row.packed);
    const led = new Map<number, Standing>();
    for (let i = 0; i < edges.length; i += 2) {
      if (ends || edgeLeads(edges[i + 1]!)) {
        led.set(edges[i]!, joinStandings(standingOfEdge(edges[i + 1]!), led.get(edges[i]!) ?? Standing.end));
      }
    }
    for (const [target, standing] of led) {
      work.push({ id: target, depth: depth + 1, standing, parent: id });
    }
  }

  /** True when the URL is done and nearer now, so that its own links are nearer too. */
  #learn(row: Row, found: FoundAgain, answer: CommitAnswer): boolean {
    if (NEVER_LISTED.has(row.reason)) {
      return false;
    }
    const { id, kind, state } = row as { id: number; kind: UrlKind; state: UrlState };
    const known: Way = { standing: standingOf(row as Parameters<typeof standingOf>[0]), depth: row.depth };
    const way = joinWays(known, found);
    const isSeed = found.seed !== undefined || (row.flags & UrlFlag.seed) !== 0;
    const isAdded = found.added === true || (row.flags & UrlFlag.added) !== 0;
    const isWanted = isSeed || isAdded;
    const place = kind === UrlKind.page ? this.#scope.place(row.url) : ANYWHERE;
    const fate = fateOf(way, place, isWanted, this.#scope);
    const named = (isSeed ? UrlFlag.seed : 0) | (isAdded ? UrlFlag.added : 0);
    const flags = this.#newFlags(row, fate, found, named);
    const isForeign = this.#outbox?.isForeign(row.url) ?? false;
    const next = isForeign ? foreignState(row, fate, way.standing) : newState(row, fate, flags, isWanted);
    const seed = found.seed ?? (place.seed < 0 ? row.seed : place.seed);
    if (found.seed !== undefined && state === UrlState.done) {
      this.#passOn(row, found.depth);
    }
    const isNearer = way.standing !== known.standing || way.depth !== known.depth;
    if (isForeign && isListedElsewhere(next.reason) && (isNearer || !isListedElsewhere(row.reason) || isNamed(found))) {
      // Its owner learns of it, with all that is known of the ways that lead there from here.
      this.#outbox!.offer(id, row.url);
    }
    if (!isNearer && flags === row.flags && next.state === state && next.reason === row.reason) {
      return false;
    }
    const requeued = next.state === UrlState.queued && state !== UrlState.queued;
    const goesFirst = isWanted || kind === UrlKind.sitemap;
    const urgent = requeued && (goesFirst || (!this.#scope.surveys && answer.queued.length < MOST_URGENT));
    const queueClass = urgent ? QueueClass.urgent : requeued ? Math.max(QueueClass.rest, row.class) : row.class;
    const wasAsked = requeued && (state === UrlState.done || state === UrlState.failed);
    const attempts = wasAsked ? 0 : row.attempts;
    const opened = way.standing > known.standing;
    const parent = opened ? found.parent : null;
    this.#update.run(row, next.state, way.depth, next.reason, queueClass, flags, seed, attempts, parent);
    if (wasAsked) {
      this.#forgetAnswer(id);
    }
    this.#count(row, next.state, flags, answer);
    if (isNearer && kind === UrlKind.page) {
      answer.lowered.push({ key: this.#scope.key(row.url), id, ...way });
    }
    const [wasTrap, isTrap] = [isTrapped(row.reason, row.flags), isTrapped(next.reason, flags)];
    if (isTrap && !wasTrap) {
      this.#traps.add(id, place.trap!, answer);
    } else if (wasTrap && !isTrap) {
      this.#traps.release(id);
    }
    if (!opened && way.depth === 1 && found.parent !== null && this.#isSitemap(found.parent)) {
      // Its edges say which page brought it nearer; a sitemap has none.
      this.#keepSitemap.run(id, found.parent);
    }
    const item = { ...row, depth: way.depth, seed, class: queueClass, flags, attempts } as Row;
    this.#tellMemory(item, state, requeued, urgent, flags !== row.flags, answer);
    return state === UrlState.done && !wasAsked && way.depth < known.depth;
  }

  /** @param wanted the marks of a seed and of what the user has added */
  #newFlags(row: Row, fate: Fate, found: FoundAgain, wanted: number): number {
    const named = (fate.flags & UrlFlag.candidate) === 0 ? 0 : (found.candidate ?? 0);
    let flags = (row.flags & ~JUDGED_FLAGS) | fate.flags | named | wanted;
    // What many URLs together showed to be a trap stays one.
    flags = wanted !== 0 ? flags & ~UrlFlag.trap : (flags & UrlFlag.trap) !== 0 ? flags | UrlFlag.external : flags;
    if (asksForMore(row.flags, flags, row.url)) {
      flags &= ~(UrlFlag.rangedGet | UrlFlag.wholeGet);
    }
    const isSettled = row.state === UrlState.failed || row.state === UrlState.skipped;
    const isVouchedFor = (row.flags & ~flags & UrlFlag.candidate) !== 0;
    return isVouchedFor && isSettled && isUnanswered(row.flags, row.state, row.reason)
      ? flags | UrlFlag.listedLate
      : flags;
  }

  /** Where a URL that turns out to be a seed's was done already, and redirects. */
  #passOn({ id, url }: Row, depth: number): void {
    const to = this.#redirect.get(id)?.redirect_to ?? null;
    if (to === null) {
      return;
    }
    const target: string = this.#select.get(to)!.url;
    if (this.#scope.seedsAt(url).some((seed) => !this.#scope.scopeUrlsOf(seed).includes(target))) {
      this.#seedRedirects.push({ id, url, depth, to });
    }
  }

  #forgetAnswer(id: number): void {
    for (const forget of this.#forget) {
      forget.run(id);
    }
  }

  /** Candidates that have not answered are in no count. */
  #count(row: Row, state: UrlState, flags: number, { change }: CommitAnswer): void {
    change.queued += Number(state === UrlState.queued) - Number(row.state === UrlState.queued);
    if (row.kind !== UrlKind.page) {
      return;
    }
    const [was, is] = [!isUnanswered(row.flags, row.state, row.reason), !isUnanswered(flags, state, row.reason)];
    for (const name of ['done', 'skipped', 'failed', 'deferred'] as const) {
      change[name] += Number(is && state === UrlState[name]) - Number(was && row.state === UrlState[name]);
    }
  }

  #tellMemory(
    item: Row,
    was: UrlState,
    requeued: boolean,
    urgent: boolean,
    reflagged: boolean,
    answer: CommitAnswer,
  ): void {
    const { id, url, origin_text: origin, kind, depth, seed, class: place, attempts, hops, flags } = item;
    if (urgent) {
      const notBefore = item.not_before;
      answer.queued.push({ id, url, origin, kind, depth, seed, class: place, attempts, notBefore, hops, flags });
    } else if (requeued) {
      answer.reloaded.add(origin);
    } else if (reflagged && (was === UrlState.queued || was === UrlState.leased)) {
      const isFew = was === UrlState.leased || place < QueueClass.rest || answer.reflagged.length < MOST_REFLAGGED;
      if (isFew) {
        answer.reflagged.push([id, flags]);
      } else {
        answer.reloaded.add(origin);
      }
    }
  }

  #isSitemap(id: number): boolean {
    if (id !== this.#lastParent.id) {
      this.#lastParent = { id, isSitemap: this.#kind.get(id)?.kind === UrlKind.sitemap };
    }
    return this.#lastParent.isSitemap;
  }
}

const isNamed = ({ seed, added, data }: FoundAgain): boolean =>
  seed !== undefined || added === true || data !== undefined;

/** Somebody else lists it: here it is the end of an edge, whatever its fate is. */
function foreignState(row: Row, fate: Fate, standing: Standing): { state: UrlState; reason: string | null } {
  const isListed = fate.state !== UrlState.unlisted;
  const keeps = !isListed && row.reason !== 'scope';
  return { state: row.state, reason: isListed ? foreignReason(standing) : keeps ? row.reason : fate.reason };
}

const isTrapped = (reason: string | null, flags: number): boolean => reason === 'trap' || (flags & UrlFlag.trap) !== 0;

/** What came of asking stays, unless it was asked for less than is wanted now. */
function newState(row: Row, fate: Fate, flags: number, isWanted: boolean): { state: UrlState; reason: string | null } {
  const isCut = row.state === UrlState.skipped && CUT_BY_WAY.has(row.reason) && (row.reason !== 'trap' || isWanted);
  const isAnswered = row.state === UrlState.done || row.state === UrlState.failed;
  if (row.state === UrlState.unlisted || isCut) {
    const keeps = fate.state === UrlState.unlisted && row.reason !== 'scope';
    return keeps ? { state: row.state, reason: row.reason } : fate;
  }
  if (fate.state === UrlState.queued && isAnswered && asksForMore(row.flags, flags, row.url)) {
    return { state: UrlState.queued, reason: null };
  }
  return { state: row.state, reason: row.reason };
}
