import { isHttp } from '../url/host.js';
import type { RobotsFile, RobotsRule } from './match.js';
import { normalPattern, textOf } from './match.js';

/**
 * robots.txt by RFC 9309. The file is parsed once per origin for one product token, kept and passed around in its compact
 * form, and compiled where URLs are matched.
 *
 * Choices where the RFC leaves room, or where files in the wild leave the RFC:
 * - A User-agent value is compared by its leading letters, `-` and `_`: `gossamer/1.0` and `gossamer*` name gossamer,
 *   `gossamer-news` does not. As digits end a token, `mybot2` and `mybot3` are both `mybot`.
 * - A path without `/` or `*` at its start is read as if it began with `/`.
 * - Keys may be in any case, misspelt in the common ways, without their colon, and with no-break spaces around: as the most widely
 *   used parser reads them, so that nothing is asked for that it would not ask for.
 * - Crawl-delay holds for the agents named above it and, like all other records, does not end a run of User-agent lines.
 * - A file whose rules cost too much to match for a URL disallows that URL.
 */

/** 500 KiB, the least that RFC 9309 asks a crawler to read. It bounds the number and the length of the rules, too. */
export const MAX_ROBOTS_BYTES = 512_000;
const MAX_SITEMAP_URL_LENGTH = 8_192;
const MAX_TEXT_LENGTH = 1_000;
const MAX_CRAWL_DELAY_MS = 365 * 24 * 3_600_000;

/** What rules are matched by: the leading letters, `-` and `_` of an agent, in lower case; '' if there are none. */
export function productToken(agent: string): string {
  return /^[A-Za-z_-]*/.exec(agent.trim())![0].toLowerCase();
}

/**
 * The beginnings of keys as files really spell and misspell them, just as the most widely used parser accepts them. Accepting fewer would mean
 * to fetch what the owners of those files believe to be forbidden.
 */
const KEYS = [
  ['user-agent', /^user[- ]?agent/],
  ['disallow', /^(?:disallow|dissallow|dissalow|disalow|diasllow|disallaw)/],
  ['allow', /^allow/],
  ['crawl-delay', /^crawl[- ]?delay/],
  ['sitemap', /^site-?map/],
] as const;
type Key = (typeof KEYS)[number][0];

/** Never throws: a line that cannot be read is skipped. `agent` is a product token or a whole User-Agent; `url` is that of the file. */
export function parseRobots(body: Uint8Array, agent: string, url?: string): RobotsFile {
  const token = productToken(agent);
  const forUs = new Group();
  const forAll = new Group();
  const sitemaps = new Set<string>();
  let open: Group[] = [];
  let readingAgents = false;

  for (const [index, rawLine] of linesOf(body).entries()) {
    const record = readRecord(rawLine);
    if (record === null) {
      continue;
    }
    const { key, value } = record;
    switch (key) {
      case 'user-agent': {
        if (!readingAgents) {
          open = [];
        }
        readingAgents = true;
        const group = token !== '' && productToken(value) === token ? forUs : /^\*(?:\s|$)/.test(value) ? forAll : null;
        if (group !== null && !open.includes(group)) {
          open.push(group);
        }
        if (group !== null) {
          group.isNamed = true;
        }
        break;
      }
      case 'allow':
      case 'disallow': {
        readingAgents = false;
        if (value === '' || open.length === 0 || (key === 'allow' && !isRooted(value))) {
          break;
        }
        const text = textOf(record.line.slice(0, MAX_TEXT_LENGTH));
        const rule = { allow: key === 'allow', pattern: normalPattern(value), line: index + 1, text };
        for (const group of open) {
          group.rules.push(rule);
        }
        break;
      }
      case 'crawl-delay': {
        const delayMs = readDelayMs(value);
        if (delayMs === null) {
          break;
        }
        for (const group of open) {
          group.crawlDelayMs = Math.max(delayMs, group.crawlDelayMs ?? 0);
        }
        break;
      }
      case 'sitemap': {
        const sitemap = sitemapUrl(value, url);
        if (sitemap !== null) {
          sitemaps.add(sitemap);
        }
        break;
      }
    }
  }

  const { rules, crawlDelayMs } = forUs.isNamed ? forUs : forAll;
  return { rules, crawlDelayMs, sitemaps: [...sitemaps] };
}

class Group {
  isNamed = false;
  rules: RobotsRule[] = [];
  crawlDelayMs: number | null = null;
}

/** A Disallow without its slash is read as if it had one. An Allow counts only as it is written, because no guess may let us in. */
const isRooted = (path: string): boolean => path.startsWith('/') || path.startsWith('*');

/**
 * Lines as octets and not as decoded text, because rules are compared by octet: a file that is not in UTF-8 still matches
 * the escapes of its own encoding. Without its NULs even a file in UTF-16 is readable; in any other file a NUL ends what
 * its line says.
 */
function linesOf(body: Uint8Array): string[] {
  const kept = body.subarray(0, MAX_ROBOTS_BYTES);
  const octets = Buffer.from(kept.buffer, kept.byteOffset, kept.byteLength).toString('latin1');
  const isUtf16 = /^(?:\xff\xfe|\xfe\xff)?(?:[^\0]\0[^\0]\0|\0[^\0]\0[^\0])/.test(octets);
  const text = isUtf16
    ? octets.replace(/^(?:\xff\xfe|\xfe\xff)/, '').replaceAll('\0', '')
    : octets.replace(/^\xef(?:\xbb\xbf?)?/, '');
  const lines = text.split(/\r\n|[\r\n]/);
  const next = body[MAX_ROBOTS_BYTES];
  const isCutInLine = next !== undefined && next !== 0x0a && next !== 0x0d;
  // Half a rule is a shorter pattern, which would match more than the whole rule did.
  if (isCutInLine) {
    lines.pop();
  }
  return lines;
}

/** A line with a key that counts; `line` is all of it. */
interface Line {
  readonly key: Key;
  readonly value: string;
  readonly line: string;
}

function readRecord(rawLine: string): Line | null {
  const end = rawLine.search(/[#\0]/);
  const said = end < 0 ? rawLine : rawLine.slice(0, end);
  if (said === '') {
    return null;
  }
  if (!/[\x80-\xff]/.test(said)) {
    return readTrimmed(said, trimSpaces);
  }
  const record = readTrimmed(said, trimWide);
  return record?.key === 'allow' ? readTrimmed(said, trimSpaces) : record;
}

function readTrimmed(said: string, trim: (octets: string) => string): Line | null {
  const line = trim(said);
  const colonAt = line.indexOf(':');
  // Some files leave out the colon: where a line has two words, the space between them stands for it.
  const keyEnd = colonAt >= 0 ? colonAt : (/^[^ \t]+(?=[ \t]+[^ \t]+$)/.exec(line)?.[0].length ?? 0);
  const written = trim(line.slice(0, keyEnd)).toLowerCase();
  const key = KEYS.find(([, beginning]) => beginning.test(written))?.[0];
  return key === undefined ? null : { key, value: trim(line.slice(keyEnd + 1)), line };
}

/** Not String.trim, which takes the octet A0 for a space and would cut characters of UTF-8 in two. */
function trimSpaces(octets: string): string {
  let start = 0;
  let end = octets.length;
  while (start < end && isSpace(octets.charCodeAt(start))) {
    start++;
  }
  while (end > start && isSpace(octets.charCodeAt(end - 1))) {
    end--;
  }
  return octets.slice(start, end);
}

/** The spaces of Unicode in UTF-8. In the older encodings the no-break space is A0, which in UTF-8 ends many a character. */
const WIDE_SPACE = /\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80/.source;
const FIRST_SPACES = new RegExp(`^(?:[\\t\\v\\f ]|\\xa0|${WIDE_SPACE})*`);
const LAST_WIDE_SPACE = new RegExp(`(?:(?<![\\x80-\\xff])\\xa0|${WIDE_SPACE})$`);
const LONGEST_WIDE_SPACE = 3;

/** Trims Unicode's wide spaces too. */
function trimWide(octets: string): string {
  let text = trimSpaces(octets);
  text = text.slice(FIRST_SPACES.exec(text)![0].length);
  // Spaces are removed one by one from the end: a search for all of them at once would start again at each space within the line.
  for (;;) {
    const length = LAST_WIDE_SPACE.exec(text.slice(-LONGEST_WIDE_SPACE - 1))?.[0].length;
    if (length === undefined) {
      return text;
    }
    text = trimSpaces(text.slice(0, -length));
  }
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x09 || code === 0x0b || code === 0x0c;

function readDelayMs(value: string): number | null {
  if (!/^(?:\d+(?:\.\d*)?|\.\d+)$/.test(value)) {
    return null;
  }
  // Rounded up so that the delay is never undercut, save for the error that 1000 × a binary fraction brings.
  return Math.min(Math.ceil(Number(value) * 1000 - 1e-6), MAX_CRAWL_DELAY_MS);
}

/** Some files name their sitemap by its path alone. */
function sitemapUrl(octets: string, robotsUrl: string | undefined): string | null {
  if (octets === '' || octets.length > MAX_SITEMAP_URL_LENGTH) {
    return null;
  }
  try {
    const url = new URL(textOf(octets), robotsUrl);
    return isHttp(url.href) ? url.href : null;
  } catch {
    return null;
  }
}
