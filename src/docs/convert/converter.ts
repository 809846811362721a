import type { SiteMemory } from '../../content/extract/site-memory.js';
import type { PreparedDocument } from '../../corpus/document.js';
import { type Measure, preparePage } from '../../corpus/prepare.js';
import type { Database, Row } from '../../store/sqlite.js';
import { linkPlaces } from '../link-places.js';
import { factsOf, readPage } from '../page-content.js';
import type { Job, Learned } from './conversion.js';

const PAGE = `SELECT urls.url AS url, pages.title AS title, pages.description AS description, pages.lang AS lang,
    pages.canonical AS canonical, pages.etag AS etag, pages.last_modified AS lastModified, pages.fetched_at AS fetchedAt,
    bodies.type AS type, bodies.packed AS packed
  FROM urls JOIN pages ON pages.id = urls.id JOIN bodies ON bodies.page = urls.id WHERE urls.id = ?`;

/** Makes documents of kept pages, one at a time. What comes out of a page depends on it and on the memory, not on the thread. */
export class Converter {
  /** Held: a statement alone does not keep its connection open. */
  readonly #database: Database;
  readonly #measure: Measure;

  constructor(database: Database, measure: Measure) {
    this.#database = database;
    this.#measure = measure;
  }

  learn(id: number, memory: SiteMemory): Learned {
    const { fingerprints, linked } = factsOf(this.#row(id));
    memory.learn(fingerprints);
    return { linked };
  }

  /** @param memory shared by all that convert pages of the site; complete before the first is converted */
  convert(
    { id, knownHash, linkedIds }: Pick<Job, 'id' | 'knownHash' | 'linkedIds'>,
    memory: SiteMemory,
  ): PreparedDocument {
    const row = this.#row(id);
    const { url } = row;
    const { title, markdown, text } = readPage(row, memory, new Set(linkedIds));
    const document = {
      ...{ url, finalUrl: url, title: title || row.title || url, description: row.description, lang: row.lang },
      ...{ markdown, text, canonical: row.canonical, etag: row.etag, lastModified: row.lastModified },
      // The day, not the moment: the same site gives the same bytes.
      crawledAt: new Date(row.fetchedAt).toISOString().slice(0, 10),
    };
    return preparePage(document, this.#measure, linkPlaces, knownHash);
  }

  #row(id: number): Row {
    const row = this.#database.prepare(PAGE).get(id);
    if (row === undefined) {
      throw new Error('it is not in the store');
    }
    return row;
  }
}
