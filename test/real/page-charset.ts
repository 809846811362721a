/** The text of a page: byte order mark, header, meta element, and otherwise UTF-8 where it is that, else windows-1252. */
export function decodePage(bytes: Buffer, contentType: string | null): string {
  const label = markOf(bytes) ?? labelIn(contentType ?? '') ?? metaLabel(bytes);
  if (label !== null) {
    return new TextDecoder(label).decode(bytes);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function markOf(bytes: Buffer): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return 'utf-8';
  }
  if (bytes[0] === 0xff && bytes[1] === 0xfe) {
    return 'utf-16le';
  }
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null;
}

/** A label that no decoder knows counts as none. */
function labelIn(text: string): string | null {
  const label = /charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(text)?.[1];
  if (label === undefined) {
    return null;
  }
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

/** A page whose meta element can be read as ASCII is not in UTF-16, whatever it says. */
function metaLabel(bytes: Buffer): string | null {
  const head = bytes
    .subarray(0, 1024)
    .toString('latin1')
    .replace(/<!--.*?(?:-->|$)/gs, '');
  for (const [meta] of head.matchAll(/<meta\b[^>]*>/gi)) {
    const label = labelIn(meta);
    if (label !== null) {
      return label.startsWith('utf-16') ? 'utf-8' : label;
    }
  }
  return null;
}
