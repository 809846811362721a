import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { WINDOWS_1252_HIGH_CONTROLS } from './html-rules.js';

/** The text of some bytes; what cannot be decoded becomes U+FFFD, a byte order mark is kept. */
export function decodeBytes(bytes: Uint8Array, encoding: string): string {
  return encoding === 'windows-1252' ? decodeWindows1252(bytes) : decoderOf(encoding).decode(bytes);
}

/** The text of a whole body, without its byte order mark, and whether some of it could not be decoded. */
export function decodeText(bytes: Uint8Array, encoding: string): { text: string; undecodable: boolean } {
  const content = encodingOfBom(bytes) === encoding ? bytes.subarray(encoding === 'utf-8' ? 3 : 2) : bytes;
  return { text: decodeBytes(content, encoding), undecodable: !isDecodable(content, encoding) };
}

/** The encoding that a label such as `latin1` or `UTF8` stands for, or null if it is unknown. */
export function encodingOfLabel(label: string): string | null {
  const name = label.trim().toLowerCase();
  if (name === 'utf-8') {
    return name;
  }
  if (decoders.has(name)) {
    return name;
  }
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return null;
  }
}

/** The encoding that a byte order mark stands for, or null if there is none. */
export function encodingOfBom(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return 'utf-8';
  }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) {
    return 'utf-16be';
  }
  if (bytes[0] === 0xff && bytes[1] === 0xfe) {
    return 'utf-16le';
  }
  return null;
}

/** Whether all bytes have a meaning in the encoding. */
export function isDecodable(bytes: Uint8Array, encoding: string): boolean {
  if (encoding === 'windows-1252') {
    return true;
  }
  if (encoding === 'utf-8') {
    return isUtf8(bytes);
  }
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

const decoders = new Map<string, TextDecoder>();

/** The decoder of an encoding by its canonical name; there are about forty, so all that were used are kept. */
function decoderOf(encoding: string): TextDecoder {
  let decoder = decoders.get(encoding);
  if (decoder === undefined) {
    decoder = new TextDecoder(encoding, { ignoreBOM: true });
    decoders.set(encoding, decoder);
  }
  return decoder;
}

/** Not left to TextDecoder: in several releases of Node that reads bytes 128 to 159 as control characters. */
function decodeWindows1252(bytes: Uint8Array): string {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return latin1.replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252_HIGH_CONTROLS[character.charCodeAt(0) - 0x80]!);
}

/** The text of an XML file in the encoding it states. Octets that do not fit become U+FFFD. */
export function decodeXml(bytes: Uint8Array): string {
  try {
    return new TextDecoder(encodingOfXml(bytes)).decode(bytes);
  } catch {
    // An unknown encoding.
    return new TextDecoder('utf-8').decode(bytes);
  }
}

/** By byte order mark, by the pattern of the first two octets (XML 1.0, appendix F), by the XML declaration, else UTF-8. */
function encodingOfXml(bytes: Uint8Array): string {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) {
    return 'utf-8';
  }
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) {
    return 'utf-16le';
  }
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) {
    return 'utf-16be';
  }
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 200));
  const declared = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/i.exec(head)?.[1] ?? 'utf-8';
  // A declaration that could be read octet by octet cannot be true when it says UTF-16.
  return /^utf-?16/i.test(declared) ? 'utf-8' : declared;
}

/** The bytes of a character in an encoding, as text of one character a byte; undefined where it has none. */
type Encoder = (codePoint: number) => string | undefined;

const FIRST_LEAD = 0x81;

const LAST_BYTE = 0xfe;

const FIRST_TRAIL = 0x40;

/** Of what two pairs of bytes mean in Big5, the standard takes the later pair for these alone. */
const LATER_IN_BIG5 = new Set([0x2550, 0x255e, 0x2561, 0x256a, 0x5341, 0x5345]);

/** Pointer of U+10000 in gb18030. */
const FIRST_ASTRAL = 189_000;

/** Behind the last pointer of the four bytes that mean something in the basic plane. */
const BASIC_END = 39_420;

const encoders = new Map<string, Encoder>();

/**
 * The href with its query in the encoding of the page in which it stands, as the URL standard has it; what the encoding does not have becomes a
 * character reference. Only hrefs of the web: of another scheme nothing is changed.
 */
export function inEncodingOfPage(href: string, encoding: string): string {
  // Neither UTF-8 nor UTF-16, for which the standard takes UTF-8.
  if (encoding.startsWith('utf-')) {
    return href;
  }
  const hash = href.indexOf('#');
  const end = hash < 0 ? href.length : hash;
  const query = href.indexOf('?');
  if (query < 0 || query > end || !/[^\0-\x7f]/.test(href.slice(query, end))) {
    return href;
  }
  const scheme = /^[\0-\x20]*([a-z][a-z0-9+.-]*):/i.exec(href)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') {
    return href;
  }
  const written =
    encoding === 'iso-2022-jp'
      ? inIso2022Jp(href.slice(query, end))
      : href.slice(query, end).replace(/[^\0-\x7f]/gu, (found) => escapedBy(encoderOf(encoding), found));
  return href.slice(0, query) + written + href.slice(end);
}

function escapedBy(encode: Encoder, character: string): string {
  const codePoint = character.codePointAt(0)!;
  const bytes = encode(codePoint);
  return bytes === undefined ? `%26%23${codePoint}%3B` : escaped(bytes);
}

/** Second bytes may be ASCII; of that only what a query cannot hold is escaped. */
const escaped = (bytes: string): string =>
  bytes.replace(
    /[^\x21\x24-\x26\x28-\x3b\x3d\x3f-\x7e]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );

function encoderOf(encoding: string): Encoder {
  let encoder = encoders.get(encoding);
  if (encoder === undefined) {
    const table = TWO_BYTES.has(encoding) ? pairsOf(encoding) : new Map<number, string>();
    for (const [byte, character] of singlesOf(encoding)) {
      table.set(character, byte);
    }
    encoder = encoding === 'gb18030' ? withFourBytes(table) : (codePoint) => table.get(codePoint);
    encoders.set(encoding, encoder);
  }
  return encoder;
}

const TWO_BYTES = new Set(['gbk', 'gb18030', 'big5', 'shift_jis', 'euc-jp', 'euc-kr']);

/** Bytes outside ASCII that mean a character by themselves. */
function* singlesOf(encoding: string): Generator<[string, number]> {
  // It reads 80 as gbk does, and has two bytes for it.
  if (encoding === 'gb18030') {
    return;
  }
  for (let byte = 0x80; byte <= 0xff; byte++) {
    const text = decodeBytes(Uint8Array.of(byte), encoding);
    if (text.length === 1 && text !== '\ufffd') {
      yield [String.fromCharCode(byte), text.charCodeAt(0)];
    }
  }
}

/** All pairs of bytes that mean a character, found by decoding each of them once. */
function pairsOf(encoding: string): Map<number, string> {
  const bytes: number[] = [];
  for (let lead = FIRST_LEAD; lead <= LAST_BYTE; lead++) {
    if (isDecodedOnly(encoding, lead)) {
      continue;
    }
    for (let trail = FIRST_TRAIL; trail <= LAST_BYTE; trail++) {
      bytes.push(lead, trail, 0x0a);
    }
  }
  const meanings = decodeBytes(Uint8Array.from(bytes), encoding).split('\n');
  const table = new Map<number, string>();
  meanings.forEach((meaning, place) => {
    const codePoint = meaning.codePointAt(0);
    const isOne = codePoint !== undefined && meaning.length === (codePoint > 0xffff ? 2 : 1) && codePoint > 0x7f;
    if (!isOne || codePoint === 0xfffd) {
      return;
    }
    if (!table.has(codePoint) || (encoding === 'big5' && LATER_IN_BIG5.has(codePoint))) {
      table.set(codePoint, String.fromCharCode(bytes[place * 3]!, bytes[place * 3 + 1]!));
    }
  });
  return table;
}

/** Rows that the standard reads and never writes: extensions of Big5, and what NEC had twice. */
const isDecodedOnly = (encoding: string, lead: number): boolean =>
  (encoding === 'big5' && lead < 0xa1) ||
  (encoding === 'shift_jis' && (lead === 0xed || lead === 0xee || lead >= 0xf0)) ||
  (encoding === 'euc-jp' && lead === 0x8f);

/** gb18030 has four bytes for all that has no two. */
function withFourBytes(pairs: ReadonlyMap<number, string>): Encoder {
  const fours = new Map<number, string>();
  const bytes = new Uint8Array(BASIC_END * 5).fill(0x0a);
  for (let pointer = 0; pointer < BASIC_END; pointer++) {
    bytes.set(fourBytes(pointer), pointer * 5);
  }
  decodeBytes(bytes, 'gb18030')
    .split('\n')
    .forEach((meaning, pointer) => {
      if (meaning.length === 1 && meaning !== '\ufffd') {
        fours.set(meaning.charCodeAt(0), textOf(pointer));
      }
    });
  return (codePoint) =>
    pairs.get(codePoint) ?? (codePoint > 0xffff ? textOf(codePoint - 0x10000 + FIRST_ASTRAL) : fours.get(codePoint));
}

const textOf = (pointer: number): string => String.fromCharCode(...fourBytes(pointer));

const fourBytes = (pointer: number): [number, number, number, number] => [
  0x81 + Math.floor(pointer / 12_600),
  0x30 + (Math.floor(pointer / 1_260) % 10),
  0x81 + (Math.floor(pointer / 10) % 126),
  0x30 + (pointer % 10),
];

/** The one encoding with states: two bytes of EUC-JP without their high bits, between two escapes. */
function inIso2022Jp(query: string): string {
  const encode = encoderOf('euc-jp');
  let isWide = false;
  let written = '';
  const into = (wide: boolean): string => {
    const change = wide === isWide ? '' : wide ? '%1B$B' : '%1B(B';
    isWide = wide;
    return change;
  };
  for (const character of query) {
    const codePoint = character.codePointAt(0)!;
    const pair = codePoint < 0x80 ? undefined : encode(codePoint);
    if (codePoint < 0x80) {
      written += into(false) + character;
    } else if (pair === undefined || pair.charCodeAt(0) === 0x8e) {
      written += `${into(false)}%26%23${codePoint}%3B`;
    } else {
      const narrow = String.fromCharCode(pair.charCodeAt(0) & 0x7f, pair.charCodeAt(1) & 0x7f);
      written += into(true) + escaped(narrow);
    }
  }
  return written + into(false);
}
