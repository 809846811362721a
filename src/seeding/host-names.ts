import { hostnameOf, isIpHost, isLoopbackHost } from '../url/host.js';

const LONGEST_NAME = 253;
/** Letters, digits, hyphens and, as some zones have them, underscores. */
const NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Names that no public registry has: whoever is asked about them only learns them (RFC 6761, 6762, 8375, 9476). */
const PRIVATE = /(?:^|\.)(?:local|internal|localdomain|home\.arpa|lan|corp|home|onion|alt)$/;

/** Whether a third party can know something of this host, and may learn that it is crawled. */
export function isPublicName(hostname: string): boolean {
  return NAME.test(hostname) && !isIpHost(hostname) && !isLoopbackHost(hostname) && !PRIVATE.test(hostname);
}

/**
 * The host that a certificate's name stands for, in lower case: of a wildcard what stands behind it, since that is most often a host too.
 * Null for addresses of mail, of machines, and whatever else is no name of a host.
 */
export function hostInCertificate(written: string): string | null {
  const name = written.trim().toLowerCase().replace(/^\*\./, '').replace(/\.$/, '');
  if (name.length > LONGEST_NAME || !NAME.test(name)) return null;
  const url = `https://${name}/`;
  // The parser refuses what only looks like a name, such as xn-- and nothing sensible behind it.
  return URL.canParse(url) && new URL(url).href === url && !isIpHost(hostnameOf(url)) ? name : null;
}

export const isBelow = (name: string, domain: string): boolean => name === domain || name.endsWith(`.${domain}`);
