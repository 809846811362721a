import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { cookieKey, type KeptCookie, LONGEST_COOKIE } from '../url/kept-cookie.js';
import { isPublicSuffix } from '../url/scope.js';

/** Netscape's cookies.txt, which curl, wget, yt-dlp and the extensions of browsers read and write. */
const HEAD = `# Netscape HTTP Cookie File
# Written by gossamer. Who has this file has your sessions: keep it to yourself.
`;
const HTTP_ONLY = '#HttpOnly_';
const FIELDS = 'domain, TRUE or FALSE, path, TRUE or FALSE, expiry, name and value, with tabs between them';
/** How many faults are named. */
const MOST_NAMED = 5;
const MOST_BYTES = 64 * 1024 * 1024;
const CONTROL = /[\0-\x1f\x7f]/;

/** Reads a file of cookies; each character is a byte. A file with a line that cannot be read is refused, because it is written back as a whole. */
export function readCookiesTxt(text: string, path: string, wall: number): KeptCookie[] {
  if (text.length > MOST_BYTES) {
    throw new UsageError(`--cookie-jar ${printable(path)} is larger than ${MOST_BYTES / 1024 / 1024} MiB`);
  }
  const cookies = new Map<string, KeptCookie>();
  /** What is wrong, and the first line where it is. */
  const bad = new Map<string, { line: number; more: number }>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const isComment = line.startsWith('#') && !line.startsWith(HTTP_ONLY);
    if (isComment || line.trim() === '') {
      continue;
    }
    const cookie = readLine(line, wall);
    if (typeof cookie === 'string') {
      const known = bad.get(cookie);
      bad.set(cookie, known === undefined ? { line: index + 1, more: 0 } : { ...known, more: known.more + 1 });
    } else {
      cookies.set(cookieKey(cookie), cookie);
    }
  }
  if (bad.size > 0) {
    const faults = [...bad].map(([fault, { line, more }]) => {
      const others = more === 0 ? '' : ` (and ${more} more ${more === 1 ? 'line' : 'lines'} like it)`;
      return `line ${line}: ${fault}${others}`;
    });
    const rest = faults.length > MOST_NAMED ? `; and ${faults.length - MOST_NAMED} more` : '';
    throw new UsageError(`--cookie-jar ${printable(path)}: ${faults.slice(0, MOST_NAMED).join('; ')}${rest}`);
  }
  return [...cookies.values()];
}

/** The cookie, or what is wrong with the line. The line itself is never shown: it is a secret. */
function readLine(line: string, wall: number): KeptCookie | string {
  const httpOnly = line.startsWith(HTTP_ONLY);
  const fields = (httpOnly ? line.slice(HTTP_ONLY.length) : line).split('\t');
  if (fields.length !== 7 && fields.length !== 6) {
    return `a cookie has 7 fields (${FIELDS}), this line has ${fields.length}`;
  }
  const [given, subdomains, path, secure, expiry, name, value = ''] = fields as [string, ...string[]] & string[];
  const domain = given.replace(/^\./, '').toLowerCase();
  if (domain === '' || /[\s/:;,@]/.test(domain.replace(/^\[[\da-f:.]+\]$/, ''))) {
    return 'its first field is not a domain';
  }
  const isFlag = (text: string | undefined): boolean => /^(?:TRUE|FALSE)$/i.test(text ?? '');
  if (!isFlag(subdomains) || !isFlag(secure)) {
    return `its ${isFlag(subdomains) ? 'fourth' : 'second'} field is neither TRUE nor FALSE`;
  }
  if (!path!.startsWith('/')) {
    return 'its path does not begin with a slash';
  }
  if (!/^-?\d{1,15}(?:\.\d+)?$/.test(expiry!)) {
    return 'its expiry is not a number of seconds since 1970';
  }
  if (CONTROL.test(name! + value) || /[;=]/.test(name!) || value.includes(';') || (name === '' && value === '')) {
    return 'its name or value cannot be sent as a cookie';
  }
  if (name!.length + value.length > LONGEST_COOKIE) {
    return `its name and value have more than ${LONGEST_COOKIE} bytes`;
  }
  const hostOnly = /^FALSE$/i.test(subdomains!);
  if (!hostOnly && isPublicSuffix(domain)) {
    return `it is for all hosts below ${printable(domain)}, a public suffix`;
  }
  const seconds = Math.trunc(Number(expiry));
  return {
    name: name!,
    value,
    domain,
    hostOnly,
    path: path!,
    secure: /^TRUE$/i.test(secure!),
    httpOnly,
    sameSite: null,
    // 0 is a cookie of the session, which here lasts as long as the crawl.
    expiresAt: seconds <= 0 ? null : seconds * 1000,
    createdAt: wall,
    setAt: wall,
  };
}

/** Cookies that are over are left out. Of two that differ in their port alone the file can hold one: the one that was set last. */
export function writeCookiesTxt(cookies: Iterable<KeptCookie>, wall: number): string {
  const latest = new Map<string, KeptCookie>();
  for (const cookie of cookies) {
    const key = cookieKey(cookie);
    if ((latest.get(key)?.setAt ?? Number.NEGATIVE_INFINITY) <= cookie.setAt) {
      latest.set(key, cookie);
    }
  }
  const lines = [...latest]
    .filter(([, { expiresAt }]) => expiresAt === null || expiresAt > wall)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, cookie]) => lineOf(cookie));
  return HEAD + lines.map((line) => `${line}\n`).join('');
}

function lineOf({ name, value, domain, hostOnly, path, secure, httpOnly, expiresAt }: KeptCookie): string {
  const flag = (isSet: boolean): string => (isSet ? 'TRUE' : 'FALSE');
  const shown = `${httpOnly ? HTTP_ONLY : ''}${hostOnly ? '' : '.'}${domain}`;
  const expiry = expiresAt === null ? 0 : Math.max(1, Math.ceil(expiresAt / 1000));
  return [shown, flag(!hostOnly), path, flag(secure), expiry, name, value].join('\t');
}
