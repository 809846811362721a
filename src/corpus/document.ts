/** A page that is ready for the corpus. */
export interface CorpusDocument {
  /** In normal form; what the page is known by. */
  url: string;
  /** Where redirects ended; links to it lead to this page too. */
  finalUrl: string;
  title: string;
  description: string | null;
  lang: string | null;
  /** All links absolute: the corpus makes those between its pages relative. */
  markdown: string;
  /** The same without markup, for comparing pages. */
  text: string;
  canonical: string | null;
  etag: string | null;
  lastModified: string | null;
  /** ISO 8601. */
  crawledAt: string;
  /** The share of the page's own text that its Markdown has, from 0 to 1; all of it unless given. */
  kept?: number;
}

/**
 * A page that stays as it is known: it was not modified, or could not be fetched this time, or was handed over before the run was interrupted.
 * Validators that are left out stay as they were.
 */
export interface KnownDocument {
  url: string;
  isKnown: true;
  /** Which content is meant, where a run that was interrupted may have handed over another. */
  hash?: string;
  etag?: string | null;
  lastModified?: string | null;
}

/** A page with all that is computed from it alone; `preparePage` makes it. */
export interface PreparedDocument extends CorpusDocument {
  prepared: Prepared;
}

export interface Prepared {
  /** SHA-256 of the Markdown. */
  hash: string;
  textHash: string | null;
  titleKey: string;
  /** JSON of LinkPlace[]. */
  links: string;
  /** Null if the existing corpus has the same content, measured with the same options. */
  measured: Measurement | null;
}

/** Tokens of a page, and its lines of chunks.jsonl. */
export interface Measurement {
  tokens: number;
  chunks: string;
}

/** A link of a Markdown text: the absolute URL, and where its destination stands. */
export interface LinkPlace {
  start: number;
  end: number;
  url: string;
}

/** Finds the links of a Markdown text that can be replaced, in their order. */
export type LinksOf = (markdown: string) => LinkPlace[];

/** One page each, in the site's own order; the outputs have the same order. */
export type CorpusInput = CorpusDocument | PreparedDocument | KnownDocument;

/** The pages of the existing corpus. */
export interface KnownPages {
  has(url: string): boolean;
  /** The hash of the page's content, where that need not be measured again. */
  hashOf(url: string): string | null;
}

/** Half a surrogate pair has no bytes, and SQLite ends a text at NUL: both become U+FFFD, as CommonMark has it for the latter. */
const UNWRITABLE = /\p{Cs}|\0/gu;

export function withoutUnwritable(page: CorpusDocument): CorpusDocument {
  const fields = Object.entries(page).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.replace(UNWRITABLE, '\ufffd') : value,
  ]);
  return Object.fromEntries(fields) as CorpusDocument;
}

export const withoutFragment = (url: string): string => {
  const hash = url.indexOf('#');
  return hash < 0 ? url : url.slice(0, hash);
};
