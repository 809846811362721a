import { hostnameOf, isIpHost, isLoopbackHost } from '../../url/host.js';

const LONGEST_NAME = 253;
/** Letters, digits, hyphens and, as some zones have them, underscores. */
const NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Names that no public registry has. Asking a third party about them would only reveal them (RFC 6761, 6762, 8375, 9476). */
const PRIVATE = /(?:^|\.)(?:local|internal|localdomain|home\.arpa|lan|corp|home|onion|alt)$/;

/** Whether a third party can know something of this host, and may learn that it is crawled. */
export function isPublicName(hostname: string): boolean {
  return NAME.test(hostname) && !isIpHost(hostname) && !isLoopbackHost(hostname) && !PRIVATE.test(hostname);
}

/**
 * The host that a name in a certificate stands for, in lower case: for a wildcard the name behind it, which is most often a host too. Null for
 * mail addresses, IP addresses and whatever else is not a host name.
 */
export function hostInCertificate(written: string): string | null {
  const name = written.trim().toLowerCase().replace(/^\*\./, '').replace(/\.$/, '');
  if (name.length > LONGEST_NAME || !NAME.test(name)) {
    return null;
  }
  const url = `https://${name}/`;
  // The URL parser refuses what only looks like a name, such as xn-- with nothing sensible behind it.
  return URL.canParse(url) && new URL(url).href === url && !isIpHost(hostnameOf(url)) ? name : null;
}

export const isOfDomain = (name: string, domain: string): boolean => name === domain || name.endsWith(`.${domain}`);
