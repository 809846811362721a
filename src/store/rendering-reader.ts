import type { Database, Statement } from './sqlite.js';
import { Rendering, UrlKind, UrlState } from './url-state.js';

/** A page that waits for a browser. */
export interface PageToRender {
  id: number;
  url: string;
  depth: number;
  seed: number;
  flags: number;
  /** Characters that it gave to read as it came. */
  text: number;
  robots: string | null;
}

/** What is kept of a URL. */
export interface KeptAnswer {
  url: string;
  state: UrlState;
  status: number | null;
  redirectTo: number | null;
  type: string | null;
  packed: Uint8Array | null;
}

/** A page of an earlier run: what it gave to read as it came, and what a browser made of it. */
export interface SeenByBrowser {
  url: string;
  rendering: number;
  text: number | null;
  renderedText: number | null;
}

/** What rendering asks the store. */
export class RenderingReader {
  readonly #database: Database;
  readonly #waiting: Statement;
  readonly #kept: Statement;

  constructor(database: Database) {
    this.#database = database;
    this.#waiting = database.prepare(
      `SELECT urls.id AS id, urls.url AS url, urls.depth AS depth, urls.seed AS seed, urls.flags AS flags, coalesce(bodies.text, 0) AS text,
         pages.robots_meta AS robots
       FROM bodies INDEXED BY bodies_to_render JOIN urls ON urls.id = bodies.page JOIN pages ON pages.id = bodies.page
       WHERE bodies.rendering = ${Rendering.wanted} AND bodies.page > ? AND urls.state = ${UrlState.done} ORDER BY bodies.page LIMIT ?`,
    );
    // What was dropped to make room is empty: it is fetched again. What never came is null.
    this.#kept = database.prepare(
      `SELECT urls.url AS url, urls.state AS state, pages.status AS status, pages.redirect_to AS redirectTo, bodies.type AS type,
         CASE WHEN bodies.page IS NOT NULL THEN coalesce(contents.packed, x'') END AS packed
       FROM urls LEFT JOIN pages ON pages.id = urls.id LEFT JOIN bodies ON bodies.page = urls.id
         LEFT JOIN contents ON contents.id = bodies.content WHERE urls.id = ?`,
    );
  }

  /** Pages that wait, with ids beyond the given one. */
  waiting(beyond: number, limit: number): PageToRender[] {
    return this.#waiting.all(beyond, limit) as PageToRender[];
  }

  /** How many wait. */
  count(): number {
    return this.#database
      .prepare(`SELECT count(*) AS n FROM bodies INDEXED BY bodies_to_render WHERE rendering = ${Rendering.wanted}`)
      .get()!.n;
  }

  kept(id: number): KeptAnswer | null {
    return (this.#kept.get(id) as KeptAnswer | undefined) ?? null;
  }

  *pages(): IterableIterator<SeenByBrowser> {
    yield* this.#database
      .prepare(
        `SELECT urls.url AS url, bodies.rendering AS rendering, bodies.text AS text, bodies.rendered_text AS renderedText
         FROM bodies JOIN urls ON urls.id = bodies.page WHERE urls.kind = ${UrlKind.page} AND bodies.text IS NOT NULL ORDER BY bodies.page`,
      )
      .iterate() as IterableIterator<SeenByBrowser>;
  }
}
