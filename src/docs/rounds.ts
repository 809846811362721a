import { Breaks } from '../base/breaks.js';
import { atStore } from '../store/between-runs.js';
import { edgeLeads, edgesFromBlob, FOLLOWED, HELD_BACK } from '../store/packed-edges.js';
import { renewFirst, renewPages } from '../store/renewal.js';
import type { Database } from '../store/sqlite.js';
import type { SeedRow } from '../store/transaction.js';
import { UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import type { IdentityOptions } from '../url/identity.js';
import { isFolderOrFile, Scope, type ScopeKind, type ScopePatterns, type SeedScope } from '../url/scope.js';
import { type DocsProgress, saveProgress } from './progress.js';
import { lastmodEnd, SitemapPages } from './sitemap-pages.js';
import { indexUrls } from './url-index.js';

export interface SurveyEnd {
  directory: string;
  progress: DocsProgress;
  patterns: ScopePatterns;
  identity: IdentityOptions;
  /** --seeding-strategy auto: links are followed only where sitemaps yield nothing. */
  isAuto: boolean;
  /** Ends it with `Stopped`: then nothing is decided, and the next run does so. */
  isStopped(): boolean;
}

/** A finished corpus is to be brought up to date: first it is seen what there is now. */
export async function beginRenewal(directory: string, progress: DocsProgress): Promise<DocsProgress> {
  return atStore(directory, async (database) => {
    const next: DocsProgress = { ...progress, round: 'survey', renews: true, isWritten: false };
    database.exec('BEGIN IMMEDIATE');
    renewFirst(database);
    saveProgress(database, next);
    database.exec('COMMIT');
    return next;
  });
}

/** The survey is over: decides what belongs to each seed and where its pages come from, and queues them. */
export async function endSurvey(end: SurveyEnd): Promise<DocsProgress> {
  const { directory, progress, patterns, identity, isAuto } = end;
  return atStore(directory, async (database) => {
    const breaks = new Breaks(end.isStopped);
    await nameAll(database, identity, breaks);
    const seeds = seedsOf(database);
    const widened = await foldersToOpen(database, seeds, breaks);
    const unfollowed = isAuto ? await namedSeeds(database, seeds, new Map(widened), patterns, breaks) : [];
    const turned = progress.unfollowed.filter((seed) => !unfollowed.includes(seed));
    const next: DocsProgress = { ...progress, round: 'pages', unfollowed, widened };
    database.exec('BEGIN IMMEDIATE');
    if (progress.renews) {
      readAgain(database, turned);
      renewPages(database);
    }
    await leaveToSitemaps(database, unfollowed, breaks);
    saveProgress(database, next);
    database.exec("DELETE FROM meta WHERE key = 'ended'; COMMIT");
    return next;
  });
}

/** Puts what the sitemaps name into a table that lives as long as the connection. */
async function nameAll(database: Database, identity: IdentityOptions, breaks: Breaks): Promise<void> {
  database.exec('CREATE TEMP TABLE named (url TEXT PRIMARY KEY, until REAL) WITHOUT ROWID');
  const insert = database.prepare('INSERT OR REPLACE INTO temp.named VALUES (?, ?)');
  for (const { url, lastmod } of new SitemapPages(database, identity).all()) {
    insert.run(url, lastmodEnd(lastmod));
    if (breaks.isDue()) {
      await breaks.take();
    }
  }
}

function seedsOf(database: Database): SeedRow[] {
  return database
    .prepare('SELECT seed, url, scope, scope_urls AS scopeUrls FROM seeds ORDER BY seed')
    .all()
    .map((row) => ({ ...row, scopeUrls: JSON.parse(row.scopeUrls) }) as SeedRow);
}

/**
 * The scope of a seed such as `/docs/intro` is what lies under it, where there is anything; else the folder that it is in. Seeds for
 * which nothing has to be opened are left out.
 */
async function foldersToOpen(
  database: Database,
  seeds: readonly SeedRow[],
  breaks: Breaks,
): Promise<[seed: number, urls: string[]][]> {
  const unclear = seeds.filter(({ scope, scopeUrls }) => scope === 'prefix' && !scopeUrls.some(isFolderOrFile));
  if (unclear.length === 0) {
    return [];
  }
  await indexUrls(database, `kind = ${UrlKind.page} AND state <> ${UrlState.unlisted}`, breaks);
  const isUnder = database.prepare('SELECT 1 AS yes FROM temp.by_url WHERE url >= ? AND url < ? LIMIT 1');
  const isNamedUnder = database.prepare('SELECT 1 AS yes FROM temp.named WHERE url >= ? AND url < ? LIMIT 1');
  const hasPagesUnder = (url: string): boolean => {
    const range = [`${url}/`, `${url}0`] as const;
    return (isUnder.get(...range) ?? isNamedUnder.get(...range)) !== undefined;
  };
  return unclear
    .filter(({ scopeUrls }) => !scopeUrls.map(pathOnly).some(hasPagesUnder))
    .map(({ seed, scopeUrls }) => [seed, [...new Set(scopeUrls.map((url) => new URL('.', url).href))]]);
}

const pathOnly = (url: string): string => url.replace(/[?#].*$/s, '');

/** Seeds of which sitemaps name other pages than the seed itself. */
async function namedSeeds(
  database: Database,
  seeds: readonly SeedRow[],
  widened: ReadonlyMap<number, readonly string[]>,
  patterns: ScopePatterns,
  breaks: Breaks,
): Promise<number[]> {
  const rules = seeds.flatMap(({ seed, scope, scopeUrls }) =>
    [...scopeUrls, ...(widened.get(seed) ?? [])].map((url) => ({ seed, kind: scope as ScopeKind, url })),
  );
  const scope = new Scope(rules, patterns);
  const own = new Set(seeds.flatMap(({ scopeUrls }) => scopeUrls));
  const named = new Set<number>();
  for (const { url } of database.prepare('SELECT url FROM temp.named').iterate()) {
    const rule = own.has(url) ? null : (scope.ruleFor(url) as (SeedScope & { seed: number }) | null);
    if (rule !== null) {
      named.add(rule.seed);
    }
    if (breaks.isDue()) {
      await breaks.take();
    }
  }
  return [...named].sort((a, b) => a - b);
}

/** Their links are to be followed from now on: they have to be read again, whether they have changed or not, the seeds too. */
function readAgain(database: Database, seeds: readonly number[]): void {
  const theirs = `kind = ${UrlKind.page} AND seed IN (${seeds.join()})`;
  database.exec(`UPDATE pages SET etag = NULL, last_modified = NULL WHERE id IN (SELECT id FROM urls WHERE ${theirs});
    UPDATE urls SET flags = flags & ~${UrlFlag.renew} WHERE ${theirs}`);
}

/** What was found by links alone is not asked for; the links themselves lead nowhere. */
async function leaveToSitemaps(database: Database, seeds: readonly number[], breaks: Breaks): Promise<void> {
  if (seeds.length === 0) {
    return;
  }
  const found = `kind = ${UrlKind.page} AND seed IN (${seeds.join()}) AND state IN (${UrlState.queued}, ${UrlState.done})
    AND (flags & ${UrlFlag.seed}) = 0 AND url NOT IN (SELECT url FROM temp.named)
    AND id NOT IN (SELECT redirect_to FROM pages WHERE redirect_to IS NOT NULL)`;
  database.exec(`DELETE FROM bodies WHERE page IN (SELECT id FROM urls WHERE ${found});
    UPDATE urls SET state = ${UrlState.unlisted}, reason = 'sitemap' WHERE ${found}`);
  const save = database.prepare('UPDATE edges SET packed = ? WHERE page = ?');
  const some = database.prepare(
    `SELECT edges.page AS page, edges.packed AS packed FROM edges JOIN urls ON urls.id = edges.page
     WHERE edges.page > ? AND urls.seed IN (${seeds.join()}) ORDER BY edges.page LIMIT ${EDGES_A_TURN}`,
  );
  for (let rows = some.all(-1); rows.length > 0; rows = some.all(rows.at(-1)!.page)) {
    for (const { page, packed } of rows) {
      const words = edgesFromBlob(packed);
      if (unlead(words)) {
        save.run(new Uint8Array(words.buffer), page);
      }
    }
    await breaks.take();
  }
}

const EDGES_A_TURN = 500;

/** True where any of the edges led anywhere. */
function unlead(words: Uint32Array): boolean {
  let some = false;
  for (let i = 1; i < words.length; i += 2) {
    if (edgeLeads(words[i]!)) {
      words[i] = words[i]! & ~(FOLLOWED | HELD_BACK);
      some = true;
    }
  }
  return some;
}
