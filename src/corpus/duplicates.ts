import type { Breaks } from '../base/breaks.js';
import type { Database } from '../store/sqlite.js';
import { bandsOf, resemblance, type Signature, sharedRuns, signatureOf } from './fingerprint.js';
import type { DuplicateEntry, DuplicateKind } from './index-entry.js';

/** Texts this much alike, under the same title and first heading, are one. Decision 17 has the measurements. */
const NEAR = 0.92;
/** An estimate below it is of texts that are not; it is off by 0.03 in most cases. */
const PERHAPS_NEAR = 0.85;
const MOST_COMPARED = 3;
/** Some sites name one page as the canonical one of all: a page that has little of it is no copy. */
const CANONICAL = 0.5;
/** A title that more pages have says nothing about them. */
const LARGEST_GROUP = 1_000;

interface Candidate {
  url: string;
  ordinal: number;
  isCanonical: number;
}

/**
 * Finds pages of state.db that have the content of another and says which is kept: the one that a canonical link names, then the one with
 * the shortest path, then the first. Never a chain: whoever is a duplicate names a page that is kept.
 */
export async function decideDuplicates(database: Database, breaks: Breaks): Promise<void> {
  database.exec('BEGIN; UPDATE pages SET duplicate_of = NULL, duplicate_kind = NULL');
  await byCanonical(database, breaks);
  byText(database);
  await byResemblance(database, breaks);
  while (shorten(database) > 0);
  database.exec('COMMIT');
}

/** Finds the page that is kept of a URL's content, null where the corpus has none of it. Knows the ends of redirects too. */
export function keptPages(database: Database): (url: string) => { url: string; path: string } | null {
  const statement = database.prepare(
    `SELECT kept.url AS url, kept.path AS path FROM pages asked JOIN pages kept ON kept.url = coalesce(asked.duplicate_of, asked.url)
     WHERE asked.url = ?1 OR asked.final_url = ?1 ORDER BY asked.url <> ?1, asked.ordinal LIMIT 1`,
  );
  return (url) => {
    const row = statement.get(url);
    return row === undefined || row.path === null ? null : row;
  };
}

export function* duplicateEntries(database: Database): IterableIterator<DuplicateEntry> {
  yield* database
    .prepare(
      `SELECT url, duplicate_of AS duplicateOf, duplicate_kind AS kind FROM pages WHERE duplicate_of IS NOT NULL ORDER BY ordinal`,
    )
    .iterate();
}

async function byCanonical(database: Database, breaks: Breaks): Promise<void> {
  const targetOf = database.prepare('SELECT canonical FROM pages WHERE url = ?');
  const likeness = new Likeness(database);
  const pages = database
    .prepare(
      'SELECT url, canonical FROM pages WHERE canonical IS NOT NULL AND canonical <> url ORDER BY canonical, ordinal',
    )
    .all();
  for (const { url, canonical } of pages as { url: string; canonical: string }[]) {
    if (targetOf.get(canonical) === undefined || leadsBack(url, canonical, targetOf)) continue;
    if (likeness.to(canonical, url) >= CANONICAL) setDuplicate(database, url, canonical, 'canonical');
    await breaks.take();
  }
}

/** Pages that name each other say nothing. */
function leadsBack(url: string, first: string, targetOf: ReturnType<Database['prepare']>): boolean {
  const seen = new Set<string>();
  for (let at: string | null = first; at !== null && !seen.has(at); at = targetOf.get(at)?.canonical ?? null) {
    if (at === url) return true;
    seen.add(at);
  }
  return false;
}

function byText(database: Database): void {
  const groups = database
    .prepare(
      `SELECT text_hash AS key FROM pages WHERE text_hash IS NOT NULL AND duplicate_of IS NULL GROUP BY text_hash HAVING count(*) > 1`,
    )
    .all();
  for (const { key } of groups) {
    const [kept, ...others] = candidates(database, 'text_hash', key);
    for (const { url } of others) setDuplicate(database, url, kept!.url, 'exact');
  }
}

async function byResemblance(database: Database, breaks: Breaks): Promise<void> {
  const groups = database
    .prepare(
      `SELECT title_key AS key FROM pages WHERE text_hash IS NOT NULL AND duplicate_of IS NULL
       GROUP BY title_key HAVING count(*) BETWEEN 2 AND ${LARGEST_GROUP}`,
    )
    .all();
  for (const { key } of groups) {
    const kept = new Map<string, Fingerprint[]>();
    for (const { url } of candidates(database, 'title_key', key)) {
      const text = textOf(database, url);
      const page = { url, signature: signatureOf(text) };
      const bands = bandsOf(page.signature);
      const alike = mostAlike(new Set(bands.flatMap((band) => kept.get(band) ?? [])), page);
      const like = alike.find((each) => sharedRuns(textOf(database, each.url), text) >= NEAR);
      if (like !== undefined) setDuplicate(database, url, like.url, 'near');
      else for (const band of bands) kept.set(band, [...(kept.get(band) ?? []), page]);
      await breaks.take();
    }
  }
}

interface Fingerprint {
  url: string;
  signature: Signature;
}

/** The few whose texts are worth comparing. */
function mostAlike(pages: Iterable<Fingerprint>, { signature }: Fingerprint): Fingerprint[] {
  return [...pages]
    .map((page) => ({ page, estimate: resemblance(page.signature, signature) }))
    .filter(({ estimate }) => estimate >= PERHAPS_NEAR)
    .sort((a, b) => b.estimate - a.estimate)
    .slice(0, MOST_COMPARED)
    .map(({ page }) => page);
}

/** Pages of one group that are not yet known as duplicates, the one to keep first. */
function candidates(database: Database, column: 'text_hash' | 'title_key', key: string): Candidate[] {
  const rows = database
    .prepare(
      `SELECT url, ordinal, canonical IS url OR EXISTS (SELECT 1 FROM pages other WHERE other.duplicate_of = pages.url) AS isCanonical
       FROM pages WHERE ${column} = ? AND duplicate_of IS NULL AND text_hash IS NOT NULL`,
    )
    .all(key) as Candidate[];
  return rows.sort(
    (a, b) => b.isCanonical - a.isCanonical || pathLength(a.url) - pathLength(b.url) || a.ordinal - b.ordinal,
  );
}

const pathLength = (url: string): number => url.length - url.indexOf('/', url.indexOf('//') + 2);

const textOf = (database: Database, url: string): string =>
  database.prepare('SELECT text FROM contents WHERE url = ?').get(url)!.text;

/** Compares pages with one that many of them may name. */
class Likeness {
  readonly #database: Database;
  #target: { url: string; text: string; signature: Signature } | null = null;

  constructor(database: Database) {
    this.#database = database;
  }

  to(target: string, url: string): number {
    if (this.#target?.url !== target) {
      const text = textOf(this.#database, target);
      this.#target = { url: target, text, signature: signatureOf(text) };
    }
    const text = textOf(this.#database, url);
    return text === this.#target.text ? 1 : resemblance(signatureOf(text), this.#target.signature);
  }
}

function setDuplicate(database: Database, url: string, kept: string, kind: DuplicateKind): void {
  database.prepare('UPDATE pages SET duplicate_of = ?, duplicate_kind = ? WHERE url = ?').run(kept, kind, url);
}

/** A duplicate of a duplicate names what that one names. */
function shorten(database: Database): number {
  const { changes } = database
    .prepare(
      `UPDATE pages SET duplicate_of = (SELECT duplicate_of FROM pages next WHERE next.url = pages.duplicate_of)
       WHERE duplicate_of IN (SELECT url FROM pages WHERE duplicate_of IS NOT NULL)`,
    )
    .run();
  return Number(changes);
}
