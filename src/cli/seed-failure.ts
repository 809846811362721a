import { SeedError } from '../base/errors.js';
import type { SeedFate } from '../frontier/seed-book.js';
import { counted } from './terminal.js';

/**
 * No seed gave a page: the one that robots.txt forbids says more than the others.
 * @param byClass what failed in the crawl, the most frequent class first: of redirects in a circle the seed itself knows nothing
 */
export function seedFailure(seeds: readonly SeedFate[], byClass: Readonly<Record<string, number>> = {}): SeedError {
  const named =
    seeds.find(({ fate }) => fate === 'forbidden') ?? seeds.find(({ fate }) => fate === 'failed') ?? seeds[0]!;
  const more = seeds.filter(({ fate }) => fate !== 'reached').length - 1;
  const others = more > 0 ? ` (and ${counted(more, 'more seed')} failed)` : '';
  return new SeedError(`${named.label} ${whatHappened(named, Object.keys(byClass)[0] ?? null)}${others}`);
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
