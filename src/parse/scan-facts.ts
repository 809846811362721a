import { cssUrls } from './css-urls.js';
import { foldSpace } from './html-rules.js';
import { LINK_KIND_NUMBER, type PageScan, ScannedLinks, type ScanOptions } from './links.js';
import { ATTRIBUTE, type AttributeReader, type Pieces, type ScannablePage } from './scan-page.js';
import { PositionCounter, TextPlaces } from './scan-position.js';

const {
  alt: ALT,
  'data-gossamer-ignore': IGNORE,
  style: STYLE,
  type: TYPE,
  role: ROLE,
  'aria-hidden': ARIA_HIDDEN,
  'aria-label': ARIA_LABEL,
} = ATTRIBUTE;

const DEFAULT_PRODUCT = 'gossamer';

/** A heading that was never closed would hold the rest of the page. */
const MOST_HEADING = 5_000;
/** Of JSON-LD only its types are wanted; more than this is no description of a page. */
const MOST_JSON_LD = 256 * 1024;
const MOST_JSON_LD_SCRIPTS = 50;

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
  /** Text of the h1 that is open. */
  #heading: string | null = null;

  constructor(page: ScannablePage, pieces: Pieces, reader: AttributeReader, options: ScanOptions) {
    this.#bytes = page.bytes;
    this.#pieces = pieces;
    this.#reader = reader;
    this.product = (options.product ?? DEFAULT_PRODUCT).toLowerCase();
    this.#anchor = options.anchorText ? new AnchorText() : null;
    this.#positions = options.positions ? new PositionCounter(page, pieces) : null;
    this.#textHash = options.textHash ? new TextHash() : null;
    this.isListening = this.#textHash !== null;
    this.scan = {
      title: null,
      h1: null,
      wordCount: null,
      textPrint: null,
      h1Count: 0,
      images: 0,
      imagesWithoutAlt: 0,
      languages: [],
      extras: options.extras ? { metas: new Map(), jsonLd: [] } : null,
      description: null,
      canonical: null,
      lang: null,
      base: null,
      robots: [],
      feeds: [],
      links: new ScannedLinks(pieces),
      textHash: null,
      looksLikeHtml: false,
      anchors: options.anchors ? [] : null,
      truncated: false,
    };
    const { links } = this.scan;
    links.texts = options.anchorText ? [] : null;
    links.lines = options.positions ? [] : null;
    links.columns = options.positions ? [] : null;
    links.ignored = options.ignoreMarks ? [] : null;
  }

  has(attribute: number): boolean {
    return (this.#reader.found & (1 << attribute)) !== 0;
  }

  /** The value of an attribute of the tag at hand, or null if it has none. */
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
    if (this.has(attribute) && this.url(attribute) !== '') {
      this.addLink(kind, attribute, at, rel);
    }
  }

  /** Adds what a style attribute of the tag loads. */
  addStyle(at: number): void {
    if (!this.has(STYLE)) {
      return;
    }
    for (const { href } of cssUrls(this.value(STYLE)!, true)) {
      this.addPartialLink(LINK_KIND_NUMBER.css, href, at);
    }
  }

  /** Adds what the stylesheet in [start, end) loads, each link with its own place. */
  addStylesheet(start: number, end: number): void {
    const { links } = this.scan;
    const text = this.#pieces.raw(start, end);
    const urls = cssUrls(text);
    if (urls.length === 0) {
      return;
    }
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
    for (let i = 1; i < last; i += 2) {
      links.add(LINK_KIND_NUMBER.a, ends[i]!, ends[i + 1]!, '');
    }
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
    if (name !== null && name !== '') {
      this.scan.anchors!.push(name);
    }
  }

  setTitle(start: number, end: number): void {
    if (this.scan.title !== null) {
      return;
    }
    const title = this.#pieces.text(start, end);
    this.scan.title = foldSpace(title.includes('\0') ? title.replaceAll('\0', '\ufffd') : title);
  }

  /** From here on text is that of the link that was added last. */
  openAnchor(): void {
    if (this.#anchor === null) {
      return;
    }
    this.#anchor.open(this.scan.links.count - 1);
    this.isListening = true;
  }

  closeAnchor(): void {
    if (this.#anchor === null || this.#anchor.link === -1) {
      return;
    }
    const { link } = this.#anchor;
    this.scan.links.texts![link] = this.#anchor.close(foldSpace);
    this.isListening = this.#textHash !== null || this.#heading !== null;
  }

  get isInHeading(): boolean {
    return this.#heading !== null;
  }

  /** From here on text is that of the first h1, where this is it. */
  openHeading(): void {
    if (this.scan.h1 === null) {
      this.#heading = '';
      this.isListening = true;
    }
  }

  closeHeading(): void {
    if (this.#heading !== null) {
      this.scan.h1 = foldSpace(this.#heading.replaceAll('\0', ''));
      this.#heading = null;
      this.isListening = this.#textHash !== null || (this.#anchor !== null && this.#anchor.link !== -1);
    }
  }

  addHeadingText(start: number, end: number): void {
    this.#heading += this.#pieces.text(start, end);
    if (this.#heading!.length > MOST_HEADING) {
      this.closeHeading();
    }
  }

  /** An image that a reader sees. One that says that it is decoration, or has a label, needs no other text. */
  countImage(): void {
    this.scan.images++;
    const isSaid = this.has(ALT) || this.has(ARIA_LABEL);
    const isDecoration =
      this.isWord(ROLE, 'presentation') || this.isWord(ROLE, 'none') || this.isWord(ARIA_HIDDEN, 'true');
    if (!isSaid && !isDecoration) {
      this.scan.imagesWithoutAlt++;
    }
  }

  /** The text of a script that is data for others. */
  addJsonLd(start: number, end: number): void {
    const { extras } = this.scan;
    if (
      extras !== null &&
      end - start <= MOST_JSON_LD &&
      extras.jsonLd.length < MOST_JSON_LD_SCRIPTS &&
      this.isWord(TYPE, 'application/ld+json')
    ) {
      extras.jsonLd.push(this.#pieces.raw(start, end));
    }
  }

  /** An image counts for the anchor around it. */
  addAlternativeText(): void {
    if (this.#anchor === null || this.#anchor.link === -1) {
      return;
    }
    const alternative = this.value(ALT);
    if (alternative !== null) {
      this.#anchor.addAlternative(alternative);
    }
  }

  /** A line break parts words that textContent would join. */
  addLineBreak(): void {
    if (this.#anchor?.wantsMore) {
      this.#anchor.addText(' ');
    }
    if (this.#heading !== null) {
      this.#heading += ' ';
    }
  }

  /** The text of the last link, where it is not between tags. */
  setLinkText(text: string): void {
    const { texts } = this.scan.links;
    if (texts !== null) {
      texts[texts.length - 1] = foldSpace(text);
    }
  }

  addText(start: number, end: number): void {
    if (this.#anchor?.wantsMore) {
      this.#anchor.addText(this.#pieces.text(start, end));
    }
    this.addHashedText(start, end);
  }

  /** Text that is seen, but is never part of an anchor. */
  addHashedText(start: number, end: number): void {
    this.#textHash?.add(this.#bytes, start, end);
  }

  finish(truncated: boolean): PageScan {
    this.closeAnchor();
    this.closeHeading();
    if (this.scan.lang === '') {
      this.scan.lang = null;
    }
    this.scan.textHash = this.#textHash?.value ?? null;
    this.scan.truncated = truncated;
    return this.scan;
  }
}

const SPACE = 1;

const DIGIT = 2;

const BYTE_CLASS = new Uint8Array(256).fill(DIGIT, 0x30, 0x3a);

for (const byte of [0x09, 0x0a, 0x0c, 0x0d, 0x20]) {
  BYTE_CLASS[byte] = SPACE;
}

const FNV_OFFSET = 0x811c9dc5;

const FNV_PRIME = 0x01000193;

/**
 * A hash (FNV-1a) of the visible text as its bytes are written: white space and tags fold to one space, a run of digits to
 * one `0`, so that pages which differ in a number or in their layout only have one hash. References are not decoded.
 */
class TextHash {
  #hash = FNV_OFFSET;
  #isEmpty = true;

  add(bytes: Uint8Array, start: number, end: number): void {
    let hash = this.#hash;
    let owesSpace = true;
    let inDigits = false;
    for (let i = start; i < end; i++) {
      let byte = bytes[i]!;
      const kind = BYTE_CLASS[byte]!;
      if (kind === SPACE) {
        owesSpace = true;
        inDigits = false;
        continue;
      }
      if (kind === DIGIT) {
        if (inDigits) {
          continue;
        }
        byte = 0x30;
      }
      inDigits = kind === DIGIT;
      if (owesSpace && !this.#isEmpty) {
        hash = Math.imul(hash ^ 0x20, FNV_PRIME);
      }
      owesSpace = false;
      this.#isEmpty = false;
      hash = Math.imul(hash ^ byte, FNV_PRIME);
    }
    this.#hash = hash;
  }

  get value(): number {
    return this.#hash >>> 0;
  }
}

/** Longer anchor texts are cut: one that was never closed would hold the rest of the page. */
const MAX_ANCHOR_TEXT = 1000;

/** Collects the text of the anchor that is open. Images count by their alternative text where there is no other. */
class AnchorText {
  /** The place of the anchor's link, or -1 while none is open. */
  link = -1;
  #text = '';
  #alternatives = '';

  open(link: number): void {
    this.link = link;
    this.#text = '';
    this.#alternatives = '';
  }

  get wantsMore(): boolean {
    return this.link !== -1 && this.#text.length < MAX_ANCHOR_TEXT;
  }

  addText(text: string): void {
    this.#text += text;
  }

  addAlternative(text: string): void {
    if (this.#alternatives.length < MAX_ANCHOR_TEXT) {
      this.#alternatives += ` ${text}`;
    }
  }

  /** Ends the anchor and gives its text, white space folded. */
  close(fold: (text: string) => string): string {
    this.link = -1;
    const text = fold(this.#text.includes('\0') ? this.#text.replaceAll('\0', '') : this.#text);
    return cut(text === '' ? fold(this.#alternatives) : text);
  }
}

function cut(text: string): string {
  if (text.length <= MAX_ANCHOR_TEXT) {
    return text;
  }
  const last = text.charCodeAt(MAX_ANCHOR_TEXT - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? MAX_ANCHOR_TEXT - 1 : MAX_ANCHOR_TEXT);
}
