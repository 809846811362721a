import { BANG, GREATER_THAN, HYPHEN, isSpace, LESS_THAN, SLASH } from './scan-bytes.js';
import type { ScannablePage } from './scan-pieces.js';

/** Behind the `>` that ends the comment whose `<!--` ends at `from`, or -1. `<!-->`, `<!--->` and `--!>` end one too. */
export function endOfComment(page: ScannablePage, from: number): number {
  const { bytes } = page;
  for (let close = page.find(GREATER_THAN, from); close !== -1; close = page.find(GREATER_THAN, close + 1)) {
    if (close === from || (close === from + 1 && bytes[from] === HYPHEN)) return close + 1;
    const dashesEnd = bytes[close - 1] === BANG ? close - 1 : close;
    if (dashesEnd - 2 >= from && bytes[dashesEnd - 1] === HYPHEN && bytes[dashesEnd - 2] === HYPHEN) return close + 1;
  }
  return -1;
}

/** Behind the next `>`, where bogus comments, processing instructions and document types end, or -1. */
export function endOfBogusComment(page: ScannablePage, from: number): number {
  const close = page.find(GREATER_THAN, from);
  return close === -1 ? -1 : close + 1;
}

export function endOfCdata({ bytes }: ScannablePage, from: number): number {
  const close = bytes.indexOf(']]>', from);
  return close === -1 ? -1 : close + 3;
}

/** Whether the lower-case `name` stands at `at` in any case and ends there as a tag's name does. */
function hasTagName(bytes: Buffer, at: number, name: string): boolean {
  const end = at + name.length;
  if (end >= bytes.length) return false;
  for (let i = 0; i < name.length; i++) if ((bytes[at + i]! | 0x20) !== name.charCodeAt(i)) return false;
  return isSpace(bytes[end]) || bytes[end] === SLASH || bytes[end] === GREATER_THAN;
}

/** The place of the `</name` that ends a raw text element whose content starts at `from`, or -1. */
export function endOfRawText(page: ScannablePage, from: number, name: string): number {
  const { bytes } = page;
  for (let open = page.find(LESS_THAN, from); open !== -1; open = page.find(LESS_THAN, open + 1)) {
    if (bytes[open + 1] === SLASH && hasTagName(bytes, open + 2, name)) return open;
  }
  return -1;
}

/**
 * The place of the `</script` that ends a script, or -1. After `<!--` a script may hold `<script>…</script>` without
 * ending, until `-->`: the escaped and double escaped states of the standard.
 */
export function endOfScript(page: ScannablePage, from: number): number {
  const { bytes } = page;
  let open = page.find(LESS_THAN, from);
  while (open !== -1) {
    if (bytes[open + 1] === SLASH && hasTagName(bytes, open + 2, 'script')) return open;
    let next = open + 1;
    if (bytes[open + 1] === BANG && bytes[open + 2] === HYPHEN && bytes[open + 3] === HYPHEN) {
      const escaped = leaveEscaped(bytes, open + 2);
      if (escaped === -1 || bytes[escaped] === LESS_THAN) return escaped;
      next = escaped;
    }
    open = page.find(LESS_THAN, next);
  }
  return -1;
}

/** From the dashes of `<!--` to the `<` of an end tag, or to the `>` of the `-->` that ends the escape, or -1. */
function leaveEscaped(bytes: Buffer, dashes: number): number {
  let isDouble = false;
  for (let i = dashes; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === GREATER_THAN) {
      if (bytes[i - 1] === HYPHEN && bytes[i - 2] === HYPHEN) return i;
    } else if (byte === LESS_THAN) {
      const isEndTag = bytes[i + 1] === SLASH;
      if (!hasTagName(bytes, isEndTag ? i + 2 : i + 1, 'script')) continue;
      if (isEndTag && !isDouble) return i;
      isDouble = !isEndTag;
    }
  }
  return -1;
}
