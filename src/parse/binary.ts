/** How files begin that no person reads: PDF, PNG, GIF, JPEG, ZIP, gzip, RIFF, Ogg, ELF, WOFF, WebAssembly, MP4 at its fifth byte. */
const MAGIC: readonly (readonly [offset: number, text: string])[] = [
  [0, '%PDF-'],
  [0, '\x89PNG\r\n\x1a\n'],
  [0, 'GIF8'],
  [0, '\xff\xd8\xff'],
  [0, 'PK\x03\x04'],
  [0, '\x1f\x8b'],
  [0, 'RIFF'],
  [0, 'OggS'],
  [0, '\x7fELF'],
  [0, 'wOF'],
  [0, '\0asm'],
  [4, 'ftyp'],
];
/** Bytes that stand in no text (MIME Sniffing, "binary data byte"). */
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;
/** As far as browsers look. */
const SAMPLE = 1445;

/** Whether a body is no text at all, whatever it is said to be. Where a tag of HTML was found, a stray control character makes it none the less a page. */
export function isBinary(bytes: Uint8Array, encoding: string, looksLikeHtml: boolean): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, SAMPLE)).toString('latin1');
  if (MAGIC.some(([offset, text]) => head.startsWith(text, offset))) return true;
  const isWide = encoding === 'utf-16le' || encoding === 'utf-16be';
  return !looksLikeHtml && !isWide && BINARY.test(head);
}
