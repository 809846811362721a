import type { SitemapEntries } from './sitemap-entries.js';

/** Follows the elements below the root, by local name in lower case. */
export interface SitemapElements {
  open(name: string, attributes: Record<string, string>): void;
  text(text: string): void;
  close(name: string): void;
  /** The document is over, perhaps in the middle of an entry. */
  end(): void;
}

/** Enough for any field; what is longer is cut and then refused for its length. */
const MAX_FIELD_LENGTH = 10_000;
/** More languages than there are countries. */
const MAX_ALTERNATES = 500;

/** Collects the texts of the direct children of each element that is an entry. */
abstract class EntryElements implements SitemapElements {
  protected readonly entries: SitemapEntries;
  readonly #entryNames: ReadonlySet<string>;
  /** Of the entry that is open, by name; the first of each name counts. */
  #fields: Map<string, string> | null = null;
  #depthInEntry = 0;
  #field = '';

  constructor(entries: SitemapEntries, entryNames: string[]) {
    this.entries = entries;
    this.#entryNames = new Set(entryNames);
  }

  protected abstract add(fields: Map<string, string>): void;
  /** A field given by attributes and not by text. */
  protected attributeField(_name: string, _attributes: Record<string, string>): string | null {
    return null;
  }

  /** A child of the entry that may count besides its fields. */
  protected note(_name: string, _attributes: Record<string, string>): void {}

  open(name: string, attributes: Record<string, string>): void {
    if (this.#fields === null) {
      if (this.#entryNames.has(name)) this.#fields = new Map();
      return;
    }
    if (++this.#depthInEntry > 1) return;
    this.#field = '';
    this.note(name, attributes);
    const given = this.attributeField(name, attributes);
    if (given !== null) this.#keep(name, given);
  }

  text(text: string): void {
    if (this.#depthInEntry === 1 && this.#field.length < MAX_FIELD_LENGTH) {
      this.#field += text.slice(0, MAX_FIELD_LENGTH);
    }
  }

  close(name: string): void {
    if (this.#fields === null) return;
    if (this.#depthInEntry === 0) {
      this.end();
      return;
    }
    if (this.#depthInEntry === 1) this.#keep(name, this.#field);
    this.#depthInEntry--;
  }

  end(): void {
    const fields = this.#fields;
    this.#fields = null;
    this.#depthInEntry = 0;
    if (fields !== null) this.add(fields);
  }

  #keep(name: string, value: string): void {
    if (value.trim() !== '' && !this.#fields!.has(name)) this.#fields!.set(name, value);
  }
}

/** `<url>` of a urlset and `<sitemap>` of an index. */
export class UrlElements extends EntryElements {
  readonly #isIndex: boolean;
  #alternates: string[] = [];

  constructor(entries: SitemapEntries, isIndex: boolean) {
    super(entries, ['url', 'sitemap']);
    this.#isIndex = isIndex;
  }

  /** `<xhtml:link rel="alternate" hreflang="de" href="…"/>`: the same page in another language is a page too. */
  protected override note(name: string, { rel, hreflang, href }: Record<string, string>): void {
    const isAlternate = name === 'link' && rel?.toLowerCase() === 'alternate' && hreflang !== undefined;
    if (isAlternate && !this.#isIndex && this.#alternates.length < MAX_ALTERNATES) this.#alternates.push(href ?? '');
  }

  protected add(fields: Map<string, string>): void {
    const loc = fields.get('loc');
    if (loc !== undefined) this.entries.add(loc, fields.get('lastmod') ?? null, fields.get('priority') ?? null);
    for (const alternate of this.#alternates) this.entries.addAlternate(alternate);
    this.#alternates = [];
  }
}

/** `<item>` of RSS and `<entry>` of Atom. */
export class FeedElements extends EntryElements {
  /** RSS: the id of the entry is no URL, though it may look like one. */
  #hasOpaqueId = false;
  /** Atom: the same in another language or form, besides the first. */
  #alternates: string[] = [];

  constructor(entries: SitemapEntries) {
    super(entries, ['item', 'entry']);
  }

  protected override note(name: string, attributes: Record<string, string>): void {
    if (name === 'guid' && attributes.isPermaLink?.trim().toLowerCase() === 'false') this.#hasOpaqueId = true;
    const alternate = this.attributeField(name, attributes);
    if (alternate !== null && this.#alternates.length < MAX_ALTERNATES) this.#alternates.push(alternate);
  }

  protected override attributeField(name: string, attributes: Record<string, string>): string | null {
    const isPage = (attributes.rel ?? 'alternate').toLowerCase() === 'alternate';
    return name === 'link' && isPage ? (attributes.href ?? null) : null;
  }

  protected add(fields: Map<string, string>): void {
    const id = this.#hasOpaqueId ? undefined : fields.get('guid');
    this.#hasOpaqueId = false;
    const alternates = this.#alternates;
    this.#alternates = [];
    const link = fields.get('link') ?? (id !== undefined && /^\s*https?:\/\//i.test(id) ? id : undefined);
    if (link === undefined) return;
    const rssDate = Date.parse(fields.get('pubdate') ?? '');
    const atomDate = fields.get('updated') ?? fields.get('published') ?? fields.get('date') ?? null;
    this.entries.add(link, Number.isNaN(rssDate) ? atomDate : new Date(rssDate).toISOString(), null);
    // The first of them is the link itself, which is known by now.
    for (const alternate of alternates) this.entries.addAlternate(alternate);
  }
}
