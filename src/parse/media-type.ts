const HTML = /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:[;,]|$)/i;
const MARKDOWN = /^\s*text\/(?:x-)?markdown\s*(?:[;,]|$)/i;
const FEED = /^\s*application\/(?:rss|atom|rdf)\+xml\s*(?:;|$)/i;

const MDX = /^\s*text\/(?:x-)?mdx\s*(?:[;,]|$)/i;
const RST = /^\s*text\/(?:x-rst|prs\.fallenstein\.rst)\s*(?:[;,]|$)/i;
const CSS = /^\s*text\/css\s*(?:[;,]|$)/i;
const SVG = /^\s*image\/svg\+xml\s*(?:[;,]|$)/i;
const PLAIN = /^\s*text\/plain\s*(?:[;,]|$)/i;

/** What a Content-Type says that a body is; null says nothing. The whole name counts: `text/html-x` is not HTML. */
export const isHtmlType = (contentType: string | null): boolean => contentType !== null && HTML.test(contentType);
export const isMarkdownType = (contentType: string | null): boolean =>
  contentType !== null && MARKDOWN.test(contentType);

export const isMdxType = (contentType: string | null): boolean => contentType !== null && MDX.test(contentType);
export const isRstType = (contentType: string | null): boolean => contentType !== null && RST.test(contentType);
export const isPlainType = (contentType: string | null): boolean => contentType !== null && PLAIN.test(contentType);
export const isCssType = (contentType: string | null): boolean => contentType !== null && CSS.test(contentType);
export const isSvgType = (contentType: string | null): boolean => contentType !== null && SVG.test(contentType);
/** What a link element says that is at its end. */
export const isFeedType = (type: string | null): boolean => type !== null && FEED.test(type);

/** How files begin that no person reads, in bytes that begin no text: PDF, PNG, JPEG, ZIP, gzip, ELF, WebAssembly. */
const MAGIC: readonly string[] = [
  '%PDF-',
  '\x89PNG\r\n\x1a\n',
  '\xff\xd8\xff',
  'PK\x03\x04',
  '\x1f\x8b',
  '\x7fELF',
  '\0asm',
];
/** GIF, RIFF, Ogg, WOFF, and MP4 at its fifth byte: a text may begin so too, but soon after that these have bytes that stand in no text. */
const MAGIC_WORDS: readonly (readonly [offset: number, text: string])[] = [
  [0, 'GIF8'],
  [0, 'RIFF'],
  [0, 'OggS'],
  [0, 'wOF'],
  [4, 'ftyp'],
];
const SOON = 512;
const LESS_THAN = 0x3c;
const LETTER_F = 0x66;
/** Bytes that stand in no text (MIME Sniffing, "binary data byte"). */
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;
const ALL_BINARY = new RegExp(BINARY, 'g');
/** As far as browsers look. */
const SAMPLE = 1445;
/** A control character strays into a text now and then; of a file of data they are more than one in so many. */
const STRAY_IN = 64;

/** Whether a body is no text at all, whatever it is said to be. Where a tag of HTML was found, a stray control character makes it none the less a page. */
export function isBinary(bytes: Uint8Array, encoding: string, looksLikeHtml: boolean): boolean {
  // Nearly every page: no file of data begins so, but for one whose mark stands at its fifth byte.
  if (looksLikeHtml && bytes[0] === LESS_THAN && bytes[4] !== LETTER_F) {
    return false;
  }
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, SAMPLE)).toString('latin1');
  if (MAGIC.some((text) => head.startsWith(text))) {
    return true;
  }
  if (encoding === 'utf-16le' || encoding === 'utf-16be') {
    return false;
  }
  if (MAGIC_WORDS.some(([offset, text]) => head.startsWith(text, offset))) {
    return BINARY.test(head.slice(0, SOON));
  }
  return !looksLikeHtml && (head.includes('\0') || controlsOf(head) > Math.max(1, head.length / STRAY_IN));
}

const controlsOf = (head: string): number => head.match(ALL_BINARY)?.length ?? 0;
