import { StateError } from '../base/errors.js';
import { APPLICATION_ID } from './schema.js';
import { type Database, openDatabase, type Row, type SqlValue, Statements } from './sqlite.js';
import { storePath } from './store-file.js';
import { STATE_NAMES, UNANSWERED, UrlKind, UrlState } from './url-state.js';
import type {
  HostAnswer,
  HostQuestion,
  HostSort,
  HostState,
  PageAnswer,
  PageQuestion,
  PageRow,
  PageState,
  StoredHost,
} from './watch-rows.js';

/** A question that no index answers looks at so many URLs, and says where to go on. */
const SCANNED_AT_ONCE = 50_000;
/** Queued URLs of a host are counted so far. */
const MOST_COUNTED = 10_000;

/** In the order in which `sort=state` shows them. */
const HOST_STATES: readonly HostState[] = ['backing off', 'put off', 'busy', 'delayed', 'ready'];

const BUSY = `hosts.id IN (SELECT origins.host FROM urls INDEXED BY urls_leased JOIN origins ON origins.id = urls.origin
  WHERE urls.state = ${UrlState.leased})`;
/** A host in quarantine is that before anything else: whoever sees it may release it. */
const HELD = 'held';
/** The place in HOST_STATES; ?1 is the wall time. */
const HOST_STATE = `CASE WHEN hosts.deferred_reason = '${HELD}' THEN 1 WHEN hosts.blocked_until > ?1 THEN 0 WHEN hosts.deferred_reason IS NOT NULL THEN 1 WHEN ${BUSY} THEN 2
  WHEN hosts.next_allowed_at > ?1 THEN 3 ELSE 4 END`;
const CRAWL_DELAY = '(SELECT max(crawl_delay_ms) FROM origins WHERE origins.host = hosts.id)';

/** ?2 is JSON: delays that somebody set, by host. */
const SET_DELAY = 'coalesce((SELECT value FROM json_each(?2) WHERE key = hosts.name), 0)';

/** What hosts are sorted by, and whether large values come first. Equal ones follow in the order in which they were found. */
const SORTED_BY: Readonly<Record<Exclude<HostSort, 'queue'>, { value: string; isDescending: boolean }>> = {
  name: { value: 'hosts.name', isDescending: false },
  state: { value: HOST_STATE, isDescending: false },
  requests: { value: 'hosts.dispatched', isDescending: true },
  failures: { value: 'hosts.failures', isDescending: true },
  // --delay holds for all of them, and changes nothing in their order.
  delay: { value: `max(hosts.learned_delay_ms, coalesce(${CRAWL_DELAY}, 0), ${SET_DELAY})`, isDescending: true },
};

const HOST_COLUMNS = `hosts.id AS id, hosts.name AS name, ${HOST_STATE} AS place, hosts.block_reason AS blockReason,
  hosts.deferred_reason AS deferredReason, hosts.blocked_until AS blockedUntil, hosts.next_allowed_at AS nextAllowedAt,
  ${CRAWL_DELAY} AS crawlDelayMs, hosts.learned_delay_ms AS learnedDelayMs, hosts.failures AS failures, hosts.tuned_limit AS tunedLimit,
  hosts.dispatched AS requests, hosts.address AS address,
  (SELECT max(robots_state) FROM origins WHERE origins.host = hosts.id) AS robots`;

const QUEUED_OF_HOST = `SELECT count(*) AS n FROM (SELECT 1 FROM origins CROSS JOIN urls INDEXED BY urls_queued ON urls.origin = origins.id
  WHERE origins.host = ? AND urls.state = ${UrlState.queued} LIMIT ${MOST_COUNTED + 1})`;
const QUEUES = `SELECT origins.host AS host, sum(counted.n) AS n FROM
  (SELECT origin, count(*) AS n FROM urls INDEXED BY urls_queued WHERE state = ${UrlState.queued} GROUP BY origin) AS counted
  JOIN origins ON origins.id = counted.origin GROUP BY origins.host ORDER BY n DESC, host`;

const LISTED = `urls.kind = ${UrlKind.page} AND urls.state <> ${UrlState.unlisted} AND NOT ${UNANSWERED}`;
const PAGE_COLUMNS = `urls.id AS id, urls.url AS url, urls.state AS state, urls.reason AS reason, urls.depth AS depth,
  pages.status AS status, pages.title AS title, pages.bytes AS bytes, pages.ttfb_ms AS ttfbMs, pages.fetched_at AS fetchedAt`;

/**
 * Lists hosts and pages of a store that may be written at the same time, a screenful at a question. The connection is read-only and has no
 * transaction open between questions, so it keeps nobody from writing or from clearing the journal.
 */
export class WatchReader {
  readonly #database: Database;
  readonly #statements: Statements;
  /** Hosts by the length of their queues, as they were when the first screenful was asked for. */
  #queues: { id: number; n: number }[] = [];

  private constructor(database: Database) {
    this.#database = database;
    this.#statements = new Statements(database);
  }

  /** Unlike those who go on with a crawl it does not look the whole file over, which takes seconds where it is large. */
  static open(directory: string): WatchReader {
    let database: Database;
    try {
      database = openDatabase(storePath(directory), { readOnly: true });
    } catch {
      throw new StateError('no_store', `there is no crawl in ${directory} yet`);
    }
    const isOurs = (): boolean =>
      database.prepare('PRAGMA application_id').get()?.application_id === APPLICATION_ID &&
      database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'urls'").get() !== undefined;
    try {
      if (isOurs()) {
        return new WatchReader(database);
      }
    } catch {
      // Not a database at all, or one that is only being made.
    }
    database.close();
    throw new StateError('no_store', `there is no crawl in ${directory} yet`);
  }

  close(): void {
    this.#database.close();
  }

  /** What the crawl was made with, as its store says. */
  meta(): Record<string, string> {
    const rows = this.#statements
      .of("SELECT key, value FROM meta WHERE key IN ('command', 'options', 'inForce')")
      .all();
    return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
  }

  hasHost(name: string): boolean {
    return this.#statements.of('SELECT 1 FROM hosts WHERE name = ?').get(name) !== undefined;
  }

  hosts(question: HostQuestion, wallMs: number): HostAnswer<StoredHost> {
    const { sort, limit } = question;
    const found = sort === 'queue' ? this.#hostsByQueue(question, wallMs) : this.#hostsBy(sort, question, wallMs);
    const last = found.rows.at(-1);
    const isEnd = found.rows.length < limit || last === undefined;
    return {
      rows: found.rows.map((row) => this.#hostRow(row, wallMs)),
      next: isEnd ? null : JSON.stringify([found.keyOf(last), last.id]),
      total:
        question.text === '' && question.name === null
          ? this.#statements.of('SELECT count(*) AS n FROM hosts').get()!.n
          : null,
    };
  }

  #hostsBy(
    sort: keyof typeof SORTED_BY,
    { text, name, after, limit, delays }: HostQuestion,
    wallMs: number,
  ): FoundHosts {
    const { value, isDescending } = SORTED_BY[sort];
    const values: SqlValue[] = sort === 'delay' ? [wallMs, JSON.stringify(delays)] : [wallMs];
    const given = (each: SqlValue): string => `?${values.push(each)}`;
    const conditions: string[] = [];
    if (text !== '') {
      conditions.push(`instr(hosts.name, ${given(text.toLowerCase())}) > 0`);
    }
    if (name !== null) {
      conditions.push(`hosts.name = ${given(name)}`);
    }
    const key = keyFrom(after);
    if (key !== null && sort === 'name') {
      conditions.push(`hosts.name > ${given(key[0])}`);
    } else if (key !== null) {
      const [last, id] = [given(key[0]), given(key[1])];
      conditions.push(`(${value} ${isDescending ? '<' : '>'} ${last} OR (${value} = ${last} AND hosts.id > ${id}))`);
    }
    const order = isDescending ? 'DESC' : 'ASC';
    const then = sort === 'name' ? '' : ', hosts.id';
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const rows = this.#statements
      .of(
        // First which ones, then what is known of them: what is sorted by value is all of them.
        `SELECT ${HOST_COLUMNS}, picked.sorted AS sorted FROM
           (SELECT hosts.id AS id, ${value} AS sorted FROM hosts ${where} ORDER BY ${value} ${order}${then} LIMIT ${given(limit)}) AS picked
         CROSS JOIN hosts ON hosts.id = picked.id ORDER BY picked.sorted ${order}, hosts.id`,
      )
      .all(...values);
    return { rows, keyOf: ({ sorted }) => sorted };
  }

  /** The queues are counted once for all screenfuls: their order would change while somebody scrolls. Hosts without a queue come last. */
  #hostsByQueue({ text, after, limit }: HostQuestion, wallMs: number): FoundHosts {
    const key = keyFrom(after) as [number, number] | null;
    if (key === null || this.#queues.length === 0) {
      this.#queues = this.#statements
        .of(QUEUES)
        .all()
        .map(({ host, n }) => ({ id: host, n }));
    }
    const one = this.#statements.of(
      `SELECT ${HOST_COLUMNS} FROM hosts WHERE hosts.id = ?2 AND (?3 = '' OR instr(hosts.name, ?3) > 0)`,
    );
    const wanted = text.toLowerCase();
    const rows: Row[] = [];
    const from = key === null ? 0 : firstBeyond(this.#queues, key);
    for (let place = from; place < this.#queues.length && rows.length < limit; place++) {
      const { id, n } = this.#queues[place]!;
      const row = one.get(wallMs, id, wanted);
      if (row !== undefined) {
        rows.push({ ...row, sorted: n });
      }
    }
    if (rows.length < limit) {
      const withQueue = JSON.stringify(this.#queues.map(({ id }) => id));
      const rest = this.#statements
        .of(
          `SELECT ${HOST_COLUMNS}, 0 AS sorted FROM hosts WHERE hosts.id > ?2 AND (?3 = '' OR instr(hosts.name, ?3) > 0)
             AND hosts.id NOT IN (SELECT value FROM json_each(?4)) ORDER BY hosts.id LIMIT ?5`,
        )
        .all(wallMs, key?.[0] === 0 ? key[1] : 0, wanted, withQueue, limit - rows.length);
      rows.push(...rest);
    }
    return { rows, keyOf: ({ sorted }) => sorted };
  }

  #hostRow(row: Row, wallMs: number): StoredHost {
    const counted: number = this.#statements.of(QUEUED_OF_HOST).get(row.id)!.n;
    const state = HOST_STATES[row.place]!;
    const until = Math.max(row.blockedUntil, row.nextAllowedAt);
    return {
      id: row.id,
      name: row.name,
      state: state === 'ready' && counted === 0 ? 'idle' : state,
      reason: state === 'put off' ? row.deferredReason : state === 'backing off' ? row.blockReason : null,
      until: until > wallMs ? until : null,
      queue: Math.min(counted, MOST_COUNTED),
      isQueueLonger: counted > MOST_COUNTED,
      crawlDelayMs: row.crawlDelayMs,
      learnedDelayMs: row.learnedDelayMs,
      robots: row.robots,
      failures: row.failures,
      tunedLimit: row.tunedLimit,
      requests: row.requests,
      address: row.address,
    };
  }

  /** In the order in which they were found, which is the only one that a screenful can begin anywhere in. */
  pages(question: PageQuestion): PageAnswer {
    const { isNewestFirst, limit } = question;
    const all: number = this.#statements.of('SELECT coalesce(max(id), 0) AS n FROM urls').get()!.n;
    const from = question.after ?? (isNewestFirst ? all + 1 : 0);
    const to = isNewestFirst ? Math.max(1, from - SCANNED_AT_ONCE) : Math.min(all, from + SCANNED_AT_ONCE);
    const { conditions, values } = pageConditions(question);
    const range = isNewestFirst ? 'urls.id < ? AND urls.id >= ?' : 'urls.id > ? AND urls.id <= ?';
    const rows = this.#statements
      .of(
        `SELECT ${PAGE_COLUMNS} FROM urls LEFT JOIN pages ON pages.id = urls.id
         WHERE ${range} AND ${LISTED} ${conditions.map((condition) => `AND ${condition}`).join(' ')}
         ORDER BY urls.id ${isNewestFirst ? 'DESC' : 'ASC'} LIMIT ?`,
      )
      .all(from, to, ...values, limit)
      .map(pageRow);
    const isFull = rows.length === limit;
    const end = isFull ? rows.at(-1)!.id : to;
    const isAtEnd = isNewestFirst ? end <= 1 : end >= all;
    return { rows, next: isAtEnd ? null : end, searched: isNewestFirst ? all - end + 1 : end, all };
  }
}

interface FoundHosts {
  rows: Row[];
  keyOf(row: Row): string | number;
}

function keyFrom(after: string | null): [string | number, number] | null {
  if (after === null) {
    return null;
  }
  try {
    const key: unknown = JSON.parse(after);
    if (Array.isArray(key) && ['string', 'number'].includes(typeof key[0]) && typeof key[1] === 'number') {
      return [key[0], key[1]];
    }
  } catch {
    // Said below.
  }
  throw new StateError('bad_key', 'that is not where an answer ended');
}

/** The place behind a key, in a list that is sorted by `n`, the large ones first, and by id. */
function firstBeyond(queues: readonly { id: number; n: number }[], [n, id]: [number, number]): number {
  let low = 0;
  let high = queues.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const each = queues[middle]!;
    if (each.n > n || (each.n === n && each.id <= id)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

function pageConditions({ state, reason, status, depth, host, text }: PageQuestion): {
  conditions: string[];
  values: SqlValue[];
} {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const add = (condition: string, ...given: SqlValue[]): void => {
    conditions.push(condition);
    values.push(...given);
  };
  if (state !== null) {
    add('urls.state = ?', UrlState[state]);
  }
  if (reason !== null) {
    add('urls.reason = ?', reason);
  }
  if (depth !== null) {
    add('urls.depth = ?', depth);
  }
  if (host !== null) {
    const origins = 'SELECT origins.id FROM origins JOIN hosts ON hosts.id = origins.host WHERE hosts.name = ?';
    add(`urls.origin IN (${origins})`, host);
  }
  if (status === 'none') {
    add('pages.status IS NULL');
  } else if (status !== null && /^[1-5]xx$/.test(status)) {
    add('pages.status BETWEEN ? AND ?', Number(status[0]) * 100, Number(status[0]) * 100 + 99);
  } else if (status !== null) {
    add('pages.status = ?', Number(status));
  }
  if (text !== '') {
    const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
    add("(urls.url LIKE ? ESCAPE '\\' OR pages.title LIKE ? ESCAPE '\\')", pattern, pattern);
  }
  return { conditions, values };
}

const pageRow = ({ state, ...row }: Row): PageRow => ({ ...row, state: STATE_NAMES[state as UrlState] as PageState });
