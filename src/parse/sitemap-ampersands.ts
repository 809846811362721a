const REFERENCE = /&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});/y;
const CDATA_START = '<![CDATA[';
const CDATA_END = ']]>';

/**
 * Tells of each ampersand of an XML text whether it begins no reference that XML knows by itself, as in `?a=1&b=2`, and
 * should have been escaped. To be asked in the order of the text: so it is read once, however many sections of CDATA there are.
 */
export function isUnescaped(text: string): (at: number) => boolean {
  let cdataFrom = -1;
  let cdataTo = 0;
  return (at) => {
    while (cdataTo <= at) {
      const from = text.indexOf(CDATA_START, cdataTo);
      cdataFrom = from < 0 ? text.length : from;
      const to = text.indexOf(CDATA_END, cdataFrom);
      cdataTo = to < 0 ? text.length : to;
    }
    if (at > cdataFrom) return false;
    REFERENCE.lastIndex = at;
    return !REFERENCE.test(text);
  };
}
