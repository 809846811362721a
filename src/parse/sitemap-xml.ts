import { SaxesParser } from 'saxes';
import { printable } from '../base/text.js';
import type { SitemapEntries, SitemapKind } from './sitemap-entries.js';

const SLICE_LENGTH = 65_536;

/** A text, comment or tag that goes on for longer than this many slices is hostile: the parser keeps all of it until it ends. */
const MAX_SLICES_PER_TOKEN = 16;

const MAX_DEPTH = 64;

const MAX_ATTRIBUTES = 256;

/** Twenty in each of 50,000 URLs. */
const MAX_BARE_AMPERSANDS = 1_000_000;

/** Two slices of nothing else: the parser keeps a piece of text for each. */
const MAX_BARE_AMPERSANDS_PER_TOKEN = 2 * SLICE_LENGTH;

/** A fault that hides nothing. */
export const BARE_AMPERSAND = 'xml: bare ampersand';

const KIND_OF_ROOT = new Map<string, SitemapKind>([
  ['urlset', 'urlset'],
  ['sitemapindex', 'index'],
  ['rss', 'feed'],
  ['feed', 'feed'],
  ['rdf', 'feed'],
]);

/** Ends the parser from within one of its handlers. `problem` is null where all that was wanted has been read. */
class Stop extends Error {
  readonly problem: string | null;

  constructor(problem: string | null) {
    super(problem ?? 'done');
    this.problem = problem;
  }
}

/** Reads up to the first fault; a bare ampersand, by far the most frequent one, is noted and read as it was meant. */
export function readSitemapXml(
  text: string,
  entries: SitemapEntries,
  isCut: boolean,
): { kind: SitemapKind; problem: string | null } {
  if (hasDeclarationInProlog(text)) {
    return { kind: 'unknown', problem: 'dtd' };
  }
  const reading = new XmlReading(entries);
  let problem: string | null = null;
  try {
    reading.read(text, isCut);
  } catch (error) {
    if (!(error instanceof Stop)) {
      throw error;
    }
    problem = error.problem;
  }
  reading.elements?.end();
  return { kind: reading.kind, problem: problem ?? (reading.hasBareAmpersands ? BARE_AMPERSAND : null) };
}

class XmlReading {
  kind: SitemapKind = 'unknown';
  elements: SitemapElements | null = null;
  readonly #parser = new SaxesParser({ xmlns: false });
  readonly #entries: SitemapEntries;
  /** Of each element that is open: what relative URLs in it are resolved against. */
  readonly #bases: string[];
  #depth = 0;
  #attributes = 0;
  #slicesSinceToken = 0;
  #bareAmpersands = 0;
  #bareSinceToken = 0;

  constructor(entries: SitemapEntries) {
    this.#entries = entries;
    this.#bases = [entries.baseUrl];
    const parser = this.#parser;
    // With two handlers more V8 turns the parser into a dictionary, and reading takes eight times as long.
    parser.on('error', (error) => this.#fail(error));
    parser.on('attribute', () => this.#onAttribute());
    parser.on('opentag', (tag) => this.#onOpen(localName(tag.name), tag.attributes));
    parser.on('closetag', (tag) => this.#onClose(localName(tag.name)));
    parser.on('text', (text) => this.#onText(text));
    parser.on('cdata', (text) => this.#onText(text));
    parser.on('comment', () => this.#onToken());
  }

  get hasBareAmpersands(): boolean {
    return this.#bareAmpersands > 0;
  }

  read(text: string, isCut: boolean): void {
    const isBare = isUnescaped(text);
    for (let start = 0; start < text.length; start += SLICE_LENGTH) {
      if (++this.#slicesSinceToken > MAX_SLICES_PER_TOKEN) {
        throw new Stop('xml: a text or tag without end');
      }
      const slice = text.slice(start, start + SLICE_LENGTH).replace(/&/g, (ampersand, at: number) => {
        if (!isBare(start + at)) {
          return ampersand;
        }
        this.#countBareAmpersand();
        return '&amp;';
      });
      this.#parser.write(slice);
    }
    // Of a file that was cut at the cap it is known already that its end is missing.
    if (!isCut) {
      this.#parser.close();
    }
  }

  #countBareAmpersand(): void {
    const isTooMany = ++this.#bareAmpersands > MAX_BARE_AMPERSANDS;
    if (++this.#bareSinceToken > MAX_BARE_AMPERSANDS_PER_TOKEN || isTooMany) {
      throw new Stop('xml: too many bare ampersands');
    }
  }

  #onToken(): void {
    this.#slicesSinceToken = 0;
    this.#bareSinceToken = 0;
  }

  #onAttribute(): void {
    this.#onToken();
    if (++this.#attributes > MAX_ATTRIBUTES) {
      throw new Stop('xml: too many attributes');
    }
  }

  #onOpen(name: string, attributes: Record<string, string>): void {
    this.#onToken();
    this.#attributes = 0;
    if (++this.#depth > MAX_DEPTH) {
      throw new Stop('xml: nested too deeply');
    }
    const base = this.#entries.baseWithin(this.#bases.at(-1)!, attributes['xml:base']);
    this.#bases.push(base);
    if (this.#depth > 1) {
      this.elements?.open(name, attributes, base);
      return;
    }
    this.kind = KIND_OF_ROOT.get(name) ?? 'unknown';
    if (this.kind === 'unknown') {
      throw new Stop(`not a sitemap: <${printable(name, 50)}>`);
    }
    this.elements =
      this.kind === 'feed' ? new FeedElements(this.#entries) : new UrlElements(this.#entries, this.kind === 'index');
  }

  #onClose(name: string): void {
    this.#onToken();
    this.#bases.pop();
    if (this.#depth-- > 1) {
      this.elements?.close(name);
    }
    if (this.#entries.isFull) {
      throw new Stop(null);
    }
  }

  #onText(text: string): void {
    this.#onToken();
    this.elements?.text(text);
  }

  #fail(error: Error): never {
    // The parser's words for a declaration where none may be.
    const isDeclaration = /inappropriately located doctype|incorrect syntax\.$/.test(error.message);
    throw new Stop(isDeclaration ? 'dtd' : `xml: ${printable(error.message, 120)}`);
  }
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase();

/** Whether anything but comments and processing instructions comes before the first element. */
function hasDeclarationInProlog(text: string): boolean {
  let at = 0;
  for (;;) {
    while (/\s/.test(text.charAt(at))) {
      at++;
    }
    const end = text.startsWith('<?', at) ? '?>' : text.startsWith('<!--', at) ? '-->' : null;
    if (end === null) {
      return text.startsWith('<!', at);
    }
    const endAt = text.indexOf(end, at);
    if (endAt < 0) {
      return false;
    }
    at = endAt + end.length;
  }
}

const REFERENCE = /&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});/y;

const CDATA_START = '<![CDATA[';

const CDATA_END = ']]>';

/**
 * Tells of each ampersand of an XML text whether it begins no reference that XML knows by itself, as in `?a=1&b=2`, and
 * should have been escaped. To be asked in the order of the text: so it is read once, however many sections of CDATA there are.
 */
function isUnescaped(text: string): (at: number) => boolean {
  let cdataFrom = -1;
  let cdataTo = 0;
  return (at) => {
    while (cdataTo <= at) {
      const from = text.indexOf(CDATA_START, cdataTo);
      cdataFrom = from < 0 ? text.length : from;
      const to = text.indexOf(CDATA_END, cdataFrom);
      cdataTo = to < 0 ? text.length : to;
    }
    if (at > cdataFrom) {
      return false;
    }
    REFERENCE.lastIndex = at;
    return !REFERENCE.test(text);
  };
}

/** Follows the elements below the root, by local name in lower case. */
interface SitemapElements {
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
      if (this.#entryNames.has(name)) {
        this.#fields = new Map();
      }
      return;
    }
    if (++this.#depthInEntry > 1) {
      return;
    }
    this.#field = { text: '', base };
    this.note(name, attributes, base);
    const given = this.attributeField(name, attributes);
    if (given !== null) {
      this.#keep(name, { text: given, base });
    }
  }

  text(text: string): void {
    if (this.#depthInEntry === 1 && this.#field.text.length < MAX_FIELD_LENGTH) {
      this.#field.text += text.slice(0, MAX_FIELD_LENGTH);
    }
  }

  close(name: string): void {
    if (this.#fields === null) {
      return;
    }
    if (this.#depthInEntry === 0) {
      this.end();
      return;
    }
    if (this.#depthInEntry === 1) {
      this.#keep(name, this.#field);
    }
    this.#depthInEntry--;
  }

  end(): void {
    const fields = this.#fields;
    this.#fields = null;
    this.#depthInEntry = 0;
    if (fields !== null) {
      this.add(fields);
    }
  }

  #keep(name: string, value: Field): void {
    if (value.text.trim() !== '' && !this.#fields!.has(name)) {
      this.#fields!.set(name, value);
    }
  }
}

/** `<url>` of a urlset and `<sitemap>` of an index. */
class UrlElements extends EntryElements {
  readonly #isIndex: boolean;
  #alternates: string[] = [];

  constructor(entries: SitemapEntries, isIndex: boolean) {
    super(entries, ['url', 'sitemap']);
    this.#isIndex = isIndex;
  }

  /** `<xhtml:link rel="alternate" hreflang="de" href="…"/>`: the same page in another language is a page too. */
  protected override note(name: string, { rel, hreflang, href }: Record<string, string>): void {
    const isAlternate = name === 'link' && rel?.toLowerCase() === 'alternate' && hreflang !== undefined;
    if (isAlternate && !this.#isIndex && this.#alternates.length < MAX_ALTERNATES) {
      this.#alternates.push(href ?? '');
    }
  }

  protected add(fields: Map<string, Field>): void {
    const loc = fields.get('loc')?.text;
    if (loc !== undefined) {
      this.entries.add(loc, fields.get('lastmod')?.text ?? null, fields.get('priority')?.text ?? null);
    }
    for (const alternate of this.#alternates) {
      this.entries.addAlternate(alternate);
    }
    this.#alternates = [];
  }
}

/** `<item>` of RSS and `<entry>` of Atom. */
class FeedElements extends EntryElements {
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
    if (name === 'guid' && isPermaLink?.trim().toLowerCase() === 'false') {
      this.#hasOpaqueId = true;
    }
    const enclosed =
      name === 'enclosure' ? url : name === 'link' && relOf(attributes) === 'enclosure' ? href : undefined;
    if (enclosed !== undefined && this.#enclosures.length < MAX_ENCLOSURES) {
      this.#enclosures.push({ text: enclosed, base });
    }
    const alternate = this.attributeField(name, attributes);
    if (alternate !== null && this.#alternates.length < MAX_ALTERNATES) {
      this.#alternates.push({ text: alternate, base });
    }
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
      for (const { text, base } of this.#alternates) {
        this.entries.addAlternate(text, base);
      }
    }
    this.#alternates = [];
    for (const { text, base } of this.#enclosures) {
      this.entries.addEnclosure(text, base);
    }
    this.#enclosures = [];
  }
}

const relOf = ({ rel }: Record<string, string>): string => (rel ?? 'alternate').trim().toLowerCase();
