import { type Parcel, pack, type Shape, unpack } from '../base/parcel.js';
import { type PageFields, ROW_FIELDS, type RowField, type RowValue } from './page-fields.js';

/** What is kept of a response: a row of `pages`, and what goes to other tables. */
export type PageRow = { [Name in RowField]: RowValue<PageFields[Name]> } & {
  /** What a check wants to know besides; null in any other crawl. */
  facts: LinkFacts | null;
  /** The page itself, where it is kept. */
  body: KeptBody | null;
  /** Its links; null if it was not read for any. */
  edges: PageEdges | null;
};

/** A body on its way to the store: a row of `bodies`. */
export interface KeptBody {
  /** Content-Type as it was sent. */
  type: string | null;
  /** Deflated; empty where there is nothing to keep. */
  packed: Uint8Array;
  /** Of what is packed, SHA-256 in hexadecimal digits: the same bytes are kept once. Left out: they are kept for this page alone. */
  hash?: string;
  /** What else of the answer has to be known to read it again, as JSON (`KeptAnswer` in kept-answers.ts); left out: nothing. */
  answer?: string;
  /** How much there is to read, and whether a browser has to see it; left out where nobody asked. */
  measured?: { text: number; needsBrowser: boolean };
}

/** The type of a body that is what a reader sees of the page (`--keep text`), and not what came. */
export const READABLE_TYPE = 'text/plain; charset=utf-8; gossamer=readable';

/** What is kept of a page for a check: a row of `link_facts`. */
export interface LinkFacts {
  /** Of each edge, as it stands on the page; null if it has none. */
  hrefs: string[] | null;
  /** Of each edge its line, and its column or'ed with IGNORED_LINK. */
  places: Uint32Array | null;
  /** Hashes of what fragments can point at; null if the page was not read for them. */
  anchors: Uint32Array | null;
  /** Those of the response that say why. */
  headers: Record<string, string> | null;
  /** Of the visible text, digits folded; only where it was asked for. */
  textHash: number | null;
}

/** In the column of a link: it is marked to be left out. */
export const IGNORED_LINK = 0x8000_0000;

/** The links of a page: a row of `edges`. */
export interface PageEdges {
  /** Two words an edge, see PENDING. */
  words: Uint32Array;
  rels: string[];
  /** Of each edge; null if they are not kept. */
  texts: string[] | null;
}

/**
 * A page on its way from the lane that read it to the store that keeps it. Those between see only what they count, and pass the rest on
 * unopened.
 */
export interface SealedPage extends Parcel {
  bytes: number;
  links: number;
}

export const SEALED_PAGE: Shape<SealedPage> = { text: 'text', parts: 'parts' };

/** What has a table of its own. */
type Beside = Pick<PageRow, 'facts' | 'body' | 'edges'>;

type PageField = Exclude<keyof PageRow, keyof Beside>;

/** Through JSON, because an object that was put together name by name is slow to copy, and it is copied for every page. */
const EMPTY = JSON.parse(
  JSON.stringify({
    ...Object.fromEntries(ROW_FIELDS.map(({ name, empty }) => [name, empty])),
    ...{ facts: null, body: null, edges: null },
  }),
) as PageRow;

export const PAGE_COLUMNS: readonly string[] = ROW_FIELDS.map(({ columnName }) => columnName);

export const emptyPage = (status: number | null): PageRow => ({ ...EMPTY, status });

/** What is sealed: values of PAGE_COLUMNS, and what goes elsewhere. */
export type PageParts = { values: (string | number | null)[] } & Beside;

const PAGE_PARTS: Shape<PageParts> = {
  facts: { places: 'words', anchors: 'words' },
  body: { packed: 'bytes' },
  edges: { words: 'words' },
};

export function sealPage(row: PageRow): SealedPage {
  const { bytes, links, facts, body, edges } = row;
  const parcel = pack<PageParts>(PAGE_PARTS, { values: ROW_FIELDS.map(({ name }) => row[name]), facts, body, edges });
  return { bytes, links, ...parcel };
}

/** All that was sealed, where the page is kept. */
export const openParts = (page: SealedPage): PageParts => unpack<PageParts>(PAGE_PARTS, page);

/** The fields by name. What stands in tables of its own is not among them: its bytes may be with the store already. */
export function openPage({ text }: SealedPage): Pick<PageRow, PageField> {
  const { values } = JSON.parse(text) as PageParts;
  return Object.fromEntries(ROW_FIELDS.map(({ name }, i) => [name, values[i]])) as unknown as Pick<PageRow, PageField>;
}

/**
 * The edges of a page as they cross threads and stand in the store: two 32-bit words an edge, in document order.
 *   word 0   id of the target; while PENDING is set, the place of the target among the page's new URLs
 *   word 1   kind (5 bits) | followed (1 bit) | held back (1 bit) | index into the page's list of rel values (22 bits, 0 = none)
 *            | declined (1 bit) | zone (2 bits): where on the page it stands, in a crawl for a corpus
 * Followed: leads to a page and may be followed. Held back: leads to a page but is marked nofollow, or, where declined is set too, a hook of
 * the user's does not want it followed. Followed and held back: an asset that a check asks for. Neither: an asset or a form.
 */
export const PENDING = 0x8000_0000;

export const FOLLOWED = 32;

export const HELD_BACK = 64;

export const LOADED = 96;

/** Held back, by a hook of the user's. */
export const DECLINED: 0x2000_0040 = 0x2000_0040;

/** How a link leads on, as it stands in its word; 0 where it leads nowhere. */
export type Follow = 0 | typeof FOLLOWED | typeof HELD_BACK | typeof LOADED | typeof DECLINED;

const MOST_RELS = (1 << 22) - 1;

export const edgeWord = (kind: number, follow: Follow, relIndex: number, zone = 0): number =>
  (kind | follow | (Math.min(relIndex, MOST_RELS) << 7) | (zone << 30)) >>> 0;

export const edgeKind = (word: number): number => word & 31;

export const edgeLoads = (word: number): boolean => (word & LOADED) === LOADED;

export const edgeFollowed = (word: number): boolean => (word & FOLLOWED) !== 0;

/** Leads to a page at all, whether or not it may be followed. */
export const edgeLeads = (word: number): boolean => (word & (FOLLOWED | HELD_BACK)) !== 0;

export const edgeDeclined = (word: number): boolean => (word & DECLINED) === DECLINED;

/** Between the rel value and the words of the hook that declined the link, in the page's list. */
const BEFORE_WORDS = '\0';

/** What stands in the page's list for a link that a hook declined with these words. */
export const relWithWords = (rel: string, words: string): string => rel + BEFORE_WORDS + words;

/** The rel value of an edge, and why a hook declined it; null if none did, or it gave no words. */
export function relOfEdge(word: number, rels: readonly string[] | null): { rel: string; words: string | null } {
  const place = edgeRel(word);
  const kept = place === 0 || rels === null ? '' : rels[place - 1]!;
  const end = edgeDeclined(word) ? kept.lastIndexOf(BEFORE_WORDS) : -1;
  return end < 0 ? { rel: kept, words: null } : { rel: kept.slice(0, end), words: kept.slice(end + 1) };
}

const edgeRel = (word: number): number => (word >>> 7) & MOST_RELS;

export const edgeZone = (word: number): number => word >>> 30;

/** Words as the database takes them, without a copy. */
export const blobOf = ({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** A blob from the database is not aligned for a Uint32Array: copy it. */
export function edgesFromBlob(blob: Uint8Array): Uint32Array {
  const words = new Uint32Array(blob.byteLength >> 2);
  new Uint8Array(words.buffer).set(blob);
  return words;
}
