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
}

/**
 * A page that stands as it is known: it was not modified, or could not be had this time, or was handed over before the run was interrupted.
 * Validators that are left out stay what they were.
 */
export interface KnownDocument {
  url: string;
  isKnown: true;
  etag?: string | null;
  lastModified?: string | null;
}

/** One page each, in the site's own order; the outputs have the same order. */
export type CorpusInput = CorpusDocument | KnownDocument;

/** Half a surrogate pair has no bytes, and SQLite ends a text at NUL: both become U+FFFD, as CommonMark has it for the latter. */
const UNWRITABLE = /\p{Cs}|\0/gu;

export function writable(page: CorpusDocument): CorpusDocument {
  const fields = Object.entries(page).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.replace(UNWRITABLE, '\ufffd') : value,
  ]);
  return Object.fromEntries(fields) as CorpusDocument;
}

/** Turns the links of a Markdown text: `target` gives the new one of an absolute URL, or null where it stays. */
export type Relink = (markdown: string, target: (url: string) => string | null) => string;

export const withoutFragment = (url: string): string => {
  const hash = url.indexOf('#');
  return hash < 0 ? url : url.slice(0, hash);
};
