import { cssUrls } from './css-urls.js';
import { LINK_KIND_NUMBER, type PageScan, ScannedLinks, type ScanWishes } from './links.js';
import { ATTRIBUTE, type AttributeReader } from './scan-attributes.js';
import type { Pieces, ScannablePage } from './scan-pieces.js';
import { PositionCounter, TextPlaces } from './scan-position.js';
import { AnchorText, TextHash } from './scan-text.js';
import { foldSpace } from './scan-values.js';

const { alt: ALT, 'data-gossamer-ignore': IGNORE, style: STYLE } = ATTRIBUTE;

const DEFAULT_PRODUCT = 'gossamer';

/** Gathers what the elements of a page say, as the scanner comes by them. */
export class PageFacts {
  readonly scan: PageScan;
  /** Besides `robots`, the name under which a meta element speaks to this crawler. */
  readonly product: string;
  /** Whether the text between tags is of any use now. */
  isListening: boolean;
  readonly #bytes: Buffer;
  readonly #pieces: Pieces;
  readonly #reader: AttributeReader;
  readonly #anchor: AnchorText | null;
  readonly #positions: PositionCounter | null;
  readonly #textHash: TextHash | null;

  constructor(page: ScannablePage, pieces: Pieces, reader: AttributeReader, wishes: ScanWishes) {
    this.#bytes = page.bytes;
    this.#pieces = pieces;
    this.#reader = reader;
    this.product = (wishes.product ?? DEFAULT_PRODUCT).toLowerCase();
    this.#anchor = wishes.anchorText ? new AnchorText() : null;
    this.#positions = wishes.positions ? new PositionCounter(page, pieces) : null;
    this.#textHash = wishes.textHash ? new TextHash() : null;
    this.isListening = this.#textHash !== null;
    this.scan = {
      title: null,
      description: null,
      canonical: null,
      lang: null,
      base: null,
      robots: [],
      feeds: [],
      links: new ScannedLinks(pieces),
      textHash: null,
      looksLikeHtml: false,
      anchors: wishes.anchors ? [] : null,
      truncated: false,
    };
    const { links } = this.scan;
    links.texts = wishes.anchorText ? [] : null;
    links.lines = wishes.positions ? [] : null;
    links.columns = wishes.positions ? [] : null;
    links.ignored = wishes.ignoreMarks ? [] : null;
  }

  has(attribute: number): boolean {
    return (this.#reader.found & (1 << attribute)) !== 0;
  }

  /** The value of an attribute of the tag at hand, or null where it has none. */
  value(attribute: number): string | null {
    return this.has(attribute) ? this.#pieces.attribute(this.#reader, attribute) : null;
  }

  /** Whether the tag has the attribute with this word of lower case as its value, in any case. */
  isWord(attribute: number, word: string): boolean {
    return this.has(attribute) && this.#pieces.isWord(this.#reader, attribute, word);
  }

  /** The value of an attribute that is a URL: without the white space around it. */
  url(attribute: number): string | null {
    return this.has(attribute) ? this.#pieces.urlAttribute(this.#reader, attribute) : null;
  }

  /** Adds the link of an attribute of the tag that starts at `at`. */
  addLink(kind: number, attribute: number, at: number, rel = ''): void {
    this.#pieces.addLink(this.scan.links, kind, this.#reader, attribute, rel);
    this.#addCircumstances(at);
  }

  /** Adds a link that is only a part of an attribute. */
  addPartialLink(kind: number, href: string, at: number): void {
    this.scan.links.addGiven(kind, href, '');
    this.#addCircumstances(at);
  }

  /** Adds the link of an attribute, unless it is missing or empty: an empty one leads nowhere by the standard. */
  addAsset(kind: number, attribute: number, at: number, rel = ''): void {
    if (this.has(attribute) && this.url(attribute) !== '') this.addLink(kind, attribute, at, rel);
  }

  /** Adds what a style attribute of the tag loads. */
  addStyle(at: number): void {
    if (!this.has(STYLE)) return;
    for (const { href } of cssUrls(this.value(STYLE)!, true)) this.addPartialLink(LINK_KIND_NUMBER.css, href, at);
  }

  /** Adds what the stylesheet in [start, end) loads, each link with its own place. */
  addStylesheet(start: number, end: number): void {
    const { links } = this.scan;
    const text = this.#pieces.raw(start, end);
    const urls = cssUrls(text);
    if (urls.length === 0) return;
    this.#positions?.moveTo(start);
    const places = new TextPlaces(text, this.#positions?.line ?? 1, this.#positions?.column ?? 1);
    for (const { href, isImport, at } of urls) {
      places.moveTo(at);
      links.addGiven(isImport ? LINK_KIND_NUMBER.stylesheet : LINK_KIND_NUMBER.css, href, '');
      links.texts?.push('');
      links.ignored?.push(this.has(IGNORE));
      links.lines?.push(places.line);
      links.columns?.push(places.column);
    }
  }

  /** Adds anchors of which only the address counts: their number, then the two ends of each address. */
  addPlainAnchors(ends: Uint32Array): void {
    const { links } = this.scan;
    const last = ends[0]! * 2;
    for (let i = 1; i < last; i += 2) links.add(LINK_KIND_NUMBER.a, ends[i]!, ends[i + 1]!, '');
  }

  #addCircumstances(at: number): void {
    const { links } = this.scan;
    links.texts?.push('');
    links.ignored?.push(this.has(IGNORE));
    if (this.#positions !== null) {
      this.#positions.moveTo(at);
      links.lines!.push(this.#positions.line);
      links.columns!.push(this.#positions.column);
    }
  }

  /** Notes what a fragment can point at. */
  addAnchor(attribute: number): void {
    const name = this.scan.anchors === null ? null : this.value(attribute);
    if (name !== null && name !== '') this.scan.anchors!.push(name);
  }

  setTitle(start: number, end: number): void {
    if (this.scan.title !== null) return;
    const title = this.#pieces.text(start, end);
    this.scan.title = foldSpace(title.includes('\0') ? title.replaceAll('\0', '\ufffd') : title);
  }

  /** From here on text is that of the link that was added last. */
  openAnchor(): void {
    if (this.#anchor === null) return;
    this.#anchor.open(this.scan.links.count - 1);
    this.isListening = true;
  }

  closeAnchor(): void {
    if (this.#anchor === null || this.#anchor.link === -1) return;
    const { link } = this.#anchor;
    this.scan.links.texts![link] = this.#anchor.close(foldSpace);
    this.isListening = this.#textHash !== null;
  }

  /** An image counts for the anchor around it. */
  addAlternativeText(): void {
    if (this.#anchor === null || this.#anchor.link === -1) return;
    const alternative = this.value(ALT);
    if (alternative !== null) this.#anchor.addAlternative(alternative);
  }

  /** A line break parts words that textContent would join. */
  addLineBreak(): void {
    if (this.#anchor?.wantsMore) this.#anchor.addText(' ');
  }

  /** The text of the last link, where it is not between tags. */
  setLinkText(text: string): void {
    const { texts } = this.scan.links;
    if (texts !== null) texts[texts.length - 1] = foldSpace(text);
  }

  addText(start: number, end: number): void {
    if (this.#anchor?.wantsMore) this.#anchor.addText(this.#pieces.text(start, end));
    this.addHashedText(start, end);
  }

  /** Text that is seen, but is never part of an anchor. */
  addHashedText(start: number, end: number): void {
    this.#textHash?.add(this.#bytes, start, end);
  }

  finish(truncated: boolean): PageScan {
    this.closeAnchor();
    if (this.scan.lang === '') this.scan.lang = null;
    this.scan.textHash = this.#textHash?.value ?? null;
    this.scan.truncated = truncated;
    return this.scan;
  }
}
