/** One `-H`: a header, and whom it is meant for. */
export interface HeaderLine {
  /** An origin such as `https://a.test:8443`, or one of the two below. */
  to: string;
  name: string;
  value: string;
}

export const TO_SEEDS = 'seeds';
export const TO_ALL = '*';

const ADDRESSED = /^(\*\s*|[a-z][a-z0-9+.-]*:\/\/[^|]*)\|(.*)$/is;
/** A header name could hold a `|`, but none does: here a `|` means that a host was given without its scheme. */
const HEADER = /^([!#$%&'*+.^_`~0-9A-Za-z-]+):(.*)$/s;

/** Reads `Name: value`, `https://HOST|Name: value` and `*|Name: value`; null if it is none of them. */
export function readHeaderLine(text: string): HeaderLine | null {
  const [, address, rest] = ADDRESSED.exec(text.trim()) ?? [];
  // Without a `|` behind the address this would be a header called "https", sent to everybody.
  if (address === undefined && /^https?:\/\//i.test(text.trim())) {
    return null;
  }
  const [, name, value = ''] = HEADER.exec(rest?.trim() ?? text.trim()) ?? [];
  const to = address === undefined ? TO_SEEDS : address.trim() === TO_ALL ? TO_ALL : originOf(address.trim());
  return name === undefined || to === null ? null : { to, name, value: value.trim() };
}

/** Reads `FILE` and `https://HOST|FILE`; `to` is an origin or TO_SEEDS. Null if it is neither. */
export function readAddressed(text: string): { to: string; file: string } | null {
  const [, address, rest] = ADDRESSED.exec(text.trim()) ?? [];
  if (address === undefined) {
    return text.trim() === '' || /^https?:\/\//i.test(text.trim()) ? null : { to: TO_SEEDS, file: text.trim() };
  }
  const to = originOf(address.trim());
  const file = rest?.trim() ?? '';
  return to === null || !to.startsWith('https:') || file === '' ? null : { to, file };
}

/** Scheme, host and port in normal form; null if there is more than that, or a pattern. */
export function originOf(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isBare = url !== null && /^https?:\/\/[^/\\?#@*]+\/?$/i.test(text);
  return isBare ? url.origin : null;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
export const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that frame or route a request: a wrong one would break it, or send it to another host than the guard checked. */
const OURS: Record<string, string> = {
  host: 'use --connect-to to send a host elsewhere',
  'proxy-authorization': 'write --proxy http://user:password@host:port',
};
for (const name of [
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]) {
  OURS[name] = 'it is set for each request';
}

/** Why a header must not or cannot be sent, as a sentence; null if nothing is wrong with it. The value, which may be a secret, is not in it. */
export function headerProblem(name: string, value: string): string | null {
  if (!TOKEN.test(name)) {
    return `"${shown(name)}" is not a name of a header.`;
  }
  if (!HEADER_VALUE.test(value)) {
    return `The value of header ${name} has a line break, a control character or one beyond latin1.`;
  }
  const lower = name.toLowerCase();
  const reason = Object.hasOwn(OURS, lower) ? OURS[lower] : undefined;
  return reason === undefined ? null : `Header ${name} cannot be set: ${reason}.`;
}

const shown = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 80);

const HARMLESS =
  /^(?:accept(?:-charset|-encoding|-language)?|cache-control|dnt|from|pragma|prefer|save-data|sec-(?:ch|fetch|gpc)[\w-]*|upgrade-insecure-requests|user-agent|x-requested-with)$/i;

/** Whether the value of such a header can be shown and kept. Any other may hold a secret, whatever its name. */
export const isHarmlessHeader = (name: string): boolean => HARMLESS.test(name);
