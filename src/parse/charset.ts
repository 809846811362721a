import { isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { WINDOWS_1252_HIGH_CONTROLS } from './entities.js';
import { prescanEncoding } from './scan-prescan.js';

export interface DetectedEncoding {
  /** The name of the encoding in the Encoding standard, lower case. */
  encoding: string;
  source: 'bom' | 'header' | 'meta' | 'fallback';
}

const PRESCAN_BYTES = 1024;
const CHARSET_PARAMETER = /;\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i;

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

/** The encoding that a label such as `latin1` or `UTF8` stands for, or null for one that nobody knows. */
export function encodingOfLabel(label: string): string | null {
  const name = label.trim().toLowerCase();
  if (name === 'utf-8') return name;
  if (decoders.has(name)) return name;
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return null;
  }
}

function encodingOfBom(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return null;
}

/** The start of an XML declaration in UTF-16 without a byte order mark. */
function encodingOfWideXml(bytes: Uint8Array): string | null {
  const startsWith = (...head: number[]) => head.every((byte, i) => bytes[i] === byte);
  if (startsWith(0x3c, 0, 0x3f, 0, 0x78, 0)) return 'utf-16le';
  if (startsWith(0, 0x3c, 0, 0x3f, 0, 0x78)) return 'utf-16be';
  return null;
}

function encodingOfHeader(contentType: string | null): string | null {
  const match = contentType === null ? null : CHARSET_PARAMETER.exec(contentType);
  const label = match?.[1] ?? match?.[2] ?? match?.[3];
  return label === undefined ? null : encodingOfLabel(label);
}

function encodingOfMeta(bytes: Uint8Array): string | null {
  const wideXml = encodingOfWideXml(bytes);
  if (wideXml !== null) return wideXml;
  const label = prescanEncoding(bytes.subarray(0, PRESCAN_BYTES), (candidate) => {
    return isUserDefined(candidate) || encodingOfLabel(candidate) !== null;
  });
  if (label === null) return null;
  if (isUserDefined(label)) return 'windows-1252';
  const encoding = encodingOfLabel(label);
  // A page whose meta element could be read byte by byte cannot be in UTF-16, whatever it says.
  return encoding === 'utf-16le' || encoding === 'utf-16be' ? 'utf-8' : encoding;
}

const isUserDefined = (label: string): boolean => label.trim().toLowerCase() === 'x-user-defined';

/**
 * Whether only the last character is broken, as in a body that was cut at a size limit. One whole character outside ASCII
 * must come before it: a text whose only such byte is its last is a word in an older encoding.
 */
function isUtf8ButForItsEnd(bytes: Uint8Array): boolean {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return false;
    const whole = bytes.subarray(0, bytes.length - back);
    if (byte >= 0xc0) return isUtf8(whole) && !isAscii(whole);
  }
  return false;
}

/** Byte order mark, then header, then the page's own word for it in its first 1,024 bytes, then what the bytes allow. */
export function detectEncoding(bytes: Uint8Array, contentType: string | null): DetectedEncoding {
  const fromBom = encodingOfBom(bytes);
  if (fromBom !== null) return { encoding: fromBom, source: 'bom' };
  const fromHeader = encodingOfHeader(contentType);
  if (fromHeader !== null) return { encoding: fromHeader, source: 'header' };
  const fromMeta = encodingOfMeta(bytes);
  if (fromMeta !== null) return { encoding: fromMeta, source: 'meta' };
  const isValidUtf8 = isUtf8(bytes) || isUtf8ButForItsEnd(bytes);
  return { encoding: isValidUtf8 ? 'utf-8' : 'windows-1252', source: 'fallback' };
}

/** Not left to TextDecoder: in several releases of Node that reads bytes 128 to 159 as control characters. */
function decodeWindows1252(bytes: Uint8Array): string {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return latin1.replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252_HIGH_CONTROLS[character.charCodeAt(0) - 0x80]!);
}

/** The text of some bytes; what cannot be decoded becomes U+FFFD, a byte order mark is kept. */
export function decodeBytes(bytes: Uint8Array, encoding: string): string {
  return encoding === 'windows-1252' ? decodeWindows1252(bytes) : decoderOf(encoding).decode(bytes);
}

/** The text of a whole body, without its byte order mark, and whether some of it could not be decoded. */
export function decodeText(bytes: Uint8Array, encoding: string): { text: string; undecodable: boolean } {
  const content = encodingOfBom(bytes) === encoding ? bytes.subarray(encoding === 'utf-8' ? 3 : 2) : bytes;
  return { text: decodeBytes(content, encoding), undecodable: !isDecodable(content, encoding) };
}

function isDecodable(bytes: Uint8Array, encoding: string): boolean {
  if (encoding === 'windows-1252') return true;
  if (encoding === 'utf-8') return isUtf8(bytes);
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
