/**
 * Both sides of a comparison are brought to one spelling, octet by octet (RFC 9309, 2.2.2): octets that a URI cannot hold
 * are escaped, escaped unreserved characters are unescaped, and the escapes that stay are in upper case.
 * In these functions a string of octets has one character, U+0000 to U+00FF, per octet.
 */
const ESCAPE_OR_FOREIGN_OCTET = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/g;
const UNRESERVED = /^[A-Za-z0-9\-._~]$/;

const escapeOctet = (octet: string): string => `%${octet.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
const unescapeOctet = (triplet: string): string => String.fromCharCode(Number.parseInt(triplet.slice(1), 16));

export const octetsOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
export const textOf = (octets: string): string => Buffer.from(octets, 'latin1').toString('utf8');

function normalOctets(octets: string): string {
  return octets.replace(ESCAPE_OR_FOREIGN_OCTET, (found) => {
    if (found.length === 1) return escapeOctet(found);
    const octet = unescapeOctet(found);
    return UNRESERVED.test(octet) ? octet : found.toUpperCase();
  });
}

/** The path of a rule. `*` and a `$` at the end are special; any other `$` stands for itself and is escaped. */
export function normalPattern(octets: string): string {
  const isAnchored = octets.endsWith('$');
  const body = isAnchored ? octets.slice(0, -1) : octets;
  const rooted = body.startsWith('/') || body.startsWith('*') ? body : `/${body}`;
  return normalOctets(rooted).replaceAll('$', '%24') + (isAnchored ? '$' : '');
}

/**
 * The path and query of a URL. `*` and `$` are escaped, so that nothing in a URL is special and a rule can name them as
 * `%2A` and `%24`.
 */
export function normalPath(pathAndQuery: string): string {
  const rooted = pathAndQuery.startsWith('/') ? pathAndQuery : `/${pathAndQuery}`;
  return normalOctets(octetsOf(rooted)).replaceAll('*', '%2A').replaceAll('$', '%24');
}

const RESERVED_IN_PATH = /[:@[\]!'()+,;]/g;
const RESERVED_IN_QUERY = /[:@[\]!'()+,;/?]/g;
const ESCAPED_IN_PATH = /%(?:3A|40|5B|5D|21|27|28|29|2B|2C|3B)/g;
const ESCAPED_IN_QUERY = /%(?:3A|40|5B|5D|21|27|28|29|2B|2C|3B|2F|3F)/g;

/**
 * The spellings of a normal path that a rule may have used: as it is, and with the reserved characters all escaped or all
 * plain, for the RFC makes no difference between those. Left alone is what gives a URL its structure: `/` in the path, the
 * first `?`, `&` and `=`.
 */
export function spellings(path: string): string[] {
  const queryAt = path.indexOf('?');
  const head = queryAt < 0 ? path : path.slice(0, queryAt);
  const mark = queryAt < 0 ? '' : '?';
  const query = queryAt < 0 ? '' : path.slice(queryAt + 1);
  const escaped = head.replace(RESERVED_IN_PATH, escapeOctet) + mark + query.replace(RESERVED_IN_QUERY, escapeOctet);
  const plain = head.replace(ESCAPED_IN_PATH, unescapeOctet) + mark + query.replace(ESCAPED_IN_QUERY, unescapeOctet);
  return [...new Set([path, escaped, plain])];
}
