const ESCAPE = String.raw`\\[0-9a-f]{1,6}\s?|\\.`;
const DOUBLE = String.raw`"(?:${ESCAPE}|[^"\\])*"`;
const SINGLE = String.raw`'(?:${ESCAPE}|[^'\\])*'`;
const BARE = String.raw`(?:${ESCAPE}|[^"'()\\\s])*`;

/** Comments and other strings are tokens too, so that what looks like a URL in them is passed over. */
const TOKENS = new RegExp(
  [
    String.raw`/\*.*?(?:\*/|$)`,
    String.raw`(?<![\w-])url\(\s*(?<url>${DOUBLE}|${SINGLE}|${BARE})\s*\)`,
    String.raw`@import\s*(?<imported>${DOUBLE}|${SINGLE})`,
    DOUBLE,
    SINGLE,
  ].join('|'),
  'gis',
);

/**
 * What a stylesheet loads by `url()` and `@import`, as it stands there. Made for stylesheets without mistakes, and shares no code with the
 * checker's own reader, so that the two can judge each other.
 */
export function urlsOfStylesheet(css: string): string[] {
  return [...css.matchAll(TOKENS)]
    .map(({ groups }) => groups!.url ?? groups!.imported ?? '')
    .map((written) => unescapedCss(/^["']/.test(written) ? written.slice(1, -1) : written))
    .filter((url) => url !== '' && !/^(?:#|data:)/i.test(url));
}

const unescapedCss = (written: string): string =>
  written.replace(/\\(?:([0-9a-f]{1,6})\s?|\n|(.))/gis, (_all, hex?: string, character = '') =>
    hex === undefined ? character : String.fromCodePoint(Number.parseInt(hex, 16)),
  );
