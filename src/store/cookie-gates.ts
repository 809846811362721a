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
}

/** A circle that is longer leads nobody anywhere. */
const LONGEST_CIRCLE = 100;

/**
 * Redirects that run in a circle until a cookie is sent back. When the last redirect of a circle is settled, each URL of it that would get a cookie
 * from its own origin, by what the circle set, is asked for once more with it. What came of that counts: a page, or the circle again, which is
 * a loop then. Which redirect is settled last does not matter, and where in the circle somebody entered does not either.
 */
export class CookieGates {
  readonly #keep: Statement;
  readonly #forget: Statement;
  readonly #member: Statement;
  readonly #send: Statement;
  readonly #pass: Statement;
  /** Redirects that this commit settles. */
  #settled: number[] = [];

  constructor(database: Database) {
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
    if (cookies !== undefined) {
      this.#keep.run(id, JSON.stringify(cookies));
    }
    this.#settled.push(id);
  }

  /** It was asked for with cookies, and leads to an end: nothing of that is wanted any more. */
  passed(id: number): void {
    this.#forget.run(id);
    this.#pass.run(id);
  }

  /** What was to be done in a transaction that is rolled back. */
  forget(): void {
    this.#settled = [];
  }

  /** Once all that came with a commit stands in the store: URLs that are to be asked for with a cookie. */
  *opened(): IterableIterator<{ id: number; cookie: string }> {
    const settled = this.#settled;
    this.#settled = [];
    for (const id of settled) {
      yield* this.#circleOf(id);
    }
  }

  *#circleOf(id: number): IterableIterator<{ id: number; cookie: string }> {
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
    const first = circle.reduce((least, { url }, place) => (url < circle[least]!.url ? place : least), 0);
    const answers = [...circle.slice(first), ...circle.slice(0, first)];
    for (const { id: member, url, flags } of answers) {
      const cookie = (flags & UrlFlag.gate) === 0 ? cookieHeader(answers, url) : null;
      if (cookie !== null) {
        this.#send.run(member, cookie);
        yield { id: member, cookie };
      }
    }
  }

  #read(id: number): Member | null {
    const row = this.#member.get(id);
    return row === undefined
      ? null
      : ({ ...row, cookies: row.cookies === null ? [] : JSON.parse(row.cookies) } as unknown as Member);
  }
}

/** The crawl is over: nobody is asked again. */
export function forgetCookies(database: Database): void {
  database.exec(
    `DELETE FROM cookies; UPDATE urls SET flags = flags & ~${UrlFlag.gate} WHERE kind = 0 AND (flags & ${UrlFlag.gate}) <> 0`,
  );
}
