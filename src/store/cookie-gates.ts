import { cookieHeader, type SetCookie } from '../url/cookies.js';
import type { Database, Statement } from './sqlite.js';
import { UrlFlag, UrlState } from './url-state.js';

interface Member {
  id: number;
  url: string;
  state: UrlState;
  flags: number;
  to: number;
  cookies: SetCookie[];
  /** An earlier run has seen its cookies, and nobody knows them any more. */
  isForgotten: boolean;
}

export interface Asked {
  id: number;
  /** Null: it is asked for as it was at first, to hear its cookies again. */
  cookie: string | null;
}

/** In place of cookies; a redirect that set none has no row. */
const FORGOTTEN = '[]';
/** A circle that is longer leads nobody anywhere. */
const LONGEST_CIRCLE = 100;

/** What is overwritten or deleted here is gone from the file too: SQLite leaves it there otherwise. All else that a crawl writes does without that. */
const WITHOUT_TRACE = 'PRAGMA secure_delete = ON';
const AS_USUAL = 'PRAGMA secure_delete = OFF';

/**
 * Redirects that run in a circle until a cookie is sent back. When the last redirect of a circle is settled, each URL of it that would get a cookie
 * from its own origin, by what the circle set, is asked for once more with it. What came of that counts: a page, or the circle again, which is
 * a loop then. Cookies outlive a kill, but not the end of a run: after that the chain starts over. Which redirect is settled last does not matter, and where in the circle somebody entered does not either.
 */
export class CookieGates {
  readonly #database: Database;
  readonly #has: Statement;
  readonly #keep: Statement;
  readonly #forget: Statement;
  readonly #member: Statement;
  readonly #send: Statement;
  readonly #pass: Statement;
  /** Redirects that this commit settles. */
  #settled: number[] = [];

  constructor(database: Database) {
    this.#database = database;
    this.#has = database.prepare('SELECT 1 FROM cookies WHERE url = ?');
    this.#keep = database.prepare('INSERT OR REPLACE INTO cookies (url, set_here, sent) VALUES (?, ?, NULL)');
    this.#forget = database.prepare('DELETE FROM cookies WHERE url = ?');
    this.#member = database.prepare(
      `SELECT urls.id AS id, urls.url AS url, state, flags, redirect_to AS "to", set_here AS cookies FROM urls
       JOIN pages ON pages.id = urls.id LEFT JOIN cookies ON cookies.url = urls.id WHERE urls.id = ? AND redirect_to IS NOT NULL`,
    );
    this.#send = database.prepare(
      'INSERT INTO cookies (url, set_here, sent) VALUES (?, NULL, ?) ON CONFLICT (url) DO UPDATE SET sent = excluded.sent',
    );
    this.#pass = database.prepare(`UPDATE urls SET flags = flags & ~${UrlFlag.gate} WHERE id = ?`);
  }

  redirected(id: number, cookies: readonly SetCookie[] | undefined): void {
    if (cookies === undefined) {
      this.#drop(id);
    } else {
      this.#withoutTrace(() => this.#keep.run(id, JSON.stringify(cookies)));
    }
    this.#settled.push(id);
  }

  /** Most redirects never set anything. */
  #drop(id: number): void {
    if (this.#has.get(id) !== undefined) {
      this.#withoutTrace(() => this.#forget.run(id));
    }
  }

  #withoutTrace(write: () => void): void {
    this.#database.exec(WITHOUT_TRACE);
    try {
      write();
    } finally {
      this.#database.exec(AS_USUAL);
    }
  }

  /** It was asked for with cookies, and leads to an end: nothing of that is wanted any more. */
  passed(id: number): void {
    this.#drop(id);
    this.#pass.run(id);
  }

  /** Forgets the work of a transaction that is rolled back. */
  forget(): void {
    this.#settled = [];
  }

  /** Once all that came with a commit stands in the store: URLs that are to be asked for again. */
  *opened(): IterableIterator<Asked> {
    const settled = this.#settled;
    this.#settled = [];
    for (const id of settled) {
      yield* this.#circleOf(id);
    }
  }

  *#circleOf(id: number): IterableIterator<Asked> {
    const circle: Member[] = [];
    for (let at = id; circle.length === 0 || at !== id; ) {
      const member = this.#read(at);
      // Of one that waits to be asked again the answer is an old one: what comes then may close the circle.
      if (member === null || member.state !== UrlState.done || circle.length === LONGEST_CIRCLE) {
        return;
      }
      circle.push(member);
      at = member.to;
    }
    const forgotten = circle.filter(({ isForgotten }) => isForgotten);
    for (const { id: member } of forgotten) {
      this.#drop(member);
      yield { id: member, cookie: null };
    }
    if (forgotten.length > 0) {
      return;
    }
    const first = circle.reduce((least, { url }, place) => (url < circle[least]!.url ? place : least), 0);
    const answers = [...circle.slice(first), ...circle.slice(0, first)];
    for (const { id: member, url, flags } of answers) {
      const cookie = (flags & UrlFlag.gate) === 0 ? cookieHeader(answers, url) : null;
      if (cookie !== null) {
        this.#withoutTrace(() => this.#send.run(member, cookie));
        yield { id: member, cookie };
      }
    }
  }

  #read(id: number): Member | null {
    const row = this.#member.get(id);
    if (row === undefined) {
      return null;
    }
    const cookies = JSON.parse(row.cookies ?? FORGOTTEN);
    return { ...row, cookies, isForgotten: row.cookies === FORGOTTEN } as unknown as Member;
  }
}

/**
 * A run has ended: what it was told in confidence goes with it. That there was something to send back stays known. The table is emptied and filled anew:
 * where its pages were divided, parts of what they held may stand in between.
 */
export function forgetCookies(database: Database): void {
  const known = database.prepare('SELECT url FROM cookies WHERE set_here IS NOT NULL').all();
  database.exec(`${WITHOUT_TRACE}; BEGIN IMMEDIATE; DELETE FROM cookies`);
  const keep = database.prepare(`INSERT INTO cookies (url, set_here, sent) VALUES (?, '${FORGOTTEN}', NULL)`);
  for (const { url } of known) {
    keep.run(url);
  }
  database.exec(
    `UPDATE urls SET flags = flags & ~${UrlFlag.gate} WHERE (flags & ${UrlFlag.gate}) <> 0; COMMIT; ${AS_USUAL}`,
  );
}
