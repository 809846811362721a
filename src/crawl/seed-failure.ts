import { SeedError } from '../base/errors.js';
import { counted } from '../base/figures.js';
import { formatMoment } from '../base/text.js';
import type { SeedFate } from '../frontier/seed-book.js';
import type { Summary } from '../report/summary.js';
import { hostForPeople } from '../url/host-display.js';

/** The end of a sentence which says that a robots.txt cannot be reached. */
export const NOTHING_MAY_BE_ASKED = 'so nothing may be asked for; --robots-unreachable allow asks all the same';

/**
 * The error when no seed gave a page; a seed that robots.txt forbids says more than the others.
 * @param summary what failed and was deferred in the crawl; it knows more than the seed of redirects in a circle and of the seed's host
 * @param refusal the end of the sentence if a robots.txt cannot be reached
 */
export function seedFailure(
  seeds: readonly SeedFate[],
  { byClass, deferredHosts }: Pick<Summary, 'byClass' | 'deferredHosts'> = { byClass: {}, deferredHosts: [] },
  refusal = NOTHING_MAY_BE_ASKED,
): SeedError {
  const named =
    seeds.find(({ fate }) => fate === 'forbidden') ?? seeds.find(({ fate }) => fate === 'failed') ?? seeds[0]!;
  const more = seeds.filter(({ fate }) => fate !== 'reached').length - 1;
  const others = more > 0 ? ` (and ${counted(more, 'more seed')} failed)` : '';
  const host =
    named.fate === 'open'
      ? (deferredHosts.find(({ host }) => named.label.includes(host)) ?? deferredHosts[0])
      : undefined;
  const what = host === undefined ? whatHappened(named, Object.keys(byClass)[0] ?? null) : whyPutOff(host, refusal);
  const isMoved = named.redirectsTo !== null && !what.startsWith('redirects ');
  const moved = isMoved ? `redirects to ${named.redirectsTo}, which ` : '';
  return new SeedError(`${named.label} ${moved}${what}${others}`);
}

function whyPutOff({ host, reason, until, detail }: Summary['deferredHosts'][number], refusal: string): string {
  if (detail !== null) {
    return `was not asked for: ${detail}, ${refusal}`;
  }
  const end = until === null ? '' : `, until ${formatMoment(Date.parse(until))}`;
  return `was put off with ${hostForPeople(host)} (${reason}${end})`;
}

function whatHappened({ fate, detail, reason, status }: SeedFate, otherwise: string | null): string {
  if (fate === 'forbidden') {
    return `is forbidden by robots.txt: ${detail}`;
  }
  const cause = reason ?? otherwise;
  const said = detail === null || detail === reason ? '' : `: ${detail}`;
  switch (cause) {
    case 'redirect_loop':
      return 'redirects in a circle';
    case 'redirect_limit':
      return 'redirects more often than --max-redirects allows';
    case 'blocked_address':
    case 'not_cached':
    case 'not_kept':
      return `was not asked for${said}`;
    case 'tls':
      return `has no connection that can be trusted${said}`;
    case 'auth_required':
    case 'http_4xx':
    case 'http_5xx':
    case 'rate_limited':
      if (status !== null) {
        return `was answered with HTTP ${status}${cause === 'auth_required' ? ', it wants a login' : ''}${said}`;
      }
  }
  return status === null
    ? `could not be reached: ${detail ?? otherwise ?? 'no answer'}`
    : `cannot be read (${cause})${said}`;
}
