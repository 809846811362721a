/** Headers by which walls against programs say that they have refused. */
const REFUSING_HEADERS: readonly [name: string, value: RegExp, wall: string][] = [
  ['cf-mitigated', /challenge/i, 'Cloudflare'],
  ['x-amzn-waf-action', /challenge|captcha/i, 'AWS WAF'],
];

/** Those that they send always, also where the site behind them is down. */
const USUAL_HEADERS: typeof REFUSING_HEADERS = [
  ['x-datadome', /./, 'DataDome'],
  ['x-iinfo', /./, 'Imperva'],
  ['x-sucuri-id', /./, 'Sucuri'],
  ['server', /^AkamaiGHost/i, 'Akamai'],
];

/** Titles of the pages that they show. */
const TITLES: readonly [title: RegExp, wall: string][] = [
  [/^just a moment/i, 'Cloudflare'],
  [/^attention required! \| cloudflare/i, 'Cloudflare'],
  [/^ddos-guard/i, 'DDoS-Guard'],
  [/^pardon our interruption/i, 'Imperva'],
  [/^access to this page has been denied/i, 'HUMAN'],
  [/^sucuri website firewall/i, 'Sucuri'],
  [
    /^(?:are you a (?:robot|human)|robot check|verify you are (?:a )?human|human verification|security check)\b/i,
    'a challenge',
  ],
  [/^making sure you(?:'|’)re not a bot/i, 'Anubis'],
];

const REFUSALS: ReadonlySet<number> = new Set([401, 403, 405, 406, 418, 429, 503, 999]);

/** The sign that a wall against programs has answered, in words, or null. The status has to be a refusal: some send these headers always. */
export function wallSign(
  status: number | null,
  headers: Readonly<Record<string, string>>,
  title: string | null,
): string | null {
  if (status === null || !REFUSALS.has(status)) {
    return null;
  }
  if (status === 999) {
    return 'status 999, with which LinkedIn refuses programs';
  }
  for (const [name, value, wall] of status === 503 ? REFUSING_HEADERS : [...REFUSING_HEADERS, ...USUAL_HEADERS]) {
    const found = headers[name];
    if (found !== undefined && value.test(found)) {
      return `${wall}: header ${name}: ${found}`;
    }
  }
  const page = title === null ? undefined : TITLES.find(([pattern]) => pattern.test(title));
  return page === undefined ? null : `${page[1]}: a page with the title "${title}"`;
}
