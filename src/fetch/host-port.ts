import { isIPv6 } from 'node:net';

/** A host without brackets, in lower case; `port` is '' where none is given. */
export interface HostPort {
  host: string;
  port: string;
}

/** Reads `host`, `host:port`, `[v6]:port` and a bare `v6`; null where it is none of them. */
export function parseHostPort(text: string): HostPort | null {
  if (isIPv6(text)) return { host: text.toLowerCase(), port: '' };
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text);
  if (match === null) return null;
  const [, v6, name, port = ''] = match;
  if (v6 !== undefined && !isIPv6(v6)) return null;
  if (Number(port) > 65_535) return null;
  return { host: (v6 ?? name ?? '').toLowerCase(), port };
}

export const withoutBrackets = (hostname: string): string =>
  hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;

export const withBrackets = (host: string): string => (host.includes(':') ? `[${host}]` : host);
