import type { GivenData } from './given-data.js';
import { ROW_FIELDS } from './page-fields.js';
import { blobOf, type LinkFacts, openPage, openParts, PAGE_COLUMNS, type PageEdges, PENDING } from './page-row.js';
import type { Database, Statement } from './sqlite.js';
import type { RenderedPage, SettledUrl } from './transaction.js';
import { Rendering } from './url-state.js';

const NO_PAGE: null[] = PAGE_COLUMNS.map(() => null);
const DATA_PLACE = PAGE_COLUMNS.indexOf('data');
const NOTHING_KEPT = { values: NO_PAGE, facts: null, body: null, edges: null };
/** What a browser may have changed. */
const RENDERED_FIELDS = ROW_FIELDS.filter(({ rendered }) => rendered !== undefined);

/** Pages as they are stored: the row, and beside it the links, what a check wants to know of them, and the body where it is kept. */
export class PagesTable {
  readonly #statements: ReturnType<typeof prepare>;
  readonly #given: GivenData;
  #nextSeq: number;

  constructor(database: Database, given: GivenData) {
    this.#given = given;
    this.#statements = prepare(database);
    this.#nextSeq = (database.prepare('SELECT max(seq) AS seq FROM pages').get()?.seq ?? 0) + 1;
  }

  /** Number of the page that was settled last. */
  get lastSeq(): number {
    return this.#nextSeq - 1;
  }

  /**
   * @param knownIds of URLs that this commit offered as new: those that are known under another id
   * @returns what the record says where a user gave data with the URL; null where he gave none
   */
  add(settled: SettledUrl, redirectTo: number | null, knownIds: ReadonlyMap<number, number>): string | null {
    const { values, facts, body, edges } = settled.page === null ? NOTHING_KEPT : openParts(settled.page);
    const data = this.#given.joinedWith(settled.id, values[DATA_PLACE] as string | null);
    const kept = data === null ? values : values.with(DATA_PLACE, data);
    this.#statements.insertPage.run(settled.id, this.#nextSeq++, redirectTo, ...kept);
    if (facts !== null) {
      this.#insertFacts(settled.id, facts);
    }
    if (body !== null) {
      const { text, needsBrowser } = body.measured ?? { text: null, needsBrowser: false };
      const rendering = needsBrowser ? Rendering.wanted : Rendering.none;
      this.#statements.insertBody.run(settled.id, body.type, body.packed, rendering, text);
    }
    if (edges !== null && edges.words.length > 0 && settled.newIds !== null) {
      this.#insertEdges(settled.id, edges, settled.newIds, knownIds);
    }
    return data;
  }

  /** For a URL that was not asked for. */
  addEmpty(id: number): void {
    this.#statements.insertPage.run(id, this.#nextSeq++, null, ...NO_PAGE);
  }

  seenAgain(id: number, at: number): void {
    this.#statements.seenAgain.run(at, id);
  }

  /** What the browser made of a page stands in place of what came; the hash stays that of what came. False where what came is kept. */
  render({ id, text, reading }: RenderedPage, knownIds: ReadonlyMap<number, number>): boolean {
    if (reading === null) {
      this.#statements.keepAsItCame.run(text, id);
      return false;
    }
    const { body, edges } = openParts(reading.page);
    const { changes } = this.#statements.replaceBody.run(body!.type, body!.packed, text, id);
    if (Number(changes) === 0) {
      return false;
    }
    const page = openPage(reading.page);
    page.data = this.#given.joinedWith(id, page.data) ?? page.data;
    this.#statements.updatePage.run(...RENDERED_FIELDS.map(({ name }) => page[name]), id);
    if (edges !== null && reading.newIds !== null) {
      this.#insertEdges(id, edges, reading.newIds, knownIds);
    }
    return true;
  }

  #insertFacts(id: number, { hrefs, places, anchors, headers, textHash }: LinkFacts): void {
    this.#statements.insertFacts.run(
      id,
      hrefs === null ? null : JSON.stringify(hrefs),
      places === null ? null : blobOf(places),
      anchors === null ? null : blobOf(anchors),
      headers === null ? null : JSON.stringify(headers),
      textHash,
    );
  }

  #insertEdges(
    page: number,
    { words, rels, texts }: PageEdges,
    newIds: readonly number[],
    knownIds: ReadonlyMap<number, number>,
  ): void {
    for (let i = 0; i < words.length; i += 2) {
      const target = words[i]!;
      if (target >= PENDING) {
        const id = newIds[target - PENDING]!;
        words[i] = knownIds.get(id) ?? id;
      }
    }
    this.#statements.insertEdges.run(
      page,
      blobOf(words),
      rels.length > 0 ? JSON.stringify(rels) : null,
      texts === null ? null : JSON.stringify(texts),
    );
  }
}

function prepare(
  database: Database,
): Record<
  | 'insertPage'
  | 'insertEdges'
  | 'insertFacts'
  | 'insertBody'
  | 'keepAsItCame'
  | 'replaceBody'
  | 'updatePage'
  | 'seenAgain',
  Statement
> {
  return {
    insertPage: database.prepare(
      `INSERT OR REPLACE INTO pages (id, seq, redirect_to, ${PAGE_COLUMNS.join(', ')}) VALUES (?, ?, ?${', ?'.repeat(NO_PAGE.length)})`,
    ),
    insertEdges: database.prepare('INSERT OR REPLACE INTO edges (page, packed, rels, texts) VALUES (?, ?, ?, ?)'),
    insertFacts: database.prepare(
      'INSERT OR REPLACE INTO link_facts (page, hrefs, places, anchors, headers, text_hash) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    insertBody: database.prepare(
      'INSERT OR REPLACE INTO bodies (page, type, packed, rendering, text) VALUES (?, ?, ?, ?, ?)',
    ),
    keepAsItCame: database.prepare(
      `UPDATE bodies SET rendering = ${Rendering.futile}, rendered_text = ? WHERE page = ? AND rendering = ${Rendering.wanted}`,
    ),
    replaceBody: database.prepare(
      `UPDATE bodies SET type = ?, packed = ?, rendering = ${Rendering.rendered}, rendered_text = ?
       WHERE page = ? AND rendering = ${Rendering.wanted}`,
    ),
    updatePage: database.prepare(
      `UPDATE pages SET ${RENDERED_FIELDS.map(({ columnName, rendered }) =>
        rendered === 'always' ? `${columnName} = ?` : `${columnName} = coalesce(nullif(?, ''), ${columnName})`,
      ).join(', ')} WHERE id = ?`,
    ),
    seenAgain: database.prepare('UPDATE pages SET fetched_at = ? WHERE id = ?'),
  };
}
