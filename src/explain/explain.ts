import { readDirectory, readTextArgument } from '../config/arguments.js';
import { LINK_KINDS } from '../parse/links.js';
import { openForReading } from '../store/directory.js';
import { LinkPass, type LinkTo, type PassResult } from '../store/link-pass.js';
import { DirectoryLock } from '../store/lock.js';
import type { PageResult, Reader } from '../store/reader.js';
import type { Database } from '../store/sqlite.js';
import { type StoredPlace, type StoredUrl, UrlFacts } from '../store/url-facts.js';
import { UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import { queueOriginOf } from '../url/place.js';
import { allowTrapFlag } from '../url/traps.js';
import { meantBy, nearTo } from './asked-url.js';
import { CrawlRules } from './crawl-rules.js';
import type { Attempt, Explanation, LinkFrom, PathStep } from './explanation.js';
import { fateOf } from './fate.js';
import { judgeAfresh } from './unseen.js';
import { waitedOn, waitsOn } from './waiting.js';

/** Of links, duplicates and the like so many are named. */
const MOST_NAMED = 1_000;
const LONGEST_CHAIN = 1_000;

/**
 * Why a URL was or was not fetched, from a crawl that runs or is kept; nothing is fetched. It reads what the last commit left, all of it
 * at one moment, and disturbs nobody. All links of the crawl are looked at once.
 */
export function explain(directory: string, url: string): Explanation {
  const call = "explain('gossamer-data/example.com', 'https://example.com/a')";
  const path = readDirectory(call, directory);
  readTextArgument(call, url, 'url');
  return openForReading(path, (reader, database) => {
    database.exec('BEGIN');
    try {
      return new Explainer(path, reader, database).explain(url);
    } finally {
      database.exec('COMMIT');
    }
  });
}

class Explainer {
  readonly #reader: Reader;
  readonly #database: Database;
  readonly #facts: UrlFacts;
  readonly #rules: CrawlRules;
  readonly #crawl: Explanation['crawl'];

  constructor(directory: string, reader: Reader, database: Database) {
    this.#reader = reader;
    this.#database = database;
    this.#facts = new UrlFacts(database);
    this.#rules = new CrawlRules(reader.meta(), reader.seeds());
    const ended = reader.ended();
    this.#crawl = {
      directory,
      running: DirectoryLock.isTaken(directory),
      ended: ended?.reason ?? null,
      truncated: ended?.truncated ?? null,
    };
  }

  explain(text: string): Explanation {
    const meant = meantBy(text, this.#rules).map((url) => this.#rules.keptForm(url));
    const near = meant.flatMap(nearTo);
    const rows = this.#facts.find([...meant, ...near]);
    const row = meant.flatMap((url) => foremost(rows.filter((found) => found.url === url)) ?? [])[0];
    return row === undefined ? this.#unseen(meant[0]!, [...new Set(rows.map((found) => found.url))]) : this.#seen(row);
  }

  #unseen(url: string, near: string[]): Explanation {
    const place = this.#facts.place(queueOriginOf(url));
    const robots = this.#rules.robots(url, place);
    const { trap, ...fate } = judgeAfresh(url, { rules: this.#rules, reader: this.#reader, robots });
    return {
      ...{ url, kind: 'page', ...fate, remedy: null, status: null, note: null, depth: null, path: null, redirects: [] },
      linkedFrom: { total: 0, first: [], pages: 0, nofollow: 0 },
      ...{
        duplicates: NONE,
        canonical: null,
        robotsMeta: null,
        canonicalOf: NONE,
        attempts: [],
        waiting: null,
        robots,
        trap,
        near,
      },
      sitemaps: this.#sitemaps(place),
      crawl: this.#crawl,
    };
  }

  #seen(row: StoredUrl): Explanation {
    const page = this.#reader.page(row.id)!;
    const place = row.origin === 0 ? null : this.#facts.place(row.origin);
    const pass = new LinkPass(this.#database, row, MOST_NAMED).take();
    const robots = this.#rules.robots(row.url, place);
    const isTrap = row.reason === 'trap' || (row.flags & UrlFlag.trap) !== 0;
    const trap = isTrap ? this.#reader.traps.ofUrl(row.id) : null;
    const fate = fateOf({
      ...{ rules: this.#rules, row, page, place, trap, robots, crawl: this.#crawl },
      heldBack: pass.heldBack,
      onlyForms: pass.links.total > 0 && pass.links.first.every(({ kind }) => LINK_KINDS[kind] === 'form'),
    });
    return {
      url: row.url,
      kind: row.kind === UrlKind.page ? 'page' : row.kind === UrlKind.robots ? 'robots' : 'sitemap',
      ...fate,
      status: page.status,
      note: page.note,
      depth: pass.depth,
      path: this.#path(pass),
      redirects: this.#redirects(row.id),
      linkedFrom: {
        total: pass.links.total,
        first: pass.links.first.map((link) => this.#linkFrom(link)),
        pages: pass.pages,
        nofollow: pass.heldBack,
      },
      duplicates: this.#facts.sameContent(row.id, MOST_NAMED),
      canonical: page.canonical,
      robotsMeta: page.robotsMeta,
      canonicalOf: this.#facts.canonicalOf(row, MOST_NAMED),
      attempts: this.#attempts(row, page),
      waiting: place === null ? null : this.#waiting(row, place),
      robots,
      trap: trap === null ? null : { ...trap, allow: allowTrapFlag(trap.pattern) },
      sitemaps: this.#sitemaps(place),
      near: [],
      crawl: this.#crawl,
    };
  }

  #sitemaps(place: StoredPlace | null): Explanation['sitemaps'] {
    return place === null ? null : { host: place.host, ...this.#reader.sitemapFiles.count(place.hostId) };
  }

  #path({ path }: PassResult): PathStep[] {
    return path.map(({ id, by, kind }) => ({
      url: this.#facts.byId(id)?.url ?? '',
      by,
      kind: kind === null ? null : LINK_KINDS[kind]!,
    }));
  }

  #linkFrom({ from, kind, rel, text, follow }: LinkTo): LinkFrom {
    const nofollow = follow !== 'nofollow' ? null : /(?:^|\s)nofollow(?:\s|$)/.test(rel) ? 'link' : 'page';
    return { url: this.#facts.byId(from)?.url ?? '', kind: LINK_KINDS[kind]!, rel, text, nofollow };
  }

  #redirects(id: number): string[] {
    const next = this.#database.prepare('SELECT redirect_to AS "to" FROM pages WHERE id = ?');
    const chain: string[] = [];
    const passed = new Set([id]);
    for (
      let to = next.get(id)?.to ?? null;
      to !== null && chain.length < LONGEST_CHAIN;
      to = next.get(to)?.to ?? null
    ) {
      chain.push(this.#facts.byId(to)?.url ?? '');
      if (passed.has(to)) {
        break;
      }
      passed.add(to);
    }
    return chain;
  }

  /** Those that led to a retry, and the last one. */
  #attempts(row: StoredUrl, { status, message }: PageResult): Attempt[] {
    const earlier: Attempt[] = this.#facts.failedAttempts(row.id);
    const isSettled = row.state === UrlState.done || row.state === UrlState.failed;
    if (!isSettled || row.attempts === 0) {
      return earlier;
    }
    const at = this.#facts.fetchedAt(row.id);
    return [...earlier, { attempt: row.attempts, at, status, reason: row.reason, message }];
  }

  #waiting(row: StoredUrl, place: StoredPlace): Explanation['waiting'] {
    const parts = { facts: this.#facts, rules: this.#rules, place, running: this.#crawl.running, now: Date.now() };
    if (row.state === UrlState.queued && this.#crawl.truncated === null) {
      return waitsOn(row, parts);
    }
    const wasAsked = row.attempts > 0 && (row.state === UrlState.done || row.state === UrlState.failed);
    const fetchedAt = wasAsked ? this.#facts.fetchedAt(row.id) : null;
    return fetchedAt === null ? null : waitedOn(row, fetchedAt, parts);
  }
}

/** A feed and a sitemap may also be the end of a link, which nobody asks for: what was asked for says more. */
const foremost = (rows: readonly StoredUrl[]): StoredUrl | undefined =>
  rows.find(({ state }) => state !== UrlState.unlisted) ?? rows[0];

const NONE = { total: 0, first: [] as string[] };
