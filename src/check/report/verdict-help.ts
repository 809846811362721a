import type { Verdict } from './result.js';

/** Whether a verdict makes the run fail where no option says otherwise; `inside`: only of pages that were crawled. */
export type FailsByDefault = 'yes' | 'inside' | 'no';

/** `attention`: it is not known that the link works. `note`: it works, and something may be said of it. */
export type Weight = 'attention' | 'note' | 'fine';

export interface VerdictHelp {
  /** As it follows a number: one, and several. */
  readonly counted: readonly [one: string, many: string];
  readonly weight: Weight;
  readonly fails: FailsByDefault;
  readonly meaning: string;
  /** What a person should do. */
  readonly advice: string;
}

const same = (words: string): readonly [string, string] => [words, words];

/** The words in which every report, and docs/CHECK.md, speaks of a verdict. */
export const VERDICT_HELP: Readonly<Record<Verdict, VerdictHelp>> = {
  dead: {
    counted: same('dead'),
    weight: 'attention',
    fails: 'yes',
    meaning: 'The server says that there is no such page: 404, 410 or another 4xx, except 401 403 407 408 425 429 451.',
    advice: 'Correct the link, or take it out.',
  },
  missing_fragment: {
    counted: ['missing fragment', 'missing fragments'],
    weight: 'attention',
    fails: 'yes',
    meaning: 'The page is there, but nothing on it has this id or name.',
    advice: 'Look for the new name of the section, or link to the page as a whole.',
  },
  dns: {
    counted: ['unknown host', 'unknown hosts'],
    weight: 'attention',
    fails: 'yes',
    meaning: 'The host name does not resolve.',
    advice: 'Look for a typing error; else the site is gone: replace the link.',
  },
  invalid_url: {
    counted: ['invalid URL', 'invalid URLs'],
    weight: 'attention',
    fails: 'yes',
    meaning: 'What stands in the link is no URL, or it redirects to none.',
    advice: 'Correct what is written there; or repair the redirect.',
  },
  insecure: {
    counted: same('insecure'),
    weight: 'attention',
    fails: 'yes',
    meaning: 'Its URL begins with http:, and --require-https is set.',
    advice: 'Write https, where the host has it.',
  },
  malformed_html: {
    counted: ['malformed page', 'malformed pages'],
    weight: 'attention',
    fails: 'yes',
    meaning: 'The page is cut off, or is no text though it says that it is HTML.',
    advice: 'Repair the page or the server that sends it.',
  },
  redirect_loop: {
    counted: ['redirect loop', 'redirect loops'],
    weight: 'attention',
    fails: 'yes',
    meaning: 'Its redirects lead back to where they began.',
    advice: 'Repair the redirects, or link to a page that answers.',
  },
  redirect_limit: {
    counted: same('with too many redirects'),
    weight: 'attention',
    fails: 'yes',
    meaning: 'It redirects more often than browsers follow (20 times), or than --max-redirects allows.',
    advice: 'Link to where the redirects end.',
  },
  server_error: {
    counted: ['server error', 'server errors'],
    weight: 'attention',
    fails: 'inside',
    meaning: 'The server answered 5xx, on the second look too.',
    advice: 'On your own site: read its log. Elsewhere: try again later.',
  },
  timeout: {
    counted: ['time-out', 'time-outs'],
    weight: 'attention',
    fails: 'inside',
    meaning: 'No answer came in time, on the second look neither.',
    advice: 'Try again later, or with a longer --timeout.',
  },
  connection: {
    counted: ['failed connection', 'failed connections'],
    weight: 'attention',
    fails: 'inside',
    meaning: 'The connection was refused, or broke off.',
    advice: 'Look whether the server is up; if it stays down, replace the link.',
  },
  tls: {
    counted: ['TLS failure', 'TLS failures'],
    weight: 'attention',
    fails: 'inside',
    meaning: 'The certificate is not valid, or no secure connection could be agreed on.',
    advice: 'On your own site: renew the certificate. Elsewhere: tell its owner, or replace the link.',
  },
  soft_404: {
    counted: same('soft 404'),
    weight: 'attention',
    fails: 'no',
    meaning: 'It answers 200, but looks like the page that this site shows for what it does not have.',
    advice: 'Open it. If there is nothing, treat it as dead.',
  },
  blocked: {
    counted: same('blocked'),
    weight: 'attention',
    fails: 'no',
    meaning:
      'A wall against programs answered: a challenge header, a known challenge page, or a host that says 403 to everything.',
    advice: 'Open it in a browser once; then leave the host out by a rule.',
  },
  auth_required: {
    counted: same('behind a login'),
    weight: 'attention',
    fails: 'no',
    meaning: 'It answers 401, 403 or 407, without the signs of a wall against programs.',
    advice: 'Check that readers may see it; else give credentials, or leave it out by a rule.',
  },
  rate_limited: {
    counted: same('rate-limited'),
    weight: 'attention',
    fails: 'no',
    meaning: 'The server answered 429: too many requests.',
    advice: 'Check again later, or with a longer --delay.',
  },
  mixed_content: {
    counted: same('mixed content'),
    weight: 'attention',
    fails: 'no',
    meaning: 'A page served by https loads it by http, which browsers refuse or rewrite.',
    advice: 'Write https.',
  },
  unverifiable: {
    counted: same('unverifiable'),
    weight: 'attention',
    fails: 'no',
    meaning: 'What came does not tell whether it works; or two looks differed, or there was no time for the second.',
    advice: 'Open it, or check again later.',
  },
  unchecked: {
    counted: same('not looked at'),
    weight: 'attention',
    fails: 'no',
    meaning:
      'It was not asked for: too long, forbidden by robots.txt, its host put off, at a blocked address, beyond a limit, or after a stop. Or it answers, but as part of a trap it was not read for links, or it is a sitemap that could not be read whole.',
    advice: 'Open it, or check again without what stood in the way.',
  },
  moved: {
    counted: same('moved'),
    weight: 'note',
    fails: 'no',
    meaning: 'It redirects permanently, to a page that answers.',
    advice: 'Write the new URL.',
  },
  redirected: {
    counted: same('redirected'),
    weight: 'note',
    fails: 'no',
    meaning: 'It redirects temporarily, to a page that answers.',
    advice: 'Nothing.',
  },
  skipped: {
    counted: same('skipped'),
    weight: 'fine',
    fails: 'no',
    meaning: 'It was not to be asked for: another scheme (mailto:), a form, or left out by an option or a rule.',
    advice: 'Nothing.',
  },
  ok: {
    counted: same('fine'),
    weight: 'fine',
    fails: 'no',
    meaning: 'It answers.',
    advice: 'Nothing.',
  },
};
