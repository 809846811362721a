/** Countries by a code that people write and that is another's, or nobody's, in hreflang. */
const NO_COUNTRIES: ReadonlySet<string> = new Set(['UK', 'EU', 'EN']);
const SHAPE = /^(?<language>[a-z]{2,3})(?:-(?<script>[a-z]{4}))?(?:-(?<country>[a-z]{2}|\d{3}))?$/i;

let names: { languages: Intl.DisplayNames; countries: Intl.DisplayNames } | null = null;

/** What is wrong with a code of hreflang, or null. */
export function problemOfCode(code: string): string | null {
  if (code.toLowerCase() === 'x-default') {
    return null;
  }
  const { language, country } = SHAPE.exec(code)?.groups ?? {};
  if (language === undefined) {
    return 'is no code of a language';
  }
  names ??= {
    languages: new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }),
    countries: new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' }),
  };
  if (names.languages.of(language) === undefined) {
    return `there is no language ${language}`;
  }
  const isCountry =
    country === undefined ||
    (!NO_COUNTRIES.has(country.toUpperCase()) && names.countries.of(country.toUpperCase()) !== undefined);
  return isCountry ? null : `there is no country ${country}`;
}
