/** The kinds of link that a page can have. The number of a kind is its place here; it is stored, so only append. */
export const LINK_KINDS = [
  'a',
  'area',
  'iframe',
  'frame',
  'refresh',
  'next',
  'prev',
  'canonical',
  'alternate',
  'link',
  'stylesheet',
  'img',
  'srcset',
  'script',
  'media',
  'embed',
  'object',
  'form',
  'redirect',
  'css',
  'hook',
] as const;
/** What kind of link an edge is. */
export type LinkKind = (typeof LINK_KINDS)[number];

export const LINK_KIND_NUMBER = Object.fromEntries(LINK_KINDS.map((kind, number) => [kind, number])) as Record<
  LinkKind,
  number
>;

/** Kinds that lead to pages and are followed; the others are assets (fetched only with --assets), `form` is never fetched. */
export const FIRST_ASSET_KIND = LINK_KIND_NUMBER.link;
export const isFollowedKind = (kind: number): boolean =>
  kind < FIRST_ASSET_KIND || kind === LINK_KIND_NUMBER.redirect || kind === LINK_KIND_NUMBER.hook;
export const isAssetKind = (kind: number): boolean =>
  (kind >= FIRST_ASSET_KIND && kind < LINK_KIND_NUMBER.form) || kind === LINK_KIND_NUMBER.css;

/** A page in which hrefs stand. */
export interface HrefSource {
  /** The href between two places, its references decoded. */
  hrefAt(start: number, end: number): string;
}

/** The links of a page in document order, as parallel arrays: no object for a link, and no text of a href before somebody asks for it. */
export class ScannedLinks {
  /** The number of the page in the kernel that has read it, where one has. */
  kernelPage: number | null = null;
  /** The hrefs are URLs as they are kept, from an earlier crawl, and not what a page says. */
  areKept = false;
  readonly kinds: number[] = [];
  /** The rel attribute, white space folded, lower case; '' if there is none. */
  readonly rels: string[] = [];
  /** From where to where the href stands in the page, references and all; -1 where it is not to be had from there. */
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  /** Anchor text, white space folded; only filled if requested. */
  texts: string[] | null = null;
  /** Line and column (both from 1) of the tag that holds the link; only filled where asked for. */
  lines: number[] | null = null;
  columns: number[] | null = null;
  /** Whether the tag itself has the attribute data-gossamer-ignore; only filled where asked for. */
  ignored: boolean[] | null = null;
  readonly #source: HrefSource | null;
  readonly #given: string[] = [];

  constructor(source: HrefSource | null) {
    this.#source = source;
  }

  get count(): number {
    return this.kinds.length;
  }

  /** As written, character references decoded; not yet resolved. */
  href(link: number): string {
    const start = this.starts[link]!;
    const end = this.ends[link]!;
    return start < 0 ? this.#given[end]! : this.#source!.hrefAt(start, end);
  }

  get hrefs(): string[] {
    return this.kinds.map((_, link) => this.href(link));
  }

  add(kind: number, start: number, end: number, rel: string): void {
    this.kinds.push(kind);
    this.rels.push(rel);
    this.starts.push(start);
    this.ends.push(end);
  }

  addGiven(kind: number, href: string, rel: string): void {
    this.add(kind, -1, this.#given.push(href) - 1, rel);
  }

  /** A link that does not stand on the page: a hook of the user's has added it. */
  addHooked(href: string): void {
    this.addGiven(LINK_KIND_NUMBER.hook, href, '');
    this.texts?.push('');
    this.lines?.push(0);
    this.columns?.push(0);
    this.ignored?.push(false);
  }
}

/** The result of one pass over a page. */
export interface PageScan {
  title: string | null;
  /** Text of the first h1, white space folded. */
  h1: string | null;
  /** Words of the text that a reader sees, as src/kernel/assembly/words.ts counts them; null if the page is too large for the kernel. */
  wordCount: number | null;
  /** Of the same text, where it has a word: what tells it from others, see src/kernel/assembly/text-print.ts. */
  textPrint: { hash: string; sketch: string } | null;
  /** h1 elements that a reader sees; images, and those of them without any alternative text. */
  h1Count: number;
  images: number;
  imagesWithoutAlt: number;
  /** hreflang and href of each link to the page in another language, as written. */
  languages: [language: string, href: string][];
  /** What pages say about themselves for other programs; only if requested. */
  extras: ScannedExtras | null;
  description: string | null;
  /** href of rel=canonical as written. */
  canonical: string | null;
  lang: string | null;
  /** href of the first base element that has one. */
  base: string | null;
  /** content of each meta name=robots (and of names that match the agent's product), lower case. */
  robots: string[];
  /** href of each feed that the page names, as written. */
  feeds: string[];
  links: ScannedLinks;
  /** Hash of the visible text with digits folded; only if requested. */
  textHash: number | null;
  /** Whether anything in it is a tag of HTML at all. */
  looksLikeHtml: boolean;
  /** ids and names for fragment checks; only if requested. */
  anchors: string[] | null;
  /** True when the input ends inside a tag, a comment or raw text. */
  truncated: boolean;
}

/** What is only collected with `--facts all`, as it stands in the page. */
export interface ScannedExtras {
  /** name or property of a meta element, in lower case, and its content; the first of each. */
  metas: Map<string, string>;
  /** Texts of scripts of the type application/ld+json. */
  jsonLd: string[];
}

export interface ScanOptions {
  /** The product that robots rules are matched by, as in `meta name=gossamer`; `gossamer` where it is left out. */
  product?: string;
  anchorText?: boolean;
  positions?: boolean;
  textHash?: boolean;
  anchors?: boolean;
  ignoreMarks?: boolean;
  extras?: boolean;
  /** What stylesheets in the page and SVG load is a link too. */
  loads?: boolean;
}
