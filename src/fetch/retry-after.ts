const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const IMF_FIXDATE = /^[a-z]{3}, (?<day>\d{1,2}) (?<month>[a-z]{3}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) gmt$/i;
const RFC_850 = /^[a-z]{3,9}, (?<day>\d{1,2})-(?<month>[a-z]{3})-(?<year>\d{2}|\d{4}) (?<time>\d{2}:\d{2}:\d{2}) gmt$/i;
const ASCTIME = /^[a-z]{3} (?<month>[a-z]{3}) (?<day>[ \d]?\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/i;

/**
 * Milliseconds from now that a Retry-After header asks to wait (RFC 9110, 10.2.3): a whole number of seconds, or a date in any
 * of the three formats of HTTP, a day of one digit included. 0 for a date in the past, null for no header or one that cannot be read. Not capped,
 * but never more than a safe integer.
 */
export function parseRetryAfter(value: string | null, wallNowMs: number): number | null {
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER);
  const dateMs = parseHttpDate(text, wallNowMs);
  return dateMs === null ? null : Math.max(0, dateMs - wallNowMs);
}

function parseHttpDate(text: string, wallNowMs: number): number | null {
  const parts = (IMF_FIXDATE.exec(text) ?? RFC_850.exec(text) ?? ASCTIME.exec(text))?.groups;
  if (parts === undefined) return null;
  const year = parts.year!.length === 2 ? fullYear(Number(parts.year), wallNowMs) : Number(parts.year);
  const month = MONTHS.indexOf(parts.month!.toLowerCase());
  const day = Number(parts.day);
  const [hour, minute, second] = parts.time!.split(':').map(Number) as [number, number, number];
  // 60 is a leap second.
  if (month < 0 || hour > 23 || minute > 59 || second > 60) return null;
  const midnight = new Date(Date.UTC(year, month, day));
  const isRealDay = midnight.getUTCMonth() === month && midnight.getUTCDate() === day;
  return isRealDay ? midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 : null;
}

/** A year of two digits that would be more than 50 years ahead is the last year in the past with these digits. */
function fullYear(twoDigits: number, wallNowMs: number): number {
  const thisYear = new Date(wallNowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
