/**
 * Everything that is known of a page, each field declared once. From here follow the columns of `pages` (schema.ts), the row that travels from a
 * lane to the store (page-row.ts), what the writer inserts and the reader selects, the types of the library (page-types.ts), the lines of
 * pages.jsonl, the columns of CSV, and their descriptions (report/describe-pages.ts).
 *
 * The order is that of pages.jsonl. Programs read CSV by position: a new field goes to the end.
 */
export interface PageField {
  readonly type: PageFieldType;
  /** What a row has before anything is known. */
  readonly empty: null | 0 | false | '';
  /** Whether results say null if nothing is known; else they say what is `empty`. */
  readonly nullable: boolean;
  /**
   * Where its value is kept; null: it is worked out of several when it is read. Columns of `pages` are what a lane
   * sends; `found` is made of all pages together when somebody asks for it (found-table.ts).
   */
  readonly column: `pages.${string}` | `urls.${string}` | `found.${string}` | 'parents.url' | null;
  /** Who says it. */
  readonly source: PageFieldSource;
  readonly outputs: readonly PageOutput[];
  /** A line of JSON leaves it out where it says nothing. */
  readonly isOptional?: true;
  /** What becomes of it when a browser has rendered the page: replaced always, or where the rendered page has one. */
  readonly rendered?: 'always' | 'where found';
  /** The field that it follows in CSV, where that is another than here. */
  readonly csvAfter?: string;
  /** For docs and editors. */
  readonly sentence: string;
}

/**
 * `data` is an object by name: text of JSON in a row, the object itself in results, and a column for each of its names in CSV. `record` (of texts)
 * and `extras` (of anything) are such objects too, and one column of JSON in CSV; `list` is a list of records in the same way.
 */
export type PageFieldType =
  | 'text'
  | 'integer'
  | 'number'
  | 'time'
  | 'flag'
  | 'state'
  | 'data'
  | 'list'
  | 'record'
  | 'extras';
export type PageFieldSource = 'crawl' | 'answer' | 'headers' | 'body';
/** pages.jsonl; CSV; the pages of a kept crawl (`readCrawl`); the pages of a crawl as they come (`crawl`). */
export type PageOutput = 'jsonl' | 'csv' | 'kept' | 'live';

const EVERYWHERE = ['jsonl', 'csv', 'kept', 'live'] as const;
/** Only the end of a crawl can tell. */
const AT_THE_END = ['jsonl', 'csv', 'kept'] as const;
const STORE_ONLY = [] as const;

const TEXT = { type: 'text', empty: null, nullable: true } as const;
const COUNT = { type: 'integer', empty: 0, nullable: false } as const;
const COUNT_OF_HTML = { type: 'integer', empty: null, nullable: true } as const;
const MILLISECONDS = { type: 'number', empty: 0, nullable: true } as const;

export const PAGE_FIELDS = {
  url: {
    type: 'text',
    empty: '',
    nullable: false,
    column: 'urls.url',
    source: 'crawl',
    outputs: EVERYWHERE,
    sentence: 'The URL in its normal form.',
  },
  state: {
    type: 'state',
    empty: '',
    nullable: false,
    column: null,
    source: 'crawl',
    outputs: EVERYWHERE,
    sentence: 'What became of it: `done`, `failed`, `skipped` or `deferred`.',
  },
  reason: {
    ...TEXT,
    column: null,
    source: 'crawl',
    outputs: EVERYWHERE,
    sentence:
      'Why it failed (an error class), was skipped or put off; null if it is done. docs/STORE.md lists all reasons.',
  },
  status: {
    type: 'integer',
    empty: null,
    nullable: true,
    column: 'pages.status',
    source: 'answer',
    outputs: EVERYWHERE,
    sentence: 'The status of the last HTTP answer; null if there was none.',
  },
  finalUrl: {
    ...TEXT,
    column: null,
    source: 'crawl',
    outputs: AT_THE_END,
    sentence: 'Where its redirects end; its own URL if it does not redirect; null if nothing answered, and for a loop.',
  },
  redirectsTo: {
    ...TEXT,
    column: null,
    source: 'headers',
    outputs: ['live'],
    sentence: 'Where it redirects; the target is a separate page.',
  },
  depth: {
    ...COUNT,
    column: 'urls.depth',
    source: 'crawl',
    outputs: EVERYWHERE,
    sentence: 'The number of links from the nearest seed, without redirects; 1 for URLs that a sitemap names.',
  },
  parent: {
    ...TEXT,
    column: 'parents.url',
    source: 'crawl',
    outputs: AT_THE_END,
    sentence: 'The page, sitemap or feed on which it was found; null for seeds and for URLs that third parties named.',
  },
  title: {
    ...TEXT,
    column: 'pages.title',
    source: 'body',
    outputs: EVERYWHERE,
    rendered: 'where found',
    sentence: 'Its title, up to 4,096 characters.',
  },
  contentType: {
    ...TEXT,
    column: 'pages.content_type',
    source: 'headers',
    outputs: EVERYWHERE,
    sentence: 'The Content-Type header.',
  },
  bytes: {
    ...COUNT,
    column: 'pages.bytes',
    source: 'answer',
    outputs: EVERYWHERE,
    sentence: 'The size of the decoded body.',
  },
  links: {
    ...COUNT,
    column: 'pages.links',
    source: 'body',
    outputs: EVERYWHERE,
    rendered: 'always',
    sentence: 'The number of links on it.',
  },
  hash: {
    ...TEXT,
    column: 'pages.hash',
    source: 'answer',
    outputs: EVERYWHERE,
    sentence: 'SHA-256 of the decoded body, in hex.',
  },
  attempts: {
    ...COUNT,
    column: null,
    source: 'crawl',
    outputs: EVERYWHERE,
    sentence: 'The number of requests for it; 0 if robots.txt forbids it.',
  },
  description: {
    ...TEXT,
    column: 'pages.description',
    source: 'body',
    outputs: EVERYWHERE,
    rendered: 'where found',
    sentence: 'Its description, up to 4,096 characters.',
  },
  canonical: {
    ...TEXT,
    column: 'pages.canonical',
    source: 'body',
    outputs: EVERYWHERE,
    rendered: 'where found',
    sentence: 'The URL that it names as canonical, resolved.',
  },
  lang: {
    ...TEXT,
    column: 'pages.lang',
    source: 'body',
    outputs: EVERYWHERE,
    rendered: 'where found',
    sentence: 'Its language.',
  },
  robotsMeta: {
    ...TEXT,
    column: 'pages.robots_meta',
    source: 'body',
    outputs: EVERYWHERE,
    rendered: 'always',
    sentence:
      'Its robots meta elements and X-Robots-Tag, as far as they apply to Gossamer, in lower case, joined by commas.',
  },
  lastModified: {
    ...TEXT,
    column: 'pages.last_modified',
    source: 'headers',
    outputs: EVERYWHERE,
    sentence: 'The Last-Modified header.',
  },
  etag: {
    ...TEXT,
    column: 'pages.etag',
    source: 'headers',
    outputs: STORE_ONLY,
    sentence: 'The ETag header.',
  },
  fetchedAt: {
    type: 'time',
    empty: 0,
    nullable: true,
    column: 'pages.fetched_at',
    source: 'answer',
    outputs: EVERYWHERE,
    sentence: 'When it was answered: ISO 8601 in files, milliseconds since 1970 in the library.',
  },
  ttfbMs: {
    ...MILLISECONDS,
    column: 'pages.ttfb_ms',
    source: 'answer',
    outputs: EVERYWHERE,
    sentence: 'Milliseconds from the request to its headers.',
  },
  totalMs: {
    ...MILLISECONDS,
    column: 'pages.total_ms',
    source: 'answer',
    outputs: EVERYWHERE,
    sentence: 'Milliseconds from the request to its end.',
  },
  malformed: {
    ...TEXT,
    column: 'pages.malformed',
    source: 'body',
    outputs: EVERYWHERE,
    sentence:
      'What is wrong with a body that could not be read as a page (no text at all, cut short); the page is `failed`. For a sitemap: why not all of it was read. Null if nothing is wrong.',
  },
  message: {
    ...TEXT,
    column: 'pages.message',
    source: 'answer',
    outputs: EVERYWHERE,
    sentence: 'Why it failed, in words for people.',
  },
  note: {
    ...TEXT,
    column: 'pages.note',
    source: 'body',
    outputs: EVERYWHERE,
    isOptional: true,
    sentence:
      'Something unusual that is no failure, joined by commas. `too_many_links`: the URLs of its links are more than 64 MiB of text, and the rest was left out. `wrong_charset`: the charset that the header or the page names cannot be right, so the page was read in the one that its bytes show. `undecodable_bytes`: some bytes mean nothing in the charset of the page and were replaced by U+FFFD. `extract_cut:NAME`, `extract_stopped:NAME` and `extract_bad_jsonld:NAME`: `--extract` could not take all of a value ([EXTRACT.md](EXTRACT.md)). `search_stopped:TEXT`: an expression of `--search` took too long.',
  },
  linksCut: {
    ...COUNT,
    column: 'pages.links_cut',
    source: 'body',
    outputs: EVERYWHERE,
    isOptional: true,
    sentence: 'The number of links that were left out because their URLs are too much text.',
  },
  external: {
    type: 'flag',
    empty: false,
    nullable: false,
    column: null,
    source: 'crawl',
    outputs: EVERYWHERE,
    isOptional: true,
    csvAfter: 'message',
    sentence: 'True if it is out of scope and was only checked, because a page in scope links to it.',
  },
  h1: {
    ...TEXT,
    column: 'pages.h1',
    source: 'body',
    outputs: EVERYWHERE,
    rendered: 'where found',
    sentence: 'The text of its first h1, up to 4,096 characters; null if it has none.',
  },
  wordCount: {
    type: 'integer',
    empty: null,
    nullable: true,
    column: 'pages.word_count',
    source: 'body',
    outputs: EVERYWHERE,
    rendered: 'always',
    sentence:
      'The number of words that a reader sees on it: runs of text without white space, or characters of Chinese and Japanese. Null if it was not read as HTML, and for more than 8 MiB.',
  },
  data: {
    type: 'data',
    empty: null,
    nullable: true,
    column: 'pages.data',
    source: 'body',
    outputs: EVERYWHERE,
    isOptional: true,
    rendered: 'where found',
    sentence: 'The values that were taken from it for you, by name; in CSV, a column `data.NAME` for each name.',
  },
  feeds: {
    ...TEXT,
    column: 'pages.feeds',
    source: 'body',
    outputs: STORE_ONLY,
    rendered: 'always',
    sentence:
      'The feeds that it names, a list in JSON, for a later crawl with `--since`; `…` if they are more than 16 KiB of text.',
  },
  foldedTextHash: {
    type: 'integer',
    empty: null,
    nullable: true,
    column: 'pages.folded_text_hash',
    source: 'body',
    outputs: STORE_ONLY,
    rendered: 'always',
    sentence:
      'A hash of its text with digits folded, for a later crawl with `--since`; null if its pattern of URLs was far from being a trap.',
  },
  found: {
    type: 'list',
    empty: null,
    nullable: true,
    column: 'pages.found',
    source: 'body',
    outputs: EVERYWHERE,
    isOptional: true,
    rendered: 'always',
    sentence:
      'What `--search` found on it, as a list: `text` as you gave it, `count`, how often it is there (up to 1,000), and `snippet`, the first place. In CSV it is JSON. Null if nothing was found.',
  },
  inlinks: {
    ...COUNT_OF_HTML,
    column: 'found.inlinks',
    source: 'crawl',
    outputs: AT_THE_END,
    sentence:
      'The number of other pages of the crawl that link to it, nofollow or not; redirects and assets do not count.',
  },
  indexable: {
    ...TEXT,
    column: null,
    source: 'crawl',
    outputs: AT_THE_END,
    sentence:
      'Whether a search engine would take it: `yes`, or the reason why not: `robots` (robots.txt forbids it), `failed` (no answer), `status` (no 2xx), `redirect`, `noindex` (robots meta or X-Robots-Tag), `canonical` (it names another URL of the web). Null if it is no HTML, was not requested, or is out of scope.',
  },
  h1Count: {
    ...COUNT_OF_HTML,
    column: 'pages.h1_count',
    source: 'body',
    outputs: EVERYWHERE,
    rendered: 'always',
    sentence: 'The number of its h1 elements. Null if it was not read as HTML; the same holds for the next two fields.',
  },
  images: {
    ...COUNT_OF_HTML,
    column: 'pages.images',
    source: 'body',
    outputs: EVERYWHERE,
    rendered: 'always',
    sentence: 'The number of its img elements.',
  },
  imagesWithoutAlt: {
    ...COUNT_OF_HTML,
    column: 'pages.images_without_alt',
    source: 'body',
    outputs: EVERYWHERE,
    rendered: 'always',
    sentence:
      'The number of img elements without `alt` and `aria-label`. Images that are marked as decoration do not count (an empty `alt`, `role="presentation"`, `aria-hidden`).',
  },
  textHash: {
    ...TEXT,
    column: 'pages.text_hash',
    source: 'body',
    outputs: EVERYWHERE,
    rendered: 'always',
    sentence:
      'A hash of 64 bits, in hex, of the words that a reader sees, whatever the markup between them; null if there are none, and for more than 8 MiB.',
  },
  sketch: {
    ...TEXT,
    column: 'pages.sketch',
    source: 'body',
    outputs: STORE_ONLY,
    rendered: 'always',
    sentence:
      'A sketch of the same words: 64 bytes in base64. Two pages share about as many of these bytes as they share of their text, compared three words at a time. Null for fewer than 20 words.',
  },
  duplicateGroup: {
    ...COUNT_OF_HTML,
    column: 'found.duplicate_group',
    source: 'crawl',
    outputs: AT_THE_END,
    sentence:
      'Pages with the same number have nearly the same text (nine tenths of it); null if no other page has. The numbers are assigned anew each time, in the order in which the first page of each group was found.',
  },
  hreflang: {
    type: 'record',
    empty: null,
    nullable: true,
    column: 'pages.hreflang',
    source: 'body',
    outputs: EVERYWHERE,
    rendered: 'where found',
    sentence:
      'The page in other languages, as its `link` elements name them: each code as written, with its URL, resolved. The first URL of a code counts; 200 at most.',
  },
  headers: {
    type: 'record',
    empty: null,
    nullable: true,
    column: 'pages.headers',
    source: 'headers',
    outputs: EVERYWHERE,
    sentence:
      'The headers of its answer on security, caching, encoding and language, and X-Robots-Tag, by name in lower case; up to 1,000 characters each. Null if there are none.',
  },
  extras: {
    type: 'extras',
    empty: null,
    nullable: true,
    column: 'pages.extras',
    source: 'body',
    outputs: EVERYWHERE,
    isOptional: true,
    sentence:
      'With `--facts all`, more facts of the page as it came, as far as they are known: `openGraph`, `jsonLd` (types), `author`, `published`, `modified`, `keywords`, `cookies` (names), `thirdParties` (hosts it loads from), `technology`.',
  },
} as const satisfies Readonly<Record<string, PageField>>;

export type PageFields = typeof PAGE_FIELDS;
export type PageFieldName = keyof PageFields;

/** Types whose values are text of JSON in a row. */
type JsonType = 'data' | 'list' | 'record' | 'extras';
export const isJson = ({ type }: Pick<PageField, 'type'>): boolean =>
  type === 'data' || type === 'list' || type === 'record' || type === 'extras';

interface FieldTypes {
  text: string;
  integer: number;
  number: number;
  time: number;
  flag: boolean;
  state: 'done' | 'failed' | 'skipped' | 'deferred';
  data: Record<string, unknown>;
  list: readonly Record<string, unknown>[];
  record: Record<string, string>;
  extras: Record<string, unknown>;
}
/** What a field is in a result. */
export type ResultValue<F extends PageField> = FieldTypes[F['type']] | (F['nullable'] extends true ? null : never);
/** What a field is in the row that a lane sends. */
export type RowValue<F extends PageField> =
  | (F['type'] extends JsonType ? string : FieldTypes[F['type']])
  | (F['empty'] extends null ? null : never);

/** The fields that a lane fills in. */
export type RowField = {
  [Name in PageFieldName]: PageFields[Name]['column'] extends `pages.${string}` ? Name : never;
}[PageFieldName];
/** The fields that results of this kind have. */
export type FieldOf<O extends PageOutput> = {
  [Name in PageFieldName]: O extends PageFields[Name]['outputs'][number] ? Name : never;
}[PageFieldName];

/** A field with its name. */
export type NamedField = PageField & { readonly name: PageFieldName };
const ALL: readonly NamedField[] = Object.entries(PAGE_FIELDS).map(([name, field]) => ({
  ...(field as PageField),
  name: name as PageFieldName,
}));

export const fieldsOf = (output: PageOutput): NamedField[] => ALL.filter(({ outputs }) => outputs.includes(output));

/** In the order of their columns, which is that of the sealed row. */
export const ROW_FIELDS: readonly (NamedField & { readonly name: RowField; readonly columnName: string })[] =
  ALL.flatMap((field) =>
    field.column?.startsWith('pages.')
      ? [{ ...field, name: field.name as RowField, columnName: field.column.slice('pages.'.length) }]
      : [],
  );

/** What a result says of a field where nothing is known. */
export const unknownOf = ({ nullable, empty }: PageField): PageField['empty'] => (nullable ? null : empty);

/** The columns of `pages` that are fields, as the schema has them. */
export const pageColumns = (): string[] => ROW_FIELDS.map((field) => `${field.columnName} ${SQL_TYPES[field.type]}`);

const SQL_TYPES: Readonly<Record<PageFieldType, string>> = {
  text: 'TEXT',
  integer: 'INTEGER',
  number: 'REAL',
  time: 'REAL',
  flag: 'INTEGER',
  state: 'TEXT',
  data: 'TEXT',
  list: 'TEXT',
  record: 'TEXT',
  extras: 'TEXT',
};
