/** The text of a sitemap in the encoding it states. Octets that do not fit become U+FFFD. */
export function decodeSitemap(bytes: Uint8Array): string {
  try {
    return new TextDecoder(encodingOf(bytes)).decode(bytes);
  } catch {
    // An encoding that nobody knows.
    return new TextDecoder('utf-8').decode(bytes);
  }
}

/** By byte order mark, by the pattern of the first two octets (XML 1.0, appendix F), by the XML declaration, else UTF-8. */
function encodingOf(bytes: Uint8Array): string {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 200));
  const declared = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/i.exec(head)?.[1] ?? 'utf-8';
  // A declaration that could be read octet by octet cannot be true when it says UTF-16.
  return /^utf-?16/i.test(declared) ? 'utf-8' : declared;
}
