import { isShortened } from '../url/identity.js';
import type { Outbox } from './outbox.js';
import { edgeLeads, edgesFromBlob } from './page-row.js';
import type { Rediscovery, SeedRedirect } from './rediscovery.js';
import type { Database, Statement } from './sqlite.js';
import { type FoundAgain, Standing, type StoreScope, standingOfEdge } from './standing.js';
import type { CommitAnswer, Transaction } from './transaction.js';
import { UNANSWERED_ROBOTS, UrlFlag, UrlKind, UrlState } from './url-state.js';

/** A sitemap that names URLs of more origins than are kept may name one of any. */
export const ANY_ORIGIN = '*';

/** The scope of a seed counts this URL too, and lets in more by it. */
interface OpenedScope {
  seed: number;
  url: string;
}

/**
 * What a seed redirects to is counted to its scope, which may let in URLs that were cut before. Those are judged again, by all stored links
 * that lead to them; sitemaps that named something out of scope are read again, and those of an origin that is new to the scope are sought.
 */
export class ScopeGrowth {
  readonly #database: Database;
  readonly #outbox: Outbox | null;
  readonly #scope: StoreScope;
  readonly #rediscovery: Rediscovery;
  readonly #target: Statement;
  /** What the scopes count since this commit. */
  #opened: OpenedScope[] = [];

  /** @param outbox null if the crawl runs on this machine alone */
  constructor(database: Database, scope: StoreScope, rediscovery: Rediscovery, outbox: Outbox | null = null) {
    this.#database = database;
    this.#outbox = outbox;
    this.#scope = scope;
    this.#rediscovery = rediscovery;
    this.#target = database.prepare('SELECT url, reason FROM urls WHERE id = ?');
  }

  /** What was to be done in a transaction that is rolled back. */
  forget(): void {
    this.#opened = [];
  }

  widen(widened: Transaction['widened']): void {
    for (const { seed, scopeUrls } of widened) {
      this.#widen(seed, scopeUrls);
    }
  }

  /** Once all that came with a commit stands in the store: what seeds redirect to, and what is in scope since. */
  followSeeds(answer: CommitAnswer): void {
    let opened: OpenedScope[];
    do {
      for (
        let next = this.#rediscovery.nextSeedRedirect();
        next !== undefined;
        next = this.#rediscovery.nextSeedRedirect()
      ) {
        this.#followSeed(next, answer);
      }
      opened = this.#opened;
      this.#opened = [];
      if (opened.length > 0) {
        this.#judgeAgain(opened, answer);
      }
    } while (opened.length > 0);
  }

  #followSeed({ id, url, depth, to }: SeedRedirect, answer: CommitAnswer): void {
    const { url: target, reason } = this.#target.get(to)!;
    const seeds = this.#scope.seedsAt(url);
    if (seeds.length === 0 || reason === 'scheme' || isShortened(target)) {
      return;
    }
    for (const seed of seeds) {
      const scopeUrls = this.#scope.scopeUrlsOf(seed);
      if (!scopeUrls.includes(target)) {
        const widened = [...scopeUrls, target];
        answer.widened.push({ seed, scopeUrls: widened, opens: this.#widen(seed, widened) });
      }
    }
    this.#rediscovery.found(
      { id: to, depth, standing: Standing.followed, parent: id, seed: Math.min(...seeds) },
      answer,
    );
  }

  #widen(seed: number, scopeUrls: string[]): boolean {
    const known = new Set(this.#scope.scopeUrlsOf(seed));
    if (scopeUrls.some((url) => !known.has(url))) {
      this.#outbox?.widened(seed);
    }
    this.#database.prepare('UPDATE seeds SET scope_urls = ? WHERE seed = ?').run(JSON.stringify(scopeUrls), seed);
    const opens = this.#scope.widen(seed, [...scopeUrls]);
    if (opens) {
      this.#opened.push(...scopeUrls.filter((url) => !known.has(url)).map((url) => ({ seed, url })));
    }
    return opens;
  }

  /** What was out of scope, or too deep, and may no longer be. */
  #judgeAgain(opened: readonly OpenedScope[], answer: CommitAnswer): void {
    const ends = new Set<number>();
    const listed: number[] = [];
    for (const { id, url, state } of this.#database
      .prepare(
        `SELECT id, url, state FROM urls WHERE kind = ${UrlKind.page}
           AND (reason IN ('scope', 'depth') OR (state <> ${UrlState.unlisted} AND (flags & ${UrlFlag.external}) <> 0))`,
      )
      .iterate()) {
      if (this.#scope.place(url).seed >= 0) {
        if (state === UrlState.unlisted) {
          ends.add(id);
        } else {
          listed.push(id);
        }
      }
    }
    for (const id of [...ends, ...listed]) {
      this.#rediscovery.judgeAgain(id, answer);
    }
    if (ends.size > 0) {
      this.#rediscovery.foundAll([...this.#linksTo(ends)], answer);
    }
    const opens = (origin: string) => opened.some(({ seed, url }) => this.#scope.opensOrigin(origin, seed, url));
    this.#readSitemapsAgain(opens, answer);
    if (this.#scope.seeksSitemaps) {
      this.#seekSitemaps(opens, answer);
    }
  }

  /** All stored links, and redirects, that lead to these URLs. */
  *#linksTo(targets: ReadonlySet<number>): IterableIterator<FoundAgain> {
    for (const { page, packed, depth } of this.#database
      .prepare(
        'SELECT edges.page AS page, edges.packed AS packed, urls.depth AS depth FROM edges JOIN urls ON urls.id = edges.page',
      )
      .iterate()) {
      const edges = edgesFromBlob(packed);
      for (let i = 0; i < edges.length; i += 2) {
        if (targets.has(edges[i]!) && edgeLeads(edges[i + 1]!)) {
          yield { id: edges[i]!, depth: depth + 1, standing: standingOfEdge(edges[i + 1]!), parent: page };
        }
      }
    }
    for (const { id, to, depth } of this.#database
      .prepare(
        'SELECT pages.id AS id, redirect_to AS "to", depth FROM pages JOIN urls ON urls.id = pages.id WHERE redirect_to IS NOT NULL',
      )
      .iterate()) {
      if (targets.has(to)) {
        yield { id: to, depth, standing: Standing.followed, parent: id };
      }
    }
  }

  /** Sitemaps that named something out of scope, where that may be in scope now: only they know what it was. */
  #readSitemapsAgain(opens: (origin: string) => boolean, answer: CommitAnswer): void {
    const partial = this.#database
      .prepare(
        `SELECT page, hrefs FROM link_facts JOIN urls ON urls.id = page
         WHERE kind = ${UrlKind.sitemap} AND state = ${UrlState.done} AND hrefs IS NOT NULL`,
      )
      .all();
    for (const { page, hrefs } of partial) {
      if ((JSON.parse(hrefs) as string[]).some((origin) => origin === ANY_ORIGIN || opens(origin))) {
        this.#rediscovery.askAgain(page, answer);
      }
    }
  }

  /** Of origins that were out of scope when their robots.txt was read nobody has sought the sitemaps. */
  #seekSitemaps(opens: (origin: string) => boolean, answer: CommitAnswer): void {
    const unsought = this.#database
      .prepare(
        `SELECT id, origin FROM origins WHERE sitemaps_sought = 0 AND robots_state IN ('ready', '${UNANSWERED_ROBOTS}')`,
      )
      .all()
      .filter(({ origin }) => opens(origin));
    const isWaiting = this.#database.prepare(
      `SELECT 1 AS yes FROM urls INDEXED BY urls_queued WHERE state = ${UrlState.queued} AND origin = ?`,
    );
    // robots.txt is asked for where something waits for it; what it forbids costs no further request.
    const last = this.#database.prepare(
      `SELECT id FROM urls WHERE origin = ? AND kind IN (${UrlKind.page}, ${UrlKind.sitemap})
         AND (state IN (${UrlState.done}, ${UrlState.failed}) OR reason = 'robots') ORDER BY reason = 'robots' DESC, kind DESC LIMIT 1`,
    );
    const forget = this.#database.prepare("UPDATE origins SET robots_state = 'unknown' WHERE id = ?");
    for (const { id, origin } of unsought) {
      forget.run(id);
      const isIdle = isWaiting.get(id) === undefined;
      const asked = isIdle ? last.get(id) : undefined;
      if (asked !== undefined) {
        this.#rediscovery.askAgain(asked.id, answer);
      }
      answer.unsought.push({ origin, waits: !isIdle || asked !== undefined });
    }
  }
}
