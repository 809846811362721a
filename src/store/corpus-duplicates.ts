import type { Database, Statements } from './sqlite.js';

/** By `<link rel=canonical>`, by the same text, by nearly the same text under the same title. */
export type DuplicateKind = 'canonical' | 'exact' | 'near';

/** A page that is left out because another has its content. */
export interface Duplicate {
  url: string;
  /** The page that is kept. */
  duplicateOf: string;
  kind: DuplicateKind;
}

/** One of several pages that may be the same. */
export interface AlikePage {
  url: string;
  ordinal: number;
  /** It names itself as the canonical one, or others name it. */
  isCanonical: number;
}

/**
 * Which pages of a corpus that is being written have the content of another, in the columns `duplicate_of` and `duplicate_kind` of `pages`.
 * The caller compares pages and decides; this keeps what was decided.
 */
export class DuplicatePages {
  readonly #database: Database;
  readonly #statements: Statements;

  constructor(database: Database, statements: Statements) {
    this.#database = database;
    this.#statements = statements;
  }

  /**
   * Forgets what an earlier run has decided, lets `work` decide anew and stores it in one transaction. Afterwards every duplicate names a page
   * that is kept, and never another duplicate. A transaction that `work` leaves by an error is rolled back by the owner of the state.
   */
  async decide(work: () => Promise<void>): Promise<void> {
    this.#database.exec('BEGIN');
    this.#database.exec('UPDATE pages SET duplicate_of = NULL, duplicate_kind = NULL');
    await work();
    while (this.#shorten() > 0) {}
    this.#database.exec('COMMIT');
  }

  /** Pages that name another as their canonical one, by that one. */
  namingAnother(): { url: string; canonical: string }[] {
    return this.#database
      .prepare(
        'SELECT url, canonical FROM pages WHERE canonical IS NOT NULL AND canonical <> url ORDER BY canonical, ordinal',
      )
      .all() as { url: string; canonical: string }[];
  }

  /** What a page names as its canonical one, or null; undefined where there is no such page. */
  canonicalOf(url: string): string | null | undefined {
    return this.#statements.of('SELECT canonical FROM pages WHERE url = ?').get(url)?.canonical;
  }

  /** Hashes of texts that several pages have. */
  sharedTexts(): string[] {
    return this.#database
      .prepare(
        `SELECT text_hash AS key FROM pages WHERE text_hash IS NOT NULL AND duplicate_of IS NULL GROUP BY text_hash HAVING count(*) > 1`,
      )
      .all()
      .map(({ key }) => key);
  }

  /** Keys of titles that several pages have, but not more than so many. */
  sharedTitles(most: number): string[] {
    return this.#database
      .prepare(
        `SELECT title_key AS key FROM pages WHERE text_hash IS NOT NULL AND duplicate_of IS NULL
         GROUP BY title_key HAVING count(*) BETWEEN 2 AND ?`,
      )
      .all(most)
      .map(({ key }) => key);
  }

  /** Pages with this text or title that are not yet known as duplicates. */
  alike(by: 'text' | 'title', key: string): AlikePage[] {
    const column = { text: 'text_hash', title: 'title_key' }[by];
    return this.#statements
      .of(
        `SELECT url, ordinal, canonical IS url OR EXISTS (SELECT 1 FROM pages other WHERE other.duplicate_of = pages.url) AS isCanonical
         FROM pages WHERE ${column} = ? AND duplicate_of IS NULL AND text_hash IS NOT NULL`,
      )
      .all(key) as AlikePage[];
  }

  textOf(url: string): string {
    return this.#statements.of('SELECT text FROM contents WHERE url = ?').get(url)!.text;
  }

  set(url: string, kept: string, kind: DuplicateKind): void {
    this.#statements.of('UPDATE pages SET duplicate_of = ?, duplicate_kind = ? WHERE url = ?').run(kept, kind, url);
  }

  /** In the order of the pages. */
  all(): IterableIterator<Duplicate> {
    return this.#database
      .prepare(
        `SELECT url, duplicate_of AS duplicateOf, duplicate_kind AS kind FROM pages WHERE duplicate_of IS NOT NULL ORDER BY ordinal`,
      )
      .iterate() as IterableIterator<Duplicate>;
  }

  /** Makes a duplicate of a duplicate name the page that the latter names. Returns how many there were. */
  #shorten(): number {
    const { changes } = this.#database
      .prepare(
        `UPDATE pages SET duplicate_of = (SELECT duplicate_of FROM pages next WHERE next.url = pages.duplicate_of)
         WHERE duplicate_of IN (SELECT url FROM pages WHERE duplicate_of IS NOT NULL)`,
      )
      .run();
    return Number(changes);
  }
}
