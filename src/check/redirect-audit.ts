import { originOf, pathOf } from '../url/host.js';
import type { Ruling } from './ruling.js';

export interface ChainHop {
  url: string;
  status: number | null;
}

const PERMANENT: ReadonlySet<number | null> = new Set([301, 308]);

/** Chrome, Firefox and Safari follow so many redirects, as the Fetch standard has it. */
const MOST_IN_BROWSERS = 20;

/**
 * What is said of a link that redirects to a page that answers, and what to write instead. Only where every hop is permanent is
 * there anything to write.
 */
export function auditRedirect(chain: readonly ChainHop[]): Ruling & { suggestion: string | null } {
  const from = chain[0]!.url;
  const to = chain.at(-1)!.url;
  const hops = chain.slice(0, -1);
  const isPermanent = hops.every(({ status }) => PERMANENT.has(status));
  const toHome = isHome(to) && !isHome(from);
  const remarks = [
    isPermanent
      ? 'permanent'
      : hops.every(({ status }) => !PERMANENT.has(status))
        ? 'temporary'
        : 'permanent and temporary',
    ...(hops.length > 1 ? [`a chain of ${hops.length} redirects`] : []),
    ...(isUpgrade(from, to) ? ['only from http to https'] : []),
    ...(toHome ? ['to the home page: what was here may be gone'] : []),
  ];
  const suggestion = isPermanent && !toHome ? to : null;
  if (hops.length > MOST_IN_BROWSERS) {
    const why = `it redirects ${hops.length} times before it answers, and browsers give up after ${MOST_IN_BROWSERS}`;
    return { verdict: 'redirect_limit', why, suggestion };
  }
  return { verdict: isPermanent ? 'moved' : 'redirected', why: remarks.join('; '), suggestion };
}

const isHome = (url: string): boolean => pathOf(url) === '/';
const isUpgrade = (from: string, to: string): boolean =>
  from.startsWith('http:') && to === `https:${from.slice('http:'.length)}` && originOf(from) !== originOf(to);
