import { Contents } from './contents.js';
import type { GivenData } from './given-data.js';
import { ROW_FIELDS } from './page-fields.js';
import {
  blobOf,
  edgesFromBlob,
  IGNORED_LINK,
  type LinkFacts,
  openPage,
  openParts,
  PAGE_COLUMNS,
  type PageEdges,
  PENDING,
} from './page-row.js';
import type { Database, Statement } from './sqlite.js';
import type { RenderedPage, SettledUrl } from './transaction.js';
import { Rendering, UrlFlag } from './url-state.js';

const NO_PAGE: null[] = PAGE_COLUMNS.map(() => null);
const DATA_PLACE = PAGE_COLUMNS.indexOf('data');
const NOTHING_KEPT = { values: NO_PAGE, facts: null, body: null, edges: null };
/** Of the bodies of a crawl that keeps no pages: those of pages have been measured. */
const IS_ASSET = 'text IS NULL AND content IS NOT NULL';
/** What a browser may have changed. */
const RENDERED_FIELDS = ROW_FIELDS.filter(({ rendered }) => rendered !== undefined);

/** Pages as they are stored: the row, and beside it the links, what a check wants to know of them, and the body where it is kept. */
export class PagesTable {
  readonly #statements: ReturnType<typeof prepare>;
  readonly #given: GivenData;
  #nextSeq: number;
  readonly #database: Database;
  readonly #mostAssetBytes: number;
  #assetBytes: number;
  readonly #contents: Contents;
  readonly #keepsBodies: boolean;

  constructor(
    database: Database,
    given: GivenData,
    {
      mostAssetBytes = Number.POSITIVE_INFINITY,
      keepsBodies = false,
    }: { mostAssetBytes?: number; keepsBodies?: boolean } = {},
  ) {
    this.#keepsBodies = keepsBodies;
    this.#given = given;
    this.#database = database;
    this.#mostAssetBytes = mostAssetBytes;
    this.#statements = prepare(database);
    this.#contents = new Contents(database);
    this.#assetBytes = Number.isFinite(mostAssetBytes)
      ? database
          .prepare(
            `SELECT coalesce(sum(length(packed)), 0) AS n FROM bodies JOIN contents ON contents.id = content WHERE ${IS_ASSET}`,
          )
          .get()!.n
      : 0;
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
      const before = this.#contents.of(settled.id);
      const content = this.#contents.keep(body);
      this.#statements.insertBody.run(settled.id, body.type, content, body.answer ?? null, rendering, text);
      this.#contents.drop(before);
      this.#assetBytes += text === null ? body.packed.length : 0;
    }
    if (edges !== null && edges.words.length > 0 && settled.newIds !== null) {
      this.#insertEdges(settled.id, edges, settled.newIds, knownIds);
    }
    return data;
  }

  /** For a URL that was not requested. */
  addEmpty(id: number): void {
    this.#statements.insertPage.run(id, this.#nextSeq++, null, ...NO_PAGE);
  }

  seenAgain(id: number, at: number): void {
    this.#statements.seenAgain.run(at, id);
  }

  /** What the browser made of a page stands in place of what came; the hash stays that of what came. False where what came is kept. */
  render(rendered: RenderedPage, knownIds: ReadonlyMap<number, number>): boolean {
    const { id, text, reading, keepsBody, isUntried, isAsItCame, hookFailed } = rendered;
    const { keepAsItCame, replaceBody, setMessage } = this.#statements;
    const dropBody = this.#leaveBody;
    if (hookFailed !== undefined) {
      setMessage.run(hookFailed, id);
    }
    if (reading === null) {
      const before = keepsBody ? null : this.#contents.of(id);
      const { changes } = keepsBody
        ? keepAsItCame.run(text, id)
        : dropBody.run(isUntried ? Rendering.untried : Rendering.futile, text, id);
      this.#contents.drop(before);
      this.#tellNow(id, keepsBody, Number(changes));
      return false;
    }
    const { body, edges, facts } = openParts(reading.page);
    const end = isAsItCame === undefined ? Rendering.rendered : isUntried ? Rendering.untried : Rendering.futile;
    const before = this.#contents.of(id);
    const content = body === null ? null : this.#contents.keep(body);
    const { changes } =
      body === null ? dropBody.run(end, text, id) : replaceBody.run(body.type, content, end, text, id);
    this.#contents.drop(Number(changes) === 0 ? content : before);
    this.#tellNow(id, keepsBody, Number(changes));
    if (Number(changes) === 0) {
      return false;
    }
    if (facts !== null) {
      this.#replaceFacts(id, facts);
    }
    const page = openPage(reading.page);
    page.data = this.#given.joinedWith(id, page.data) ?? page.data;
    this.#statements.updatePage.run(...RENDERED_FIELDS.map(({ name }) => page[name]), id);
    if (edges !== null && reading.newIds !== null) {
      this.#insertEdges(id, edges, reading.newIds, knownIds);
    }
    return true;
  }

  /** Of what pages load the newest half of what there is room for stays. What is asked for again is fetched again. */
  trimAssets(): void {
    if (this.#assetBytes <= this.#mostAssetBytes) {
      return;
    }
    const dropped: number[] = [];
    for (const { page, bytes } of this.#database
      .prepare(
        `SELECT page, length(packed) AS bytes FROM bodies JOIN contents ON contents.id = content WHERE ${IS_ASSET} ORDER BY page`,
      )
      .iterate()) {
      if (this.#assetBytes <= this.#mostAssetBytes / 2) {
        break;
      }
      dropped.push(page);
      this.#assetBytes -= bytes;
    }
    this.#dropContents('page IN (SELECT value FROM json_each(?))', JSON.stringify(dropped));
  }

  /** They are told of as they came: to sinks by their new number, to programs at the end. */
  leaveUnrendered(): void {
    const waiting = `SELECT page FROM bodies WHERE rendering = ${Rendering.wanted}`;
    for (const { page } of this.#database.prepare(waiting).all()) {
      const before = this.#contents.of(page);
      this.#leaveBody.run(Rendering.untried, null, page);
      this.#contents.drop(before);
      this.#statements.renumber.run(this.#nextSeq++, page);
      this.#database.prepare(`UPDATE urls SET flags = flags | ${UrlFlag.listedLate} WHERE id = ?`).run(page);
    }
  }

  dropAssets(): void {
    if (this.#keepsBodies) {
      return;
    }
    this.#dropContents(IS_ASSET);
    this.#assetBytes = 0;
  }

  /** No browser will see the page again: its body goes, unless the crawl keeps bodies. */
  get #leaveBody(): Statement {
    return this.#keepsBodies ? this.#statements.settleBody : this.#statements.dropBody;
  }

  /** What pages load is no other row's: it goes with the row that has it. */
  #dropContents(where: string, ...values: string[]): void {
    this.#database
      .prepare(`DELETE FROM contents WHERE id IN (SELECT content FROM bodies WHERE ${where})`)
      .run(...values);
    this.#database.prepare(`UPDATE bodies SET content = NULL WHERE ${where}`).run(...values);
  }

  /** Where bodies are not kept, what is told of a page waits for the browser, and its number is that of the end of the wait. */
  #tellNow(id: number, keepsBody: boolean, changes: number): void {
    if (!keepsBody && changes > 0) {
      this.#statements.renumber.run(this.#nextSeq++, id);
    }
  }

  /** The links and names are those that the browser has; where a link stood in the page as it came, its place is kept. */
  #replaceFacts(id: number, { hrefs, places, anchors, textHash }: LinkFacts): void {
    const before = this.#statements.selectFacts.get(id);
    const known = placesByHref(before?.hrefs ?? null, before?.places ?? null);
    for (let i = 0; places !== null && i < places.length; i += 2) {
      const [line, column] = known.get(hrefs![i >> 1]!)?.shift() ?? [0, 0];
      places[i] = line;
      places[i + 1] = ((places[i + 1]! & IGNORED_LINK) | column) >>> 0;
    }
    this.#statements.updateFacts.run(
      hrefs === null ? null : JSON.stringify(hrefs),
      places === null ? null : blobOf(places),
      anchors === null ? null : blobOf(anchors),
      textHash,
      id,
    );
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

/** Line and column of each link of a page, by what is written in it, in the order of the page. */
function placesByHref(hrefs: string | null, places: Uint8Array | null): Map<string, [line: number, column: number][]> {
  const found = new Map<string, [number, number][]>();
  const words = places === null ? new Uint32Array() : edgesFromBlob(places);
  for (const [i, href] of (hrefs === null ? [] : (JSON.parse(hrefs) as string[])).entries()) {
    const same = found.get(href) ?? [];
    same.push([words[i * 2] ?? 0, ((words[i * 2 + 1] ?? 0) & ~IGNORED_LINK) >>> 0]);
    found.set(href, same);
  }
  return found;
}

function prepare(
  database: Database,
): Record<
  | 'insertPage'
  | 'insertEdges'
  | 'insertFacts'
  | 'insertBody'
  | 'keepAsItCame'
  | 'dropBody'
  | 'settleBody'
  | 'renumber'
  | 'selectFacts'
  | 'updateFacts'
  | 'replaceBody'
  | 'updatePage'
  | 'setMessage'
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
      'INSERT OR REPLACE INTO bodies (page, type, content, answer, rendering, text) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    keepAsItCame: database.prepare(
      `UPDATE bodies SET rendering = ${Rendering.futile}, rendered_text = ? WHERE page = ? AND rendering = ${Rendering.wanted}`,
    ),
    dropBody: database.prepare(
      `UPDATE bodies SET type = NULL, content = NULL, rendering = ?, rendered_text = ? WHERE page = ? AND rendering = ${Rendering.wanted}`,
    ),
    settleBody: database.prepare(
      `UPDATE bodies SET rendering = ?, rendered_text = ? WHERE page = ? AND rendering = ${Rendering.wanted}`,
    ),
    renumber: database.prepare('UPDATE pages SET seq = ? WHERE id = ?'),
    selectFacts: database.prepare('SELECT hrefs, places FROM link_facts WHERE page = ?'),
    updateFacts: database.prepare(
      'UPDATE link_facts SET hrefs = ?, places = ?, anchors = ?, text_hash = coalesce(?, text_hash) WHERE page = ?',
    ),
    replaceBody: database.prepare(
      `UPDATE bodies SET type = ?, content = ?, rendering = ?, rendered_text = ?
       WHERE page = ? AND rendering = ${Rendering.wanted}`,
    ),
    updatePage: database.prepare(
      `UPDATE pages SET ${RENDERED_FIELDS.map(({ columnName, rendered }) =>
        rendered === 'always' ? `${columnName} = ?` : `${columnName} = coalesce(nullif(?, ''), ${columnName})`,
      ).join(', ')} WHERE id = ?`,
    ),
    setMessage: database.prepare('UPDATE pages SET message = ? WHERE id = ?'),
    seenAgain: database.prepare('UPDATE pages SET fetched_at = ? WHERE id = ?'),
  };
}
