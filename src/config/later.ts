/** Names that are known but not part of this version are refused with a sentence of their own, never as "unknown". */

/** By flag, without the dashes; what a user can do instead. */
const LATER_OPTIONS: Readonly<Record<string, string>> = {
  redis: 'a crawl on several machines has --redis-url',
};

const RATES: readonly string[] = ['rate-limit', 'rate', 'limit-rate', 'requests-per-second', 'rps', 'max-rps'];

/** Flags of curl, wget, Scrapy, lychee, linkinator, LinkChecker, muffet and others, and what says the same here. */
const OF_OTHERS: Readonly<Record<string, string>> = {
  cookie: "--cookie-jar, or --header 'Cookie: …'",
  ...fromAll(['load-cookies', 'save-cookies', 'cookies-file', 'cookie-file'], '--cookie-jar'),
  cert: '--client-cert',
  key: '--client-key',
  pass: '--client-passphrase',
  ...fromAll(['socks5', 'socks5-hostname', 'all-proxy'], '--proxy socks5://… or socks5h://…'),
  ...fromAll(['netrc', 'netrc-file'], '--auth-file'),
  referer: "--header 'Referer: …'",
  ...fromAll(['recursive', 'mirror', 'page-requisites', 'recurse'], '--depth or --assets (links are always followed)'),
  ...fromAll(['level', 'recursion-level', 'max-depth', 'depth-limit'], '--depth'),
  ...fromAll(['wait', 'download-delay', 'sleep', 'crawl-delay', 'request-interval'], '--delay'),
  ...fromAll(['threads', 'jobs', 'parallel', 'max-concurrency', 'max-connections', 'concurrent-requests'], '--workers'),
  ...fromAll(['max-connections-per-host', 'host-concurrency', 'max-host-connections'], '--max-inflight-per-host'),
  ...fromAll(['max-time', 'connect-time', 'request-timeout'], '--timeout'),
  ...fromAll(['tries', 'retry', 'max-retries', 'retry-errors'], '--retries'),
  ...fromAll(['retry-wait-time', 'waitretry'], '--retry-delay'),
  ...fromAll(['max-redirs', 'max-redirections'], '--max-redirects'),
  ...fromAll(['max-filesize', 'max-size', 'max-response-body-size', 'quota'], '--max-body or --max-bytes'),
  ...fromAll(['max-pages', 'page-limit', 'closespider-pagecount'], '--max-urls'),
  ...fromAll(['domains', 'span-hosts', 'allowed-domains', 'no-parent'], '--scope'),
  ...fromAll(['accept-regex', 'include-regex', 'only'], "--include 're:…'"),
  ...fromAll(['skip', 'ignore-url', 'reject', 'reject-regex', 'exclude-regex', 'no-follow-url'], '--exclude'),
  ...fromAll(['no-check-certificate', 'skip-tls-verification', 'no-verify', 'ignore-certificate-errors'], '--insecure'),
  ...fromAll(['basic-auth', 'auth', 'http-user', 'http-password', 'password'], '--user'),
  ...fromAll(['output-document', 'output-file', 'directory-prefix', 'out'], '--output or --data-dir'),
  ...fromAll(['check-extern', 'check-external'], '--external'),
  ...fromAll(['ignore-robots-txt', 'no-robots', 'no-robots-txt'], '--ignore-robots'),
  ...fromAll(['silent', 'no-verbose'], '--quiet'),
  'no-progress': '--progress none',
  ...fromAll(['debug', 'verbosity'], '--verbose'),
  ...fromAll(['input-file', 'files-from'], '--seeds-file'),
};

function fromAll(names: readonly string[], here: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, here]));
}

/** What another program's flag is called here; null if that is not known. */
export const gossamerNameOf = (flag: string): string | null =>
  Object.hasOwn(OF_OTHERS, flag) ? OF_OTHERS[flag]! : null;

/** @param subject how the user spelt it: `--redis`, `GOSSAMER_REDIS`, … */
export function refuseLaterOption(flag: string, subject: string, value: string | undefined): string | null {
  if (RATES.includes(flag)) {
    return `${subject} does not exist: use --delay, ${rateAsDelay(value)}`;
  }
  if (!Object.hasOwn(LATER_OPTIONS, flag)) {
    return null;
  }
  return `${subject} is not part of this version: ${LATER_OPTIONS[flag]}`;
}

function rateAsDelay(value: string | undefined): string {
  const perSecond = Number(value);
  if (value === undefined || value.trim() === '' || !Number.isFinite(perSecond) || perSecond <= 0) {
    return 'N a second = 1000/N ms';
  }
  // Rounded up: the delay that is suggested must not be faster than the rate that was asked for.
  const delayMs = Math.ceil(1000 / perSecond);
  return `${value} a second = 1000/${value} ms: --delay ${delayMs}`;
}
