import type { Database, Row, Statement } from './sqlite.js';

/**
 * What a check gathers on its way to its verdicts, in temporary tables: memory does not grow with it. They belong to the connection, which
 * may be open for reading only, and go with it.
 */

/** Fragments that links name, each once a target. */
export class FragmentTable {
  readonly #database: Database;
  readonly #insert: Statement;

  constructor(database: Database) {
    this.#database = database;
    database.exec(`DROP TABLE IF EXISTS temp.fragments;
      CREATE TEMP TABLE fragments (target INTEGER NOT NULL, fragment TEXT NOT NULL, PRIMARY KEY (target, fragment)) WITHOUT ROWID;
      BEGIN`);
    this.#insert = database.prepare('INSERT OR IGNORE INTO temp.fragments (target, fragment) VALUES (?, ?)');
  }

  add(target: number, fragment: string): void {
    this.#insert.run(target, fragment);
  }

  /** Nothing more is added. */
  complete(): void {
    this.#database.exec('COMMIT');
  }

  /** By target. */
  all(): IterableIterator<{ target: number; fragment: string }> {
    return this.#database
      .prepare('SELECT target, fragment FROM temp.fragments ORDER BY target, fragment')
      .iterate() as IterableIterator<{ target: number; fragment: string }>;
  }
}

export interface FindingRow {
  /** From 1, in the order in which they are added. */
  number: number;
  /** Findings are listed by it, then by URL. */
  rank: number;
  url: string;
  fragment: string | null;
  fails: boolean;
  /** How many links lead there. */
  links: number;
  /** The finding itself, in JSON. */
  body: string;
}

/** A place where a link of a finding stands. */
export interface SourceRow {
  page: string;
  kind: string;
  href: string;
  text: string;
  line: number | null;
  column: number | null;
}

/** Verdicts, and the places where links to what they are about stand. */
export class FindingRows {
  readonly #database: Database;
  readonly #insert: Statement;
  readonly #insertSource: Statement;
  readonly #countUp: Statement;

  constructor(database: Database) {
    this.#database = database;
    database.exec(`DROP TABLE IF EXISTS temp.findings; DROP TABLE IF EXISTS temp.sources;
      CREATE TEMP TABLE findings (n INTEGER PRIMARY KEY, rank INTEGER, url TEXT, fragment TEXT, fails INTEGER, links INTEGER, first_seen TEXT, body TEXT);
      CREATE TEMP TABLE sources (finding INTEGER, page TEXT, kind TEXT, href TEXT, text TEXT, line INTEGER, col INTEGER);
      BEGIN`);
    this.#insert = database.prepare(
      'INSERT INTO temp.findings (n, rank, url, fragment, fails, links, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    this.#insertSource = database.prepare(
      'INSERT INTO temp.sources (finding, page, kind, href, text, line, col) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    this.#countUp = database.prepare('UPDATE temp.findings SET links = links + 1 WHERE n = ?');
  }

  add({ number, rank, url, fragment, fails, links, body }: FindingRow): void {
    this.#insert.run(number, rank, url, fragment, fails ? 1 : 0, links, body);
  }

  addSource(finding: number, { page, kind, href, text, line, column }: SourceRow): void {
    this.#insertSource.run(finding, page, kind, href, text, line, column);
  }

  /** One more link leads there. */
  countUp(finding: number): void {
    this.#countUp.run(finding);
  }

  /** Nothing more is added. */
  complete(): void {
    this.#database.exec('COMMIT; CREATE INDEX temp.sources_of ON sources (finding)');
  }

  *inOrder(): IterableIterator<Omit<FindingRow, 'rank' | 'url' | 'fragment'> & { firstSeen: string | null }> {
    for (const { n, links, fails, first_seen, body } of this.#database
      .prepare('SELECT n, links, fails, first_seen, body FROM temp.findings ORDER BY rank, url, fragment')
      .iterate()) {
      yield { number: n, links, fails: fails === 1, firstSeen: first_seen, body };
    }
  }

  /** Finds the places of one finding after the other. */
  sources(): (finding: number) => SourceRow[] {
    const select = this.#database.prepare(
      'SELECT page, kind, href, text, line, col FROM temp.sources WHERE finding = ? ORDER BY rowid',
    );
    return (finding) => select.all(finding).map(({ col, ...source }: Row) => ({ ...source, column: col }));
  }

  /** Keeps a copy of what is dead with the finding. */
  suggest(url: string, copy: string): void {
    this.#database
      .prepare("UPDATE temp.findings SET body = json_set(body, '$.suggestion', ?) WHERE url = ? AND fragment IS NULL")
      .run(copy, url);
  }

  /** They fail nobody any more. Returns how many findings that was. */
  acquit(known: Iterable<{ url: string; fragment: string | null; firstSeen: string | null }>): number {
    this.#database.exec('CREATE INDEX IF NOT EXISTS temp.findings_of ON findings (url)');
    const update = this.#database.prepare(
      'UPDATE temp.findings SET fails = 0, first_seen = ? WHERE url = ? AND fragment IS ?',
    );
    let acquitted = 0;
    for (const { url, fragment, firstSeen } of known) {
      acquitted += Number(update.run(firstSeen, url, fragment).changes);
    }
    return acquitted;
  }
}
