import { type ErrorClass, isErrorClass } from '../base/errors.js';
import type { Database, Statement } from './sqlite.js';
import { columnsOfPages, openStoreFile, storePath } from './store-file.js';
import { UrlState } from './url-state.js';

/** What is kept of an answer beside its row and its body, as JSON in `bodies.answer`. What is left out was not so, or not there. */
export interface KeptAnswer {
  /** Names in lower case, and values; those that have columns of their own are not among them. */
  headers?: [string, string][];
  endedEarly?: true;
  truncated?: true;
  damage?: string;
}

/** What a server answered when the crawl requested a URL. */
export interface AnsweredUrl extends KeptAnswer {
  status: number;
  headers: [string, string][];
  /** Deflated; null if no body was asked for, or none was wanted. */
  packed: Uint8Array | null;
  /** In milliseconds since 1970. */
  answeredAt: number | null;
}

/** Why there was no answer. */
export interface UnansweredUrl {
  status: null;
  errorClass: ErrorClass;
  message: string | null;
}

interface AnswerRow {
  url: string;
  /** Headers that are facts of the page, as JSON. */
  facts: string | null;
  status: number | null;
  state: UrlState;
  reason: string | null;
  message: string | null;
  contentType: string | null;
  etag: string | null;
  lastModified: string | null;
  answeredAt: number | null;
  type: string | null;
  answer: string | null;
  packed: Uint8Array | null;
}

/**
 * The answers of a crawl that kept them (`--keep body`), by URL: with them a later command reads the site again without asking anybody. The
 * store has no index of URLs, so one is made for as long as this is open.
 */
export class KeptAnswers {
  readonly #database: Database;
  readonly #find: Statement;

  private constructor(database: Database) {
    this.#database = database;
    // A URL that was asked for in two roles (a sitemap that a page links to as well) has two rows: the one with a body is the better.
    database.exec(`CREATE TEMP TABLE answered (url TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID;
      INSERT OR REPLACE INTO temp.answered SELECT urls.url, urls.id FROM urls JOIN pages ON pages.id = urls.id
        LEFT JOIN bodies ON bodies.page = urls.id
      WHERE urls.state IN (${UrlState.done}, ${UrlState.failed}) ORDER BY bodies.content IS NOT NULL`);
    this.#find = database.prepare(
      `SELECT ${columnsIn(database)} FROM temp.answered JOIN urls ON urls.id = answered.id JOIN pages ON pages.id = urls.id
         LEFT JOIN bodies ON bodies.page = urls.id LEFT JOIN contents ON contents.id = bodies.content
       WHERE answered.url = ?`,
    );
  }

  /** The caller that opens it closes it. */
  static open(directory: string): KeptAnswers {
    return new KeptAnswers(openStoreFile(storePath(directory), { create: false, readOnly: true }));
  }

  /** Null if the crawl did not request it. */
  of(url: string): AnsweredUrl | UnansweredUrl | null {
    const row = this.#find.get(url) as AnswerRow | undefined;
    return row === undefined ? null : answerOf(row);
  }

  close(): void {
    this.#database.close();
  }
}

/** An answer, and the one before it that has the same body; null if none has. */
export type KeptExchange = (AnsweredUrl | UnansweredUrl) & {
  url: string;
  first: { url: string; at: number } | null;
  at: number;
};

/** All answers that a crawl has kept, in the order in which their URLs were found. */
export function* keptExchanges(database: Database): IterableIterator<KeptExchange> {
  const rows = database
    .prepare(
      `SELECT urls.id AS id, (SELECT min(same.page) FROM bodies AS same WHERE same.content = bodies.content) AS firstId, ${columnsIn(database)}
       FROM urls JOIN pages ON pages.id = urls.id LEFT JOIN bodies ON bodies.page = urls.id LEFT JOIN contents ON contents.id = bodies.content
       WHERE urls.state IN (${UrlState.done}, ${UrlState.failed}) ORDER BY urls.id`,
    )
    .iterate() as IterableIterator<AnswerRow & { id: number; firstId: number | null }>;
  const find = database.prepare(
    'SELECT urls.url AS url, coalesce(pages.fetched_at, 0) AS at FROM urls JOIN pages ON pages.id = urls.id WHERE urls.id = ?',
  );
  for (const row of rows) {
    const answer = answerOf(row);
    if (answer !== null) {
      const first = row.firstId === null || row.firstId === row.id ? undefined : find.get(row.firstId);
      yield { ...withFacts(answer, row.facts), url: row.url, first: first ?? null, at: row.answeredAt ?? 0 };
    }
  }
}

/** Headers that stand with the page are headers of the answer. */
function withFacts(answer: AnsweredUrl | UnansweredUrl, facts: string | null): AnsweredUrl | UnansweredUrl {
  if (answer.status === null || facts === null) {
    return answer;
  }
  const known = new Set(answer.headers.map(([name]) => name));
  const more = Object.entries(JSON.parse(facts) as Record<string, string>).filter(([name]) => !known.has(name));
  return { ...answer, headers: [...answer.headers, ...more] };
}

/** `pages` of an earlier Gossamer may lack the headers. */
const columnsIn = (database: Database): string =>
  `urls.url AS url, ${columnsOfPages(database).has('headers') ? 'pages.headers' : 'NULL'} AS facts,
   pages.status AS status, urls.state AS state, urls.reason AS reason, pages.message AS message, pages.content_type AS contentType,
   pages.etag AS etag, pages.last_modified AS lastModified, pages.fetched_at AS answeredAt, bodies.type AS type, bodies.answer AS answer, contents.packed AS packed`;

function answerOf(row: AnswerRow): AnsweredUrl | UnansweredUrl | null {
  const { status, reason, message } = row;
  if (status === null) {
    return reason !== null && isErrorClass(reason) ? { status, errorClass: reason, message } : null;
  }
  const { headers = [], ...answer } = row.answer === null ? {} : (JSON.parse(row.answer) as KeptAnswer);
  const own: [string, string | null][] = [
    ['content-type', row.type ?? row.contentType],
    ['etag', row.etag],
    ['last-modified', row.lastModified],
  ];
  return {
    ...answer,
    status,
    headers: [...own.filter((header): header is [string, string] => header[1] !== null), ...headers],
    packed: row.packed,
    answeredAt: row.answeredAt,
  };
}
