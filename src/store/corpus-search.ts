import { rmSync } from 'node:fs';
import { type Database, openDatabase, type Statement } from './sqlite.js';

/** search.db of a corpus: a row of words for each passage of each page. */
const SEARCH_APPLICATION_ID = 0x474f5346;
const SEARCH_VERSION = 3;

/** English words in any form, letters without their marks. */
const TOKENIZER = 'porter unicode61 remove_diacritics 2';

const SEARCH_TABLES = `
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  PRAGMA application_id = ${SEARCH_APPLICATION_ID};
  PRAGMA user_version = ${SEARCH_VERSION};
  CREATE TABLE documents (id INTEGER PRIMARY KEY, url TEXT NOT NULL, path TEXT NOT NULL, title TEXT NOT NULL, tokens INTEGER NOT NULL, lang TEXT NOT NULL, title_words INTEGER NOT NULL, passages INTEGER NOT NULL, weight REAL NOT NULL) STRICT;
  CREATE TABLE passages (id INTEGER PRIMARY KEY, document INTEGER NOT NULL, headings TEXT NOT NULL, anchor TEXT, size INTEGER NOT NULL, heading_words INTEGER NOT NULL) STRICT;
  CREATE TABLE names (name TEXT NOT NULL, passage INTEGER NOT NULL, anchor TEXT) STRICT;
  CREATE TEMP TABLE linked (path TEXT PRIMARY KEY, pages INTEGER NOT NULL) WITHOUT ROWID;
  CREATE VIRTUAL TABLE pages USING fts5 (title, lead, stems, tokenize = '${TOKENIZER}');
  CREATE VIRTUAL TABLE words USING fts5 (heading, headings, names, text, stems, tokenize = '${TOKENIZER}');
  BEGIN;
`;

/** How much a word counts in a passage: in its own heading, in those above, in the names that it defines, in its text, as such a stem. */
const WEIGHTS = '4.0, 3.0, 6.0, 1.0, 1.0';
const TEXT_COLUMN = 3;
/** By how much a passage is better whose own heading has all words of the query and no others. */
const HEADED = 0.5;
/** A passage of so many characters counts half: in a short one a word stands out that says nothing of the page. */
const SHORT = 200;
/** By how much a page is better whose title has all words of the query and no others, and one that has them in what it says first. */
const TITLED = 9;
const LED = 1.5;
/** A page of so many passages counts half: one of many is always like what is asked for. */
const LONG = 100.0;
/** A word that is a part of one of the title, as `ignore` is of `gitignore`. */
const WITHIN = 0.6;
const SHORTEST_PART = 4;
/** What a page has beside its best passage that has the words in its title alone. */
const UNSAID = 4;

/** What a name that is defined in a passage counts, beside the words: more than any of them. */
const DEFINED = 60;
/** What words count that stand beside each other as in the query. */
const BESIDE = 0.4;
/** A page that has a word of the query in some passage, not the best one, is better than one that has it nowhere. */
const COVERAGE = 0.3;
/** So much more a page counts at most whose other passages have the words too. */
const ELSEWHERE = 1;
/** By how much a page is better for each time that the number of pages with a link to it doubles. */
const LINKED = 0.15;

/** Documents that have a word, by it. */
const HAVING = `SELECT passages.document FROM words JOIN passages ON passages.id = words.rowid WHERE words MATCH ?
  UNION SELECT rowid FROM pages WHERE pages MATCH ?`;

/** A slip or two in a word, and what its ending makes of that. */
const MOST_WRONG = 3;
const MOST_LIKELY = 20;
const SHORTEST_STEM = 4;

/** Words of a page as a whole. */
export interface PageWords {
  title: string;
  lead?: string;
  stems?: string;
}

export interface SearchDocument {
  url: string;
  path: string;
  title: string;
  tokens: number;
  /** `en`, `de`. */
  lang: string;
}

/** A name that a passage defines. */
export interface SearchName {
  /** In the form in which names are compared. */
  name: string;
  /** Its place on the page; null if it has none. */
  anchor: string | null;
}

/** A part of a page, and its words as they are looked for. */
export interface SearchPassage {
  headings: readonly string[];
  /** The place of the section on the page; null if it is not known. */
  anchor?: string | null;
  names?: readonly SearchName[];
  words: { heading?: string; headings: string; names?: string; text: string; stems?: string };
}

/** What is looked for. All texts are expressions of FTS5, but for the names; `stems` goes behind `words`. */
export interface SearchQuery {
  any: readonly { plain: string; words: string; stems: string; name: string | null }[];
  pairs: readonly string[];
  all: readonly string[];
  none: readonly string[];
}

/** Which of the pages that match are wanted. */
export interface SearchFilter {
  limit: number;
  /** Only pages whose path begins with this. */
  prefix?: string;
  /** How many passages of each. */
  sections?: number;
}

/** A passage that matches. */
export interface SearchSection {
  headings: string[];
  anchor: string | null;
  snippet: string;
}

/** A page that matches. */
export interface SearchMatch extends Omit<SearchDocument, 'lang'> {
  /** The best first. */
  sections: SearchSection[];
  /** The higher the better. */
  score: number;
}

const WORD = /[\p{L}\p{N}_]{2,}/gu;

/** Writes search.db anew. */
export class SearchWriter {
  readonly #path: string;
  readonly #database: Database;
  readonly #addDocument: Statement;
  readonly #addPassage: Statement;
  readonly #addPage: Statement;
  readonly #addName: Statement;
  readonly #addWords: Statement;
  readonly #addLinked: Statement;
  #documents = 0;
  #passages = 0;
  #isClosed = false;

  constructor(path: string) {
    rmSync(path, { force: true });
    this.#path = path;
    this.#database = openDatabase(path);
    this.#database.exec(SEARCH_TABLES);
    this.#addDocument = this.#database.prepare('INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)');
    this.#addPassage = this.#database.prepare('INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?)');
    this.#addPage = this.#database.prepare('INSERT INTO pages (rowid, title, lead, stems) VALUES (?, ?, ?, ?)');
    this.#addName = this.#database.prepare('INSERT INTO names VALUES (?, ?, ?)');
    this.#addWords = this.#database.prepare(
      'INSERT INTO words (rowid, heading, headings, names, text, stems) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#addLinked = this.#database.prepare(
      'INSERT INTO temp.linked VALUES (?, 1) ON CONFLICT (path) DO UPDATE SET pages = pages + 1',
    );
  }

  add({ url, path, title, tokens, lang }: SearchDocument, whole: PageWords, passages: readonly SearchPassage[]): void {
    const document = ++this.#documents;
    this.#addDocument.run(document, url, path, title, tokens, lang, title.match(WORD)?.length ?? 0, passages.length);
    this.#addPage.run(document, whole.title, whole.lead ?? '', whole.stems ?? '');
    for (const { headings: above, anchor = null, names = [], words } of passages) {
      const id = ++this.#passages;
      this.#addPassage.run(
        id,
        document,
        JSON.stringify(above),
        anchor,
        words.text.length,
        words.heading?.match(WORD)?.length ?? 0,
      );
      const { heading = '', headings: under, names: defined = '', text, stems = '' } = words;
      this.#addWords.run(id, heading, under, defined, text, stems);
      for (const name of names) {
        this.#addName.run(name.name, id, name.anchor);
      }
    }
  }

  /** The pages, each once, that a page leads to. */
  addLinks(paths: Iterable<string>): void {
    for (const path of paths) {
      this.#addLinked.run(path);
    }
  }

  /** It is complete then, but not yet sure to be on disk. */
  finish(): void {
    this.#weigh();
    this.#database.exec(`INSERT INTO words (words) VALUES ('optimize');
      INSERT INTO pages (pages) VALUES ('optimize');
      CREATE INDEX names_by_name ON names (name);
      CREATE INDEX passages_by_document ON passages (document);
      COMMIT`);
    this.#close();
  }

  #weigh(): void {
    const find = this.#database.prepare('SELECT pages FROM temp.linked WHERE path = ?');
    const weigh = this.#database.prepare('UPDATE documents SET weight = ? WHERE id = ?');
    const path = this.#database.prepare('SELECT path FROM documents WHERE id = ?');
    for (let id = 1; id <= this.#documents; id++) {
      const pages = find.get(path.get(id)!.path)?.pages ?? 0;
      weigh.run(Math.log2(1 + pages), id);
    }
  }

  discard(): void {
    if (!this.#isClosed) {
      this.#close();
    }
    rmSync(this.#path, { force: true });
  }

  #close(): void {
    this.#database.close();
    this.#isClosed = true;
  }
}

/** Reads search.db. */
export class SearchReader {
  readonly #database: Database;

  private constructor(database: Database) {
    this.#database = database;
  }

  /** Null if the file is not a search.db of this version. */
  static open(path: string): SearchReader | null {
    const database = openDatabase(path, { readOnly: true });
    try {
      const id = database.prepare('PRAGMA application_id').get()?.application_id;
      const version = database.prepare('PRAGMA user_version').get()?.user_version;
      if (id === SEARCH_APPLICATION_ID && version === SEARCH_VERSION) {
        return new SearchReader(database);
      }
    } catch {
      // Not a database at all.
    }
    database.close();
    return null;
  }

  close(): void {
    this.#database.close();
  }

  /** Of its pages, each once. */
  languages(): string[] {
    return this.#database
      .prepare('SELECT DISTINCT lang FROM documents ORDER BY lang LIMIT 100')
      .all()
      .map(({ lang }) => lang);
  }

  /**
   * Words of the pages that are spelt nearly like one that none of them has, the nearest first. All words are gone through, so it is asked only
   * where a word is not found.
   */
  spelledLike(word: string, distance: (one: string, other: string) => number): string[] {
    const stem = this.#stemOf(word);
    this.#database.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms USING fts5vocab ('main', 'words', 'row')`);
    const near: { term: string; far: number; passages: number }[] = [];
    const terms = this.#database.prepare('SELECT term, doc FROM temp.terms WHERE length(term) BETWEEN ? AND ?');
    for (const { term, doc } of terms.iterate(
      Math.min(SHORTEST_STEM, stem.length - MOST_WRONG),
      stem.length + MOST_WRONG,
    )) {
      // Of a long word with a slip in it the ending may not have been known as one.
      const far = term.length >= SHORTEST_STEM && stem.startsWith(term) ? 2 : distance(stem, term);
      if (far <= MOST_WRONG) {
        near.push({ term, far, passages: doc });
      }
    }
    const likely = near.sort((a, b) => a.far - b.far || b.passages - a.passages).slice(0, MOST_LIKELY);
    return likely.flatMap(({ term }) => this.#formsOf(term));
  }

  /** As the index has a word. */
  #stemOf(word: string): string {
    this.#database.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.one USING fts5 (word, tokenize = '${TOKENIZER}');
      CREATE VIRTUAL TABLE IF NOT EXISTS temp.one_term USING fts5vocab ('temp', 'one', 'row');
      DELETE FROM temp.one`);
    this.#database.prepare('INSERT INTO temp.one VALUES (?)').run(word);
    return this.#database.prepare('SELECT term FROM temp.one_term LIMIT 1').get()?.term ?? word;
  }

  /** Words that the index knows by a term, as the pages write them. */
  #formsOf(term: string): string[] {
    const columns = [0, 3].map((column) => `highlight(words, ${column}, char(1), char(2))`).join(` || ' ' || `);
    const forms = new Set<string>();
    const rows = this.#database.prepare(`SELECT ${columns} AS text FROM words WHERE words MATCH ? LIMIT 5`);
    // The term is no word of its own: only a word of that stem is matched.
    for (const { text } of rows.all(`"${term.replaceAll('"', '')}"`)) {
      for (const [, form] of (text as string).matchAll(/\u0001([^\u0001\u0002]*)\u0002/g)) {
        forms.add(form!.toLowerCase());
      }
    }
    return [...forms];
  }

  /** How many passages have it. @param expression of FTS5 */
  count(expression: string): number {
    return this.#database.prepare('SELECT count(*) AS n FROM words WHERE words MATCH ?').get(expression)!.n;
  }

  /**
   * Pages that have some of the words, the best first. A page counts as much as its best passage, and for more the more of the words it has anywhere,
   * rare ones above all.
   */
  best(query: SearchQuery, { limit, prefix = '', sections = 1 }: SearchFilter): SearchMatch[] {
    const terms = query.any.map(({ plain, words, stems, name }) => {
      const expression = words + stems;
      // Nothing has a line feed in its title.
      const part = plain.length < SHORTEST_PART ? '\n' : plain;
      return { words, stems, expression, name, part, share: this.#rarity(expression) };
    });
    const all = terms.reduce((sum, { share }) => sum + share, 0) || 1;
    const found = [
      ...terms.map(
        (_, term) =>
          `SELECT rowid AS id, -bm25(words, ${WEIGHTS}) AS score, ${term} AS term, ? AS share, 0 AS headed FROM words WHERE words MATCH ?`,
      ),
      ...query.pairs.map(
        () => `SELECT rowid, -bm25(words, ${WEIGHTS}) * ${BESIDE}, NULL, 0, 0 FROM words WHERE words MATCH ?`,
      ),
      ...terms.map(
        ({ share }, term) =>
          `SELECT passage, ${DEFINED}, ${term}, ${share / all}, 0 FROM names WHERE name = ? GROUP BY passage`,
      ),
      ...terms.map(() => `SELECT rowid, 0, NULL, 0, ? FROM words WHERE words MATCH 'heading : ' || ?`),
    ];
    const whole = terms.flatMap((_, term) =>
      ['title', '{title lead}'].map(
        (columns, i) =>
          `SELECT rowid AS document, ${term} AS term, ${i === 0 ? '? AS titled, 0 AS led' : '0, ?'} FROM pages WHERE pages MATCH '${columns} : (' || ? || ')' || ?`,
      ),
    );
    const within = terms.map(
      (_, term) =>
        `SELECT id, ${term}, ? * ${WITHIN}, 0 FROM documents WHERE instr(lower(title || ' ' || path), ?) > 0`,
    );
    const conditions = [
      'substr(path, 1, length(?)) = ?',
      ...query.all.map(() => `documents.id IN (${HAVING})`),
      ...query.none.map(() => `documents.id NOT IN (${HAVING})`),
    ];
    const values = [
      ...terms.flatMap(({ expression, share }) => [share / all, expression]),
      ...query.pairs,
      ...terms.map(({ name }) => name ?? ''),
      ...terms.flatMap(({ words, share }) => [share / all, words]),
      ...terms.flatMap(({ words, stems, share }) => [share / all, words, stems, share / all, words, stems]),
      ...terms.flatMap(({ part, share }) => [share / all, part]),
    ];
    const conditionValues = [prefix, prefix, ...[...query.all, ...query.none].flatMap((each) => [each, each])];
    const best = this.#database
      .prepare(
        `WITH found AS MATERIALIZED (
           SELECT found.*, document, size, heading_words FROM (${found.join(' UNION ALL ')}) AS found JOIN passages ON passages.id = found.id
         ), parts AS (${[...whole, ...within].join(' UNION ALL ')}),
         whole AS MATERIALIZED (SELECT document, term, max(titled) AS titled, max(led) AS led FROM parts GROUP BY document, term),
         passage AS (
           SELECT document, sum(score) * (0.4 + 0.6 * min(1, sum(share))) * (size + 1.0) / (size + ${SHORT})
             * (1 + ${HEADED} * sum(headed) * (0.3 + 0.7 * count(nullif(headed, 0)) / max(1, heading_words))) AS score
           FROM found GROUP BY id
         ), page AS (
           SELECT document, max(score) AS best, sum(score) AS total FROM passage GROUP BY document
         ), above AS (
           SELECT document, sum(titled) AS titled, sum(led) AS led, count(nullif(titled, 0)) AS words FROM whole GROUP BY document
         ), covered AS (
           SELECT document, sum(share) AS share FROM (
             SELECT document, term, max(share) AS share FROM (
               SELECT document, term, share FROM found UNION ALL SELECT document, term, max(titled, led) FROM whole
             ) WHERE term IS NOT NULL GROUP BY document, term
           ) GROUP BY document
         )
         SELECT documents.id AS id, url, path, title, tokens,
           (coalesce(best * (1 + ${ELSEWHERE} * (1 - best / total)), 0) + ${UNSAID})
             * (1 + coalesce(${TITLED} * titled * (0.3 + 0.7 * titled) * (0.3 + 0.7 * words / max(words, title_words)) + ${LED} * led * led, 0))
             * covered.share * (1 - ${COVERAGE} + ${COVERAGE} * covered.share) / (1 + passages / ${LONG}) * (1 + ${LINKED} * weight) AS score
         FROM covered JOIN documents ON documents.id = covered.document LEFT JOIN page ON page.document = covered.document
           LEFT JOIN above ON above.document = covered.document
         WHERE ${conditions.join(' AND ')}
         ORDER BY score DESC, documents.id LIMIT ?`,
      )
      .all(...values, ...conditionValues, limit);
    const any = terms.map(({ expression }) => expression).join(' OR ');
    const names = query.any.flatMap(({ name }) => (name === null ? [] : [name]));
    return best.map(({ id, ...match }) => ({ ...match, sections: this.#sectionsOf(id, any, names, sections) }));
  }

  /** The best passages of a page; one that defines a name comes first, with the place of that. */
  #sectionsOf(document: number, any: string, names: readonly string[], limit: number): SearchSection[] {
    const rows = this.#database
      .prepare(
        `WITH defined AS (
           SELECT passage, max(anchor) AS anchor FROM names WHERE name IN (SELECT value FROM json_each(?)) GROUP BY passage
         )
         SELECT passages.headings AS headings, coalesce(defined.anchor, passages.anchor) AS anchor,
           snippet(words, ${TEXT_COLUMN}, '', '', ' … ', 40) AS snippet
         FROM words JOIN passages ON passages.id = words.rowid LEFT JOIN defined ON defined.passage = passages.id
         WHERE words MATCH ? AND document = ?
         ORDER BY defined.passage IS NULL, bm25(words, ${WEIGHTS}), passages.id LIMIT ?`,
      )
      .all(JSON.stringify(names), any, document, limit);
    return rows.map(({ headings, anchor, snippet }) => ({
      headings: JSON.parse(headings),
      anchor,
      snippet: snippet ?? '',
    }));
  }

  /** What a word counts for a page to have it: much where few pages do. */
  #rarity(expression: string): number {
    const pages = this.#database.prepare('SELECT count(*) AS n FROM documents').get()!.n;
    const having = this.#database.prepare(`SELECT count(*) AS n FROM (${HAVING})`).get(expression, expression)!.n;
    return Math.log(1 + (pages - having + 0.5) / (having + 0.5));
  }
}
