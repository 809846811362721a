import { UrlState } from '../store/url-state.js';
import type { Verdict } from './report/result.js';
import type { UncheckedCause } from './report/unchecked.js';

/** The result of one look at a URL. */
export interface LookResult {
  /** Error class, or null if it was fine. */
  reason: string | null;
  status: number | null;
  message: string | null;
}

/** What is known of the URL where a link ends. */
export interface Answer extends LookResult {
  state: UrlState;
  headers: Readonly<Record<string, string>>;
  title: string | null;
  /** What the first look saw, where there was a second one, or is to be. */
  first: LookResult | null;
  /** Whether it needed a second look. */
  wasDoubted: boolean;
  /** What the last request came to, where a retry was due and never went out; null otherwise. */
  last: LookResult | null;
  /** How many URLs of its host were requested, where each of them answered 403; otherwise 0. */
  forbiddenByHost: number;
}

export interface Ruling {
  verdict: Verdict;
  /** The rule or sign that decided, in words. */
  why: string;
  /** The cause, where the verdict is `unchecked`. */
  unchecked?: UncheckedCause;
}

/** Why a run ended while URLs were still waiting. */
export type LeftBy = 'limit' | 'stop';

/** The chain of causes at the end of a message: evidence, but no sentence. */
export const CAUSE_CHAIN = / \(.*\)$/s;
const FINAL_NAMES = /there is no such name|has no address|not a name that can be looked up/;

const BY_REASON: Readonly<Record<string, Verdict>> = {
  http_5xx: 'server_error',
  timeout: 'timeout',
  too_slow: 'timeout',
  connection_refused: 'connection',
  connection_reset: 'connection',
  tls: 'tls',
  auth_required: 'auth_required',
  rate_limited: 'rate_limited',
  malformed_html: 'malformed_html',
  redirect_limit: 'redirect_limit',
  redirect_loop: 'redirect_loop',
  invalid_url: 'invalid_url',
};
/** Statuses from 400 to 499 that do not say that the page is gone. */
const NOT_DEAD: Readonly<Record<number, Ruling>> = {
  408: { verdict: 'timeout', why: '408: the server gave up waiting' },
  425: { verdict: 'unverifiable', why: '425: the server does not answer this early' },
  451: { verdict: 'unverifiable', why: '451: withheld for legal reasons' },
};

/** Reasons for which a URL is not requested at all: its kind, or an option of the user. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  nofollow: 'its links are marked nofollow, and --nofollow obey is set',
  scheme: 'it is no page of the web',
  scope: 'it leads out of what is checked (--no-external)',
  asset: 'a form is not sent',
  ignored: 'a rule leaves it out',
};

const LEFT: Readonly<Record<LeftBy, string>> = {
  limit: 'a limit ended the run before its turn',
  stop: 'the run was stopped before its turn',
};

const PUT_OFF: Readonly<Record<string, string>> = {
  backoff: 'its host failed too often, and was left alone',
  quarantine: 'its host failed too often, and was left alone',
  retry_after: 'its host asks to be left alone for longer than --max-wait',
  robots_unreachable: 'the robots.txt of its host cannot be had, so nothing may be asked',
  crawl_delay: 'its host asks for a delay longer than --max-crawl-delay',
  held: 'its host was put off while the check ran',
};

/** The verdict on the URL where a link ends. */
export function verdictOn(answer: Answer, leftBy: LeftBy): Ruling {
  const { state, reason } = answer;
  if (state === UrlState.done) {
    const before =
      answer.first === null || answer.first.reason === null
        ? ''
        : `, on the second look; before that ${inWords(answer.first)}`;
    return { verdict: 'ok', why: `${answer.status ?? 'it answers'}${before}` };
  }
  if (state === UrlState.failed) {
    return ruleOnFailure(answer);
  }
  if (answer.wasDoubted) {
    return seenOnce(answer.first === null ? null : inWords(answer.first));
  }
  if (LEFT_OUT[reason ?? ''] !== undefined) {
    return { verdict: 'skipped', why: LEFT_OUT[reason!]! };
  }
  return answer.last === null || reason === 'robots'
    ? ruleOnUnasked(answer, leftBy)
    : ruleOnUnfinished(answer, answer.last);
}

/** The verdict on a URL whose retry was still waiting when the run ended. */
function ruleOnUnfinished({ state, reason }: Answer, last: LookResult): Ruling {
  if (state !== UrlState.deferred) {
    return seenOnce(inWords(last));
  }
  // The host may have refused another URL than this one.
  const isRefused = last.status === 429 || last.status === 503;
  const verdict = reason === 'retry_after' && isRefused ? 'rate_limited' : 'unverifiable';
  return { verdict, why: PUT_OFF[reason ?? ''] ?? `put off: ${reason}` };
}

const notAsked = (unchecked: UncheckedCause, why: string): Ruling => ({ verdict: 'unchecked', unchecked, why });

function ruleOnUnasked({ state, reason, message }: Answer, leftBy: LeftBy): Ruling {
  if (state === UrlState.deferred) {
    const cause = reason === 'robots_unreachable' ? 'robots_unreachable' : 'put_off';
    return notAsked(cause, PUT_OFF[reason ?? ''] ?? `put off: ${reason}`);
  }
  switch (reason) {
    case 'robots':
      return notAsked('robots', message ?? 'robots.txt forbids it');
    // A check requests the URLs of any other trap.
    case 'trap':
      return notAsked('too_long', 'it is longer than --max-url-length');
    case 'known':
      return notAsked('cache', 'a cache knew it when the check began, and does not now');
    case 'offline':
      return notAsked('offline', 'it is on the net, and --offline asks nobody there');
    case 'limit':
      return notAsked('limit', LEFT.limit);
    default:
      return notAsked(leftBy, LEFT[leftBy]);
  }
}

function ruleOnFailure(answer: Answer): Ruling {
  if (answer.reason === 'blocked_address') {
    return notAsked('blocked_address', inWords(answer));
  }
  if (answer.reason === 'not_cached') {
    return notAsked('cache', inWords(answer));
  }
  if (answer.reason === 'not_kept') {
    return notAsked('not_kept', 'the crawl did not ask for it');
  }
  const last = ruleOnLook(answer, answer);
  if (last.verdict === 'ok') {
    return last;
  }
  if (!answer.wasDoubted || answer.first === null) {
    return needsSecondLook(last) ? seenOnce(inWords(answer)) : last;
  }
  const first = ruleOnLook(answer.first, { ...answer, headers: {}, title: null });
  // Only the status is kept of a bot wall that the first look met.
  const isSame = last.verdict === 'blocked' && answer.first.status === answer.status;
  if (first.verdict === last.verdict || isSame) {
    return { verdict: last.verdict, why: `${last.why}, on both looks` };
  }
  // A result that is no failure has no error class to compare.
  if (last.verdict === 'unverifiable' || last.verdict === 'blocked') {
    return last;
  }
  return {
    verdict: 'unverifiable',
    why: `the looks differ: first ${inWords(answer.first)}, then ${inWords(answer)}`,
  };
}

/** A bot wall or an unclear answer does not count as a failure of the link. */
const needsSecondLook = ({ verdict }: Ruling): boolean => verdict !== 'blocked' && verdict !== 'unverifiable';

/** A failure that only one look has seen does not count as a failure of the link. */
export const seenOnce = (seen: string | null): Ruling => ({
  verdict: 'unverifiable',
  why: `there was no time for a second look${seen === null ? '' : `: ${seen}`}`,
});

function ruleOnLook(look: LookResult, { headers, title, forbiddenByHost }: Answer): Ruling {
  const { reason, status } = look;
  const wall = wallSign(status, headers, title);
  if (wall !== null) {
    return { verdict: 'blocked', why: wall };
  }
  if (status === 403 && forbiddenByHost > 0) {
    return { verdict: 'blocked', why: `its host answered 403 to each of ${forbiddenByHost} URLs` };
  }
  if (reason === 'http_4xx') {
    return NOT_DEAD[status ?? 0] ?? { verdict: 'dead', why: `${status}` };
  }
  if (reason === 'dns') {
    const isFinal = look.message === null || FINAL_NAMES.test(look.message);
    return { verdict: isFinal ? 'dns' : 'unverifiable', why: inWords(look) };
  }
  if (reason === 'too_large') {
    return { verdict: 'ok', why: 'it answers; it is larger than --max-body and was not read' };
  }
  const verdict = BY_REASON[reason ?? ''];
  return verdict === undefined ? { verdict: 'unverifiable', why: inWords(look) } : { verdict, why: inWords(look) };
}

/** `404`, or `timeout: No headers came for 10000 ms.` */
function inWords({ reason, status, message }: LookResult): string {
  if (status !== null && status > 599) {
    return `${status}, a status that HTTP does not have`;
  }
  if (status !== null && (message === null || reason === null || reason.startsWith('http_'))) {
    return String(status);
  }
  const words = (message ?? reason ?? 'no answer').replace(CAUSE_CHAIN, '').replace(/\.$/, '');
  return status === null ? words : `${status}, ${words}`;
}

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
function wallSign(
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
