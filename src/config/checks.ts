import ipaddr from 'ipaddr.js';
import { readExtractRule } from '../base/extract-rule.js';
import { readAddressed, readHeaderLine } from '../base/header-line.js';
import { patternProblem } from '../url/pattern.js';
import { DIFF_PARTS } from './option-spec.js';

/** Checks of single texts. Each gives the end of a sentence that begins "--option must be …", or null when all is well. */

export function checkHeader(text: string): string | null {
  return readHeaderLine(text) === null
    ? "of the form 'Name: value', 'https://HOST|Name: value' or '*|Name: value', where HOST may have a port and nothing more"
    : null;
}

export function checkExtract(text: string): string | null {
  const rule = readExtractRule(text);
  return typeof rule === 'string'
    ? `NAME=SELECTOR, NAME=jsonld:PATH, NAME=meta:NAME or NAME=re:PATTERN (${rule})`
    : null;
}

export function checkPattern(text: string): string | null {
  const problem = patternProblem(text);
  return problem === null ? null : `a glob, or re: and a regular expression (${problem})`;
}

/** A name from the summary may hold a `[` or `{` of its URLs, which makes no glob, and is taken all the same. */
export function checkTrap(text: string): string | null {
  return /^https?:\/\//.test(text) ? null : checkPattern(text);
}

/** A URL that was refused, without what may be a password in it. */
export const withoutPassword = (text: string): string =>
  text.startsWith('re:') ? text : text.replace(/^([a-z][\w+.-]*:\/\/)?.*@/i, '$1');

/** Of other types no body is read. */
export function checkContentType(text: string): string | null {
  return /^(?:text\/[\w.+-]+|text\/\*|application\/(?:xml|json|javascript|rss|atom)|[\w.-]+\/[\w.-]+\+(?:xml|json))$/.test(
    text,
  )
    ? null
    : 'a type of text, such as application/json, application/ld+json, text/plain or text/*';
}

export function checkUser(text: string): string | null {
  return text.indexOf(':') > 0 ? null : 'of the form NAME:PASSWORD';
}

export function checkProxy(text: string): string | null {
  if (/^socks4/i.test(text)) {
    return 'a socks5:// or socks5h:// proxy (SOCKS 4 knows neither passwords nor IPv6)';
  }
  if (/^[^/?#]+=/.test(text)) {
    return "one proxy for all hosts (for one host write --host 'HOST proxy=URL')";
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  const isProxy = url !== null && ['http:', 'https:', 'socks5:', 'socks5h:'].includes(url.protocol);
  if (!isProxy || url.hostname === '' || !/^\/?$/.test(url.pathname) || url.search + url.hash !== '') {
    return 'a URL with http://, https://, socks5:// or socks5h://, a host and nothing behind its port';
  }
  return isEscaped(url.username) && isEscaped(url.password)
    ? null
    : 'a URL whose user and password have %25 in place of %';
}

function isEscaped(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

export function checkAddressedFile(text: string): string | null {
  return readAddressed(text) === null
    ? "a file, or 'https://HOST|FILE', where HOST may have a port and nothing more"
    : null;
}

/** The passphrase itself would stand in the list of processes, and in the config file. */
export function checkPassphrase(text: string): string | null {
  return /^env:[A-Za-z_]\w*$/.test(text) ? null : 'env: and the name of a variable, such as env:KEY_PASSPHRASE';
}

export function checkNotify(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? null : 'a URL with http:// or https://';
}

export function checkApiUrl(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.username + url.password + url.search + url.hash === '';
  return isPlain && /^https?:$/.test(url.protocol)
    ? null
    : 'a URL with http:// or https://, without credentials or query';
}

export function checkNetwork(text: string): string | null {
  const [address = '', prefix] = text.split('/', 2);
  const valid = isAddress(address) && (prefix === undefined || ipaddr.isValidCIDR(text));
  return valid ? null : 'an address or a network such as 10.0.0.0/8';
}

export function checkDnsServer(text: string): string | null {
  const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^[\]]+?))(?::(\d+))?$/.exec(text) ?? [];
  // An IPv6 address without brackets ends in what looks like a port.
  const valid = isAddress(text) || (isAddress(bracketed ?? plain ?? '') && isPort(port ?? '53'));
  return valid ? null : 'an address such as 9.9.9.9, 127.0.0.1:5353 or [::1]:5353';
}

export function checkConnectTo(text: string): string | null {
  const [, , fromPort, , toPort] = /^(\[[^\]]*\]|[^:]*):(\d*):(\[[^\]]*\]|[^:]*):(\d*)$/.exec(text) ?? [];
  const valid = fromPort !== undefined && isPort(fromPort || '1') && isPort(toPort || '1');
  return valid ? null : 'of the form HOST:PORT:ADDR:PORT, where empty parts match anything and IPv6 stands in [ ]';
}

const MAPPED_HOST = /^(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

export function checkMapHost(text: string): string | null {
  const hosts = text.split('=');
  return hosts.length === 2 && hosts.every((host) => MAPPED_HOST.test(host))
    ? null
    : 'OLD=NEW, two hosts in lower case, with ports where they have any';
}

export function checkDiffParts(text: string): string | null {
  const known: readonly string[] = DIFF_PARTS;
  return text.split(',').every((part) => known.includes(part.trim())) ? null : `some of ${DIFF_PARTS.join(', ')}`;
}

/** Dotted IPv4 or IPv6; the short and octal forms that ipaddr.js also reads are how guards are fooled. */
function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

function isPort(text: string): boolean {
  return Number(text) >= 1 && Number(text) <= 65_535;
}

/** An object by name. */
export function checkDataText(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return null;
    }
  } catch {
    // Said below.
  }
  return `an object of JSON, such as {"id":7}`;
}

/** `en`, `pt-BR`. */
export const checkLanguage = (text: string): string | null =>
  /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}$/i.test(text) ? null : 'a language such as en or pt-BR';
