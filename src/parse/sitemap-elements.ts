import type { SitemapEntries } from './sitemap-entries.js';

/** Follows the elements below the root, by local name in lower case. */
export interface SitemapElements {
  /** @param base what relative URLs in it are resolved against, by `xml:base` */
  open(name: string, attributes: Record<string, string>, base: string): void;
  text(text: string): void;
  close(name: string): void;
  /** The document is over, perhaps in the middle of an entry. */
  end(): void;
}

/** Enough for any field; what is longer is cut and then refused for its length. */
const MAX_FIELD_LENGTH = 10_000;
/** More languages than there are countries. */
const MAX_ALTERNATES = 500;
/** The same sound in every format that there is. */
const MAX_ENCLOSURES = 100;

interface Field {
  text: string;
  base: string;
}

/** Collects the texts of the direct children of each element that is an entry. */
abstract class EntryElements implements SitemapElements {
  protected readonly entries: SitemapEntries;
  readonly #entryNames: ReadonlySet<string>;
  /** Of the entry that is open, by name; the first of each name counts. */
  #fields: Map<string, Field> | null = null;
  #depthInEntry = 0;
  #field: Field = { text: '', base: '' };

  constructor(entries: SitemapEntries, entryNames: string[]) {
    this.entries = entries;
    this.#entryNames = new Set(entryNames);
  }

  protected abstract add(fields: Map<string, Field>): void;
  /** A field given by attributes and not by text. */
  protected attributeField(_name: string, _attributes: Record<string, string>): string | null {
    return null;
  }

  /** A child of the entry that may count besides its fields. */
  protected note(_name: string, _attributes: Record<string, string>, _base: string): void {}

  open(name: string, attributes: Record<string, string>, base: string): void {
    if (this.#fields === null) {
      if (this.#entryNames.has(name)) this.#fields = new Map();
      return;
    }
    if (++this.#depthInEntry > 1) return;
    this.#field = { text: '', base };
    this.note(name, attributes, base);
    const given = this.attributeField(name, attributes);
    if (given !== null) this.#keep(name, { text: given, base });
  }

  text(text: string): void {
    if (this.#depthInEntry === 1 && this.#field.text.length < MAX_FIELD_LENGTH) {
      this.#field.text += text.slice(0, MAX_FIELD_LENGTH);
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

  #keep(name: string, value: Field): void {
    if (value.text.trim() !== '' && !this.#fields!.has(name)) this.#fields!.set(name, value);
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

  protected add(fields: Map<string, Field>): void {
    const loc = fields.get('loc')?.text;
    if (loc !== undefined)
      this.entries.add(loc, fields.get('lastmod')?.text ?? null, fields.get('priority')?.text ?? null);
    for (const alternate of this.#alternates) this.entries.addAlternate(alternate);
    this.#alternates = [];
  }
}

/** `<item>` of RSS and `<entry>` of Atom. */
export class FeedElements extends EntryElements {
  /** RSS: the id of the entry is no URL, though it may look like one. */
  #hasOpaqueId = false;
  #enclosures: Field[] = [];
  /** Atom: the same in another language or form, besides the first. */
  #alternates: Field[] = [];

  constructor(entries: SitemapEntries) {
    super(entries, ['item', 'entry']);
  }

  /** `<enclosure url="…">` of RSS and `<link rel="enclosure" href="…">` of Atom: what comes with an entry, such as a sound. */
  protected override note(name: string, attributes: Record<string, string>, base: string): void {
    const { isPermaLink, url, href } = attributes;
    if (name === 'guid' && isPermaLink?.trim().toLowerCase() === 'false') this.#hasOpaqueId = true;
    const enclosed =
      name === 'enclosure' ? url : name === 'link' && relOf(attributes) === 'enclosure' ? href : undefined;
    if (enclosed !== undefined && this.#enclosures.length < MAX_ENCLOSURES) {
      this.#enclosures.push({ text: enclosed, base });
    }
    const alternate = this.attributeField(name, attributes);
    if (alternate !== null && this.#alternates.length < MAX_ALTERNATES)
      this.#alternates.push({ text: alternate, base });
  }

  protected override attributeField(name: string, attributes: Record<string, string>): string | null {
    return name === 'link' && relOf(attributes) === 'alternate' ? (attributes.href ?? null) : null;
  }

  protected add(fields: Map<string, Field>): void {
    const id = this.#hasOpaqueId ? undefined : fields.get('guid');
    this.#hasOpaqueId = false;
    const link = fields.get('link') ?? (id !== undefined && /^\s*https?:\/\//i.test(id.text) ? id : undefined);
    if (link !== undefined) {
      const rssDate = Date.parse(fields.get('pubdate')?.text ?? '');
      const atomDate = (fields.get('updated') ?? fields.get('published') ?? fields.get('date'))?.text ?? null;
      const date = Number.isNaN(rssDate) ? atomDate : new Date(rssDate).toISOString();
      this.entries.add(link.text, date, null, link.base);
      // The first of them is the link itself, which is known by now.
      for (const { text, base } of this.#alternates) this.entries.addAlternate(text, base);
    }
    this.#alternates = [];
    for (const { text, base } of this.#enclosures) this.entries.addEnclosure(text, base);
    this.#enclosures = [];
  }
}

const relOf = ({ rel }: Record<string, string>): string => (rel ?? 'alternate').trim().toLowerCase();
