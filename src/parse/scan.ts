import { Kernel } from '../kernel/kernel.js';
import {
  BANG,
  BREAKS_OUT_OF_FOREIGN,
  HYPHEN,
  isLetter,
  LESS_THAN,
  QUESTION,
  SLASH,
  TAG_NAME_ENDS,
} from './html-rules.js';
import { LINK_KIND_NUMBER, type PageScan, type ScanOptions } from './links.js';
import {
  ELEMENT_RULES,
  type ElementRule,
  findElement,
  isPlainElement,
  JOINING_ELEMENTS,
  relationOf,
} from './scan-elements.js';
import { PageFacts } from './scan-facts.js';
import { ATTRIBUTE, AttributeReader, attributeSet, Pieces, type ScannablePage, toScannable } from './scan-page.js';
import {
  endOfBogusComment,
  endOfCdata,
  endOfComment,
  endOfRawText,
  endOfScript,
  ForeignContent,
} from './scan-regions.js';

/**
 * Finds the links and facts of a page in one pass over its bytes: from `<` to `<`, without a tree, decoding only what is
 * asked for. It reads what an HTML5 tokenizer with scripting off would read, and follows SVG, MathML and templates as far
 * as they change that. Not followed: the start tags that a browser drops inside `select` and `frameset`; they count.
 * `encoding` is a canonical name, as `detectEncoding` gives it. The kernel, one of `scanKernel`, holds the page afterwards.
 */
export function scanPage(bytes: Uint8Array, encoding: string, options: ScanOptions, kernel = sharedKernel()): PageScan {
  return new PageScanner(toScannable(bytes, encoding, kernel), options, kernel).scan();
}

/** Makes a kernel that stops where the scanner has to look. */
export function scanKernel(): Kernel {
  const kernel = new Kernel();
  // The kernel reads anchors itself, and a line break only matters while the scanner collects text.
  kernel.stopAt(ELEMENT_RULES.map(({ name }) => name).filter((name) => name !== 'a' && name !== 'br'));
  kernel.joinWordsAt(JOINING_ELEMENTS);
  return kernel;
}

let shared: Kernel | null = null;
const sharedKernel = (): Kernel => {
  shared ??= scanKernel();
  return shared;
};

const {
  id: ID,
  name: NAME,
  href: HREF,
  'xlink:href': XLINK_HREF,
  rel: REL,
  color: COLOR,
  face: FACE,
  size: SIZE,
  encoding: ENCODING,
  'data-gossamer-ignore': IGNORE,
  style: STYLE,
  background: BACKGROUND,
  srcdoc: SRCDOC,
  type: TYPE,
} = ATTRIBUTE;

/** What SVG loads, by the name of the element. */
const SVG_LOADS: ReadonlyMap<string, number> = new Map([
  ['image', LINK_KIND_NUMBER.img],
  ['feimage', LINK_KIND_NUMBER.img],
  ['use', LINK_KIND_NUMBER.img],
  ['script', LINK_KIND_NUMBER.script],
]);
/** Elements whose background attribute browsers still load. */
const WITH_BACKGROUND = new Set(['body', 'table', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th']);
/** Of any element. */
const LOADING_ATTRIBUTES = attributeSet(STYLE, BACKGROUND);
const ONLY_SRCDOC = attributeSet(SRCDOC);
const STYLE_ATTRIBUTES = attributeSet(STYLE, TYPE);
/** How many pages may stand in attributes of each other. Each level has to be escaped once more, so nobody writes deeper ones. */
const MOST_NESTED = 3;

/** What every element can have for a fragment to point at. */
const ONLY_ID = attributeSet(ID);
const ID_AND_NAME = attributeSet(ID, NAME);
const ONLY_IGNORE = attributeSet(IGNORE);
const FOREIGN_ATTRIBUTES = attributeSet(ID, HREF, XLINK_HREF, REL, COLOR, FACE, SIZE, ENCODING, IGNORE);
const CUT_OFF = -1;
const CDATA = '<![CDATA[';

/** A style element without a type is CSS, and one with another is for a program. */
const isCss = (facts: PageFacts): boolean =>
  !facts.has(TYPE) || facts.isWord(TYPE, 'text/css') || facts.isWord(TYPE, '');

/** h1 to h6: the end of one ends whichever is open. */
const isHeading = (bytes: Uint8Array, start: number, end: number): boolean =>
  end - start === 2 && (bytes[start]! | 0x20) === 0x68 && bytes[start + 1]! >= 0x31 && bytes[start + 1]! <= 0x36;

const ENDS_TAG_NAME = new Uint8Array(256);
for (const byte of Buffer.from(TAG_NAME_ENDS)) {
  ENDS_TAG_NAME[byte] = 1;
}

class PageScanner {
  readonly #page: ScannablePage;
  readonly #kernel: Kernel;
  readonly #pieces: Pieces;
  readonly #reader: AttributeReader;
  readonly #facts: PageFacts;
  readonly #foreign = new ForeignContent();
  readonly #wantsIds: boolean;
  /** Of anchors nothing is wanted but the address. */
  readonly #takesAnchors: boolean;
  /** What is read of every element that has a rule, whatever the rule reads. */
  readonly #alwaysWanted: number;
  readonly #wantsLoads: boolean;
  readonly #options: ScanOptions;
  readonly #nesting: number;
  /** What is read of elements without a rule. */
  readonly #plainWanted: number;
  #openTemplates = 0;
  #isInNoscript = false;

  constructor(page: ScannablePage, options: ScanOptions, kernel: Kernel, nesting = 0) {
    this.#page = page;
    this.#options = options;
    this.#nesting = nesting;
    this.#kernel = kernel;
    this.#pieces = new Pieces(page);
    this.#reader = new AttributeReader(page);
    this.#facts = new PageFacts(page, this.#pieces, this.#reader, options);
    this.#wantsIds = options.anchors ?? false;
    this.#wantsLoads = options.loads ?? false;
    const styles = this.#wantsLoads ? LOADING_ATTRIBUTES : 0;
    this.#plainWanted = (this.#wantsIds ? ONLY_ID : 0) | (styles === 0 ? 0 : styles | ONLY_IGNORE);
    if (page.isInKernel) {
      this.#facts.scan.links.kernelPage = kernel.page;
    }
    this.#takesAnchors = !options.anchorText && !options.positions && !options.ignoreMarks;
    this.#alwaysWanted = (this.#wantsIds ? ID_AND_NAME : 0) | (options.ignoreMarks ? ONLY_IGNORE : 0) | styles;
  }

  scan(): PageScan {
    const { bytes } = this.#page;
    const end = bytes.length;
    let textStart = this.#page.start;
    let from = textStart;
    for (;;) {
      const open = this.#isPlain ? this.#passPlainMarkup(from) : this.#passText(from);
      if (open === -1 || open + 1 === end) {
        this.#addText(textStart, open === -1 ? end : open);
        return this.#finish(open !== -1);
      }
      const next = bytes[open + 1]!;
      const passTag = isLetter(next) || next === SLASH;
      if (!passTag && next !== BANG && next !== QUESTION) {
        from = open + 1;
        continue;
      }
      this.#addText(textStart, open);
      from = passTag ? this.#passTag(open, next) : this.#passDeclaration(open, next);
      if (from === CUT_OFF) {
        return this.#finish(true);
      }
      textStart = from;
    }
  }

  #finish(truncated: boolean): PageScan {
    const { scan } = this.#facts;
    if (this.#page.isInKernel) {
      scan.wordCount = this.#kernel.countWords();
      scan.textPrint = scan.wordCount === 0 ? null : this.#kernel.textPrint();
    }
    return this.#facts.finish(truncated);
  }

  /** To the next `<`, over text; its words count where a reader sees it. */
  #passText(from: number): number {
    return this.#page.isInKernel && this.#isSeen ? this.#kernel.passText(from) : this.#page.find(LESS_THAN, from);
  }

  /** Whether text that comes now is on the page in a browser that runs scripts, and no part of a drawing or formula. */
  get #isSeen(): boolean {
    return !this.#foreign.isOpen && this.#openTemplates === 0 && !this.#isInNoscript;
  }

  #passPlainMarkup(from: number): number {
    const open = this.#kernel.passPlainMarkup(from, this.#takesAnchors);
    this.#facts.addPlainAnchors(this.#kernel.hrefs);
    return open;
  }

  /** Whether text, ids and tags without a rule are of no use now. */
  get #isPlain(): boolean {
    const facts = this.#facts;
    return (
      this.#page.isInKernel && this.#plainWanted === 0 && !facts.isListening && facts.scan.looksLikeHtml && this.#isSeen
    );
  }

  #passTag(open: number, next: number): number {
    const { bytes } = this.#page;
    let nameEnd = open + 2;
    while (nameEnd < bytes.length && ENDS_TAG_NAME[bytes[nameEnd]!] === 0) {
      nameEnd++;
    }
    return next === SLASH ? this.#passEndTag(open, nameEnd) : this.#passStartTag(open, nameEnd);
  }

  #passDeclaration(open: number, next: number): number {
    const { bytes } = this.#page;
    if (next === QUESTION) {
      return endOfBogusComment(this.#page, open + 2);
    }
    if (bytes[open + 2] === HYPHEN && bytes[open + 3] === HYPHEN) {
      return endOfComment(this.#page, open + 4);
    }
    if (this.#foreign.isForeign && bytes.toString('latin1', open + 2, open + 9) === '[CDATA[') {
      const end = endOfCdata(this.#page, open + 9);
      if (end !== CUT_OFF) {
        this.#addText(open + 9, end - 3);
      }
      return end;
    }
    return endOfBogusComment(this.#page, open + 2);
  }

  #passStartTag(open: number, nameEnd: number): number {
    if (this.#foreign.isForeign) {
      return this.#passForeignStartTag(open, nameEnd);
    }
    const element = findElement(this.#page.bytes, open + 1, nameEnd);
    if (element !== null) {
      return this.#passElement(element, open, nameEnd);
    }
    if (this.#facts.isInHeading && isHeading(this.#page.bytes, open + 1, nameEnd)) {
      this.#facts.closeHeading();
    }
    const { scan } = this.#facts;
    scan.looksLikeHtml ||= isPlainElement(this.#pieces.name(open + 1, nameEnd));
    return this.#plainWanted === 0 ? this.#reader.read(nameEnd, 0) : this.#passPlainTag(open, nameEnd);
  }

  #passPlainTag(open: number, nameEnd: number): number {
    const end = this.#reader.read(nameEnd, this.#plainWanted);
    if (end !== CUT_OFF && this.#openTemplates === 0) {
      this.#facts.addAnchor(ID);
      if (this.#facts.has(BACKGROUND) && WITH_BACKGROUND.has(this.#pieces.name(open + 1, nameEnd))) {
        this.#facts.addAsset(LINK_KIND_NUMBER.img, BACKGROUND, open);
      }
      this.#facts.addStyle(open);
    }
    return end;
  }

  #passElement(element: ElementRule, open: number, nameEnd: number): number {
    const isInDocument = this.#openTemplates === 0;
    this.#facts.scan.looksLikeHtml = true;
    const nests = this.#wantsLoads && element.name === 'iframe';
    const wanted = element.wants | this.#alwaysWanted | (nests ? ONLY_SRCDOC : 0);
    const end = this.#reader.read(nameEnd, isInDocument ? wanted : 0);
    if (end === CUT_OFF) {
      return CUT_OFF;
    }
    if (isInDocument) {
      if (this.#wantsIds) {
        this.#facts.addAnchor(ID);
      }
      if (nests && this.#facts.has(SRCDOC)) {
        this.#addNestedPage(open);
      } else {
        element.visit?.(this.#facts, open);
      }
      if (element.name === 'h1') {
        this.#passHeading();
      } else if ((element.name === 'img' || element.name === 'image') && this.#isSeen) {
        this.#facts.countImage();
      }
      if (this.#wantsLoads) {
        this.#facts.addStyle(open);
      }
    }
    return element.content === 'markup' ? end : this.#passContent(element, end);
  }

  #passHeading(): void {
    this.#facts.scan.h1Count += this.#isSeen ? 1 : 0;
    if (this.#facts.isInHeading) {
      this.#facts.closeHeading();
    } else if (this.#isSeen) {
      this.#facts.openHeading();
    }
  }

  /** The page in a srcdoc, which a browser shows instead of the one at src: its links have the base of this one. */
  #addNestedPage(open: number): void {
    if (this.#nesting === MOST_NESTED) {
      return;
    }
    const kernel = scanKernel();
    const page = toScannable(Buffer.from(this.#facts.value(SRCDOC)!), 'utf-8', kernel);
    const options = { ...this.#options, anchors: false, textHash: false };
    const { links } = new PageScanner(page, options, kernel, this.#nesting + 1).scan();
    for (const [link, kind] of links.kinds.entries()) {
      this.#facts.addPartialLink(kind, links.href(link), open);
    }
  }

  /** Goes by the rules of content that is not plain markup; over raw text, to the `<` of the end tag. */
  #passContent({ content, name }: ElementRule, from: number): number {
    const { bytes } = this.#page;
    const isInDocument = this.#openTemplates === 0;
    if (content === 'template') {
      this.#openTemplates++;
      return from;
    }
    if (content === 'noscript') {
      this.#isInNoscript = true;
      return from;
    }
    if (content === 'foreign') {
      if (!this.#reader.selfClosing) {
        this.#foreign.enter(name);
      }
      return from;
    }
    let end = bytes.length;
    if (content === 'script') {
      end = endOfScript(this.#page, from);
    } else if (content !== 'plaintext') {
      end = endOfRawText(this.#page, from, name);
    }
    if (end === CUT_OFF || !isInDocument) {
      return end;
    }
    if (name === 'style' && this.#wantsLoads && isCss(this.#facts)) {
      this.#facts.addStylesheet(from, end);
    }
    if (content === 'title') {
      this.#facts.setTitle(from, end);
    }
    if (content === 'script') {
      this.#facts.addJsonLd(from, end);
    }
    if (content !== 'script' && content !== 'hidden') {
      this.#facts.addHashedText(from, end);
    }
    return end;
  }

  #passForeignStartTag(open: number, nameEnd: number): number {
    const name = this.#pieces.name(open + 1, nameEnd);
    if (BREAKS_OUT_OF_FOREIGN.has(name)) {
      this.#foreign.breakOut();
      return this.#passStartTag(open, nameEnd);
    }
    const end = this.#reader.read(nameEnd, FOREIGN_ATTRIBUTES | (this.#wantsLoads ? STYLE_ATTRIBUTES : 0));
    if (end === CUT_OFF) {
      return CUT_OFF;
    }
    const facts = this.#facts;
    if (name === 'font' && (facts.has(COLOR) || facts.has(FACE) || facts.has(SIZE))) {
      this.#foreign.breakOut();
      return this.#passStartTag(open, nameEnd);
    }
    if (this.#openTemplates === 0) {
      facts.addAnchor(ID);
      if (name === 'a') {
        this.#visitForeignAnchor(open);
      }
      if (this.#wantsLoads) {
        const kind = SVG_LOADS.get(name);
        if (kind !== undefined) {
          facts.addAsset(kind, facts.has(HREF) ? HREF : XLINK_HREF, open);
        }
        facts.addStyle(open);
        if (name === 'style' && !this.#reader.selfClosing && isCss(facts)) {
          this.#addForeignStylesheet(end);
        }
      }
    }
    if (!this.#reader.selfClosing) {
      const encoding = facts.value(ENCODING)?.toLowerCase();
      this.#foreign.open(name, encoding === 'text/html' || encoding === 'application/xhtml+xml');
    }
    return end;
  }

  /** In SVG it is markup like any other: up to the next tag, its CDATA sections too. */
  #addForeignStylesheet(from: number): void {
    const { bytes } = this.#page;
    const isCdata = bytes.toString('latin1', from, from + CDATA.length) === CDATA;
    const end = isCdata ? endOfCdata(this.#page, from + CDATA.length) - 3 : this.#page.find(LESS_THAN, from);
    if (end > from) {
      this.#facts.addStylesheet(from + (isCdata ? CDATA.length : 0), end);
    }
  }

  #visitForeignAnchor(open: number): void {
    const facts = this.#facts;
    facts.closeAnchor();
    const attribute = facts.has(HREF) ? HREF : XLINK_HREF;
    if (!facts.has(attribute)) {
      return;
    }
    facts.addLink(LINK_KIND_NUMBER.a, attribute, open, relationOf(facts.value(REL) ?? '').rel);
    facts.openAnchor();
  }

  #passEndTag(open: number, nameEnd: number): number {
    const { bytes } = this.#page;
    const nameStart = open + 2;
    if (nameStart >= bytes.length) {
      return CUT_OFF;
    }
    if (!isLetter(bytes[nameStart])) {
      return endOfBogusComment(this.#page, nameStart);
    }
    const end = this.#reader.read(nameEnd, 0);
    if (end === CUT_OFF) {
      return CUT_OFF;
    }
    const element = findElement(bytes, nameStart, nameEnd);
    if (this.#foreign.isOpen) {
      this.#closeForeign(element, nameStart, nameEnd);
    }
    if (element?.name === 'a' && this.#openTemplates === 0) {
      this.#facts.closeAnchor();
    }
    if (element?.name === 'noscript') {
      this.#isInNoscript = false;
    }
    if (this.#facts.isInHeading && this.#isSeen && isHeading(bytes, nameStart, nameEnd)) {
      this.#facts.closeHeading();
    }
    if (element?.name === 'template' && this.#openTemplates > 0 && !this.#foreign.isForeign) {
      this.#openTemplates--;
    }
    return end;
  }

  #closeForeign(element: ElementRule | null, nameStart: number, nameEnd: number): void {
    const name = element?.name ?? this.#pieces.name(nameStart, nameEnd);
    if (this.#foreign.close(name) || !this.#foreign.isForeign) {
      return;
    }
    // Elements of HTML are not followed: the end tag of one is taken to close an element around the foreign content.
    if (element !== null || isPlainElement(name)) {
      this.#foreign.breakOut();
    }
  }

  #addText(start: number, end: number): void {
    if (!this.#facts.isListening || start >= end || this.#openTemplates > 0) {
      return;
    }
    if (this.#facts.isInHeading && this.#isSeen) {
      this.#facts.addHeadingText(start, end);
    }
    this.#facts.addText(start, end);
  }
}
