const SURROGATE = /[\ud800-\udfff]/;

/** The order of SQLite, which compares texts by the bytes of UTF-8. It differs from that of JavaScript where there are surrogates alone. */
export function compareBytes(a: string, b: string): number {
  if (a === b) {
    return 0;
  }
  if (SURROGATE.test(a) || SURROGATE.test(b)) {
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  }
  return a < b ? -1 : 1;
}
