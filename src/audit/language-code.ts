/** Codes that Unicode has a name for and ISO 3166-1 no country: what people write for one, and parts, groups and stand-ins of countries. */
const NO_COUNTRIES: ReadonlySet<string> = new Set('UK EU EN AC CP CQ DG EA EZ IC QO TA UN XA XB ZZ'.split(' '));
const SHAPE = /^(?<language>[a-z]{2,3})(?:-(?<script>[a-z]{4}))?(?:-(?<country>[a-z]{2}|\d{3}))?$/i;

let names: { languages: Intl.DisplayNames; scripts: Intl.DisplayNames; countries: Intl.DisplayNames } | null = null;

/** What is wrong with a code of hreflang, or null. */
export function problemOfCode(code: string): string | null {
  if (code.toLowerCase() === 'x-default') {
    return null;
  }
  const { language, script, country } = SHAPE.exec(code)?.groups ?? {};
  if (language === undefined) {
    return 'is no code of a language';
  }
  names ??= {
    languages: new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }),
    scripts: new Intl.DisplayNames(['en'], { type: 'script', fallback: 'none' }),
    countries: new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' }),
  };
  if (names.languages.of(language) === undefined) {
    return `there is no language ${language}`;
  }
  const [shortest = ''] = Intl.getCanonicalLocales(language);
  if (shortest.length < language.length) {
    return `the code of ${language} is ${shortest}`;
  }
  if (script !== undefined && names.scripts.of(script) === undefined) {
    return `there is no script ${script}`;
  }
  return country === undefined || isCountry(country.toUpperCase(), names.countries)
    ? null
    : `there is no country ${country}`;
}

/** Countries that are no more have a name as well, but Unicode writes another country for them. */
const isCountry = (country: string, countries: Intl.DisplayNames): boolean =>
  !NO_COUNTRIES.has(country) &&
  countries.of(country) !== undefined &&
  Intl.getCanonicalLocales(`en-${country}`)[0] === `en-${country}`;
