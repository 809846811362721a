import { originOf, pathOf } from './host.js';

/**
 * The shape of a URL: what is left when counters, dates, ids and session tokens are folded. URLs of one shape are made by one
 * program, and a program can make them without end.
 */

/** In this order: a session parameter, an escape (kept), a UUID, a run of letters and digits. */
const TOKEN =
  /([;?&](?:jsessionid|phpsessid|aspsessionid[a-z]*|sessionid|session_id|session|sessid|sid|cfid|cftoken|token)=)[^&;/?]*|%[0-9a-f]{2}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-z]+/gi;
const DIGITS = /\d+/g;
const ONLY_DIGITS = /^\d+$/;
const ONLY_HEX = /^[0-9a-f]+$/i;
const HAS_DIGIT = /\d/;
const CAN_FOLD = /\d|[;?&](?:jsessionid|phpsessid|session|sess|sid|token|cf|asps)/i;
const SHORTEST_HEX_ID = 8;
const SHORTEST_TOKEN = 16;

/** Equal to the URL itself where nothing in it can be folded. */
export function shapeOf(url: string): string {
  const path = pathOf(url);
  return CAN_FOLD.test(path) ? originOf(url) + path.replace(TOKEN, foldToken) : url;
}

function foldToken(token: string, sessionParameter: string | undefined): string {
  if (sessionParameter !== undefined) return `${sessionParameter}f`;
  if (token.charCodeAt(0) === 0x25 || !HAS_DIGIT.test(token)) return token;
  if (ONLY_DIGITS.test(token)) return '0';
  if (token.length >= SHORTEST_TOKEN) return 'f';
  if (token.length >= SHORTEST_HEX_ID && ONLY_HEX.test(token)) return 'f';
  return token.replace(DIGITS, '0');
}

/** Origin and path with `?*`, or null where there is no query. */
export function queryPatternOf(url: string): string | null {
  const query = url.indexOf('?');
  return query < 0 ? null : `${url.slice(0, query)}?*`;
}
