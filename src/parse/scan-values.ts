import { isSpace } from './scan-bytes.js';

const COMMA = 0x2c;
const SPACE = '[\\t\\n\\f\\r ]';

const UNFOLDED_SPACE = /^ |[\t\n\f\r]| {2}| $/;

export function foldSpace(text: string): string {
  return UNFOLDED_SPACE.test(text) ? text.replace(/[\t\n\f\r ]+/g, ' ').replace(/^ | $/g, '') : text;
}

/** Without the white space of ASCII around it, and no other. */
export function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** The candidates of a srcset: a URL, then descriptors up to a comma that is not in parentheses. */
const LEADING = new RegExp(`(?:${SPACE}|,)+`, 'y');
const CANDIDATE_URL = /[^\t\n\f\r ]+/y;

export function srcsetUrls(srcset: string): string[] {
  const urls: string[] = [];
  let at = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const taken = pattern.exec(srcset)?.[0] ?? '';
    at += taken.length;
    return taken;
  };
  while (at < srcset.length) {
    take(LEADING);
    const candidate = take(CANDIDATE_URL);
    if (candidate === '') break;
    const url = withoutTrailingCommas(candidate);
    urls.push(url);
    if (url.length === candidate.length) at = endOfDescriptors(srcset, at);
  }
  return urls;
}

/** By hand, like `trimSpace`: a pattern that ends in `+$` takes quadratic time on a hostile value. */
function withoutTrailingCommas(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === COMMA) end--;
  return text.slice(0, end);
}

function endOfDescriptors(srcset: string, from: number): number {
  let inParentheses = false;
  for (let i = from; i < srcset.length; i++) {
    const character = srcset[i];
    if (character === '(') inParentheses = true;
    else if (character === ')') inParentheses = false;
    else if (character === ',' && !inParentheses) return i;
  }
  return srcset.length;
}

const REFRESH_TIME = new RegExp(`^${SPACE}*(?:[0-9]+|(?=\\.))[0-9.]*`);
const REFRESH_SEPARATOR = new RegExp(`^${SPACE}*[;,]?${SPACE}*`);
const REFRESH_KEYWORD = new RegExp(`^url${SPACE}*=${SPACE}*`, 'i');

/** The URL in the content of a meta refresh, or null where it only reloads the page or is not one at all. */
export function refreshUrl(content: string): string | null {
  const time = REFRESH_TIME.exec(content);
  if (time === null) return null;
  const rest = content.slice(time[0].length);
  const separator = REFRESH_SEPARATOR.exec(rest)![0];
  // `5url=x` is no refresh: something must part the two.
  if (separator === '') return null;
  let url = rest.slice(separator.length).replace(REFRESH_KEYWORD, '');
  const quote = url[0];
  if (quote === '"' || quote === "'") {
    url = url.slice(1);
    const close = url.indexOf(quote);
    if (close !== -1) url = url.slice(0, close);
  }
  url = trimSpace(url);
  return url === '' ? null : url;
}
