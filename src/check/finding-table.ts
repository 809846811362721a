import type { Database, Row, Statement } from '../store/sqlite.js';
import { cssPath } from './css-path.js';
import { type CheckedLink, type LinkSource, VERDICTS, type Verdict } from './result.js';
import type { UncheckedCounts } from './unchecked.js';

/** A verdict on one target, without the places where links to it stand. */
export type Finding = Omit<CheckedLink, 'sources' | 'sourceCount' | 'firstSeen'>;
export type FoundSource = Omit<LinkSource, 'selector'>;

const NO_HTML = /\.(?:md|markdown|mdx|rst|txt)$/i;

/** What was found, in temporary tables of the store's connection: memory does not grow with it. */
export class FindingTable {
  readonly verdicts: Partial<Record<Verdict, number>> = {};
  readonly unchecked: UncheckedCounts = {};
  size = 0;
  failing = 0;
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

  /** Nothing more is added. */
  complete(): void {
    this.#database.exec('COMMIT; CREATE INDEX temp.sources_of ON sources (finding)');
  }

  /** @param links how many lead there, as far as they are counted already */
  add(finding: Finding, links: number): number {
    const { verdict, unchecked, fails, url, fragment } = finding;
    this.verdicts[verdict] = (this.verdicts[verdict] ?? 0) + 1;
    if (unchecked !== null) {
      this.unchecked[unchecked] = (this.unchecked[unchecked] ?? 0) + 1;
    }
    this.failing += fails ? 1 : 0;
    this.size++;
    const rank = VERDICTS.indexOf(verdict);
    this.#insert.run(this.size, rank, url, fragment, fails ? 1 : 0, links, JSON.stringify(finding));
    return this.size;
  }

  addSource(finding: number, { page, kind, href, text, line, column }: FoundSource): void {
    this.#insertSource.run(finding, page, kind, href, text, line, column);
  }

  /** One more link leads there. */
  countUp(finding: number): void {
    this.#countUp.run(finding);
  }

  /** In the order of VERDICTS, then of URLs. */
  *links(withSources = true): IterableIterator<CheckedLink> {
    const sources = this.#database.prepare(
      'SELECT page, kind, href, text, line, col FROM temp.sources WHERE finding = ? ORDER BY rowid',
    );
    for (const { n, links, fails, first_seen, body } of this.#database
      .prepare('SELECT n, links, fails, first_seen, body FROM temp.findings ORDER BY rank, url, fragment')
      .iterate()) {
      yield {
        ...(JSON.parse(body) as Finding),
        fails: fails === 1,
        firstSeen: first_seen,
        sourceCount: links,
        sources: withSources ? sources.all(n).map(sourceOf) : [],
      };
    }
  }

  /** A copy of what is dead. */
  suggest(url: string, copy: string): void {
    this.#database
      .prepare("UPDATE temp.findings SET body = json_set(body, '$.suggestion', ?) WHERE url = ? AND fragment IS NULL")
      .run(copy, url);
  }

  /** A baseline knows these: they fail nobody any more. */
  acquit(known: readonly CheckedLink[]): void {
    this.#database.exec('CREATE INDEX IF NOT EXISTS temp.findings_of ON findings (url)');
    const update = this.#database.prepare(
      'UPDATE temp.findings SET fails = 0, first_seen = ? WHERE url = ? AND fragment IS ?',
    );
    for (const { url, fragment, firstSeen } of known) {
      this.failing -= Number(update.run(firstSeen, url, fragment).changes);
    }
  }
}

const sourceOf = ({ page, kind, href, text, line, col }: Row): LinkSource => ({
  page,
  kind,
  href,
  text,
  line,
  column: col,
  selector: line === null || NO_HTML.test(page) ? null : cssPath(kind, href),
});
