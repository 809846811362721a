import { isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { UsageError } from '../base/errors.js';

/** One `--connect-to`: '' matches any host or port, and leaves host or port as they are. */
export interface ConnectTo {
  host: string;
  port: string;
  toHost: string;
  toPort: string;
}

/** Reads HOST:PORT:ADDR:PORT as curl does; each part may be empty, IPv6 addresses stand in brackets. */
export function parseConnectTo(text: string): ConnectTo {
  const part = String.raw`(\[[^\]]*\]|[^:[\]]*)`;
  const match = new RegExp(`^${part}:(\\d*):${part}:(\\d*)$`).exec(text);
  if (match === null) {
    throw new UsageError(`"${text}" is not HOST:PORT:ADDR:PORT: give all four parts, empty ones match anything.`);
  }
  const [, host = '', port = '', toHost = '', toPort = ''] = match;
  return {
    host: readHost(host, text),
    port: readPort(port, text),
    toHost: readHost(toHost, text),
    toPort: readPort(toPort, text),
  };
}

/** The first mapping that matches, as in curl; a port of null stands for any. */
export function findConnectTo(mappings: readonly ConnectTo[], host: string, port: number | null): ConnectTo | null {
  const matchesPort = (wanted: string): boolean => wanted === '' || port === null || Number(wanted) === port;
  return (
    mappings.find((mapping) => (mapping.host === '' || mapping.host === host) && matchesPort(mapping.port)) ?? null
  );
}

function readHost(part: string, text: string): string {
  if (!part.startsWith('[')) return domainToASCII(part) || part.toLowerCase();
  const address = part.slice(1, -1);
  if (!isIPv6(address)) throw new UsageError(`"${part}" in "${text}" is not an IPv6 address.`);
  // The form that the URL parser gives a host, which is what it is compared with.
  return new URL(`http://${part}/`).hostname.slice(1, -1);
}

function readPort(part: string, text: string): string {
  if (part !== '' && (Number(part) < 1 || Number(part) > 65_535)) {
    throw new UsageError(`${part} in "${text}" is not a port: it must lie between 1 and 65535.`);
  }
  return part;
}
