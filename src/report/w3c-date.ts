const WITH_ZONE = /^[a-z]{3,9}, .* gmt$/i;
/** The oldest date format of HTTP names no zone; it means GMT too. */
const ASCTIME = /^[a-z]{3} [a-z]{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/i;

/** A date of HTTP (RFC 9110, 5.6.7) in the format of W3C, to the second; null where it is none. */
export function w3cDate(httpDate: string): string | null {
  const text = httpDate.trim();
  const timeMs = WITH_ZONE.test(text) ? Date.parse(text) : ASCTIME.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
  if (Number.isNaN(timeMs)) {
    return null;
  }
  const date = new Date(timeMs);
  // The first number is the day in all three formats; Date.parse turns February 30 into a day of March.
  return date.getUTCDate() === Number(/\d+/.exec(text)?.[0]) ? `${date.toISOString().slice(0, 19)}Z` : null;
}
