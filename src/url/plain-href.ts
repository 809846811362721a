/**
 * Resolves the usual hrefs by string operations alone. Every character that is let through stands for itself in WHATWG URL
 * parsing at the place where it is let through, so what comes out is what `new URL` gives; anything else (escapes, spaces,
 * backslashes, colons, inner dot segments, ports, names that IDNA or IPv4 parsing may change) is left to `new URL`.
 */

/** A base URL in normal form, cut up once for all the links of its page. */
export interface BaseParts {
  /** The whole, query included: what '' and '#x' mean. */
  readonly url: string;
  /** Scheme and authority: what '/x' is added to. */
  readonly origin: string;
  /** Scheme, authority and path up to the last slash. */
  readonly directory: string;
  /** Scheme, authority and path: what '?q' is added to. */
  readonly page: string;
}

const PATH = 1;
const QUERY = 2;
const HOST = 4;

const CLASSES = new Uint8Array(128);
function allow(characters: string, flags: number): void {
  for (const character of characters) CLASSES[character.charCodeAt(0)]! |= flags;
}
allow('abcdefghijklmnopqrstuvwxyz0123456789-', PATH | QUERY | HOST);
allow('ABCDEFGHIJKLMNOPQRSTUVWXYZ_.~/!$&()*+,;=@', PATH | QUERY);
allow('?:', QUERY);

const SLASH = 0x2f;
const DOT = 0x2e;
const QUESTION = 0x3f;
const HYPHEN = 0x2d;

/**
 * @param href without its fragment
 * @returns null where only the full parser can tell
 */
export function resolvePlain(href: string, base: BaseParts): string | null {
  if (href.length === 0) return base.url;
  const first = href.charCodeAt(0);
  if (first === QUESTION) return isPlainQuery(href, 1) ? base.page + href : null;
  if (first === SLASH) {
    return href.charCodeAt(1) !== SLASH && isPlainPath(href, 1) ? base.origin + href : null;
  }
  if (href.startsWith('http://')) return resolvePlainAbsolute(href, 7);
  if (href.startsWith('https://')) return resolvePlainAbsolute(href, 8);
  if (first !== DOT) return isPlainPath(href, 0) ? base.directory + href : null;
  return resolveDotted(href, base);
}

function resolveDotted(href: string, base: BaseParts): string | null {
  let directory = base.directory;
  let at = 0;
  for (;;) {
    if (href.startsWith('../', at)) {
      at += 3;
      directory = parentOf(directory, base.origin.length);
    } else if (href.startsWith('./', at)) at += 2;
    else break;
  }
  return isPlainPath(href, at) ? directory + href.slice(at) : null;
}

/** The folder that holds this one; the root is its own parent. */
function parentOf(directory: string, originLength: number): string {
  const slash = directory.lastIndexOf('/', directory.length - 2);
  return slash < originLength ? directory : directory.slice(0, slash + 1);
}

/** From `start`, the first character of a segment: plain characters, no dot segment, perhaps a plain query. */
function isPlainPath(href: string, start: number): boolean {
  let segmentStart = true;
  for (let at = start; at < href.length; at++) {
    const code = href.charCodeAt(at);
    if (code === QUESTION) return isPlainQuery(href, at + 1);
    if (code > 127 || (CLASSES[code]! & PATH) === 0) return false;
    if (segmentStart && code === DOT) return false;
    segmentStart = code === SLASH;
  }
  return true;
}

function isPlainQuery(href: string, start: number): boolean {
  for (let at = start; at < href.length; at++) {
    const code = href.charCodeAt(at);
    if (code > 127 || (CLASSES[code]! & QUERY) === 0) return false;
  }
  return true;
}

function resolvePlainAbsolute(href: string, hostStart: number): string | null {
  let at = hostStart;
  let labelStart = at;
  for (; at < href.length; at++) {
    const code = href.charCodeAt(at);
    if (code === DOT) {
      if (at === labelStart) return null;
      labelStart = at + 1;
    } else if (code === SLASH || code === QUESTION) break;
    else if (code > 127 || (CLASSES[code]! & HOST) === 0) return null;
    // `xn--` needs IDNA.
    else if (code === HYPHEN && href.charCodeAt(at - 1) === HYPHEN) return null;
  }
  // A last label that begins with a digit may make the whole an IPv4 address.
  const top = href.charCodeAt(labelStart);
  if (at === labelStart || !(top >= 0x61 && top <= 0x7a)) return null;
  if (at === href.length) return `${href}/`;
  if (href.charCodeAt(at) === QUESTION) {
    return isPlainQuery(href, at + 1) ? `${href.slice(0, at)}/${href.slice(at)}` : null;
  }
  return isPlainPath(href, at + 1) ? href : null;
}
