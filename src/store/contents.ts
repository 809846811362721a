import type { KeptBody } from './page-row.js';
import type { Database, Statement } from './sqlite.js';

/**
 * The bytes of what is kept, each once, by their hash: pages that are the same share a row of `contents`. A row without a hash is one page's
 * alone, because it is to go again soon.
 */
export class Contents {
  readonly #find: Statement;
  readonly #insert: Statement;
  readonly #ofPage: Statement;
  readonly #drop: Statement;

  constructor(database: Database) {
    this.#find = database.prepare('SELECT id FROM contents WHERE hash = ?');
    this.#insert = database.prepare('INSERT INTO contents (hash, packed) VALUES (?, ?)');
    this.#ofPage = database.prepare('SELECT content FROM bodies WHERE page = ?');
    this.#drop = database.prepare(
      'DELETE FROM contents WHERE id = ? AND NOT EXISTS (SELECT 1 FROM bodies WHERE bodies.content = contents.id)',
    );
  }

  /** The id under which the bytes are kept; null if there are none. */
  keep({ packed, hash }: Pick<KeptBody, 'packed' | 'hash'>): number | null {
    if (packed.length === 0) {
      return null;
    }
    const key = hash === undefined ? null : Buffer.from(hash, 'hex');
    const known = key === null ? undefined : this.#find.get(key);
    return known?.id ?? Number(this.#insert.run(key, packed).lastInsertRowid);
  }

  /** The content of a page; null if nothing is kept of it. */
  of(page: number): number | null {
    return this.#ofPage.get(page)?.content ?? null;
  }

  /** A page has it no longer: where none has, it goes. */
  drop(id: number | null): void {
    if (id !== null) {
      this.#drop.run(id);
    }
  }
}

/** After pages have gone in number. */
export function dropUnusedContents(database: Database): void {
  database.exec('DELETE FROM contents WHERE id NOT IN (SELECT content FROM bodies WHERE content IS NOT NULL)');
}
