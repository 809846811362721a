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
    advice: 'Look for the new name of the section, or link to the whole page.',
  },
  dns: {
    counted: ['unknown host', 'unknown hosts'],
    weight: 'attention',
    fails: 'yes',
    meaning: 'The host name does not resolve.',
    advice: 'Look for a typing error. If there is none, the site is gone: replace the link.',
  },
  invalid_url: {
    counted: ['invalid URL', 'invalid URLs'],
    weight: 'attention',
    fails: 'yes',
    meaning: 'The link is not a valid URL, or it redirects to something that is not.',
    advice: 'Correct the link, or repair the redirect.',
  },
  insecure: {
    counted: same('insecure'),
    weight: 'attention',
    fails: 'yes',
    meaning: 'Its URL begins with http:, and --require-https is set.',
    advice: 'Write https, if the host has it.',
  },
  malformed_html: {
    counted: ['malformed page', 'malformed pages'],
    weight: 'attention',
    fails: 'yes',
    meaning: 'The page is cut off, or is not text although it says that it is HTML.',
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
    meaning: 'No answer came in time, not even on the second look.',
    advice: 'Try again later, or with a longer --timeout.',
  },
  connection: {
    counted: ['failed connection', 'failed connections'],
    weight: 'attention',
    fails: 'inside',
    meaning: 'The connection was refused, or broke off.',
    advice: 'Check whether the server is up; if it stays down, replace the link.',
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
    meaning: 'It answers 200, but looks like the page that this site shows when a page does not exist.',
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
    advice: 'Check that readers may see it. If not, give credentials, or leave it out by a rule.',
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
    meaning:
      'The answer does not show whether the link works; or the two looks differed, or there was no time for the second look.',
    advice: 'Open it, or check again later.',
  },
  unchecked: {
    counted: same('not looked at'),
    weight: 'attention',
    fails: 'no',
    meaning:
      'It was not requested: it is too long, robots.txt forbids it, its host was put off, its address is blocked, a limit was reached, or the check was stopped. Or it answers, but was not read for links because it is part of a trap, or it is a sitemap that could not be read completely.',
    advice: 'Open it, or remove the obstacle and check again.',
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
    meaning:
      'It was left out on purpose: it has another scheme (mailto:), is a form, or an option or a rule leaves it out.',
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
